"""Cumulative ops along an axis, linear recurrences, differences and trapezoids.

Note [Running derivatives]. The derivative of a cumulative product is a sum of products with one
factor left out. Dividing by that factor is wrong where it is zero. But the sums satisfy a
recurrence, S(i) = g(i) + x(i+1) S(i+1), and so does the derivative of that: one op whose own
derivative is made of itself gives all of them, exactly, and without a division.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...core import flops
from ...core.errors import OptionError, ShapeError
from ...core.op import Op, as_operand
from ...core.rules import JointVJP
from ...core.samples import beside, cases, complexes, distinct, exactly, reals
from ...core.types import (
    ArrayType,
    broadcast_shapes,
    normalize_axis,
    result_dtype,
    shape_of,
    type_of,
)
from ...typing import AnyArray, Arrays, DTypeLike, Operand, OperandLike, Wanted
from ..elementwise.arithmetic import strong_product, sub
from ..elementwise.comparison import equal, masked, not_equal, where
from ..elementwise.exponential import exp
from ..elementwise.logic import isnan, logical_not
from ..families import batch_along_axis, invalid, linear
from ..index.indexing import along, index
from ..shape.broadcasting import batch_together_along_axis, broadcast_to
from ..shape.joining import concatenate
from ..shape.movement import astype, compute_in, flatten_without_axis, flip, reshape
from ..shape.padding import pad_op
from .reduction import sum

__all__ = [
    "cummax", "cummin", "cumprod", "cumsum", "cumulative_prod", "cumulative_sum", "diff",
    "logcumsumexp", "trapezoid",
]

FULL = slice(None)
ROOMY = 256  # rows beside each other from which one step after the other is the lesser cost


def linear_recurrence_infer(a: ArrayType, b: ArrayType, axis: int) -> ArrayType:
    shape = broadcast_shapes("linear_recurrence", [a, b])
    found = ArrayType(shape, np.result_type(a.dtype, b.dtype))
    normalize_axis("linear_recurrence", found, axis)
    return found


def linear_recurrence_kernel(a: np.ndarray, b: np.ndarray, axis: int) -> np.ndarray:
    y = np.array(np.broadcast_arrays(a, b)[1], np.result_type(a, b))
    factors, entries = (np.moveaxis(x, axis, 0) for x in (np.broadcast_to(a, y.shape), y))
    roomy = y.size > ROOMY * len(entries)
    with np.errstate(all="ignore"):  # factors multiply up, also those that no entry needs
        (scan_sequentially if roomy else scan_by_doubling)(factors, entries)
        if not np.isfinite(np.add.reduce(y, axis=None)):
            y[...] = b
            scan_with_strong_zero(factors, entries)
    return y


def scan_sequentially(a: Any, y: Any) -> None:
    """y[i] += a[i] y[i-1], in place, one entry after the other."""
    for i in range(1, len(y)):
        y[i] += a[i] * y[i - 1]


def scan_with_strong_zero(a: Any, y: Any) -> None:
    """`scan_sequentially` where 0 times infinity or NaN is 0, so that these do not spread."""
    for i in range(1, len(y)):
        y[i] += np.where(np.equal(a[i], 0), 0, a[i] * y[i - 1])


def scan_by_doubling(a: Any, y: Any) -> None:
    """`scan_sequentially` in log2(n) steps: after each, y[i] covers twice as many entries."""
    factors, reach = np.array(a), 1
    while reach < len(y):
        y[reach:] += factors[reach:] * y[:-reach]
        factors[reach:] *= factors[:-reach]
        reach *= 2


def shift_along(widths: tuple[int, int], kept: slice) -> Callable[..., Any]:
    """A function that moves the entries of an array along an axis by one, filling in a number."""

    def shift(x: AnyArray, axis: int, fill: float) -> Operand:
        k = normalize_axis("shift", type_of(x), axis)
        pairs = tuple(widths if i == k else (0, 0) for i in range(len(shape_of(x))))
        return index(pad_op(x, pad_width=pairs, value=fill), (*(FULL,) * k, kept))

    return shift


before = shift_along((1, 0), slice(None, -1))  # in each place the entry before it
after = shift_along((0, 1), slice(1, None))  # in each place the entry after it


def backwards(a: AnyArray, b: AnyArray, axis: int) -> AnyArray:
    """y[i] = b[i] + a[i+1] y[i+1], from the last entry to the first."""
    turned = linear_recurrence(flip(after(a, axis, 0), axis=axis), flip(b, axis=axis), axis=axis)
    return flip(turned, axis=axis)


def linear_recurrence_cotangents(
    wanted: Wanted, g: AnyArray, y: AnyArray, a: AnyArray, b: AnyArray, axis: int
) -> Arrays:
    back = backwards(a, g, axis)
    return [back if i else back * before(y, axis, 0) for i in wanted]


linear_recurrence = Op(
    "linear_recurrence", linear_recurrence_kernel, arity=2,
    flops=flops.per_result(2),
    infer=linear_recurrence_infer, vjp=JointVJP(linear_recurrence_cotangents),
    jvp=[
        lambda t, y, a, b, axis: linear_recurrence(a, t * before(y, axis, 0), axis=axis),
        lambda t, y, a, b, axis: linear_recurrence(a, t, axis=axis),
    ],
    batch=batch_together_along_axis,
    samples=cases(
        reals((3, 4), (3, 4), axis=0), reals((2, 7), (2, 7), axis=-1), reals((0,), (0,), axis=0),
        beside(exactly([2.0, 0, 3, 0, 0, 1]), reals((6,), axis=0)), complexes((5,), (5,), axis=0),
    ),
    error_samples=[
        invalid((3,), (3,), axis=1, says="axis 1 is out of range"),
        invalid((3,), (2,), axis=0, says="3 against 2"),
    ],
    doc="y[i] = x[i] y[i-1] + b[i] along an axis, where y[0] is b[0].",
)


def cumulative(
    name: str, ufunc: np.ufunc, draw: Any, more: Sequence[Any] = (), family: Any = Op,
    **facets: object,
) -> Op:
    """A cumulative op: `ufunc.accumulate` along an axis."""
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
        batch=batch_along_axis,
        source=f"np.{ufunc.__name__}.accumulate({{0}}, axis={{axis}}{{out}})",
        error_samples=[
            invalid((2, 3), axis=2, says="axis 2 is out of range"),
            invalid((), axis=0, says="axis 0 is out of range"),
        ],
        **facets,
    )


cumsum_op = cumulative(
    "cumsum", np.add, reals, family=linear, more=[complexes((3,), axis=0)],
    flops=flops.per_result(1),
    transpose=lambda g, y, x, axis: flip(cumsum_op(flip(g, axis=axis), axis=axis), axis=axis),
    doc="The cumulative sums along an axis.",
)
cumprod_op = cumulative(
    "cumprod", np.multiply, reals,
    flops=flops.per_result(1),
    more=[exactly([[1.0, 0, 3, 0], [0, 2, 0, 1]], axis=1), complexes((4,), axis=0)],
    vjp=[lambda g, y, x, axis: before(y, axis, 1) * backwards(x, g, axis)],
    jvp=[lambda t, y, x, axis: linear_recurrence(x, t * before(y, axis, 1), axis=axis)],
    doc="The cumulative products along an axis; the derivative is exact at 0.",
)


def step_factors(y: AnyArray, axis: int) -> AnyArray:
    """exp(y[i-1] - y[i]) of increasing cumulative sums; 1 also for equal infinities."""
    last = before(y, axis, -np.inf)
    return exp(where(equal(last, y), 0, last - y))


def entry_shares(y: AnyArray, x: AnyArray) -> AnyArray:
    """exp(x - y), the share of each entry in its cumulative sum; 0 where both are -inf."""
    return exp(x - where(equal(y, -np.inf), 0, y))


logcumsumexp = cumulative(
    "logcumsumexp", np.logaddexp, reals,
    flops=flops.per_result(1),
    vjp=[lambda g, y, x, axis: strong_product(
        backwards(step_factors(y, axis), g, axis), entry_shares(y, x)
    )],
    jvp=[
        lambda t, y, x, axis: linear_recurrence(
            step_factors(y, axis), strong_product(t, entry_shares(y, x)), axis=axis
        )
    ],
    doc="log(cumsum(exp(x))) along an axis, without overflow.",
)


def latest_extreme(y: AnyArray, x: AnyArray, axis: int) -> Any:
    """The position of the last extreme entry, or NaN, up to each entry."""
    places = along(x, normalize_axis("latest", type_of(x), axis))
    return cummax(where(is_record(y, x), places, 0), axis=axis)


def is_record(y: AnyArray, x: AnyArray) -> AnyArray:
    """True for entries that equal the extreme up to them, or are NaN."""
    return equal(x, y) | isnan(x)


def is_old_extreme(y: AnyArray, x: AnyArray) -> AnyArray:
    """1 where the extreme is that of the entry before, 0 where it is new."""
    return astype(logical_not(is_record(y, x)), dtype=type_of(y).dtype)


def extreme_vjp(g: AnyArray, y: AnyArray, x: AnyArray, axis: int) -> AnyArray:
    """Adds up, for each extreme entry, the cotangents up to the next extreme."""
    return masked(is_record(y, x), backwards(is_old_extreme(y, x), g, axis))


def extreme_jvp(t: AnyArray, y: AnyArray, x: AnyArray, axis: int) -> AnyArray:
    """The tangent of the latest extreme entry."""
    return linear_recurrence(is_old_extreme(y, x), masked(is_record(y, x), t), axis=axis)


# The extremes are computed again for the gradient, so that the result may be written to.
cummax = cumulative(
    "cummax", np.maximum, distinct,
    vjp=[lambda g, y, x, axis: extreme_vjp(g, cummax(x, axis=axis), x, axis)], jvp=[extreme_jvp],
    doc="The cumulative maximum along an axis; of equal entries the last has the derivative.",
)
cummin = cumulative(
    "cummin", np.minimum, distinct,
    vjp=[lambda g, y, x, axis: extreme_vjp(g, cummin(x, axis=axis), x, axis)], jvp=[extreme_jvp],
    doc="The cumulative minimum along an axis; of equal entries the last has the derivative.",
)


def cumsum(x: Any, axis: int | None = None, dtype: Any = None) -> Any:
    """The cumulative sums along an axis, or of the flattened array.

    >>> cumsum(np.array([[1, 2], [3, 4]]), axis=0), cumsum(np.array([[1, 2], [3, 4]]))
    (array([[1, 2],
           [4, 6]]), array([ 1,  3,  6, 10]))
    """
    x, axis = flatten_without_axis(x, axis)
    return compute_in(dtype, cumsum_op, x, axis=axis)


def cumprod(x: Any, axis: int | None = None, dtype: Any = None) -> Any:
    """The cumulative products along an axis, or of the flattened array.

    >>> cumprod(np.array([[1, 2], [3, 4]]), axis=0), cumprod(np.array([[1, 2], [3, 4]]))
    (array([[1, 2],
           [3, 8]]), array([ 1,  2,  6, 24]))
    """
    x, axis = flatten_without_axis(x, axis)
    return compute_in(dtype, cumprod_op, x, axis=axis)


def with_initial(op: Op, x: Any, axis: int | None, dtype: DTypeLike, start: int | None) -> AnyArray:
    """Cumulative results along an axis, with the value `start` in front if it is given."""
    if axis is None and len(shape_of(x)) != 1:
        raise ShapeError(
            op, [type_of(x)], f"which of {len(shape_of(x))} axes is meant is not said",
            hint="name it: axis=0",
        )  # fmt: skip
    k = normalize_axis(op, type_of(x), 0 if axis is None else axis)
    y = compute_in(dtype, op, x, axis=k)
    if start is None:
        return y
    widths = tuple((int(i == k), 0) for i in range(len(shape_of(x))))
    return pad_op(y, pad_width=widths, value=start)


def cumulative_sum(
    x: Any, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> Any:
    """The cumulative sums along an axis, which may be omitted if it is the only one.

    With `include_initial` a zero comes first. Raises ShapeError if the axis is ambiguous.

    >>> cumulative_sum(np.array([1, 2, 3]), include_initial=True)
    array([0, 1, 3, 6])
    """
    return with_initial(cumsum_op, x, axis, dtype, 0 if include_initial else None)


def cumulative_prod(
    x: Any, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> Any:
    """The cumulative products along an axis, which may be omitted if it is the only one.

    With `include_initial` a one comes first. Raises ShapeError if the axis is ambiguous.

    >>> cumulative_prod(np.array([2, 3, 4]), include_initial=True)
    array([ 1,  2,  6, 24])
    """
    return with_initial(cumprod_op, x, axis, dtype, 1 if include_initial else None)


FULL = slice(None)


def as_joinable(p: Any, x: Any, axis: int) -> Operand:
    """`p` as an array that can be joined to `x` along an axis; a number counts as one entry."""
    if shape_of(p):
        return p
    shape = tuple(1 if i == axis else n for i, n in enumerate(shape_of(x)))
    return broadcast_to(p, shape=shape)


def diff(
    x: OperandLike, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None
) -> Any:
    """The differences of neighbouring entries along an axis, taken `n` times.

    `prepend` and `append` are joined to `x` first, numbers as one entry each. For truth values the
    result is true where neighbours differ. Raises OptionError for a negative `n`.

    >>> diff(np.array([1, 4, 9, 16])), diff(np.array([1, 4, 9, 16]), n=2)
    (array([3, 5, 7]), array([2, 2]))
    """
    kind = type_of(x)
    k = normalize_axis("diff", kind, axis)
    if n < 0:
        raise OptionError("diff", [kind], f"there are no {n} differences")
    if n == 0:
        return x
    parts = [as_joinable(p, x, k) for p in (prepend, x, append) if p is not None]
    x = concatenate(parts, axis=k) if parts[1:] else x
    lead, subtract = (FULL,) * k, not_equal if type_of(x).dtype.kind == "b" else sub
    for _ in range(n):
        x = subtract(index(x, (*lead, slice(1, None))), index(x, (*lead, slice(None, -1))))
    return x


def trapezoid(y: OperandLike, x: OperandLike | None = None, dx: Any = 1.0, axis: int = -1) -> Any:
    """The integral of points along an axis by the trapezoidal rule.

    The points are at `x`, or `dx` apart.

    >>> float(trapezoid(np.array([1.0, 2.0, 3.0])))
    4.0
    """
    y = as_operand(y)
    axis = normalize_axis("trapezoid", type_of(y), axis)
    if x is not None:
        x = as_operand(x)
        dx = diff(x, axis=axis if len(shape_of(x)) > 1 else -1)
        if len(shape_of(x)) == 1:
            rank = len(shape_of(y))
            dx = reshape(dx, shape=[-1 if i == axis else 1 for i in range(rank)])
    lead = (FULL,) * axis
    ends = index(y, (*lead, slice(1, None))) + index(y, (*lead, slice(None, -1)))
    return sum(dx * ends / 2.0, axis=axis)
