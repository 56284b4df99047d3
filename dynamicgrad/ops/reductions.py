"""Reductions and cumulative functions that take or return more than the ops do."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import gradops as ops
from gradops import Op
from gradops.core.types import is_inexact, shape_of
from gradops.library.reduce.cumulative import latest_extreme
from gradops.library.reduce.quantiles import order_statistics
from gradops.library.reduce.sorting import argkth
from gradops.library.shape.movement import compute_in, in_dtype
from gradops.typing import AnyArray, Axis, DTypeLike, Number

from ..dispatch.default_dtype import get_default_dtype
from ..dispatch.fast_path import OF_NUMBERS, operand
from ..dispatch.keywords import function_of
from ..dispatch.wrapping import by_name, set_name, wrap
from ..dispatch.zero_dim import drop_alias, numbers_as_rows
from ..engine.handle import Handle
from ..engine.tensor import Tensor
from .shapes import size_at


class Extremes(NamedTuple):
    """The extreme values along a dimension, and their indices."""

    values: Tensor
    indices: Tensor


class Range(NamedTuple):
    """The smallest and the largest entries."""

    min: Tensor
    max: Tensor


def extreme(name: str) -> Callable[..., Tensor | Extremes]:
    """PyTorch's `max` or `min`: of all entries, along a dimension with indices, or of a pair."""
    reduce, choose, both = (ops.OPS[key] for key in (name, f"arg{name}", f"{name}imum"))

    def call(
        x: Tensor, dim: Tensor | int | None = None, keepdim: bool = False
    ) -> Tensor | Extremes:
        x = operand(x)
        if dim is None:
            return reduce(x)
        if not isinstance(dim, int | np.integer):
            return both(x, dim)
        return along(x, int(dim), keepdim)

    @numbers_as_rows
    def along(x: Tensor, dim: int, keepdim: bool) -> Extremes:
        return entries_at(x, choose(x, axis=dim, keepdims=True), dim, keepdim)

    doc = f"The {name}imum of all entries; along `dim`, with its indices; or of two tensors."
    return set_name(call, name, doc)


def entries_at(x: Tensor, indices: Tensor, dim: int, keepdim: bool) -> Extremes:
    """The entries at indices along a dimension, and the indices."""
    values = ops.take_along_axis(x, indices, axis=dim)
    if keepdim:
        return Extremes(values, indices)
    return Extremes(*(drop_alias(ops.squeeze(part, axis=(dim,))) for part in (values, indices)))


def dims(x: AnyArray, dim: Axis) -> Axis:
    """PyTorch's dimensions as axes: `()` is all, and a number has a dimension 0."""
    dim = tuple(dim) if isinstance(dim, list) else dim
    return None if dim == () or (dim in OF_NUMBERS and not shape_of(x)) else dim


def deviation(
    op: Op, name: str, doc: str
) -> tuple[Callable[..., Tensor], Callable[..., tuple[Tensor, Tensor]]]:
    """PyTorch's `var` or `std`, and the function that also returns the mean."""

    def call(
        x: Tensor, dim: Axis = None, unbiased: bool = True, keepdim: bool = False, *,
        correction: float | None = None,
    ) -> Tensor:  # fmt: skip
        if isinstance(dim, bool):
            unbiased, dim = dim, None
        correction = int(unbiased) if correction is None else correction
        return op(x, axis=dims(x, dim), correction=correction, keepdims=keepdim)

    def with_mean(
        x: Tensor, dim: Axis = None, unbiased: bool = True, keepdim: bool = False, *,
        correction: float | None = None,
    ) -> tuple[Tensor, Tensor]:  # fmt: skip
        result = call(x, dim, unbiased, keepdim, correction=correction)
        axis = None if isinstance(dim, bool) else dims(x, dim)
        return result, ops.mean(x, axis=axis, keepdims=keepdim)

    set_name(call, name, f"{doc}, over n - 1 unless `correction` or `unbiased` say otherwise.")
    return call, set_name(with_mean, f"{name}_mean", f"{doc}, and the mean.")


var, var_mean = deviation(ops.var, "var", "The mean squared distance from the mean")
std, std_mean = deviation(ops.std, "std", "The square root of the variance")


