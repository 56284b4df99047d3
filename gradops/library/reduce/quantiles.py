"""Medians and quantiles. NaN propagates, except in the functions that ignore it."""

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from ...core.errors import DTypeError, OptionError, ShapeError
from ...core.op import ErrorSample, Op
from ...core.samples import cases, distinct, integers
from ...core.types import (
    ArrayType,
    is_complex,
    is_float,
    is_inexact,
    normalize_axes,
    normalize_axis,
    shape_of,
    type_of,
)
from ...typing import AnyArray, Operand, OperandLike
from ..elementwise.arithmetic import add
from ..elementwise.comparison import equal, maximum, where
from ..elementwise.logic import isnan, logical_not
from ..elementwise.rounding import ceil, floor, round
from ..families import batch_along_axis
from ..index.indexing import index
from ..shape.joining import concatenate, stack
from ..shape.movement import astype, reshape, transpose
from .along_axis import take_along_axis
from .reduction import Axis, count, is_extreme, not_empty, reduced_shape, sum, tie_counts
from .sorting import sort_op

__all__ = ["median", "nanmedian", "nanpercentile", "nanquantile", "percentile", "quantile"]

FULL = slice(None)
Ranks = tuple[int, ...]


def order_statistics_kernel(x: np.ndarray, ranks: Ranks, axis: int) -> np.ndarray:
    """Sorts, which is cheaper than NumPy's partitioning."""
    x = np.asarray(x)
    lanes = np.sort(x, axis=axis)
    found = lanes.take(ranks, axis=axis)
    if x.dtype.kind != "f" or not x.size:
        return found
    last = lanes.take([-1], axis=axis)  # a NaN, if there is one
    return np.where(np.isnan(last), last, found) if np.isnan(last).any() else found


def order_statistics_infer(x: ArrayType, ranks: Ranks, axis: int) -> ArrayType:
    k = normalize_axis("order_statistics", x, axis)
    n = x.shape[k]
    if isinstance(n, int) and not all(0 <= r < n for r in ranks):
        raise ShapeError("order_statistics", [x], f"axis {k} has no entries of the ranks {ranks}")
    return ArrayType((*x.shape[:k], len(ranks), *x.shape[k + 1 :]), x.dtype)


def entries_along(y: AnyArray, axis: int, count: int) -> list[Operand]:
    """The entries along an axis one by one, as arrays that keep the axis."""
    lead = (FULL,) * normalize_axis("each", type_of(y), axis)
    return [index(y, (*lead, slice(i, i + 1))) for i in range(count)]


def order_statistics_vjp(
    g: AnyArray, y: AnyArray, x: AnyArray, ranks: Ranks, axis: int
) -> AnyArray:
    """The cotangent of each rank goes to its entry; ties share it."""
    pairs = zip(entries_along(y, axis, len(ranks)), entries_along(g, axis, len(ranks)), strict=True)
    return reduce(add, (share_equally(ct, value, x, axis) for value, ct in pairs))


def share_equally(ct: Operand, value: Operand, x: AnyArray, axis: int) -> AnyArray:
    """A cotangent distributed equally over the entries of `x` that equal `value`."""
    mask = is_extreme(value, x, axis, True)
    return where(mask, ct / tie_counts(mask, ct, axis, True), 0)


def order_statistics_jvp(
    t: AnyArray, y: AnyArray, x: AnyArray, ranks: Ranks, axis: int
) -> AnyArray:
    """The mean of the tangents of the entries of each rank."""
    masks = [is_extreme(value, x, axis, True) for value in entries_along(y, axis, len(ranks))]
    means = [
        sum(where(m, t, 0), axis=axis, keepdims=True) / tie_counts(m, t, axis, True)
        for m in masks
    ]
    return concatenate(means, axis=axis)


order_statistics = Op(
    "order_statistics", order_statistics_kernel,
    infer=order_statistics_infer, vjp=[order_statistics_vjp], jvp=[order_statistics_jvp],
    batch=batch_along_axis, family="sorting",
    samples=cases(
        distinct((3, 4), ranks=(1, 2), axis=-1), distinct((5, 2), ranks=(2,), axis=0),
        integers((3, 9), ranks=(0, 8), axis=1), distinct((0, 3), ranks=(1,), axis=1),
    ),
    error_samples=[
        ErrorSample([x], {**attrs, "ranks": (0,)}, ShapeError, says)
        for x, attrs, says in (
            (np.ones((2, 3)), {"axis": 2}, "axis 2 is out of range"),
            (np.ones((2, 0)), {"axis": 1}, "axis 1 has no entries of the ranks (0,)"),
            (np.ones(()), {"axis": 0}, "axis 0 is out of range"),
        )
    ],
    doc="The entries at the positions `ranks` of a sorted axis.",
)


