"""Sorting, searching and sets, as PyTorch spells them."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import gradops as ops
from gradops.types import shape_of

from .fast import operand
from .tensor import as_tensor


class Ranked(NamedTuple):
    """Entries chosen by their rank along a dimension, and where they are."""

    values: Any
    indices: Any


def row_of_one(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` along a dimension, for which a number counts as a row of one."""

    def call(x: Any, dim: int, *args: Any) -> Any:
        if shape_of(x) or dim not in (0, -1):
            return function(x, dim, *args)
        found = function(ops.reshape(x, shape=(1,)), 0, *args)
        found = [ops.reshape(part, shape=()) for part in found]
        return Ranked(*found)

    return call


@row_of_one
def ordered(x: Any, dim: int, descending: bool, stable: bool) -> Ranked:
    """The entries in order, and where they were."""
    indices = ops.argsort(x, dim, descending, stable)
    return Ranked(ops.take_along_axis(x, indices, dim), indices)


@row_of_one
def best(x: Any, dim: int, k: int, largest: bool) -> Ranked:
    """The best entries, and where they are."""
    return Ranked(*ops.topk(x, k, dim, largest))


@row_of_one
def kth(x: Any, dim: int, k: int, keepdim: bool) -> Ranked:
    """An entry by its rank, and where it is."""
    return Ranked(*ops.kthvalue(x, k, dim, keepdim))


@row_of_one
def most_frequent(x: Any, dim: int, keepdim: bool) -> Ranked:
    """The most frequent entry, and where it is."""
    return Ranked(*ops.mode(x, dim, keepdim))


def sort(x: Any, dim: int = -1, descending: bool = False, stable: bool = False) -> Ranked:
    """The entries sorted along a dimension, and where they were.

    >>> dg.sort(dg.tensor([3.0, 1.0, 2.0])).values
    tensor([1., 2., 3.])
    """
    return ordered(operand(x), dim, descending, stable)


def argsort(x: Any, dim: int = -1, descending: bool = False, stable: bool = False) -> Any:
    """The indices that sort the entries along a dimension.

    >>> dg.argsort(dg.tensor([3.0, 1.0, 2.0]))
    tensor([1, 2, 0])
    """
    if not shape_of(x) and dim in (0, -1):
        return ops.zeros_like(operand(x), dtype=np.int64)
    return ops.argsort(operand(x), dim, descending, stable)


def msort(x: Any) -> Any:
    """The entries sorted along the first dimension.

    >>> dg.msort(dg.tensor([2, 1]))
    tensor([1, 2])
    """
    return ops.msort(operand(x)) if shape_of(x) else ops.copy(operand(x))


