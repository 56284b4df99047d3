"""Hooks on several tensors at once."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ..engine.grad_mode import FINISHING
from ..engine.tensor import Tensor
from .tensor_hooks import RemovableHandle, register_hook


class HandleGroup(RemovableHandle):
    """The handles of several hooks, removed together."""

    __slots__ = ("handles",)

    def __init__(self, handles: Sequence[RemovableHandle]) -> None:
        self.handles = handles

    def remove(self) -> None:
        """Remove all hooks."""
        for handle in self.handles:
            handle.remove()


def register_multi_grad_hook(
    tensors: Sequence[Tensor], fn: Callable[[Any], Any], *, mode: str = "all"
) -> RemovableHandle:
    """Call `fn` once in each backward that reaches some of the tensors.

    With mode "all" it gets their gradients when the last one is known, None for tensors that the
    backward did not reach; with mode "any" it gets the first gradient. It returns nothing.

    >>> x, y = dg.ones(1, requires_grad=True), dg.ones(1, requires_grad=True)
    >>> handle = dg.autograd.graph.register_multi_grad_hook((x, y), print)
    >>> (x * 2 + y).sum().backward()
    (tensor([2.]), tensor([1.]))
    """
    if mode not in ("all", "any"):
        raise ValueError(f"mode is 'all' or 'any', not {mode!r}")
    grads: dict[int, Tensor] = {}
    backward: list[Callable[[], None]] | None = None  # the one that `grads` are from

    def collect(i: int, g: Tensor) -> None:
        nonlocal backward
        if backward is not (current := FINISHING.get()):
            backward = current
            grads.clear()
            if current is not None:
                current.append(finish)
        grads[i] = g
        if mode == "any" and len(grads) == 1:
            fn(g)
        elif mode == "all" and len(grads) == len(tensors):
            finish()

    def finish() -> None:
        nonlocal backward
        complete, backward = dict(grads), None
        grads.clear()
        if complete and mode == "all":
            fn(tuple(map(complete.get, range(len(tensors)))))

    return HandleGroup([register_hook(t, partial(collect, i)) for i, t in enumerate(tensors)])