def merge_axes(op: str, x: Any, axis: Axis) -> tuple[Any, int]:
    """`x` with the given axes merged into one, and that axis; raises for empty axes."""
    axes = normalize_axes(op, type_of(x), axis)
    not_empty(op, type_of(x), axis)
    if len(axes) == 1:
        return x, axes[0]
    kept = [i for i in range(len(shape_of(x))) if i not in axes]
    moved = transpose(x, axes=(*kept, *axes)) if kept else x
    sizes = [shape_of(x)[i] for i in kept]
    return reshape(moved, shape=(*sizes, count(x, axes))), len(sizes)


def known_size(op: str, lanes: Any, axis: int) -> int:
    """The number of entries along an axis, or a ShapeError if it is unknown."""
    n = shape_of(lanes)[axis]
    if not isinstance(n, int):
        raise ShapeError(
            op, [type_of(lanes)], f"the size {n} is not known, and so not which entry is meant",
            hint=f"give the axis a size, or use nan{op}",
        )  # fmt: skip
    return n


def restore_reduced(op: str, y: Operand, x: Any, axis: Axis, keepdims: bool) -> AnyArray:
    """`y` without its reduced axis, or with all reduced axes as size 1."""
    return reshape(y, shape=reduced_shape(op, type_of(x), axis, keepdims))


