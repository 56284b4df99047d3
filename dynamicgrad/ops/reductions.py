"""PyTorch's reductions and running results that take or give more than ours do."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import gradops as ops
from gradops.core.types import is_inexact, shape_of, type_of
from gradops.library.reduce.cumulative import latest
from gradops.library.reduce.quantiles import order_statistics
from gradops.library.reduce.sorting import argkth
from gradops.library.shape.movement import computed_in, in_dtype

from ..dispatch.default_dtype import get_default_dtype
from ..dispatch.fast_path import OF_NUMBERS, operand
from ..dispatch.keywords import function_of
from ..dispatch.wrapping import like
from ..dispatch.zero_dim import apart, numbers_as_rows
from ..engine.handle import Handle
from ..engine.tensor import Tensor
from .shapes import size_at


class Extremes(NamedTuple):
    """The extreme values along a dimension, and where they are."""

    values: Tensor
    indices: Tensor


class Range(NamedTuple):
    """The smallest and the largest entries."""

    min: Tensor
    max: Tensor


def extreme(reduce: Any, choose: Any, both: Any, name: str) -> Callable[..., Any]:
    """PyTorch's `max` and `min`: of all entries, along a dimension with indices, or of a pair."""

    def call(x: Any, dim: Any = None, keepdim: bool = False) -> Any:
        x = operand(x)
        if dim is None:
            return reduce(x)
        if not isinstance(dim, int | np.integer):
            return both(x, dim)
        dim = int(dim)
        return along(x, dim, keepdim)

    @numbers_as_rows
    def along(x: Any, dim: int, keepdim: bool) -> Extremes:
        return picked(x, choose(x, axis=dim, keepdims=True), dim, keepdim)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = (
        f"The {name}imum of all entries; along `dim`, with its indices; or of two tensors."
    )
    return call


def is_number(x: Any, dim: Any) -> bool:
    """Whether `x` is a number, which PyTorch takes for a row of one along `dim`."""
    return dim in OF_NUMBERS and not shape_of(x)


def picked(x: Any, indices: Any, dim: int, keepdim: bool) -> Extremes:
    """The entries at indices along a dimension, with these."""
    values = ops.take_along_axis(x, indices, axis=dim)
    if keepdim:
        return Extremes(values, indices)
    return Extremes(*(apart(ops.squeeze(part, axis=(dim,))) for part in (values, indices)))


def dims(x: Any, dim: Any) -> Any:
    """PyTorch's dimensions as axes: none are all, and a number has a dimension 0."""
    dim = tuple(dim) if isinstance(dim, list) else dim
    return None if dim == () or is_number(x, dim) else dim


