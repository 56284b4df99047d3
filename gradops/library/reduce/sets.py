"""Set operations on arrays.

They are made of sorting and masks, so gradients go to the entries that were taken, of equal ones to
the first. The size of results depends on the data: in a graph it is unknown, and `vmap` refuses, as
each example would have another size.
"""

from typing import Any, NamedTuple

import numpy as np

from ...core.dims import UNKNOWN
from ...core.op import Op
from ...core.samples import cases, exactly, integers
from ...core.types import ArrayType, shape_of, type_of
from ...typing import AnyArray, OperandLike
from ..elementwise.arithmetic import sub
from ..index.indexing import index, take
from ..shape.joining import concatenate
from ..shape.movement import astype, reshape
from .cumulative import cumsum
from .searching import isin
from .sorting import argsort, inverse_permutation, sort

__all__ = [
    "intersect1d", "setdiff1d", "setxor1d", "union1d", "unique", "unique_all", "unique_counts",
    "unique_inverse", "unique_values",
]


class Unique(NamedTuple):
    """The unique values, their first indices, the index of each entry's value, and the counts."""

    values: Any
    indices: Any
    inverse_indices: Any
    counts: Any


class Inverse(NamedTuple):
    """The unique values, and the index of each entry's value."""

    values: Any
    inverse_indices: Any


class Counts(NamedTuple):
    """The unique values, and their counts."""

    values: Any
    counts: Any


def run_starts_kernel(x: np.ndarray, equal_nan: bool = False) -> np.ndarray:
    y = np.ones(x.shape, bool)
    if x.shape[-1]:
        np.not_equal(x[..., 1:], x[..., :-1], out=y[..., 1:])
    if equal_nan and x.dtype.kind in "fc":
        y[..., 1:] &= ~(np.isnan(x[..., 1:]) & np.isnan(x[..., :-1]))
    return y


run_starts = Op(
    "run_starts", run_starts_kernel,
    infer=lambda x, equal_nan: ArrayType((*x.shape[:-1], x.shape[-1]), bool),
    vjp=[None], jvp=[None],
    batch=lambda op, xs, batched, attrs: op(xs[0], **attrs), family="searching",
    samples=cases(
        integers((2, 9)), exactly([1.0, 1.0, np.nan, np.nan], equal_nan=True),
        exactly([1.0, 1.0, np.nan, np.nan]), exactly(np.zeros((2, 0))),
    ),
    doc="Whether each entry along the last axis differs from the one before it.",
)


run_lengths = Op(
    "run_lengths", lambda starts: np.diff(starts.nonzero()[0], append=starts.size),
    infer=lambda starts: ArrayType((UNKNOWN,), np.intp), vjp=[None], jvp=[None], family="searching",
    samples=cases(exactly([True, False, True]), exactly(np.zeros(0, bool))),
    doc="The lengths of runs, from each true entry of a row to the next.",
)


def row(x: Any) -> AnyArray:
    """`x` flattened."""
    return reshape(x, shape=(-1,))


def unique_values(x: OperandLike, equal_nan: bool = False) -> Any:
    """The unique values of `x` in ascending order; NaNs are distinct unless `equal_nan`.

    >>> unique_values(np.array([3, 1, 3]))
    array([1, 3])
    """
    ordered = sort(row(x))
    return index(ordered, run_starts(ordered, equal_nan=equal_nan))


def unique_all(x: Any, equal_nan: bool = False) -> Unique:
    """The unique values of `x`, their first indices, each entry's index among them, the counts.

    >>> unique_all(np.array([3, 1, 3])).counts
    array([1, 2])
    """
    order = argsort(row(x), stable=True)
    ordered = take(row(x), order)
    starts = run_starts(ordered, equal_nan=equal_nan)
    number = sub(cumsum(starts, axis=0), 1)
    return Unique(
        index(ordered, starts), index(order, starts),
        reshape(take(number, inverse_permutation(order)), shape=shape_of(x)), run_lengths(starts),
    )  # fmt: skip


def unique_inverse(x: OperandLike, equal_nan: bool = False) -> Inverse:
    """The unique values of `x`, and the index of each entry's value.

    >>> unique_inverse(np.array([3, 1, 3])).inverse_indices
    array([1, 0, 1])
    """
    found = unique_all(x, equal_nan)
    return Inverse(found.values, found.inverse_indices)


def unique_counts(x: OperandLike, equal_nan: bool = False) -> Counts:
    """The unique values of `x`, and their counts.

    >>> unique_counts(np.array([3, 1, 3])).counts
    array([1, 2])
    """
    found = unique_all(x, equal_nan)
    return Counts(found.values, found.counts)


def unique(
    x: OperandLike, return_index: bool = False, return_inverse: bool = False,
    return_counts: bool = False, equal_nan: bool = True,
) -> Any:
    """The unique values of `x` in ascending order, with NumPy's optional further results.

    >>> unique(np.array([3, 1, 3]), return_inverse=True)
    (array([1, 3]), array([1, 0, 1]))
    """
    wanted = (return_index, return_inverse, return_counts)
    if not any(wanted):
        return unique_values(x, equal_nan)
    values, *rest = unique_all(x, equal_nan)
    return (values, *(part for part, asked in zip(rest, wanted, strict=True) if asked))


def union1d(x: Any, other: Any) -> Any:
    """The values in `x` or `other`, in ascending order.

    >>> union1d(np.array([1, 3]), np.array([2, 3]))
    array([1, 2, 3])
    """
    return unique(concatenate([x, other], axis=None))


def intersect1d(x: OperandLike, other: OperandLike) -> Any:
    """The values in both `x` and `other`, in ascending order.

    >>> intersect1d(np.array([1, 3]), np.array([2, 3]))
    array([3])
    """
    found = unique(astype(x, dtype=np.result_type(type_of(x).dtype, type_of(other).dtype)))
    return index(found, isin(found, other))


def setdiff1d(x: OperandLike, other: OperandLike) -> Any:
    """The values of `x` that are not in `other`, in ascending order.

    >>> setdiff1d(np.array([1, 3]), np.array([2, 3]))
    array([1])
    """
    found = unique(x)
    return index(found, isin(found, other, invert=True))


def setxor1d(x: OperandLike, other: OperandLike) -> Any:
    """The values in just one of `x` and `other`, in ascending order.

    >>> setxor1d(np.array([1, 3]), np.array([2, 3]))
    array([1, 2])
    """
    return sort(concatenate([setdiff1d(x, other), setdiff1d(other, x)]))
