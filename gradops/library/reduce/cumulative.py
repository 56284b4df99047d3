"""Running results along an axis: sums, products and extremes of the entries up to each one."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.errors import ShapeError
from ...core.op import ErrorSample, Op
from ...core.samples import cases, complexes, distinct, exactly, reals
from ...core.types import ArrayType, normalize_axis, result_dtype, shape_of, type_of
from ...typing import AnyArray, DTypeLike
from ..elementwise.arithmetic import strong_product
from ..elementwise.comparison import equal, masked, where
from ..elementwise.exponential import exp
from ..elementwise.logic import isnan, logical_not
from ..families import advance, linear
from ..index.indexing import along
from ..shape.movement import astype, computed_in, flip, in_a_row
from ..shape.padding import pad_op
from .linear_scan import backwards, before, linear_recurrence

__all__ = [
    "cummax", "cummin", "cumprod", "cumsum", "cumulative_prod", "cumulative_sum", "logcumsumexp",
]


def running(
    name: str, ufunc: np.ufunc, draw: Any, more: Sequence[Any] = (), family: Any = Op,
    **facets: object,
) -> Op:
    """An op that combines each entry along an axis with the result before it."""
    accumulate = ufunc.accumulate

    def kernel(x: np.ndarray, axis: int, out: np.ndarray | None = None) -> Any:
        return accumulate(x, axis=axis, out=out)

    def infer(x: ArrayType, axis: int) -> ArrayType:
        normalize_axis(name, x, axis)
        return ArrayType(x.shape, result_dtype(lambda x: accumulate(x), (x.dtype,)))

    facets["samples"] = cases(
        draw((3, 4), axis=0), draw((3, 4), axis=-1), draw((0,), axis=0),
        exactly([1, 2, -1], axis=0), *more,
    )
    return family(
        name, kernel, infer=infer,
        batch=advance,
        source=f"np.{ufunc.__name__}.accumulate({{0}}, axis={{axis}}{{out}})",
        error_samples=[
            ErrorSample([np.ones((2, 3))], {"axis": 2}, ShapeError, "axis 2 is out of range"),
            ErrorSample([np.ones(())], {"axis": 0}, ShapeError, "axis 0 is out of range"),
        ],
        **facets,
    )


cumsum_op = running(
    "cumsum", np.add, reals, family=linear, more=[complexes((3,), axis=0)],
    transpose=lambda g, y, x, axis: flip(cumsum_op(flip(g, axis=axis), axis=axis), axis=axis),
    doc="The sums of the entries up to each one along an axis.",
)
cumprod_op = running(
    "cumprod", np.multiply, reals,
    more=[exactly([[1.0, 0, 3, 0], [0, 2, 0, 1]], axis=1), complexes((4,), axis=0)],
    vjp=[lambda g, y, x, axis: before(y, axis, 1) * backwards(x, g, axis)],
    jvp=[lambda t, y, x, axis: linear_recurrence(x, t * before(y, axis, 1), axis=axis)],
    doc="The products of the entries up to each one along an axis; the derivative is exact at 0.",
)


def falls(y: AnyArray, axis: int) -> AnyArray:
    """exp(y[i-1] - y[i]) of sums that grow; 1 also for equal infinities."""
    last = before(y, axis, -np.inf)
    return exp(where(equal(last, y), 0, last - y))


def own(y: AnyArray, x: AnyArray) -> Any:
    """exp(x - y), the share of each entry in its sum; 0 where both are -inf."""
    return exp(x - where(equal(y, -np.inf), 0, y))


logcumsumexp = running(
    "logcumsumexp", np.logaddexp, reals,
    vjp=[lambda g, y, x, axis: strong_product(backwards(falls(y, axis), g, axis), own(y, x))],
    jvp=[
        lambda t, y, x, axis: linear_recurrence(
            falls(y, axis), strong_product(t, own(y, x)), axis=axis
        )
    ],
    doc="log(cumsum(exp(x))) along an axis, without overflow.",
)


def latest(y: AnyArray, x: AnyArray, axis: int) -> Any:
    """The place of the last entry, up to each one, that is the extreme `y`, or is NaN."""
    places = along(x, normalize_axis("latest", type_of(x), axis))
    return cummax(where(records(y, x), places, 0), axis=axis)


def records(y: AnyArray, x: AnyArray) -> AnyArray:
    """Where an entry is the extreme up to it, or NaN."""
    return equal(x, y) | isnan(x)


def lasting(y: AnyArray, x: AnyArray) -> AnyArray:
    """1 where the extreme is that of the entry before, 0 where it is new."""
    return astype(logical_not(records(y, x)), dtype=type_of(y).dtype)


def extreme_vjp(g: AnyArray, y: AnyArray, x: AnyArray, axis: int) -> AnyArray:
    """An entry gets the cotangents from its place on, as long as it is the extreme."""
    return masked(records(y, x), backwards(lasting(y, x), g, axis))


def extreme_jvp(t: AnyArray, y: AnyArray, x: AnyArray, axis: int) -> AnyArray:
    """The tangent of an extreme lasts as long as it does."""
    return linear_recurrence(lasting(y, x), masked(records(y, x), t), axis=axis)


# The extremes are computed again for the gradient, so that the result may be written to.
cummax = running(
    "cummax", np.maximum, distinct,
    vjp=[lambda g, y, x, axis: extreme_vjp(g, cummax(x, axis=axis), x, axis)], jvp=[extreme_jvp],
    doc="The largest of the entries up to each one along an axis; of equal ones the last counts.",
)
cummin = running(
    "cummin", np.minimum, distinct,
    vjp=[lambda g, y, x, axis: extreme_vjp(g, cummin(x, axis=axis), x, axis)], jvp=[extreme_jvp],
    doc="The smallest of the entries up to each one along an axis; of equal ones the last counts.",
)


def cumsum(x: Any, axis: int | None = None, dtype: Any = None) -> Any:
    """The sums of the entries up to each one along an axis, or of all entries as one row.

    >>> cumsum(np.array([[1, 2], [3, 4]]), axis=0), cumsum(np.array([[1, 2], [3, 4]]))
    (array([[1, 2],
           [4, 6]]), array([ 1,  3,  6, 10]))
    """
    x, axis = in_a_row(x, axis)
    return computed_in(dtype, cumsum_op, x, axis=axis)


def cumprod(x: Any, axis: int | None = None, dtype: Any = None) -> Any:
    """The products of the entries up to each one along an axis, or of all entries as one row.

    >>> cumprod(np.array([[1, 2], [3, 4]]), axis=0), cumprod(np.array([[1, 2], [3, 4]]))
    (array([[1, 2],
           [3, 8]]), array([ 1,  2,  6, 24]))
    """
    x, axis = in_a_row(x, axis)
    return computed_in(dtype, cumprod_op, x, axis=axis)


def from_start(op: Op, x: Any, axis: int | None, dtype: DTypeLike, start: int | None) -> AnyArray:
    """Running results along the one axis, or the one named, behind `start` if there is one."""
    if axis is None and len(shape_of(x)) != 1:
        raise ShapeError(
            op, [type_of(x)], f"which of {len(shape_of(x))} axes is meant is not said",
            hint="name it: axis=0",
        )  # fmt: skip
    k = normalize_axis(op, type_of(x), 0 if axis is None else axis)
    y = computed_in(dtype, op, x, axis=k)
    if start is None:
        return y
    widths = tuple((int(i == k), 0) for i in range(len(shape_of(x))))
    return pad_op(y, pad_width=widths, value=start)


def cumulative_sum(
    x: Any, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> Any:
    """The sums of the entries up to each one along an axis, unnamed if it is the only one.

    With `include_initial` a zero comes first. Raises ShapeError if an axis has to be named.

    >>> cumulative_sum(np.array([1, 2, 3]), include_initial=True)
    array([0, 1, 3, 6])
    """
    return from_start(cumsum_op, x, axis, dtype, 0 if include_initial else None)


def cumulative_prod(
    x: Any, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> Any:
    """The products of the entries up to each one along an axis, unnamed if it is the only one.

    With `include_initial` a one comes first. Raises ShapeError if an axis has to be named.

    >>> cumulative_prod(np.array([2, 3, 4]), include_initial=True)
    array([ 1,  2,  6, 24])
    """
    return from_start(cumprod_op, x, axis, dtype, 1 if include_initial else None)
