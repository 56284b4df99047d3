"""Sorting, searching and sets."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

import gradops as ops
from gradops.core.types import shape_of
from gradops.typing import Axis, Flags, Number

from ..dispatch.fast_path import operand
from ..dispatch.wrapping import by_name
from ..dispatch.zero_dim import numbers_as_rows
from ..engine.tensor import Tensor, as_tensor
from .shapes import index_select, size_at


class Ranked(NamedTuple):
    """Values along a dimension selected by rank, and their indices."""

    values: Tensor | Number
    indices: Tensor


@numbers_as_rows
def sort(x: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Ranked:
    """The entries sorted along a dimension, and their indices.

    >>> dg.sort(dg.tensor([3.0, 1.0, 2.0])).values
    tensor([1., 2., 3.])
    """
    x = operand(x)
    indices = ops.argsort(x, dim, descending, stable)
    return Ranked(ops.take_along_axis(x, indices, dim), indices)


@numbers_as_rows
def argsort(x: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Tensor:
    """The indices that sort the entries along a dimension.

    >>> dg.argsort(dg.tensor([3.0, 1.0, 2.0]))
    tensor([1, 2, 0])
    """
    return ops.argsort(operand(x), dim, descending, stable)


@numbers_as_rows
def msort(x: Tensor) -> Tensor:
    """The entries sorted along the first dimension.

    >>> dg.msort(dg.tensor([2, 1]))
    tensor([1, 2])
    """
    return ops.msort(operand(x))


@numbers_as_rows
def topk(x: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Ranked:
    """The k largest or smallest entries along a dimension, and their indices.

    They are always sorted; of equal entries, the first come first.

    >>> dg.topk(dg.tensor([1.0, 3.0, 2.0]), 2).indices
    tensor([1, 2])
    """
    return Ranked(*ops.topk(operand(x), k, dim, largest))


@numbers_as_rows
def kthvalue(x: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> Ranked:
    """The k-th smallest entry along a dimension, counted from 1, and its index.

    >>> dg.kthvalue(dg.tensor([3.0, 1.0, 2.0]), 2).values
    tensor(2.)
    """
    return Ranked(*ops.kthvalue(operand(x), k, dim, keepdim))


@numbers_as_rows
def mode(x: Tensor, dim: int = -1, keepdim: bool = False) -> Ranked:
    """The most frequent entry along a dimension, the smallest of several, and its last index.

    >>> dg.mode(dg.tensor([3, 1, 3])).values
    tensor(3)
    """
    return Ranked(*ops.mode(operand(x), dim, keepdim))


def searchsorted(
    sorted_sequence: Tensor, input: Tensor, *, out_int32: bool = False, right: bool = False,
    side: str | None = None, sorter: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The indices at which `input` would be inserted into a sorted sequence, or into sorted rows.

    >>> dg.searchsorted(dg.tensor([1, 3]), dg.tensor([3, 4]), right=True)
    tensor([2, 2])
    """
    bins, side = as_tensor(sorted_sequence), side or ("right" if right else "left")
    if sorter is not None and len(bins.shape) > 1:
        bins, sorter = ops.take_along_axis(bins, sorter), None
    results = ops.searchsorted(bins, as_tensor(input), side, sorter)
    return ops.astype(results, dtype=np.int32) if out_int32 else results


def bucketize(
    input: Tensor, boundaries: Tensor, *, out_int32: bool = False, right: bool = False
) -> Tensor:
    """The index of the bucket that each entry is in, between ascending boundaries.

    >>> dg.bucketize(dg.tensor([1, 3, 6]), dg.tensor([1, 3, 5]))
    tensor([0, 1, 3])
    """
    return searchsorted(boundaries, input, out_int32=out_int32, right=right)


def nonzero(x: Tensor, *, as_tuple: bool = False) -> Tensor | tuple[Tensor, ...]:
    """The indices of the nonzero entries: a row for each, or a tensor per dimension.

    >>> dg.nonzero(dg.tensor([0, 2, 3]))
    tensor([[1],
            [2]])
    """
    if not as_tuple:
        return ops.argwhere(operand(x))
    return ops.nonzero(operand(x) if shape_of(x) else ops.reshape(operand(x), shape=(1,)))


def argwhere(x: Tensor) -> Tensor:
    """The indices of the nonzero entries, a row for each.

    >>> dg.argwhere(dg.tensor([0, 2, 3])).tolist()
    [[1], [2]]
    """
    return ops.argwhere(operand(x))


