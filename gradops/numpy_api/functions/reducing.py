"""NumPy's reductions, with `dtype`, `initial`, `where` and `keepdims`."""

from collections.abc import Callable
from typing import Any

import numpy as np

import gradops as ops

from ...core.types import is_inexact, shape_of, type_of
from ...library.reduce.reduction import count
from ...library.shape.movement import compute_in, in_dtype
from ...typing import AnyArray, Axis, DTypeLike, Operand, OperandLike
from ..refusals import UNSET, refusal

__all__ = [
    "all", "amax", "amin", "any", "average", "max", "mean",
    "min", "nanargmax", "nanargmin", "nancumprod", "nancumsum", "nanmax", "nanmean", "nanmin",
    "nanprod", "nanstd", "nansum", "nanvar", "prod", "ptp", "std", "sum", "var",
]  # fmt: skip


def replace_masked(x: object, where: Any, identity: Any) -> Any:
    """`x` with `identity` in place of entries where the mask is false."""
    return x if where is True else ops.where(where, x, identity)


def alike(initial: Any, a: AnyArray) -> Any:
    """The number that a reduction starts from, in the dtype that it has."""
    dtype = type_of(a).dtype
    return in_dtype(initial, dtype) if hasattr(initial, "gradop_level") else dtype.type(initial)


def adding(op: Any, identity: Any, join: Any) -> Callable[..., Any]:
    """A reduction that starts from a number, with NumPy's keywords."""

    def reduce(
        a: Any, axis: Any = None, dtype: DTypeLike = None, keepdims: Any = False,
        initial: Any = UNSET, where: Any = True,
    ) -> Any:  # fmt: skip
        def total(a: Any) -> Any:
            y = op(replace_masked(a, where, identity), axis=axis, keepdims=bool(keepdims))
            return y if initial is UNSET else join(y, alike(initial, y))

        return compute_in(dtype, total, a)

    return reduce


def choosing(op: Any, join: Any) -> Callable[..., Any]:
    """A reduction to an extreme entry, with NumPy's keywords."""

    def reduce(
        a: Any, axis: Any = None, keepdims: Any = False, initial: Any = UNSET, where: Any = True
    ) -> Any:
        if where is not True and initial is UNSET:
            raise refusal(
                f"numpy.{op.name}(..., where=...)", "of no entries at all nothing is the extreme",
                "give initial=, which counts as an entry",
            )  # fmt: skip
        initial = initial if initial is UNSET else alike(initial, a)
        y = op(replace_masked(a, where, initial), axis=axis, keepdims=bool(keepdims))
        return y if initial is UNSET else join(y, initial)

    return reduce


def deciding(op: Any, identity: bool) -> Callable[..., Any]:
    """`any` or `all` with NumPy's keywords."""

    def reduce(a: Any, axis: Any = None, keepdims: Any = False, where: Any = True) -> Any:
        return op(replace_masked(a, where, identity), axis=axis, keepdims=bool(keepdims))

    return reduce


sum, prod = adding(ops.sum, 0, ops.add), adding(ops.prod, 1, ops.mul)
max, min = choosing(ops.max, ops.maximum), choosing(ops.min, ops.minimum)
amax, amin = max, min
any, all = deciding(ops.any, False), deciding(ops.all, True)


def how_many(a: Any, axis: Any, where: OperandLike, keepdims: Any) -> Any:
    """How many entries count."""
    if where is True:
        return count(a, axis)
    mask = ops.broadcast_to(where, shape=shape_of(a))
    return ops.sum(mask, axis=axis, keepdims=bool(keepdims))


def mean(
    a: Any, axis: Any = None, dtype: DTypeLike = None, keepdims: Any = False, where: Operand = True
) -> Any:
    """The mean of the entries that count."""
    if where is True and (dtype is None or is_inexact(np.dtype(dtype))):
        return ops.mean(in_dtype(a, dtype), axis=axis, keepdims=bool(keepdims))
    found = mean_dtype(a) if dtype is None else dtype
    total = sum(a, axis, dtype, keepdims=keepdims, where=where)
    return in_dtype(divide_by_count(total, how_many(a, axis, where, keepdims)), found)


def divide_by_count(total: AnyArray, n: AnyArray) -> Any:
    """A sum divided by a count; integers in double precision."""
    return (total if is_inexact(type_of(total).dtype) else in_dtype(total, np.float64)) / n


def mean_dtype(a: AnyArray) -> Any:
    """The dtype of a mean: that of the entries, or float64."""
    dtype = type_of(a).dtype
    return dtype if is_inexact(dtype) else np.float64


def var(
    a: Any, axis: Any = None, dtype: DTypeLike = None, ddof: Any = 0, keepdims: Any = False,
    where: Operand = True, mean: OperandLike = UNSET, correction: OperandLike = UNSET,
) -> AnyArray:  # fmt: skip
    """The variance of the entries where `where` is true; as in NumPy, only sums are in `dtype`."""
    ddof = ddof if correction is UNSET else correction
    if where is True and mean is UNSET and dtype is None:
        return ops.var(a, axis=axis, correction=ddof, keepdims=bool(keepdims))
    middle = mean_of(a, axis, dtype, where) if mean is UNSET else mean
    off = a - middle
    squares = ops.real(off * ops.conj(off)) if type_of(a).dtype.kind == "c" else ops.square(off)
    total = sum(squares, axis, dtype, keepdims=keepdims, where=where)
    found = divide_by_count(total, how_many(a, axis, where, keepdims) - ddof)
    return in_dtype(found, type_of(total).dtype)