def cumulative(op: Callable[..., Tensor], name: str) -> Callable[..., AnyArray]:
    """A cumulative function along a dimension, which may convert its operand to a dtype."""

    def call(x: Tensor, dim: int, *, dtype: DTypeLike = None) -> AnyArray:
        return compute_in(dtype, op, x, axis=dim)

    return numbers_as_rows(set_name(call, name, op.__doc__))


def cumulative_extreme(op: Op) -> Callable[..., Extremes]:
    """A cumulative extreme along a dimension, and its index."""

    def call(x: Tensor, dim: int) -> Extremes:
        values = op(x, axis=dim)
        return Extremes(values, latest_extreme(values, x, dim))

    return numbers_as_rows(set_name(call, op.name, f"{op.doc[:-1]}, and its index."))


def norm(
    x: Tensor, p: Any = "fro", dim: Axis = None, keepdim: bool = False, dtype: DTypeLike = None
) -> Tensor:
    """The norm of order `p` of all entries as one vector, or along dimensions.

    >>> dg.norm(dg.tensor([[3.0, 4.0]])), dg.norm(dg.tensor([3.0, -4.0]), float("inf"))
    (tensor(5.), tensor(4.))
    """
    if dtype is not None and not is_inexact(np.dtype(dtype)):
        raise ops.DTypeError("norm", [x.type], f"a norm is not a {dtype}", hint="use a float dtype")
    x = in_dtype(x, dtype)
    if p == "nuc":
        return ops.linalg.norm(x, p, dim, keepdim)
    ord = 2 if p in ("fro", None) else p
    return ops.vector_norm(x, axis=dims(x, dim), keepdims=keepdim, ord=ord)


def aminmax(x: Tensor, *, dim: int | None = None, keepdim: bool = False) -> Range:
    """The smallest and the largest entry, of all or along a dimension.

    >>> dg.aminmax(dg.tensor([3.0, 1.0, 2.0]))
    Range(min=tensor(1.), max=tensor(3.))
    """
    axis = dims(x, dim)
    return Range(*(f(x, axis=axis, keepdims=keepdim) for f in (ops.min, ops.max)))


def nan_reduction(name: str) -> Callable[..., Tensor]:
    """A reduction that ignores NaN."""

    def call(
        x: Tensor, dim: Axis = None, keepdim: bool = False, *, dtype: DTypeLike = None
    ) -> Tensor:
        from gradops.numpy_api.functions import reducing

        reduce = getattr(reducing, name)
        result = reduce(in_dtype(x, dtype), axis=dims(x, dim), keepdims=keepdim)
        return result if dtype is None or result.dtype == dtype else in_dtype(result, dtype)

    return set_name(call, name, f"The {name[3:]} of the entries that are not NaN.")


