"""Sorting, searching and sets: TensorFlow's functions, in terms of those of `gradops`."""

from typing import Any, NamedTuple

import numpy as np

import gradops as ops
from gradops import OptionError, ShapeError
from gradops.core.types import conflict, native, shape_of, type_of
from gradops.typing import AnyArray, Axis, DTypeLike, Operand

from ..build.inputs import default_dtype
from ..ir.expr import Expr

DIRECTIONS = {"ASCENDING": False, "DESCENDING": True}


class TopK(NamedTuple):
    """The largest entries and their indices."""

    values: Operand
    indices: Operand


class Unique(NamedTuple):
    """The distinct entries in order of appearance, and the index of each entry among them."""

    y: Operand
    idx: AnyArray


class UniqueWithCounts(NamedTuple):
    """The distinct entries, the index of each entry among them, and their counts."""

    y: Operand
    idx: AnyArray
    count: Any


class ListDiff(NamedTuple):
    """The entries of a row that do not occur in another one, and their indices."""

    out: AnyArray
    idx: AnyArray


def is_descending(values: Operand, direction: str) -> bool:
    """Whether `direction` is descending; raises OptionError for an unknown one."""
    if direction not in DIRECTIONS:
        reason = f"direction is 'ASCENDING' or 'DESCENDING', not {direction}"
        raise OptionError("sort", [type_of(values)], reason)
    return DIRECTIONS[direction]


def sort(values: Operand, axis: int = -1, direction: str = "ASCENDING") -> AnyArray:
    """The entries sorted along an axis.

    >>> sg.sort(np.array([3, 1, 2]), direction="DESCENDING")
    array([3, 2, 1])
    """
    return ops.sort(values, axis, is_descending(values, direction))


def argsort(
    values: Operand, axis: int = -1, direction: str = "ASCENDING", stable: bool = False
) -> AnyArray:
    """The indices that sort the entries along an axis.

    >>> sg.argsort(np.array([3, 1, 2]))
    array([1, 2, 0])
    """
    return ops.argsort(values, axis, is_descending(values, direction), stable)


def top_k(input: Operand, k: int = 1, sorted: bool = True) -> TopK:
    """The k largest entries along the last axis and their indices; of equal ones, the first.

    >>> sg.nn.top_k(np.array([1, 3, 2]), 2).values
    array([3, 2])
    """
    return TopK(*ops.topk(input, k))


def in_top_k(predictions: Operand, targets: Operand, k: int) -> AnyArray:
    """Whether the entry at index `targets` is among the k largest of its row.

    >>> sg.nn.in_top_k(np.array([[0.1, 0.9], [0.6, 0.4]]), np.array([0, 0]), 1)
    array([False,  True])
    """
    own = ops.take_along_axis(predictions, ops.expand_dims(targets, axis=-1), -1)
    larger = ops.count_nonzero(ops.greater(predictions, own), -1)
    return ops.logical_and(ops.less(larger, k), ops.isfinite(ops.squeeze(own, axis=-1)))


def searchsorted(
    sorted_sequence: Operand, values: Operand, side: str = "left", out_type: DTypeLike = None
) -> AnyArray:
    """The indices at which entries would be inserted into sorted rows to keep them sorted.

    >>> sg.searchsorted(np.array([1, 3, 5]), np.array([3, 4]))
    array([1, 2])
    """
    result = ops.searchsorted(sorted_sequence, values, side)
    return result if out_type is None else ops.astype(result, dtype=native(out_type))


def unique(x: Operand, out_idx: DTypeLike = "int64") -> Unique:
    """The distinct entries of a row in order of appearance, and the index of each entry.

    Their number depends on the data. Gradients go to the first of equal entries.

    >>> sg.unique(np.array([3, 1, 3])).y
    array([3, 1])
    """
    return Unique(*unique_with_counts(x, out_idx)[:2])


def unique_with_counts(x: Operand, out_idx: DTypeLike = "int64") -> UniqueWithCounts:
    """`unique`, with the count of each distinct entry.

    >>> sg.unique_with_counts(np.array([3, 1, 3])).count
    array([2, 1])
    """
    if len(shape_of(x)) != 1:
        raise ShapeError(
            "unique", [type_of(x)], "it takes a row", hint="reshape(x, [-1]) makes one"
        )
    _, first, number, counts = ops.unique_all(x)
    order = ops.argsort(first)
    idx = ops.take(ops.inverse_permutation(order), number)
    parts = [ops.astype(part, dtype=native(out_idx)) for part in (idx, ops.take(counts, order))]
    return UniqueWithCounts(ops.take(x, ops.take(first, order)), *parts)


def setdiff1d(x: Operand, y: Operand, index_dtype: DTypeLike = "int64") -> ListDiff:
    """The entries of a row that do not occur in `y`, in their order, and their indices.

    >>> sg.setdiff1d(np.array([1, 2, 3]), np.array([2])).out
    array([1, 3])
    """
    places = ops.flatnonzero(ops.isin(x, y, invert=True))
    return ListDiff(ops.take(x, places), ops.astype(places, dtype=native(index_dtype)))


def count_nonzero(
    input: Operand, axis: Axis = None, keepdims: bool = False, dtype: DTypeLike = None
) -> AnyArray:
    """The number of nonzero entries, along axes or in all.

    >>> int(sg.count_nonzero(np.array([0, 2, 3])))
    2
    """
    axis = tuple(axis) if isinstance(axis, list) else axis
    result = ops.count_nonzero(input, axis, keepdims)
    return ops.astype(result, dtype=native(dtype or np.int64))


def where(condition: Operand, x: Operand | None = None, y: Operand | None = None) -> AnyArray:
    """Entries of `x` where the condition holds, else of `y`; alone, the indices where it holds.

    A condition of one axis selects rows, if both operands have more. NumPy's `np.where` would
    match it with the last axis.

    >>> sg.where(np.array([False, True]), np.ones((2, 2)), np.zeros((2, 2)))
    array([[0., 0.],
           [1., 1.]])
    >>> sg.where(np.array([False, True, True]))
    array([[1],
           [2]])
    """
    if x is None and y is None:
        return ops.argwhere(condition)
    x, y = numbers_in_one_dtype(x, y) if isinstance(condition, Expr) else (x, y)
    return ops.where(by_rows(condition, x, y), x, y)


def numbers_in_one_dtype(x: Operand | None, y: Operand | None) -> tuple[Any, Any]:
    """Two Python numbers, one of them a float, in the default dtype; others unchanged."""
    if float in (type(x), type(y)) and not any(hasattr(v, "dtype") for v in (x, y)):
        return np.asarray(x, default_dtype()), np.asarray(y, default_dtype())
    return x, y


def by_rows(condition: Operand, x: Operand | None, y: Operand | None) -> Operand:
    """Reshape a condition of one axis to select rows, if both operands have several axes."""
    types = [type_of(v) for v in (condition, x, y)]
    ranks = {t.ndim for t in types[1:]}
    if types[0].ndim != 1 or len(ranks) > 1 or max(ranks) < 2:
        return condition
    if conflict(types[0].shape, types[1].shape[:1]):
        raise ShapeError(
            "where", types, f"there are {types[1].shape[0]} rows, not {types[0].shape[0]}",
            hint="a condition of one axis selects rows; np.where matches it with the last axis",
        )  # fmt: skip
    return ops.reshape(condition, (-1, *[1] * (max(ranks) - 1)))
