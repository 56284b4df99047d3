"""Sorting, searching and sets: TensorFlow's functions, in terms of those of `gradops`."""

from typing import Any, NamedTuple

import numpy as np

import gradops as ops
from gradops import OptionError, ShapeError
from gradops.core.types import conflict, native, shape_of, type_of

from ..build.inputs import default_dtype
from ..ir.expr import Expr

DIRECTIONS = {"ASCENDING": False, "DESCENDING": True}


class TopK(NamedTuple):
    """The largest entries, and where they are."""

    values: Any
    indices: Any


class Unique(NamedTuple):
    """The distinct entries in the order in which they come, and which of them each entry is."""

    y: Any
    idx: Any


class UniqueWithCounts(NamedTuple):
    """The same, and how many there are of each."""

    y: Any
    idx: Any
    count: Any


class ListDiff(NamedTuple):
    """The entries that are not among others, and where they are."""

    out: Any
    idx: Any


def is_descending(values: Any, direction: str) -> bool:
    """Whether a direction is the descending one."""
    if direction not in DIRECTIONS:
        raise OptionError(
            "sort", [type_of(values)], f"direction is 'ASCENDING' or 'DESCENDING', not {direction}"
        )
    return DIRECTIONS[direction]


def sort(values: Any, axis: int = -1, direction: str = "ASCENDING") -> Any:
    """The entries sorted along an axis.

    >>> sg.sort(np.array([3, 1, 2]), direction="DESCENDING")
    array([3, 2, 1])
    """
    return ops.sort(values, axis, is_descending(values, direction))


def argsort(values: Any, axis: int = -1, direction: str = "ASCENDING", stable: bool = False) -> Any:
    """The indices that sort the entries along an axis.

    >>> sg.argsort(np.array([3, 1, 2]))
    array([1, 2, 0])
    """
    return ops.argsort(values, axis, is_descending(values, direction), stable)


def top_k(input: Any, k: int = 1, sorted: bool = True) -> TopK:
    """The k largest entries along the last axis, and where they are; of equal ones, the first.

    >>> sg.nn.top_k(np.array([1, 3, 2]), 2).values
    array([3, 2])
    """
    return TopK(*ops.topk(input, k))


def in_top_k(predictions: Any, targets: Any, k: int) -> Any:
    """Whether, in each row, less than k entries are larger than the one that `targets` names.

    >>> sg.nn.in_top_k(np.array([[0.1, 0.9], [0.6, 0.4]]), np.array([0, 0]), 1)
    array([False,  True])
    """
    own = ops.take_along_axis(predictions, ops.expand_dims(targets, axis=-1), -1)
    larger = ops.count_nonzero(ops.greater(predictions, own), -1)
    return ops.logical_and(ops.less(larger, k), ops.isfinite(ops.squeeze(own, axis=-1)))


def searchsorted(
    sorted_sequence: Any, values: Any, side: str = "left", out_type: Any = None
) -> Any:
    """Where entries would be put into a sorted row, or rows, to keep it sorted.

    >>> sg.searchsorted(np.array([1, 3, 5]), np.array([3, 4]))
    array([1, 2])
    """
    result = ops.searchsorted(sorted_sequence, values, side)
    return result if out_type is None else ops.astype(result, dtype=native(out_type))


def found_first(op: str, x: Any) -> tuple[Any, Any, Any, Any]:
    """What is known of distinct entries, and the order in which they come in the row `x`."""
    if len(shape_of(x)) != 1:
        raise ShapeError(op, [type_of(x)], "it takes a row", hint="reshape(x, [-1]) makes one")
    result = ops.unique_all(x)
    return result.indices, result.inverse_indices, result.counts, ops.argsort(result.indices)


def unique(x: Any, out_idx: Any = "int64") -> Unique:
    """The distinct entries of a row in the order in which they come, and which each entry is.

    How many there are, only the data tell. Gradients go to the first of equal entries.

    >>> sg.unique(np.array([3, 1, 3])).y
    array([3, 1])
    """
    return Unique(*unique_with_counts(x, out_idx)[:2])


def unique_with_counts(x: Any, out_idx: Any = "int64") -> UniqueWithCounts:
    """The same as `unique`, and how many there are of each.

    >>> sg.unique_with_counts(np.array([3, 1, 3])).count
    array([2, 1])
    """
    first, number, counts, order = found_first("unique", x)
    idx = ops.take(ops.inverse_permutation(order), number)
    parts = [ops.astype(part, dtype=native(out_idx)) for part in (idx, ops.take(counts, order))]
    return UniqueWithCounts(ops.take(x, ops.take(first, order)), *parts)


def setdiff1d(x: Any, y: Any, index_dtype: Any = "int64") -> ListDiff:
    """The entries of a row that are not among others, in the order in which they come, and where.

    >>> sg.setdiff1d(np.array([1, 2, 3]), np.array([2])).out
    array([1, 3])
    """
    places = ops.flatnonzero(ops.isin(x, y, invert=True))
    return ListDiff(ops.take(x, places), ops.astype(places, dtype=native(index_dtype)))


def count_nonzero(input: Any, axis: Any = None, keepdims: bool = False, dtype: Any = None) -> Any:
    """How many entries along axes, or of all, are not zero.

    >>> int(sg.count_nonzero(np.array([0, 2, 3])))
    2
    """
    axis = tuple(axis) if isinstance(axis, list) else axis
    result = ops.count_nonzero(input, axis, keepdims)
    return ops.astype(result, dtype=native(dtype or np.int64))


def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """Entries of `x` where the condition holds, else of `y`; alone, the indices where it holds.

    A condition of one axis chooses rows, if both have more. NumPy's `np.where` would match it with
    the last axis.

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


def numbers_in_one_dtype(x: Any, y: Any) -> tuple[Any, Any]:
    """Two numbers of Python, of which one is a float, in the default dtype; others as they are."""
    if float in (type(x), type(y)) and not any(hasattr(v, "dtype") for v in (x, y)):
        return np.asarray(x, default_dtype()), np.asarray(y, default_dtype())
    return x, y


def by_rows(condition: Any, x: Any, y: Any) -> Any:
    """A condition of one axis as one for each entry, if both operands have several axes."""
    types = [type_of(v) for v in (condition, x, y)]
    ranks = {t.ndim for t in types[1:]}
    if types[0].ndim != 1 or len(ranks) > 1 or max(ranks) < 2:
        return condition
    if conflict(types[0].shape, types[1].shape[:1]):
        raise ShapeError(
            "where", types, f"there are {types[1].shape[0]} rows, not {types[0].shape[0]}",
            hint="a condition of one axis chooses rows; np.where matches it with the last axis",
        )  # fmt: skip
    return ops.reshape(condition, (-1, *[1] * (max(ranks) - 1)))
