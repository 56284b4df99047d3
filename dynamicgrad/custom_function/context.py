"""The context of a call of a custom function: the `ctx` and its saved tensors."""

import weakref
from collections.abc import Callable, Sequence
from typing import Any

from gradops import TapeError

from ..engine.grad_mode import PACKING
from ..engine.handle import Handle
from ..engine.node import Node, Part
from ..engine.saved_tensors import Freed, changed_text
from ..engine.storage import memory, storage_of
from ..engine.tensor import Tensor, handle
from ..hooks.saved_tensor_hooks import Packed

Values = Sequence[object]  # arguments or outputs of forward: tensors, and other things


class FunctionCtx:
    """The `ctx` of a `Function`: values that forward passes on to backward."""

    needs_input_grad: tuple[bool, ...]

    def __init__(self, name: str) -> None:
        self._name = name
        self._to_save: tuple[Tensor | None, ...] = ()
        self._dirty: tuple[Tensor, ...] = ()
        self._constant: tuple[Tensor, ...] = ()
        self._materialize = True
        self._saved: tuple[Saved, ...] = ()
        self._freed: Freed | None = None
        self._node: Callable[[], Any] | None = None

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Save inputs or outputs, or None, to be read in backward as `ctx.saved_tensors`."""
        for t in tensors:
            if t is not None and not isinstance(t, Handle):
                raise TypeError(
                    f"save_for_backward of {self._name} can only save tensors, but got a"
                    f" {type(t).__name__}\n  hint: other values are kept as attributes, ctx.n = n"
                )
        self._to_save = tensors

    def save_for_forward(self, *tensors: Tensor | None) -> None:
        """Save tensors for `jvp`; here the same as `save_for_backward`."""
        self.save_for_backward(*tensors)

    def mark_dirty(self, *tensors: Tensor) -> None:
        """Name the inputs that forward wrote to; it must return them."""
        self._dirty = tensors

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Name the outputs through which no gradient passes."""
        self._constant = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Set whether backward gets zeros for unused outputs, the default, or None."""
        self._materialize = value

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """The saved tensors; raises TapeError if they were freed or written to since."""
        if self._node is None:
            return self._to_save
        node = self._node()
        if self._freed is not None:
            self._freed.read(node, None)
        return tuple(saved_tensor(node, x) for x in self._saved)

    def _save(self, node: Node, outputs: Sequence[object]) -> None:
        """Save the tensors that forward named, outputs without a reference to the node."""
        self._node = weakref.ref(node)
        hooks = PACKING.get()
        for t in self._to_save:
            i = next((i for i, y in enumerate(outputs) if y is t), None)
            x: Saved = t if i is None or t is None else Output(t, i, len(outputs) > 1)
            if hooks is not None and t is not None:
                x = Packed(t, hooks)
            self._saved += (x,)
        self._to_save = ()


class Output:
    """An output that its own node saves."""

    __slots__ = ("index", "one_of_several", "storage", "type", "value")

    def __init__(self, t: Tensor, index: int, one_of_several: bool) -> None:
        self.value, self.storage, self.type = memory(t), storage_of(t), t.type
        self.index, self.one_of_several = index, one_of_several

    def tensor(self, node: Node) -> Tensor:
        """The output as a tensor."""
        of, dtype = self.type.shape, self.type.dtype
        vertex = Part(node, self.index, of, dtype) if self.one_of_several else node
        t = handle(self.value, vertex)
        t.storage = self.storage
        return t


Saved = Handle | Output | Packed | None


def saved_tensor(node: Node, x: Saved) -> Handle | None:
    """A saved value as a tensor; raises TapeError if it was written to since."""
    if x is None:
        return None
    if x.storage is not None and x.storage.changed > node.number:
        raise TapeError(changed_text(node, "the saved tensor", x.type, x.storage))
    if isinstance(x, Packed):
        return handle(x.value(), x.node)
    return x.tensor(node) if isinstance(x, Output) else x
