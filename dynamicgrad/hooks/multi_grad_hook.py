"""Hooks on several tensors at once."""

from collections.abc import Callable, Sequence
from typing import Any

from ..engine.grad_mode import FINISHING
from ..engine.tensor import Tensor
from .removable_handle import RemovableHandle
from .tensor_hooks import register_hook


class Handles(RemovableHandle):
    """The handles of several hooks, removed together."""

    __slots__ = ("handles",)

    def __init__(self, handles: Sequence[RemovableHandle]) -> None:
        self.handles = handles

    def remove(self) -> None:
        """Take all hooks away."""
        for one in self.handles:
            one.remove()


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
    group = Group(fn, len(tensors), mode == "any")
    return Handles([register_hook(t, group.hook(i)) for i, t in enumerate(tensors)])


class Group:
    """The gradients of several tensors in one backward, until they are complete."""

    def __init__(self, fn: Callable[[Any], Any], count: int, any_: bool) -> None:
        self.fn, self.count, self.any = fn, count, any_
        self.task: Any = None
        self.found: dict[int, Tensor] = {}

    def hook(self, i: int) -> Callable[[Tensor], None]:
        """The hook of the tensor number i."""
        return lambda g: self.arrived(i, g)

    def arrived(self, i: int, g: Tensor) -> None:
        """Note a gradient; call the function when nothing is left to wait for."""
        task = FINISHING.get()
        if task is not self.task:  # the first one in this backward
            self.task, self.found = task, {}
            if task is not None:
                task.append(self.finish)
        self.found[i] = g
        if self.any:
            if len(self.found) == 1:
                self.fn(g)
        elif len(self.found) == self.count:
            self.finish()

    def finish(self) -> None:
        """Call the function with what there is, unless that was done."""
        found, self.found, self.task = self.found, {}, None
        if found and not self.any:
            self.fn(tuple(found.get(i) for i in range(self.count)))
