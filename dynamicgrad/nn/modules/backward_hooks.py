"""Backward hooks of modules, which get the gradients of all inputs and outputs of a call.

A module with such hooks sends its inputs, and its outputs, through an identity, whose backward has
the gradients of all of them at once.
"""

from collections.abc import Callable, Sequence
from typing import Any

from ...custom_function.function import Function
from ...engine.tensor import Tensor

Grads = tuple[Any, ...]


class BackwardHookFunction(Function):
    """The identity on tensors, with a function applied to their gradients."""

    @staticmethod
    def forward(ctx: Any, seen: Callable[[Grads], Grads], zeros: bool, *xs: Tensor) -> Grads:
        """The tensors, on the same memory."""
        ctx.seen = seen
        ctx.set_materialize_grads(zeros)
        ctx.mark_non_differentiable(*[x for x in xs if not x.requires_grad])
        return xs

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Grads:
        """The result of the function for the gradients."""
        return (None, None, *ctx.seen(grads))


class Crossing:
    """One call of a module, with hooks on the gradients of its outputs and inputs."""

    def __init__(self, module: Any) -> None:
        self.module = module
        self.grad_output: Grads = ()
        self.count = 0  # of the inputs
        self.enters = False  # whether an input requires a gradient

    def inputs(self, args: Grads) -> Grads:
        """The arguments, with the hooks called on their gradients."""
        self.count = len(args)
        self.enters = any(isinstance(a, Tensor) and a.requires_grad for a in args)
        return watch(args, self.at_inputs, zeros=True)

    def outputs(self, output: Any) -> Any:
        """The output, or all tensors in a tuple, with the pre-hooks called on their gradients."""
        if isinstance(output, tuple):
            return watch(output, self.at_outputs, zeros=False)
        return watch((output,), self.at_outputs, zeros=False)[0]

    def at_outputs(self, grads: Grads) -> Grads:
        """The gradients of the outputs after the pre-hooks."""
        for hook in [*self.module._backward_pre_hooks.values()]:
            grads = replace(hook(self.module, grads), grads, "grad_output")
        self.grad_output = grads
        if not self.enters:
            self.leave((None,) * self.count)
        return grads

    def leave(self, none: Grads) -> None:
        """Call the hooks of a module none of whose inputs requires a gradient."""
        for hook in [*self.module._backward_hooks.values()]:
            found = hook(self.module, none, self.grad_output)
            if any(g is not None for g in as_tuple(found)):
                raise RuntimeError(
                    "Backward hook for Modules where no input requires gradient should always"
                    f" return None or None for all gradients, not a {type(found).__name__}"
                )

    def at_inputs(self, grads: Grads) -> Grads:
        """The gradients of the inputs after the hooks."""
        for hook in [*self.module._backward_hooks.values()]:
            grads = replace(hook(self.module, grads, self.grad_output), grads, "grad_input")
        return grads


def watch(xs: Grads, seen: Callable[[Grads], Grads], zeros: bool) -> Grads:
    """`xs` with hooked tensors; `seen` gets their gradients, and None for other values."""
    places = [i for i, x in enumerate(xs) if isinstance(x, Tensor)]
    tensors = [xs[i] for i in places]
    if not any(t.requires_grad for t in tensors):
        return xs

    def of_tensors(grads: Grads) -> Grads:
        found = seen(tuple(put_at(grads, places, [None] * len(xs))))
        return tuple(found[i] for i in places)

    crossed = BackwardHookFunction.apply(of_tensors, zeros, *tensors)
    return tuple(put_at(crossed, places, list(xs)))


def put_at(values: Grads, places: Sequence[int], among: list[Any]) -> list[Any]:
    """`among` with values assigned at indices."""
    for i, value in zip(places, values, strict=True):
        among[i] = value
    return among


def replace(found: Any, grads: Grads, what: str) -> Grads:
    """The gradients that a hook returned; those it was given if it returned None."""
    if found is None:
        return grads
    found = as_tuple(found)
    if len(found) != len(grads):
        raise RuntimeError(
            f"Backward hook returned an invalid number of {what}, got {len(found)}, but expected"
            f" {len(grads)}\n  hint: return one for each, None where there is none, or just None"
        )
    return found


def as_tuple(found: Any) -> Grads:
    """The result of a hook, one gradient or several, as a tuple."""
    return found if isinstance(found, tuple) else (found,)
