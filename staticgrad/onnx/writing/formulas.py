"""Ops in terms of ops that ONNX has, where neither an op nor its formula says it."""

import math
from typing import Any

import numpy as np

import gradops as ops
from gradops import OPS

from ...control.loops import map_accumulate
from .table import formula


def number(value: Any, x: Any) -> np.ndarray:
    """A number in the dtype of `x`."""
    return np.asarray(value, x.dtype)


def constant_where(condition: Any, value: float, x: Any) -> Any:
    """A number where a condition holds, else `x`."""
    return ops.where(condition, number(value, x), x)


@formula("square")
def square(x: Any) -> Any:
    """x * x."""
    return x * x


@formula("not_equal")
def not_equal(a: Any, b: Any) -> Any:
    """Not equal."""
    return ops.logical_not(ops.equal(a, b))


@formula("expm1")
def expm1(x: Any) -> Any:
    """exp(x) - 1 as tanh(x/2) (exp(x) + 1), which has digits near 0."""
    far = ops.greater(ops.abs(x), number(1, x))
    near = ops.tanh(x * number(0.5, x)) * (ops.exp(x) + number(1, x))
    return ops.where(far, ops.exp(x) - number(1, x), near)


@formula("log1p")
def log1p(x: Any) -> Any:
    """log(1 + x), times what rounding took from x (Kahan)."""
    u = x + number(1, x)
    rounded = u - number(1, x)
    is_lost = ops.equal(rounded, number(0, x))
    is_far = ops.logical_not(ops.isfinite(u))
    safe = ops.where(ops.logical_or(is_lost, is_far), number(1, x), rounded)
    scaled = ops.log(u) * (x / safe)
    return ops.where(is_lost, x, ops.where(is_far, ops.log(u), scaled))


@formula("exp2")
def exp2(x: Any) -> Any:
    """2 to the power x."""
    return ops.power(number(2, x), x)


@formula("log2")
def log2(x: Any) -> Any:
    """log(x) / log(2)."""
    return ops.log(x) / number(math.log(2), x)


@formula("log10")
def log10(x: Any) -> Any:
    """log(x) / log(10)."""
    return ops.log(x) / number(math.log(10), x)


@formula("exp_difference")
def exp_difference(x: Any, y: Any) -> Any:
    """exp(x - y), 0 where both are -inf."""
    both = ops.logical_and(ops.equal(x, y), ops.equal(x, number(-np.inf, x)))
    return constant_where(both, 0, ops.exp(constant_where(both, 0, x - y)))


@formula("masked")
def masked(mask: Any, x: Any) -> Any:
    """x where the mask holds, else 0."""
    return ops.where(mask, x, number(0, x))


@formula("strong_product")
def strong_product(a: Any, b: Any) -> Any:
    """a * b, 0 where a is."""
    product = a * b
    return constant_where(ops.equal(a, number(0, a)), 0, product)


@formula("clamp")
def clamp(x: Any, low: Any, high: Any) -> Any:
    """x between bounds."""
    return ops.minimum(ops.maximum(x, low), high)


@formula("isfinite")
def isfinite(x: Any) -> Any:
    """Neither infinite nor NaN."""
    if x.dtype.kind != "f":
        return OPS["full_like"](x, value=1, dtype=np.dtype(bool))
    return ops.logical_not(ops.logical_or(ops.isnan(x), ops.isinf(x)))


@formula("signbit")
def signbit(x: Any) -> Any:
    """Below zero, or the zero whose reciprocal is."""
    zero = number(0, x)
    is_zero = ops.logical_and(ops.equal(x, zero), ops.less(ops.reciprocal(x), zero))
    return ops.logical_or(ops.less(x, zero), is_zero)


@formula("copysign")
def copysign(x: Any, y: Any) -> Any:
    """|x| with the sign of y."""
    return ops.where(ops.signbit(y), -ops.abs(x), ops.abs(x))