def mean_of(a: object, axis: object, dtype: DTypeLike, where: Operand) -> AnyArray:
    """The mean, with reduced axes of size 1."""
    return mean(a, axis, dtype, keepdims=True, where=where)


def std(
    a: Operand, axis: Axis = None, dtype: DTypeLike = None, ddof: float = 0, keepdims: bool = False,
    where: Operand = True, mean: OperandLike = UNSET, correction: float = UNSET,
) -> Any:  # fmt: skip
    """The standard deviation of the entries where `where` is true."""
    if where is True and mean is UNSET and dtype is None:
        ddof = ddof if correction is UNSET else correction
        return ops.std(a, axis=axis, correction=ddof, keepdims=bool(keepdims))
    square = var(a, axis, dtype, ddof, keepdims, where, mean, correction)
    root = ops.where(ops.equal(square, 0), 0, ops.sqrt(square))  # as of std: no slope where equal
    return in_dtype(root, dtype)


def ptp(a: OperandLike, axis: Axis = None, keepdims: bool = False) -> AnyArray:
    """The largest entry less the smallest."""
    return max(a, axis, keepdims) - min(a, axis, keepdims)


def average(
    a: Any, axis: Any = None, weights: Any = None, returned: Any = False, keepdims: Any = False
) -> Any:
    """The weighted mean; with `returned`, also the sum of the weights."""
    if weights is None:
        y = ops.mean(a, axis=axis, keepdims=bool(keepdims))
        total: Any = count(a, axis)
    else:
        if shape_of(weights) != shape_of(a):
            rank = len(shape_of(a))
            column = [-1 if i == axis % rank else 1 for i in range(rank)]
            weights = ops.reshape(weights, shape=column)
        weights = ops.broadcast_to(weights, shape=shape_of(a))
        total = ops.sum(weights, axis=axis, keepdims=bool(keepdims))
        y = ops.sum(a * weights, axis=axis, keepdims=bool(keepdims)) / total
    return (y, ops.zeros_like(y) + total) if returned else y


def not_nan(a: object) -> Any:
    """The mask of entries that are not NaN; True for dtypes without NaN."""
    return ops.logical_not(ops.isnan(a)) if is_inexact(type_of(a).dtype) else True


def counted_mask(a: AnyArray, where: OperandLike) -> Any:
    """The mask of entries that are not NaN and where `where` is true."""
    mask = not_nan(a)
    return mask if where is True else where if mask is True else ops.logical_and(mask, where)


def ignoring_nan(reduce: Callable[..., Any]) -> Callable[..., Any]:
    """A reduction that ignores NaN."""

    def call(
        a: AnyArray, axis: Axis = None, dtype: DTypeLike = None, keepdims: bool = False,
        initial: OperandLike = UNSET, where: OperandLike = True, ddof: float = 0,
        mean: OperandLike = UNSET, correction: float = UNSET,
    ) -> AnyArray:  # fmt: skip
        given = dict(initial=initial, ddof=ddof, mean=mean, correction=correction, dtype=dtype)
        given = {k: v for k, v in given.items() if not (v is UNSET or v is None or v == 0)}
        if dtype is not None and reduce is not sum and reduce is not prod:
            require_inexact(a, dtype)
        filled = replace_masked(a, not_nan(a), 0)  # a NaN in it would leak into gradients
        return reduce(filled, axis, keepdims=keepdims, where=counted_mask(a, where), **given)

    return call


def require_inexact(a: AnyArray, dtype: DTypeLike) -> None:
    """Raise NumPyCallError for the mean of floats in an integer dtype."""
    if is_inexact(type_of(a).dtype) and not is_inexact(np.dtype(dtype)):
        raise refusal(
            f"numpy.nanmean(..., dtype={dtype})", f"the mean of {type_of(a)} is not {dtype}",
            "leave dtype= away",
        )  # fmt: skip


nansum, nanprod, nanmean = ignoring_nan(sum), ignoring_nan(prod), ignoring_nan(mean)
nanvar, nanstd = ignoring_nan(var), ignoring_nan(std)


def extreme_number(op: Any, least: float) -> Callable[..., Any]:
    """A maximum or minimum that ignores NaN; NaN if all entries are NaN."""

    def call(a: Any, axis: Any = None, keepdims: Any = False, initial: Any = UNSET) -> Any:
        mask = not_nan(a)
        filled = a if mask is True else ops.where(mask, a, least)
        y = op(filled, axis=axis, keepdims=bool(keepdims))
        if mask is not True:
            some = ops.any(mask, axis=axis, keepdims=bool(keepdims))
            y = ops.where(some, y, np.nan)
        join = ops.maximum if op is ops.max else ops.minimum
        return y if initial is UNSET else join(y, initial)

    return call


nanmax, nanmin = extreme_number(ops.max, -np.inf), extreme_number(ops.min, np.inf)


def place_of_number(op: Any, least: float) -> Callable[..., Any]:
    """An argmax or argmin that ignores NaN."""

    def call(a: Any, axis: Any = None, keepdims: Any = False) -> Any:
        return op(replace_masked(a, not_nan(a), least), axis=axis, keepdims=bool(keepdims))

    return call


nanargmax, nanargmin = place_of_number(ops.argmax, -np.inf), place_of_number(ops.argmin, np.inf)


def nancumsum(a: Operand, axis: int | None = None, dtype: DTypeLike = None) -> Any:
    """Cumulative sums with NaN as 0."""
    return ops.cumsum(replace_masked(a, not_nan(a), 0), axis, dtype)


def nancumprod(a: Operand, axis: int | None = None, dtype: DTypeLike = None) -> Any:
    """Cumulative products with NaN as 1."""
    return ops.cumprod(replace_masked(a, not_nan(a), 1), axis, dtype)
