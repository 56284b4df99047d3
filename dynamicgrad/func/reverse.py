"""Reverse mode as transforms of functions: `grad`, `value_and_grad` and `vjp`."""

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

import gradops as ops
from gradops import NotDifferentiableError, TransformError
from gradops.core.tree import flatten
from gradops.core.types import is_inexact

from ..engine.grad_mode import is_recording
from ..engine.handle import Handle
from ..engine.leaf import GIVE_FLOATS, NEED_FLOATS
from .levels import has_history
from .recording import Recording, gradients
from .structure import (
    NUMBERS,
    ArgNums,
    Function,
    argument_text,
    arguments_at,
    as_handle,
    for_caller,
    has_handles,
    like_argnums,
    output,
    outputs_of,
    same_structure,
    speaks_numpy,
    split_aux,
    structure_text,
    with_arguments_at,
)


def grad_and_value(func: Function, argnums: ArgNums = 0, has_aux: bool = False) -> Function:
    """A function that computes the gradient of `func` and its value.

    As `grad`, but the result is the pair (gradient, value); with `has_aux`, (gradient, (value,
    aux)).

    >>> dg.func.grad_and_value(lambda x: (x * x).sum())(dg.tensor([1.0, 2.0]))
    (tensor([2., 4.]), tensor(5.))
    """
    return gradient_and_value(func, argnums, has_aux, "grad_and_value(f)(*args)")


def gradient_and_value(func: Function, argnums: ArgNums, has_aux: bool, call: str) -> Function:
    """As `grad_and_value`; errors name `call`, the user's call."""
    if not callable(func):
        raise TransformError(
            f"grad takes a function and makes another of it, got {type(func)}"
            "\n  hint: grad(f)(x); autograd.grad(outputs, inputs) goes from tensors to tensors"
        )

    @functools.wraps(func)
    def transformed(*args: object, **kwargs: object) -> Any:
        picked = arguments_at(args, argnums)
        leaves, rebuild = flatten(picked)
        try:
            record = Recording(leaves)
        except NotDifferentiableError:
            raise of_integers(func, args, argnums, call) from None
        with record.running():
            result = func(*with_arguments_at(args, argnums, rebuild(record.vertices)), **kwargs)
            value, aux = split_aux(result, has_aux, call)
            y = scalar(value, call, speaks_numpy(record.vertices))
            leads_out = record.leads_out([y])
            create = leads_out or record.holds_history([y])
            found = gradients([y], record.vertices, None, create, create, linear=not leads_out)
        settled = like_argnums(rebuild(record.settle(found, create)), argnums)
        (value,) = record.settle([y], leads_out)
        values = (value, record.settle_tree(aux)) if has_aux else value
        return for_caller((settled, values), has_handles(args) or has_handles(kwargs))

    return transformed


def of_integers(func: Function, args: Any, argnums: ArgNums, call: str) -> NotDifferentiableError:
    """The error that names the argument to differentiate by that is not of floats."""
    for n in argnums if isinstance(argnums, tuple) else (argnums,):
        for x in map(as_handle, flatten(args[n])[0]):
            if not is_inexact(x.dtype):
                return NotDifferentiableError(
                    f"{call}: {NEED_FLOATS} {x.dtype}, {argument_text(func, n % len(args))}"
                    f"\n  hint: {GIVE_FLOATS}"
                )
    raise AssertionError("all arguments are of floats")


def scalar(value: object, call: str, numbers: bool) -> Handle:
    """The scalar that a function returned; with `numbers`, a number or an array of one entry."""
    if type(value) in REFUSED and not (numbers and type(value) in NUMBERS):
        raise TransformError(
            f"{call}: Expected f(*args) to return a Tensor, got {type(value)}\n  hint: return what"
            " operations on the arguments give (float(), item(), functions of math and entries of"
            " NumPy's arrays are cut off from them); has_aux=True lets it return (output, aux)"
        )
    y = output(value, f"{call}: Expected f(*args) to return a Tensor", numbers)
    if y.shape and not (numbers and all(n == 1 for n in y.shape)):
        raise TransformError(
            f"{call}: Expected f(*args) to return a scalar Tensor, got tensor with"
            f" {len(y.shape)} dims, {y.type}.\n  hint: reduce it, as by .sum(); or maybe you wanted"
            " to use the vjp or jacrev APIs instead?"
        )
    return y


REFUSED = list, tuple, dict, float, int, type(None)


def value_and_grad(func: Function, argnums: ArgNums = 0, has_aux: bool = False) -> Function:
    """A function that computes the value of `func` and its gradient, in this order.

    As `grad`, but the result is the pair (value, gradient); with `has_aux`, ((value, aux),
    gradient). So of a function of arrays it is what SciPy calls an objective with `jac=True`.

    >>> dg.value_and_grad(lambda x: (x * x).sum())(np.array([1.0, 2.0]))
    (np.float64(5.0), array([2., 4.]))
    """
    call = "value_and_grad(f)(*args)"
    reversed_order = gradient_and_value(func, argnums, has_aux, call)

    @functools.wraps(func)
    def transformed(*args: object, **kwargs: object) -> Any:
        gradient, value = reversed_order(*args, **kwargs)
        return value, gradient

    return transformed