@formula("trunc")
def trunc(x: Any) -> Any:
    """Rounded towards zero; integers are."""
    if x.dtype.kind != "f":
        return OPS["copy"](x)
    return ops.where(ops.less(x, number(0, x)), ops.ceil(x), ops.floor(x))


@formula("remainder")
def remainder(a: Any, b: Any) -> Any:
    """The remainder with the sign of the divisor."""
    dtype = np.result_type(a.dtype, b.dtype)
    a, b = OPS["astype"](a, dtype=dtype), OPS["astype"](b, dtype=dtype)
    rest = ops.fmod(a, b)
    zero = number(0, rest)
    differs = ops.logical_xor(ops.less(rest, zero), ops.less(b, zero))
    turned = ops.logical_and(ops.not_equal(rest, zero), differs)
    return ops.where(turned, rest + b, rest)


@formula("floor_divide")
def floor_divide(a: Any, b: Any) -> Any:
    """The quotient rounded down."""
    rest = ops.remainder(a, b)
    if rest.dtype.kind == "f":
        return ops.floor((a - rest) / b + number(0.5, rest))
    wide = np.dtype(np.float64)  # exact below 2**53
    exact = OPS["astype"](a - rest, dtype=wide) / OPS["astype"](b, dtype=wide)
    return OPS["astype"](ops.round(exact), dtype=rest.dtype)


@formula("fmax")
def fmax(a: Any, b: Any) -> Any:
    """The larger entry, or the one that is not NaN."""
    return ops.where(ops.isnan(a), b, ops.where(ops.isnan(b), a, ops.maximum(a, b)))


@formula("fmin")
def fmin(a: Any, b: Any) -> Any:
    """The smaller entry, or the one that is not NaN."""
    return ops.where(ops.isnan(a), b, ops.where(ops.isnan(b), a, ops.minimum(a, b)))


@formula("heaviside")
def heaviside(x: Any, at_zero: Any) -> Any:
    """0 below zero, 1 above, the second operand at zero, NaN for NaN."""
    zero = number(0, x)
    step = ops.where(ops.less(x, zero), zero, ops.where(ops.equal(x, zero), at_zero, number(1, x)))
    return ops.where(ops.isnan(x), x, step)


@formula("hypot")
def hypot(a: Any, b: Any) -> Any:
    """The root of the sum of squares, scaled by the larger so that it does not overflow."""
    large, small = ops.maximum(ops.abs(a), ops.abs(b)), ops.minimum(ops.abs(a), ops.abs(b))
    is_plain = ops.logical_or(ops.equal(large, number(0, a)), ops.isinf(large))
    ratio = small / ops.where(is_plain, number(1, a), large)
    return ops.where(is_plain, large, large * ops.sqrt(number(1, a) + ratio * ratio))


@formula("atan2")
def atan2(y: Any, x: Any) -> Any:
    """The angle of a point, by its signs and the arc tangent of the smaller quotient."""
    small, large = ops.minimum(ops.abs(x), ops.abs(y)), ops.maximum(ops.abs(x), ops.abs(y))
    is_equal = ops.equal(small, large)
    safe = ops.where(ops.equal(large, number(0, x)), number(1, x), large)
    angle = ops.atan(ops.where(is_equal, number(1, x), small / safe))
    diagonal = ops.where(ops.equal(large, number(0, x)), number(0, x), number(math.pi / 4, x))
    angle = ops.where(is_equal, diagonal, angle)
    steep = ops.where(ops.greater(ops.abs(y), ops.abs(x)), number(math.pi / 2, x) - angle, angle)
    turned = ops.where(ops.signbit(x), number(math.pi, x) - steep, steep)
    result = ops.copysign(turned, y)
    is_nan = ops.logical_or(ops.isnan(x), ops.isnan(y))
    return ops.where(is_nan, number(np.nan, x), result)