def diff(
    x: Tensor, n: int = 1, dim: int = -1, prepend: Tensor | None = None,
    append: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """Differences of neighbours along a dimension, taken `n` times.

    >>> dg.diff(dg.tensor([1, 4, 9]))
    tensor([3, 5])
    """
    return ops.diff(x, n, dim, prepend, append)


def trapezoid(y: Tensor, x: Tensor | None = None, *, dx: Any = 1.0, dim: int = -1) -> Tensor:
    """The integral along a dimension by the trapezoidal rule.

    >>> dg.trapezoid(dg.tensor([1.0, 2.0, 3.0]))
    tensor(4.)
    """
    return ops.trapezoid(y, x, dx, dim)


def cov(
    x: Tensor, *, correction: int = 1, fweights: Tensor | None = None,
    aweights: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The covariance matrix of variables, which are the rows.

    >>> dg.cov(dg.tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    if not is_inexact(x.dtype):
        x = ops.astype(x, dtype=get_default_dtype())
    weights = [w if w is None else ops.astype(w, dtype=x.dtype) for w in (fweights, aweights)]
    return ops.cov(x, ddof=correction, fweights=weights[0], aweights=weights[1])


def corrcoef(x: Tensor) -> Tensor:
    """The correlation matrix of variables, which are the rows.

    >>> dg.corrcoef(dg.tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    return ops.corrcoef(x if is_inexact(x.dtype) else ops.astype(x, dtype=get_default_dtype()))


@numbers_as_rows
def median(x: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor | Extremes:
    """The median, the lower of two; along a dimension, with its indices.

    >>> dg.median(dg.tensor([3.0, 1.0, 2.0, 4.0]))
    tensor(2.)
    """
    if dim is None and 0 in shape_of(x):
        least = np.nan if is_inexact(x.dtype) else integer_of_nan(x.dtype)
        return ops.astype(ops.sum(x), dtype=x.dtype) + np.asarray(least, x.dtype)
    if dim is None:
        middle = rank_of_middle("median", x, x.size)
        y = order_statistics(ops.reshape(x, shape=(-1,)), ranks=(middle,), axis=0)
        return ops.reshape(y, shape=())
    middle = rank_of_middle("median", x, size_at(x, dim))
    nans, options = ops.isnan(x), {"axis": dim, "keepdims": True}
    first, kth = ops.argmax(nans, **options), argkth(x, k=middle + 1, axis=dim)
    return entries_at(x, ops.where(ops.any(nans, **options), first, kth), dim, keepdim)


def integer_of_nan(dtype: np.dtype) -> int:
    """The integer that PyTorch has for NaN."""
    return int(np.iinfo(dtype).min) if dtype.itemsize > 2 else 0


def rank_of_middle(op: str, x: Tensor, n: int) -> int:
    """The rank of the median of `n` entries, the lower of two."""
    if n == 0:
        raise ops.AxisError(op, [ops.type_of(x)], "there are no entries")
    return (n - 1) // 2


@numbers_as_rows
def nanmedian(x: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor | Extremes:
    """The median of the entries that are not NaN; along a dimension, with its indices.

    >>> dg.nanmedian(dg.tensor([3.0, float("nan"), 2.0]))
    tensor(2.)
    """
    if dim is None:
        return nanmedian(ops.reshape(x, shape=(-1,)), 0).values
    rank_of_middle("nanmedian", x, size_at(x, dim))
    there = ops.count_nonzero(ops.logical_not(ops.isnan(x)), axis=dim, keepdims=True)
    order, middle = ops.argsort(x, axis=dim), ops.maximum((there - 1) // 2, 0)
    return entries_at(x, ops.take_along_axis(order, middle, axis=dim), dim, keepdim)


def quantile_of(name: str, doc: str) -> Callable[..., Tensor]:
    """PyTorch's `quantile` or `nanquantile`."""
    function = getattr(ops, name)

    def call(
        x: Tensor, q: Tensor | Number, dim: int | None = None, keepdim: bool = False, *,
        interpolation: str = "linear",
    ) -> Tensor:  # fmt: skip
        if 0 in shape_of(x):
            raise ops.ShapeError(name, [ops.type_of(x)], "there are no entries")
        return function(x, np.asarray(q), dims(x, dim), keepdim, interpolation)

    return set_name(call, name, doc)


quantile = quantile_of("quantile", "The values below which fractions of the entries lie.")
nanquantile = quantile_of("nanquantile", "The quantiles of the entries that are not NaN.")


def keep_bytes(op: ops.Op) -> Callable[..., Tensor]:
    """`all` or `any`, which return uint8 for uint8."""
    reduce = function_of(op)

    def call(*args: Any, **options: Any) -> Tensor:
        y = reduce(*args, **options)
        x = args[0] if args else options.get("input")
        is_bytes = isinstance(x, Handle) and x.dtype == np.uint8
        return ops.astype(y, dtype=np.uint8) if is_bytes else y

    call.spells = op  # type: ignore[attr-defined]
    return wrap(call, reduce)


SHARED = by_name(keep_bytes(ops.all), keep_bytes(ops.any), extreme("max"), extreme("min"))
CONVERTING = by_name(
    var, std, cumulative(ops.cumsum, "cumsum"), cumulative(ops.cumprod, "cumprod"),
    cumulative(ops.logcumsumexp, "logcumsumexp"), cumulative_extreme(ops.cummax),
    cumulative_extreme(ops.cummin), norm, aminmax, nan_reduction("nansum"),
    nan_reduction("nanmean"), diff, cov, corrcoef, median, nanmedian, quantile, nanquantile,
)  # fmt: skip
FUNCTIONS = by_name(var_mean, std_mean, trapezoid)