@numbers_as_rows
def count_nonzero(x: Tensor, dim: Axis = None) -> Tensor:
    """The number of nonzero entries, of all or along a dimension.

    >>> dg.count_nonzero(dg.tensor([0, 2, 3]))
    tensor(2)
    """
    return ops.count_nonzero(operand(x), dim)


def isin(
    elements: Tensor, test_elements: Tensor, *, assume_unique: bool = False, invert: bool = False
) -> Tensor:
    """True for each entry that is among `test_elements`.

    >>> dg.isin(dg.tensor([1, 2]), dg.tensor([2, 3]))
    tensor([False,  True])
    """
    return ops.isin(operand(elements), operand(test_elements), invert=invert)


def unique(
    x: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False,
    dim: int | None = None,
) -> Tensor | tuple[Tensor, ...]:  # fmt: skip
    """The distinct entries, always sorted; optionally the inverse indices and the counts.

    With `dim`, the distinct slices along a dimension. Gradients go to the first of equal entries;
    PyTorch has none here.

    >>> dg.unique(dg.tensor([3, 1, 3]), return_counts=True)
    (tensor([1, 3]), tensor([1, 2]))
    """
    x, wanted = operand(x), (return_inverse, return_counts)
    if dim is not None:
        return select_results(unique_parts("unique", x, dim), wanted)
    if not any(wanted):
        return ops.unique_values(x)
    values, _, *rest = ops.unique_all(x)
    return select_results((values, *rest), wanted)


def select_results(results: Sequence[Tensor], wanted: Flags) -> Tensor | tuple[Tensor, ...]:
    """The first of several results, with those of the others that are requested."""
    others = [part for part, asked in zip(results[1:], wanted, strict=True) if asked]
    return (results[0], *others) if others else results[0]


def unique_parts(name: str, x: Tensor, dim: int) -> tuple[Tensor, Tensor, Tensor]:
    """The distinct slices along a dimension, their inverse indices and counts."""
    rows = rows_along(name, x, dim)
    _, first, number, counts = np.unique(
        rows, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    return index_select(x, dim, as_tensor(first)), as_tensor(number), as_tensor(counts)


def consecutive_parts(name: str, x: Tensor, dim: int) -> tuple[Tensor, Tensor, Tensor]:
    """The slices that differ from the one before, their inverse indices and counts."""
    rows = rows_along(name, x, dim)
    starts = np.ones(len(rows), bool)
    starts[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    first = np.flatnonzero(starts)
    counts = np.diff(first, append=len(rows))
    number = np.cumsum(starts) - 1
    return index_select(x, dim, as_tensor(first)), as_tensor(number), as_tensor(counts)


def rows_along(name: str, x: Tensor, dim: int) -> np.ndarray:
    """The slices of `x` along a dimension, each as a row of an array."""
    if not isinstance(x.value, np.ndarray | np.generic):
        unknown = "dim= needs the values of the entries, which are not known during tracing"
        raise ops.OptionError(name, [x.type], unknown)
    n = size_at(x, dim)
    if 0 in (*x.shape[: dim % len(x.shape)], *x.shape[dim % len(x.shape) + 1 :]):
        raise ops.ShapeError(name, [x.type], f"a dimension other than {dim} is empty")
    return np.moveaxis(np.asarray(x.value), dim, 0).reshape(n, -1 if n else 1)


def unique_consecutive(
    x: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Tensor | tuple[Tensor, ...]:
    """The entries that differ from the one before; optionally the inverse indices and the counts.

    >>> dg.unique_consecutive(dg.tensor([3, 3, 1, 3]))
    tensor([3, 1, 3])
    """
    x = operand(x)
    if dim is not None:
        parts = consecutive_parts("unique_consecutive", x, dim)
        return select_results(parts, (return_inverse, return_counts))
    row = ops.reshape(x, shape=(-1,))
    starts = ops.OPS["run_starts"](row)
    results = [row[starts]]
    if return_inverse:
        results.append(ops.reshape(ops.OPS["cumsum"](starts, axis=0) - 1, shape=shape_of(x)))
    if return_counts:
        results.append(ops.OPS["run_lengths"](starts))
    return results[0] if len(results) == 1 else tuple(results)


SHARED = by_name(
    argsort, argwhere, count_nonzero, kthvalue, mode, msort, nonzero, sort, topk, unique,
    unique_consecutive,
)  # fmt: skip
FUNCTIONS = by_name(searchsorted, bucketize, isin)
