"""The tensor: the handle with PyTorch's semantics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradops import DTypeError, TapeError
from gradops.core.op import as_operand
from gradops.typing import AnyArray, ArrayLike

from .handle import Handle, MissingAttribute, detach, hold, make_leaf, on_face
from .node import Part, Vertex
from .plain_arrays import copy_if_small
from .storage import memory, storage_of

CATEGORIES = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}
"""The categories of dtypes by kind; results are not cast to a lower one."""


class Tensor(Handle):
    """An array that can take part in differentiation.

    `Tensor(3, 5)` is an uninitialised float32 tensor of that shape and `Tensor([3, 5])` one with
    those entries, as in PyTorch; `dg.tensor(data)` is the usual way to make one.

    >>> dg.Tensor(3, 5).shape, dg.Tensor([3, 5])
    ((3, 5), tensor([3., 5.]))
    """

    __slots__ = ()
    rank = 1
    cut_by_number = (
        "Converting a tensor with requires_grad=True to a scalar cuts it off from the graph"
        "\n  hint: use functions of NumPy or dynamicgrad, not of math and random; .item() says that"
        " a number is meant"
    )

    if TYPE_CHECKING:  # methods are set by `installation`, from the table of names

        def __getattr__(self, name: str) -> Any: ...

    def __init__(self, *data: ArrayLike) -> None:
        if len(data) == 1 and not isinstance(data[0], int):
            self.value = np.array(data[0], np.float32)
        else:
            self.value = np.empty(data or 0, np.float32)
        self.node = self.storage = self.cut = self.alias = None

    def can_store(self, dtype: np.dtype) -> bool:
        """True if a result of `dtype` may be written to the tensor in place."""
        return CATEGORIES[dtype.kind] <= CATEGORIES[self.dtype.kind]

    @property
    def output_nr(self) -> int:
        """The number of this output among the outputs of its node."""
        return self.node.index if type(self.node) is Part else 0

    @property
    def retains_grad(self) -> bool:
        """True for a tensor that is not a leaf and on which `retain_grad` was called."""
        return not self.is_leaf and self.node.watch is not None and self.node.watch.retains

    @property
    def data(self) -> Tensor:
        """The tensor without history, on the same memory; writes count for both."""
        return detach(self)

    @data.setter
    def data(self, source: Tensor) -> None:
        replace_data(self, source)

    @property
    def _base(self) -> Handle | None:
        """The tensor that this one is a view of; None if it is not a view."""
        return self.alias.base if self.alias else None

    def _is_view(self) -> bool:
        """True for a view of another tensor; writes to either give both new histories."""
        return self.alias is not None

    def __reduce__(self) -> tuple[object, ...]:
        flags = flags_of_leaf(self, "pickle")
        return restore_leaf, (np.asarray(self.value), *flags)

    def __copy__(self) -> Tensor:
        flags = flags_of_leaf(self, "copy")
        return mark_leaf(detach(self), *flags)

    def __deepcopy__(self, memo: dict[int, object]) -> Tensor:
        flags = flags_of_leaf(self, "deepcopy")
        found = memo[id(self)] = restore_leaf(np.array(self.value), *flags)
        if (grad := getattr(self, "grad", None)) is not None:
            found.grad = handle(np.array(grad.value))  # type: ignore[attr-defined]
        return found


def flags_of_leaf(t: Tensor, protocol: str) -> tuple[bool, bool]:
    """True if a leaf requires gradients, and if it is a parameter.

    Raises TapeError for a tensor with history, which a copy would lose silently.
    """
    if not t.is_leaf:
        raise TapeError(
            "Only Tensors created explicitly by the user (graph leaves) support the"
            f" {protocol} protocol\n  hint: x.clone() is a copy through which gradients flow"
        )
    return t.node is not None, getattr(t, "is_parameter", False)


OF_NUMPY = {
    "astype": "x.to(dtype)", "compress": "x[mask]", "conjugate": "x.conj()", "copy": "x.clone()",
    "fill": "x.fill_(value)", "flat": "x.flatten()", "partition": "x.sort()",
}  # fmt: skip
"""Methods of NumPy arrays that tensors lack, and what to write instead."""
for _name, _instead in OF_NUMPY.items():
    setattr(Tensor, _name, MissingAttribute(_name, _instead))


def restore_leaf(value: np.ndarray, requires_grad: bool, is_parameter: bool = False) -> Tensor:
    """A leaf restored from a pickle or a copy."""
    return mark_leaf(handle(value), requires_grad, is_parameter)


def mark_leaf(t: Tensor, requires_grad: bool, is_parameter: bool) -> Tensor:
    """The new leaf `t`, made to require gradients and marked as a parameter if wanted."""
    if is_parameter:
        t.is_parameter = True
    return make_leaf(t) if requires_grad else t


def handle(value: object, node: Vertex | None = None) -> Tensor:
    """A tensor on a value and its node."""
    return hold(Tensor, value, node)


def tensor_of(x: AnyArray) -> Tensor:
    """`x` as a tensor: an `Array` on the same node, or a value; a tensor is returned as it is."""
    return on_face(Tensor, x)


def as_tensor(x: object) -> Any:
    """`x` itself if it is a handle, else a tensor of it; sequences become arrays."""
    if isinstance(x, Handle):
        return x
    value = as_operand(x)
    value = value if hasattr(value, "shape") else np.asarray(value)
    return hold(Tensor, copy_if_small(numeric(value)))


def numeric(value: Any) -> Any:
    """An array or a traced value; raises DTypeError unless its entries are numbers."""
    if value.dtype.kind not in "biufc":
        given = value.dtype if value.ndim else type(value.item()).__name__
        raise DTypeError("tensor", [given], "the entries of a tensor must be numbers")
    return value


def replace_data(t: Tensor, source: Tensor) -> None:
    """Make the leaf `t` hold the memory of `source`, which counts as a write to both."""
    if not isinstance(source, Tensor):
        raise TypeError(f"data is set to a tensor, not to a {type(source).__name__}")
    if source.value is t.value:
        return  # `t.data -= step` has written already
    if t.node is not None and (not t.is_leaf or source.type != t.type):
        raise TapeError(
            f"the data of a leaf that requires grad can be set to a {t.type}, not {source.type};"
            " that of a result cannot be\n  hint: make a new leaf, or use copy_() under no_grad()"
        )
    before, t.value, t.alias = storage_of(t), memory(source), None
    t.storage = storage_of(source)
    if t.node is not None:
        t.node.storage = t.storage
    t.storage.lend()
    for storage in (before, t.storage):
        storage.write()