@formula("cbrt")
def cbrt(x: Any) -> Any:
    """The cube root, with the sign of x; one step of Newton's makes it exact to rounding."""
    a = ops.abs(x)
    root = ops.power(a, number(1 / 3, x))
    is_plain = ops.logical_or(ops.equal(a, number(0, x)), ops.logical_not(ops.isfinite(a)))
    safe = ops.where(is_plain, number(1, x), root)
    better = safe - (safe - a / (safe * safe)) / number(3, x)
    return ops.copysign(ops.where(is_plain, root, better), x)


@formula("float_power")
def float_power(a: Any, b: Any) -> Any:
    """The power in double precision."""
    return ops.power(*(OPS["astype"](v, dtype=np.dtype(np.float64)) for v in (a, b)))


@formula("class_labels")
def class_labels(labels: Any, classes: int) -> Any:
    """The labels, which are not checked."""
    return OPS["copy"](labels)


@formula("count_nonzero")
def count_nonzero(x: Any, axis: Any, keepdims: bool) -> Any:
    """The number of entries that are not zero."""
    found = OPS["astype"](ops.not_equal(x, number(0, x)), dtype=np.dtype(np.int64))
    return OPS["sum"](found, axis=axis, keepdims=keepdims)


@formula("prod_others")
def prod_others(x: Any) -> Any:
    """For each entry the product of all others: along rows with a 1 in its place."""
    at = OPS["positions"](x, axis=-1)
    same = ops.equal(OPS["expand_dims"](at, axis=1), at)
    rows = OPS["expand_dims"](x, axis=len(x.shape) - 1)
    return OPS["prod"](ops.where(same, number(1, x), rows), axis=-1, keepdims=False)


@formula("roll")
def roll(x: Any, shift: Any, axis: Any) -> Any:
    """The entries rolled along axes."""
    if axis is None:
        flat = roll(OPS["reshape"](x, shape=(-1,)), shift, 0)
        return OPS["reshape"](flat, shape=x.shape)
    shifts, axes = (v if isinstance(v, tuple) else (v,) for v in (shift, axis))
    shifts = shifts * len(axes) if len(shifts) == 1 else shifts
    axes = axes * len(shifts) if len(axes) == 1 else axes
    for by, at in zip(shifts, axes, strict=True):
        n, at = x.shape[at], at % len(x.shape)
        by = by % n if n else 0
        whole = [slice(None)] * at
        if by:
            parts = x[(*whole, slice(n - by, None))], x[(*whole, slice(None, n - by))]
            x = OPS["concatenate"](*parts, axis=at)
    return x


@formula("repeat")
def repeat(x: Any, repeats: Any, axis: int) -> Any:
    """Each entry along an axis repeated."""
    axis %= len(x.shape)
    wide = OPS["expand_dims"](x, axis=axis + 1)
    before, after = x.shape[: axis + 1], x.shape[axis + 1 :]
    spread = OPS["broadcast_to"](wide, shape=(*before, repeats, *after))
    return OPS["reshape"](spread, shape=(*x.shape[:axis], x.shape[axis] * repeats, *after))


@formula("searchsorted")
def searchsorted(ordered: Any, x: Any, side: str) -> Any:
    """How many entries are before each value."""
    compare = ops.less if side == "left" else ops.less_equal
    rows = (
        ordered
        if len(ordered.shape) == 1
        else OPS["expand_dims"](ordered, axis=len(ordered.shape) - 1)
    )
    before = compare(rows, OPS["expand_dims"](x, axis=len(x.shape)))
    return OPS["sum"](OPS["astype"](before, dtype=np.dtype(np.int64)), axis=-1, keepdims=False)


@formula("isin")
def isin(x: Any, values: Any, invert: bool) -> Any:
    """Whether entries are among values."""
    flat = OPS["reshape"](values, shape=(-1,))
    found = OPS["any"](
        ops.equal(OPS["expand_dims"](x, axis=len(x.shape)), flat), axis=-1, keepdims=False
    )
    return ops.logical_not(found) if invert else found