def topk(x: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Ranked:
    """The k largest entries along a dimension, or the smallest, and where they are.

    They are always sorted; of equal ones, the first come first.

    >>> dg.topk(dg.tensor([1.0, 3.0, 2.0]), 2).indices
    tensor([1, 2])
    """
    return best(operand(x), dim, k, largest)


def kthvalue(x: Any, k: int, dim: int = -1, keepdim: bool = False) -> Ranked:
    """The k-th smallest entry along a dimension, counted from 1, and where it is.

    >>> dg.kthvalue(dg.tensor([3.0, 1.0, 2.0]), 2).values
    tensor(2.)
    """
    return kth(operand(x), dim, k, keepdim)


def mode(x: Any, dim: int = -1, keepdim: bool = False) -> Ranked:
    """The most frequent entry along a dimension, the smallest of several, and where it is last.

    >>> dg.mode(dg.tensor([3, 1, 3])).values
    tensor(3)
    """
    return most_frequent(operand(x), dim, keepdim)


def searchsorted(
    sorted_sequence: Any, input: Any, *, out_int32: bool = False, right: bool = False,
    side: str | None = None, sorter: Any = None,
) -> Any:  # fmt: skip
    """Where the entries of `input` would be put into a sorted sequence, or into rows of it.

    >>> dg.searchsorted(dg.tensor([1, 3]), dg.tensor([3, 4]), right=True)
    tensor([2, 2])
    """
    bins, side = as_tensor(sorted_sequence), side or ("right" if right else "left")
    if sorter is not None and len(bins.shape) > 1:
        bins, sorter = ops.take_along_axis(bins, sorter), None
    found = ops.searchsorted(bins, as_tensor(input), side, sorter)
    return ops.astype(found, dtype=np.int32) if out_int32 else found


def bucketize(input: Any, boundaries: Any, *, out_int32: bool = False, right: bool = False) -> Any:
    """The number of the bucket each entry is in, between ascending boundaries.

    >>> dg.bucketize(dg.tensor([1, 3, 6]), dg.tensor([1, 3, 5]))
    tensor([0, 1, 3])
    """
    return searchsorted(boundaries, input, out_int32=out_int32, right=right)


def nonzero(x: Any, *, as_tuple: bool = False) -> Any:
    """The indices of the entries that are not zero: a row for each, or a tensor per dimension.

    >>> dg.nonzero(dg.tensor([0, 2, 3]))
    tensor([[1],
            [2]])
    """
    if not as_tuple:
        return ops.argwhere(operand(x))
    return ops.nonzero(operand(x) if shape_of(x) else ops.reshape(operand(x), shape=(1,)))


def argwhere(x: Any) -> Any:
    """The indices of the entries that are not zero, a row for each.

    >>> dg.argwhere(dg.tensor([0, 2, 3])).tolist()
    [[1], [2]]
    """
    return ops.argwhere(operand(x))


def count_nonzero(x: Any, dim: Any = None) -> Any:
    """How many entries along a dimension, or of all, are not zero.

    >>> dg.count_nonzero(dg.tensor([0, 2, 3]))
    tensor(2)
    """
    return ops.count_nonzero(operand(x), dim)


def isin(
    elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False
) -> Any:
    """Whether each entry is one of others.

    >>> dg.isin(dg.tensor([1, 2]), dg.tensor([2, 3]))
    tensor([False,  True])
    """
    return ops.isin(as_tensor(elements), as_tensor(test_elements), invert=invert)


def unique(
    x: Any, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False,
    dim: int | None = None,
) -> Any:  # fmt: skip
    """The distinct entries, always in order, which of them each entry is, and how many there are.

    Gradients go to the first of equal entries; PyTorch has none here.

    >>> dg.unique(dg.tensor([3, 1, 3]), return_counts=True)
    (tensor([1, 3]), tensor([1, 2]))
    """
    if dim is not None:
        raise ops.OptionError("unique", [ops.type_of(x)], "distinct rows (dim=) are not there")
    x, wanted = operand(x), (return_inverse, return_counts)
    if not any(wanted):
        return ops.unique_values(x)
    values, _, *rest = ops.unique_all(x)
    return (values, *(part for part, asked in zip(rest, wanted, strict=True) if asked))


def unique_consecutive(
    x: Any, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """The entries that differ from the one before, which of them each entry is, and how many.

    >>> dg.unique_consecutive(dg.tensor([3, 3, 1, 3]))
    tensor([3, 1, 3])
    """
    if dim is not None:
        raise ops.OptionError(
            "unique_consecutive", [ops.type_of(x)], "distinct rows (dim=) are not there"
        )
    x = operand(x)
    row = ops.reshape(x, shape=(-1,))
    starts = ops.OPS["run_starts"](row)
    found = [row[starts]]
    if return_inverse:
        found.append(ops.reshape(ops.OPS["cumsum"](starts, axis=0) - 1, shape=shape_of(x)))
    if return_counts:
        found.append(ops.OPS["run_lengths"](starts))
    return found[0] if len(found) == 1 else tuple(found)


BOTH: dict[str, Callable[..., Any]] = {
    f.__name__: f
    for f in (
        argsort, argwhere, count_nonzero, kthvalue, mode, msort, nonzero, sort, topk, unique,
        unique_consecutive,
    )
}  # fmt: skip
FUNCTIONS: dict[str, Callable[..., Any]] = {
    **BOTH, "searchsorted": searchsorted, "bucketize": bucketize, "isin": isin,
}  # fmt: skip
METHODS: dict[str, Callable[..., Any]] = BOTH