def grad(func: Function, argnums: ArgNums = 0, has_aux: bool = False) -> Function:
    """A function that computes the gradient of `func`, which returns one number.

    `argnums` says by which arguments, each a tensor or array of floats, or a tree of such; a tuple
    of numbers gives a tuple of gradients. With `has_aux`, `func` returns (output, aux) and the
    result is (gradient, aux). Given arrays and no tensors, it returns arrays. Raises TransformError
    for an output that is not a number, NotDifferentiableError for integers.

    >>> dg.grad(lambda x: np.sum(np.sin(x)))(np.zeros(2))
    array([1., 1.])
    >>> dg.func.grad(dg.func.grad(lambda x: x**3))(dg.tensor(2.0))
    tensor(12.)
    """
    both = gradient_and_value(func, argnums, has_aux, "grad(f)(*args)")

    @functools.wraps(func)
    def transformed(*args: object, **kwargs: object) -> Any:
        gradient, value = both(*args, **kwargs)
        return (gradient, value[1]) if has_aux else gradient

    return transformed


def vjp(func: Function, *primals: object, has_aux: bool = False) -> tuple[Any, ...]:
    """The value of `func` at `primals`, and a function that carries cotangents back through it.

    That function takes a cotangent for each output, in the structure of the output, and returns a
    tuple with one for each primal; it may be called again and again. With `has_aux`, `func` returns
    (output, aux), and aux comes as a third result.

    >>> y, back = dg.func.vjp(dg.sin, dg.tensor([0.0, 1.0]))
    >>> back(dg.ones(2))
    (tensor([1.0000, 0.5403]),)
    """
    run = ForwardRun(func, primals, has_aux)
    as_handles = has_handles(primals)

    def back(
        cotangents: object, retain_graph: bool = True, create_graph: bool | None = None
    ) -> tuple[Any, ...]:
        weights = fitting(cotangents, run.value, run.outputs)
        found = run.pull_back(weights, retain_graph, create_graph)
        tensors = as_handles or has_handles(cotangents)
        return tuple(for_caller(run.rebuild_primals(found), tensors))

    value, aux = for_caller(run.results(), as_handles)
    return (value, back, aux) if has_aux else (value, back)


class ForwardRun:
    """A function that has run on vertices, ready to pull cotangents of its outputs back."""

    def __init__(
        self, func: Function, primals: object, has_aux: bool = False, lifted: bool = False
    ) -> None:
        call = "vjp(f, *primals)"
        leaves, self.rebuild_primals = flatten(primals)
        leaves = [x.copy(order="K") if type(x) is np.ndarray else x for x in leaves]  # for later
        self.record = Recording(leaves, lifted)
        with self.record.running():
            result = func(*self.rebuild_primals(self.record.vertices))
            self.value, self.aux = split_aux(result, has_aux, call)
            numbers = speaks_numpy(self.record.vertices)
            self.outputs, self.rebuild = outputs_of(self.value, call, numbers)
        self.leads_out = self.record.leads_out(self.outputs)
        self.records = self.leads_out or self.record.holds_history(self.outputs)

    def results(self) -> tuple[Any, Any]:
        """The output and the auxiliary result, without the run's own history."""
        settled = self.record.settle(self.outputs, self.leads_out)
        return self.rebuild(settled), self.record.settle_tree(self.aux)

    def pull_back(
        self, weights: Sequence[Handle], retain: bool = True, create: bool | None = None
    ) -> list[Handle]:
        """The cotangents of the primals for those of the outputs."""
        if create is None:
            create = bool(is_recording()) and (self.records or any(map(has_history, weights)))
        linear = not self.leads_out
        found = gradients(self.outputs, self.record.vertices, weights, retain, create, linear)
        return self.record.settle(found)


def fitting(cotangents: object, value: object, outputs: Sequence[Handle]) -> list[Handle]:
    """The cotangents of the outputs, of their structure, shapes and dtypes."""
    if not same_structure(cotangents, value):
        raise TransformError(
            "Expected pytree structure of cotangents to be the same as pytree structure of outputs"
            f" to the function. cotangents: {structure_text(cotangents)}, primal output:"
            f" {structure_text(value)}"
        )
    weights = [as_handle(g) for g in flatten(cotangents)[0]]
    for i, (g, y) in enumerate(zip(weights, outputs, strict=True)):
        if g.shape != y.shape:
            raise TransformError(
                f"Mismatch in shape: grad_output[{i}] has a shape of {g.shape} and output[{i}] has"
                f" a shape of {y.shape}."
            )
    return [ops.astype(g, dtype=y.dtype) if g.dtype != y.dtype else g
            for g, y in zip(weights, outputs, strict=True)]  # fmt: skip