def median(x: OperandLike, axis: Axis = None, keepdims: bool = False) -> Any:
    """The median along the given axes, or of all entries; the mean of two middle entries.

    Equal entries share the derivative. Raises ShapeError for an empty axis, or one of unknown size.

    >>> float(median(np.array([3.0, 1.0, 2.0, 10.0])))
    2.5
    """
    lanes, k = merge_axes("median", x, axis)
    n = known_size("median", lanes, k)
    ranks = sorted({(n - 1) // 2, n // 2})
    entries = entries_along(order_statistics(lanes, ranks=ranks, axis=k), k, len(ranks))
    low, high = as_floats(entries[0], "midpoint"), as_floats(entries[-1], "midpoint")
    return restore_reduced("median", (low + high) / 2 if ranks[1:] else low, x, axis, keepdims)


METHODS: dict[str, Callable[[Any, Any, Any], tuple[Any, Any, Any]]] = {
    "linear": lambda p, low, high: (low, high, p - low),
    "lower": lambda p, low, high: (low, low, 0 * p),
    "higher": lambda p, low, high: (high, high, 0 * p),
    "midpoint": lambda p, low, high: (low, high, (high - low) / 2),
    "nearest": lambda p, low, high: (round(p), round(p), 0 * p),
}
"""From a place among sorted entries to the entries at both sides, and the weight of the second."""
OF_ENTRIES = {"lower", "higher", "nearest"}  # whose results are entries


def neighbour_positions(p: AnyArray, method: str) -> tuple[Any, Any, Any]:
    """The two positions around a fractional position, and the weight of the second."""
    return METHODS[method](p, floor(p), ceil(p))


def check_fractions(op: str, x: Any, q: Any, method: str) -> Any:
    """The fractions `q` as an array, checked."""
    if method not in METHODS:
        raise OptionError(op, [type_of(x)], f"method is one of {sorted(METHODS)}, not {method!r}")
    if is_complex(type_of(x).dtype):
        raise DTypeError(op, [type_of(x)], "complex numbers have no part below them")
    found = np.asarray(q)
    found = found if is_float(found.dtype) else found.astype(np.float64)
    if not found.size:
        raise OptionError(op, [type_of(x)], "no fraction is asked for")
    if not np.all((found >= 0) & (found <= 1)):
        raise OptionError(op, [type_of(x)], f"a fraction is from 0 to 1, not {q}")
    return found


def as_floats(x: Any, method: str) -> Any:
    """`x` in a dtype that can hold interpolated values."""
    if method in OF_ENTRIES or is_inexact(type_of(x).dtype):
        return x
    return astype(x, dtype=np.float64)


def interpolate(low: Any, high: Any, weight: float) -> Any:
    """The weighted mean of two values, exact at both ends, also for infinities."""
    if weight == 0:
        return low
    if weight < 0.5:
        return low + (high - low) * weight
    return high - (high - low) * (1 - weight)


def interpolate_operands(low: Any, high: Any, weight: AnyArray) -> AnyArray:
    """`interpolate` for weights that are operands."""
    dtype = type_of(low).dtype
    near, far = astype(weight, dtype=dtype), astype(1 - weight, dtype=dtype)
    y = where(weight < 0.5, low + (high - low) * near, high - (high - low) * far)
    return where(equal(weight, 0), low, y)


def quantile(
    x: Any, q: Any, axis: Axis = None, keepdims: bool = False, method: str = "linear"
) -> Any:
    """The quantiles of `x` for fractions `q`, along axes or of all entries.

    Several fractions give new first axes. `method` says how to interpolate between two entries:
    "linear", "lower", "higher", "midpoint" or "nearest". Equal entries share the derivative; there
    is none in `q`. Raises ShapeError for an empty axis or one of unknown size, OptionError for a
    fraction outside 0 to 1.

    >>> quantile(np.array([1.0, 2.0, 3.0, 4.0]), [0.5, 0.75])
    array([2.5 , 3.25])
    """
    fractions = check_fractions("quantile", x, q, method)
    lanes, k = merge_axes("quantile", as_floats(x, method), axis)
    n = known_size("quantile", lanes, k)
    places = [neighbour_positions(p, method) for p in fractions.ravel() * (n - 1)]
    ranks = sorted({int(i) for low, high, _ in places for i in (low, high)})
    found = order_statistics(lanes, ranks=ranks, axis=k)
    entries = dict(zip(ranks, entries_along(found, k, len(ranks))))
    found = [interpolate(entries[low], entries[high], float(w)) for low, high, w in places]
    return fractions_first("quantile", found, fractions.shape, x, axis, keepdims)


def fractions_first(
    op: str, found: list[AnyArray], shape: tuple[int, ...], x: Operand, axis: Axis, keepdims: bool
) -> Any:
    """Results for several fractions, moved to the first axes."""
    parts = [restore_reduced(op, y, x, axis, keepdims) for y in found]
    if not shape:
        return parts[0]
    rest = reduced_shape(op, type_of(x), axis, keepdims)
    return reshape(stack(parts, axis=0), shape=(*shape, *rest))


def percentile(
    x: Any, q: Any, axis: Axis = None, keepdims: bool = False, method: str = "linear"
) -> Any:
    """The percentiles of `x`: `quantile(x, q / 100)`.

    >>> float(percentile(np.array([1.0, 2.0, 3.0]), 50))
    2.0
    """
    return quantile(x, np.true_divide(q, 100), axis, keepdims, method)


def sorted_with_count(op: str, x: Any, axis: Axis) -> tuple[Callable[[Any], Any], Any]:
    """A function from positions to sorted entries with NaN last, and the number of others."""
    lanes, k = merge_axes(op, x, axis)
    there = logical_not(isnan(lanes))
    s = sort_op(lanes, axis=k)
    take = lambda places: take_along_axis(s, maximum(astype(places, dtype=np.intp), 0), axis=k)
    return take, sum(there, axis=k, keepdims=True)


def nanmedian(x: OperandLike, axis: Axis = None, keepdims: bool = False) -> Any:
    """The median of the entries other than NaN; NaN if there are none.

    >>> float(nanmedian(np.array([3.0, np.nan, 2.0])))
    2.5
    """
    return nanquantile(x, 0.5, axis, keepdims, "midpoint")


def nanquantile(
    x: Any, q: Any, axis: Axis = None, keepdims: bool = False, method: str = "linear"
) -> Any:
    """The quantile of the entries other than NaN; NaN if there are none.

    >>> float(nanquantile(np.array([3.0, np.nan, 2.0]), 0.25))
    2.25
    """
    fractions = check_fractions("nanquantile", x, q, method)
    x = as_floats(x, method)
    take, n = sorted_with_count("nanquantile", x, axis)
    n = astype(n, dtype=fractions.dtype)
    found = []
    for fraction in fractions.ravel():
        low, high, weight = neighbour_positions((n - 1) * fraction, method)
        found.append(interpolate_operands(take(low), take(high), weight))
    return fractions_first("nanquantile", found, fractions.shape, x, axis, keepdims)


def nanpercentile(
    x: Any, q: Any, axis: Axis = None, keepdims: bool = False, method: str = "linear"
) -> Any:
    """The percentile of the entries other than NaN: `nanquantile(x, q / 100)`.

    >>> float(nanpercentile(np.array([3.0, np.nan, 2.0]), 50))
    2.5
    """
    return nanquantile(x, np.true_divide(q, 100), axis, keepdims, method)