@formula("layer_product")
def layer_product(a: Any, b: Any) -> Any:
    """The product of matrices."""
    return OPS["matmul"](a, b)


@formula("order_statistics")
def order_statistics(x: Any, ranks: Any, axis: int) -> Any:
    """Entries of a sorted axis."""
    return ops.take(OPS["sort"](x, axis=axis), np.asarray(ranks), axis=axis)


@formula("run_starts")
def run_starts(x: Any, equal_nan: bool) -> Any:
    """Whether entries differ from those before them."""
    differs = ops.not_equal(x[..., 1:], x[..., :-1])
    if equal_nan and x.dtype.kind == "f":
        both = ops.logical_and(ops.isnan(x[..., 1:]), ops.isnan(x[..., :-1]))
        differs = ops.logical_and(differs, ops.logical_not(both))
    first = OPS["full_like"](x[..., :1], value=1, dtype=np.dtype(bool))
    return OPS["concatenate"](first, differs, axis=len(x.shape) - 1)


@formula("inverse_permutation")
def inverse_permutation(order: Any, axis: int) -> Any:
    """The permutation that undoes another, which sorts it."""
    return OPS["argsort"](order, axis=axis)


def running(x: Any, axis: int, step: Any) -> Any:
    """The states of a function carried along an axis, from the first entry on."""
    if x.shape[axis] == 0:
        return OPS["copy"](x)
    rows = ops.moveaxis(x, axis, 0)
    _, states = map_accumulate(lambda s, r: (step(s, r),) * 2, rows[0], rows[1:])
    joined = OPS["concatenate"](rows[:1], states, axis=0)
    return ops.moveaxis(joined, 0, axis)


@formula("cumprod")
def cumprod(x: Any, axis: int) -> Any:
    """Cumulative products."""
    return running(x, axis, ops.multiply)


@formula("cummax")
def cummax(x: Any, axis: int) -> Any:
    """Cumulative maxima."""
    return running(x, axis, ops.maximum)


@formula("cummin")
def cummin(x: Any, axis: int) -> Any:
    """Cumulative minima."""
    return running(x, axis, ops.minimum)


@formula("logcumsumexp")
def logcumsumexp(x: Any, axis: int) -> Any:
    """Logarithms of cumulative sums of exponentials."""
    return running(
        x if x.dtype.kind == "f" else OPS["astype"](x, dtype=np.dtype(float)), axis, ops.logaddexp
    )


@formula("real")
def real(x: Any) -> Any:
    """The real part of a real number."""
    return OPS["copy"](x)


@formula("argkth")
def argkth(x: Any, k: int, axis: int) -> Any:
    """The index of the k-th smallest entry."""
    order = OPS["argsort"](x, axis=axis)
    return ops.take(order, np.array([k - 1]), axis=axis)


@formula("deg2rad")
def deg2rad(x: Any) -> Any:
    """Degrees in radians."""
    return x * number(math.pi / 180, x)


@formula("linear_recurrence")
def linear_recurrence(x: Any, b: Any, axis: int) -> Any:
    """y[i] = x[i] y[i-1] + b[i]."""
    if 0 in shape_of_both(x, b):
        return OPS["add"](x, b)
    xs, bs = (
        ops.moveaxis(OPS["broadcast_to"](v, shape=shape_of_both(x, b)), axis, 0) for v in (x, b)
    )

    def step(y: Any, row: Any) -> Any:
        new = row[0] * y + row[1]
        return new, new

    _, states = map_accumulate(step, bs[0], (xs[1:], bs[1:]))
    return ops.moveaxis(OPS["concatenate"](bs[:1], states, axis=0), 0, axis)


def shape_of_both(x: Any, b: Any) -> Any:
    """The shape that two operands broadcast to."""
    return OPS["add"](x, b).shape