def spread_of(op: Any, name: str, doc: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """PyTorch's `var` or `std`, and the function that gives the mean, too."""

    def call(
        x: Any, dim: Any = None, unbiased: bool = True, keepdim: bool = False, *,
        correction: float | None = None,
    ) -> Any:  # fmt: skip
        if isinstance(dim, bool):
            dim, unbiased = None, dim
        correction = int(unbiased) if correction is None else correction
        return in_single(op, x, axis=dims(x, dim), correction=correction, keepdims=keepdim)

    def with_mean(
        x: Any, dim: Any = None, unbiased: bool = True, keepdim: bool = False, *,
        correction: float | None = None,
    ) -> Any:  # fmt: skip
        found = call(x, dim, unbiased, keepdim, correction=correction)
        axis = None if isinstance(dim, bool) else dims(x, dim)
        return found, ops.mean(x, axis=axis, keepdims=keepdim)

    call.__name__ = call.__qualname__ = name
    with_mean.__name__ = with_mean.__qualname__ = f"{name}_mean"
    call.__doc__ = f"{doc}, over n - 1; `correction` or `unbiased=False` say otherwise."
    with_mean.__doc__ = f"{doc}, and the mean."
    return call, with_mean


var, var_mean = spread_of(ops.var, "var", "The mean squared distance from the mean")
std, std_mean = spread_of(ops.std, "std", "The square root of the variance")


def running(op: Any, name: str) -> Callable[..., Any]:
    """A running result along a dimension, in another dtype if asked."""

    def call(x: Any, dim: int, *, dtype: Any = None) -> Any:
        return computed_in(dtype, op, x, axis=dim)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = (op.__doc__ or "").split(">>>")[0].rstrip()
    return numbers_as_rows(call)


def running_extreme(op: Any) -> Callable[..., Any]:
    """A running extreme along a dimension, and where it is."""

    def call(x: Any, dim: int) -> Any:
        values = op(x, axis=dim)
        return Extremes(values, latest(values, x, dim))

    call.__name__ = call.__qualname__ = op.name
    call.__doc__ = f"{op.doc[:-1]}, and where it is."
    return numbers_as_rows(call)


def norm(x: Any, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    """The norm of the entries as one vector, or along dimensions, of any order `p`.

    >>> dg.norm(dg.tensor([[3.0, 4.0]])), dg.norm(dg.tensor([3.0, -4.0]), float("inf"))
    (tensor(5.), tensor(4.))
    """
    if dtype is not None and not is_inexact(np.dtype(dtype)):
        raise ops.DTypeError("norm", [type_of(x)], f"a norm is no {dtype}", hint="take a float")
    x = in_dtype(x, dtype)
    if p == "nuc":
        return ops.linalg.norm(x, p, dim, keepdim)
    ord = 2 if p in ("fro", None) else p
    return in_single(ops.vector_norm, x, axis=dims(x, dim), keepdims=keepdim, ord=ord)


def in_single(reduce: Any, x: Any, **attrs: Any) -> Any:
    """A reduction, of float16 in float32, so that squares on the way are not infinite."""
    if x.dtype != np.float16:
        return reduce(x, **attrs)
    return ops.astype(reduce(ops.astype(x, dtype=np.float32), **attrs), dtype=np.float16)


def aminmax(x: Any, *, dim: int | None = None, keepdim: bool = False) -> Range:
    """The smallest and the largest entry, of all or along a dimension.

    >>> dg.aminmax(dg.tensor([3.0, 1.0, 2.0]))
    Range(min=tensor(1.), max=tensor(3.))
    """
    axis = dims(x, dim)
    return Range(*(f(x, axis=axis, keepdims=keepdim) for f in (ops.min, ops.max)))


def of_numbers(name: str) -> Callable[..., Any]:
    """A reduction that passes over the entries that are NaN."""

    def call(x: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
        from gradops.numpy_api.functions import reducing

        reduce = getattr(reducing, name)
        found = reduce(in_dtype(x, dtype), axis=dims(x, dim), keepdims=keepdim)
        return found if dtype is None or found.dtype == dtype else in_dtype(found, dtype)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"The {name[3:]} of the entries that are not NaN."
    return call


def diff(x: Any, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """The differences of neighbours along a dimension, `n` times over.

    >>> dg.diff(dg.tensor([1, 4, 9]))
    tensor([3, 5])
    """
    return ops.diff(x, n, dim, prepend, append)


def trapezoid(y: Any, x: Any = None, *, dx: Any = 1.0, dim: int = -1) -> Any:
    """The integral of the line through points, by trapezoids along a dimension.

    >>> dg.trapezoid(dg.tensor([1.0, 2.0, 3.0]))
    tensor(4.)
    """
    return ops.trapezoid(y, x, dx, dim)


def cov(x: Any, *, correction: int = 1, fweights: Any = None, aweights: Any = None) -> Any:
    """The covariances of variables, which are the rows.

    >>> dg.cov(dg.tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    if not is_inexact(x.dtype):
        x = ops.astype(x, dtype=get_default_dtype())
    weights = [w if w is None else ops.astype(w, dtype=x.dtype) for w in (fweights, aweights)]
    return ops.cov(x, ddof=correction, fweights=weights[0], aweights=weights[1])


def corrcoef(x: Any) -> Any:
    """The correlations of variables, which are the rows.

    >>> dg.corrcoef(dg.tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    return ops.corrcoef(x if is_inexact(x.dtype) else ops.astype(x, dtype=get_default_dtype()))


@numbers_as_rows
def median(x: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    """The entry in the middle, of two the smaller; along a dimension, with its indices.

    >>> dg.median(dg.tensor([3.0, 1.0, 2.0, 4.0]))
    tensor(2.)
    """
    if dim is None and 0 in shape_of(x):
        least = np.nan if is_inexact(x.dtype) else no_number(x.dtype)
        return ops.astype(ops.sum(x), dtype=x.dtype) + np.asarray(least, x.dtype)
    if dim is None:
        middle = rank_of_middle("median", x, x.size)
        y = order_statistics(ops.reshape(x, shape=(-1,)), ranks=(middle,), axis=0)
        return ops.reshape(y, shape=())
    middle = rank_of_middle("median", x, size_at(x, dim))
    nans = ops.isnan(x)
    first = ops.argmax(nans, axis=dim, keepdims=True)
    indices = ops.where(
        ops.any(nans, axis=dim, keepdims=True), first, argkth(x, k=middle + 1, axis=dim)
    )
    return picked(x, indices, dim, keepdim)


def no_number(dtype: Any) -> int:
    """The integer that processors make of NaN."""
    return int(np.iinfo(dtype).min) if dtype.itemsize > 2 else 0


def rank_of_middle(op: str, x: Any, n: int) -> int:
    """Which entry is in the middle of `n` of them once they are sorted, of two the smaller."""
    if n == 0:
        raise ops.AxisError(op, [ops.type_of(x)], "there are no entries")
    return (n - 1) // 2


@numbers_as_rows
def nanmedian(x: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    """The median of the entries that are not NaN; along a dimension, with its indices.

    >>> dg.nanmedian(dg.tensor([3.0, float("nan"), 2.0]))
    tensor(2.)
    """
    if dim is None:
        return nanmedian(ops.reshape(x, shape=(-1,)), 0).values
    rank_of_middle("nanmedian", x, size_at(x, dim))
    there = ops.count_nonzero(ops.logical_not(ops.isnan(x)), axis=dim, keepdims=True)
    order, middle = ops.argsort(x, axis=dim), ops.maximum((there - 1) // 2, 0)
    return picked(x, ops.take_along_axis(order, middle, axis=dim), dim, keepdim)


def quantile_of(function: Any, name: str, doc: str) -> Callable[..., Any]:
    """PyTorch's `quantile` and `nanquantile`."""

    def call(
        x: Any, q: Any, dim: int | None = None, keepdim: bool = False, *,
        interpolation: str = "linear",
    ) -> Any:  # fmt: skip
        if 0 in shape_of(x):
            raise ops.ShapeError(name, [ops.type_of(x)], "there are no entries")
        return function(x, np.asarray(q), dims(x, dim), keepdim, interpolation)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = doc
    return call


quantile = quantile_of(
    ops.quantile, "quantile", "The values below which fractions of the entries lie."
)
nanquantile = quantile_of(
    ops.nanquantile, "nanquantile", "The quantiles of the entries that are not NaN."
)


def with_bytes(op: ops.Op) -> Callable[..., Any]:
    """`all` or `any`, which gives bytes for bytes."""
    reduce = function_of(op)

    def call(*args: Any, **options: Any) -> Any:
        y = reduce(*args, **options)
        x = args[0] if args else options.get("input")
        is_bytes = isinstance(x, Handle) and x.dtype == np.uint8
        return ops.astype(y, dtype=np.uint8) if is_bytes else y

    call.spells = op  # type: ignore[attr-defined]
    return like(call, reduce)


SHARED: dict[str, Callable[..., Any]] = {
    "all": with_bytes(ops.all), "any": with_bytes(ops.any),
    "max": extreme(ops.max, ops.argmax, ops.maximum, "max"),
    "min": extreme(ops.min, ops.argmin, ops.minimum, "min"),
}  # fmt: skip
CONVERTING: dict[str, Callable[..., Any]] = {
    f.__name__: f
    for f in (
        var, std, running(ops.cumsum, "cumsum"), running(ops.cumprod, "cumprod"),
        running(ops.logcumsumexp, "logcumsumexp"), running_extreme(ops.cummax),
        running_extreme(ops.cummin), norm, aminmax, of_numbers("nansum"),
        of_numbers("nanmean"), diff, cov, corrcoef,
        median, nanmedian, quantile, nanquantile,
    )
}  # fmt: skip
FUNCTIONS: dict[str, Callable[..., Any]] = {f.__name__: f for f in (var_mean, std_mean, trapezoid)}
