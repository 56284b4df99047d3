"""Functional updates with JAX's interface: `at(x)[key].set(values)`."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.dims import Dim
from ...core.errors import DTypeError, ShapeError
from ...core.op import as_operand
from ...core.types import normalize_axis, shape_of, type_of
from ...kernels.index.indexing import placement
from ...typing import AnyArray, Operand, OperandLike
from ..elementwise.arithmetic import add, div, mul, neg, power
from ..families import zeros_like
from ..shape.broadcasting import broadcast_to
from ..shape.movement import astype, reshape
from .index_keys import index_array, index_form, with_strong_dtypes
from .indexing import along, in_range, index, numbers
from .indexing import at as entries_at
from .updating import add_at, maximum_at, minimum_at, product_at, set_at

__all__ = ["at", "put", "put_along_axis", "scatter_add"]


class At:
    """An array to be updated functionally: `At(x)[key]` selects entries."""

    __slots__ = ("x",)

    def __init__(self, x: AnyArray) -> None:
        self.x = x

    def __getitem__(self, key: Any) -> "Place":
        return Place(self.x, key)


class Place:
    """The entries of an array at an index.

    Methods return a copy of the array with these entries changed. Values broadcast to the shape of
    the indexed entries, and are cast to the dtype of the array. For an entry indexed more than once
    `set` uses the last value; the other methods use all.
    """

    __slots__ = ("arrays", "index", "key", "x")

    def __init__(self, x: AnyArray, key: Any) -> None:
        self.x, self.key = as_operand(x), key
        self.index, self.arrays = index_form(self.x, key)

    def get(self) -> AnyArray:
        """The entries at the index."""
        return entries_at(self.x, self.arrays, self.index)

    def set(self, values: OperandLike) -> AnyArray:
        """The array with the values at the index."""
        return set_at(self.x, as_operand(values), *self.arrays, index=self.index)

    def add(self, values: OperandLike) -> AnyArray:
        """The array with the values added at the index."""
        return add_at(self.x, as_operand(values), *self.arrays, index=self.index)

    def subtract(self, values: OperandLike) -> AnyArray:
        """The array with the values subtracted at the index."""
        return self.add(neg(self.cast(values)))

    def multiply(self, values: OperandLike) -> AnyArray:
        """The array with its entries at the index multiplied by the values."""
        return self.by_product(mul, values)

    def divide(self, values: OperandLike) -> AnyArray:
        """The array with its entries at the index divided by the values."""
        return self.by_product(div, values)

    def power(self, values: OperandLike) -> AnyArray:
        """The array with its entries at the index raised to the powers `values`."""
        return self.by_product(power, values)

    def max(self, values: OperandLike) -> AnyArray:
        """The array with the larger of entry and value at the index; ties share the derivative."""
        return maximum_at(self.x, as_operand(values), *self.arrays, index=self.index)

    def min(self, values: OperandLike) -> AnyArray:
        """The array with the smaller of entry and value at the index; ties share the derivative."""
        return minimum_at(self.x, as_operand(values), *self.arrays, index=self.index)

    def apply(self, f: Callable[[Any], Operand]) -> AnyArray:
        """The array with `f` applied to its entries at the index, once even if indexed twice."""
        return self.set(f(self.get()))

    def by_product(
        self, op: Callable[[AnyArray, AnyArray], AnyArray], values: OperandLike
    ) -> AnyArray:
        """`op` of the array and the product of the values for each entry."""
        v = self.cast(values)
        if not self.arrays:
            return self.set(op(self.get(), v))
        v = self.spread(v)
        factors = product_at(v, *self.arrays, index=self.index, shape=shape_of(self.x))
        return op(self.x, factors)

    def spread(self, values: AnyArray) -> AnyArray:
        """The values broadcast to the shape of the indexed entries."""
        types = [type_of(a) for a in self.arrays]
        shape = placement("at", self.index, type_of(self.x), types).shape
        if shape_of(values) == shape:
            return values
        if any(isinstance(n, Dim) for n in shape):
            return add(values, zeros_like(self.get()))
        return broadcast_to(values, shape=shape)

    def cast(self, values: OperandLike) -> AnyArray:
        """The values cast to the dtype of the array."""
        dtype, v = type_of(self.x).dtype, with_strong_dtypes([self.x, as_operand(values)])[1]
        own = type_of(v).dtype
        if not np.can_cast(own, dtype, "same_kind"):
            types = [type_of(self.x), type_of(v)]
            raise DTypeError("at", types, f"{own} values do not fit among {dtype} entries")
        return v if own == dtype else astype(v, dtype=dtype)


def at(x: Any) -> At:
    """`at(x)[key].set(v)`: a copy of `x` with `v` at a key.

    Instead of `set` there are `add`, `subtract`, `multiply`, `divide`, `power`, `min`, `max`,
    `apply(f)`, and `get`. Tensors and expressions have `x.at[key]`. For an entry indexed more than
    once `set` uses the last value; the other methods use all. Raises IndexingError for an index
    out of range, ShapeError for values that do not broadcast to the indexed entries, DTypeError
    for values that cannot be cast to the dtype of `x`.

    >>> at(np.zeros(3))[[0, 2, 2]].add(1.0)
    array([1., 0., 2.])
    """
    return At(x)


def scatter_add(x: OperandLike, key: Any, values: OperandLike) -> Any:
    """`x` with `values` added at `key`; entries that `key` names twice are added to twice.

    `values` broadcast to the shape of `x[key]`. Raises ShapeError if they do not, and
    IndexingError for an index out of range.

    >>> scatter_add(np.zeros(3), [0, 2, 2], [1.0, 2.0, 3.0])
    array([1., 0., 5.])
    """
    return at(x)[key].add(values)


def put_along_axis(x: Any, indices: Any, values: OperandLike, axis: int | None) -> Any:
    """A copy of `x` with `values` at the entries that `take_along_axis` takes.

    With axis None, `x` counts as one row. Raises ShapeError if `indices` and `x` differ in the
    number of axes, IndexingError for an index out of range.

    >>> put_along_axis(np.zeros((2, 2)), np.array([[1], [0]]), 7.0, axis=1)
    array([[0., 7.],
           [7., 0.]])
    """
    if axis is None:
        row = at(reshape(x, shape=(-1,)))[index_array(x, indices)].set(values)
        return reshape(row, shape=shape_of(x))
    kind, indices = type_of(x), index_array(x, indices)
    k = normalize_axis("put_along_axis", kind, axis)
    if len(shape_of(indices)) != kind.ndim:
        raise ShapeError(
            "put_along_axis", [kind, type_of(indices)],
            f"the indices have {len(shape_of(indices))} axes, the operand {kind.ndim}",
        )  # fmt: skip
    key = tuple(indices if i == k else along(x, i) for i in range(kind.ndim))
    return at(x)[key].set(values)


def put(x: Any, indices: Any, values: Any, mode: str = "raise") -> Any:
    """A copy of `x` with values at `indices` into the flattened array; too few values repeat.

    `mode` handles an index out of range: "raise" an IndexingError, "wrap" around, or "clip" to the
    last entry.

    >>> put(np.zeros(3), [0, 2], 1.0)
    array([1., 0., 1.])
    """
    found = in_range("put", x, index_array(x, indices), type_of(x).size, mode)
    indices, values = reshape(found, shape=(-1,)), as_operand(values)
    if shape_of(values):
        values = reshape(values, shape=(-1,))
        if shape_of(values) != shape_of(indices):
            values = index(values, numbers(indices, 0) % shape_of(values)[0])
    return reshape(at(reshape(x, shape=(-1,)))[indices].set(values), shape=shape_of(x))
