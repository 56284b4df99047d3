"""Normalization by mean and variance: layer, batch, instance and group normalization, and norms."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core import flops
from ...core.errors import OptionError, ShapeError
from ...core.op import Op
from ...core.samples import cases, reals
from ...core.traits import Trait
from ...core.types import (
    ArrayType,
    conflict,
    is_float,
    normalize_axes,
    result_dtype,
    shape_of,
    type_of,
)
from ...kernels.native_kernels import native, unless_native
from ...typing import AnyArray, Axis, DTypeLike, Operand, OperandLike
from ..elementwise.arithmetic import abs, sqrt, square
from ..elementwise.comparison import maximum
from ..families import invalid
from ..reduce.reduction import HALF, count, max, mean, not_empty, sum
from ..shape.broadcasting import batch_together_along_axis
from ..shape.movement import in_single, reshape
from .pooling import sum_pool

__all__ = [
    "batch_norm", "group_norm", "instance_norm", "inverse_spread", "layer_norm",
    "local_response_norm", "normalize", "standardize", "standardize_slope",
]

def affine(y: AnyArray, weight: Any, bias: Any) -> Any:
    """`y` times `weight` plus `bias`, if these are given."""
    y = y if weight is None else y * weight
    return y if bias is None else y + bias


def by_channel(v: Any, x: Any) -> Any:
    """Numbers per channel, reshaped to broadcast with `x` (examples, channels, ...)."""
    shape = shape_of(x)
    if v is None:
        return v
    if len(shape) < 2 or len(shape_of(v)) != 1 or conflict(shape_of(v), shape[1:2]):
        raise ShapeError(
            "normalize", [type_of(x), type_of(v)], "there must be a number for each channel",
            hint="channels are the second axis",
        )
    return reshape(v, shape=(-1, *(1,) * (len(shape) - 2)))


def last_axes(op: str, x: Any, sizes: Sequence[Any], *parameters: Any) -> tuple[int, ...]:
    """The last axes of `x`, checked to have these sizes."""
    shape, n = shape_of(x), len(sizes)
    if not 0 < n <= len(shape) or conflict(shape[len(shape) - n :], sizes):
        raise ShapeError(op, [type_of(x)], f"its last axes do not have the sizes {tuple(sizes)}")
    for v in parameters:
        if v is not None and (len(shape_of(v)) != n or conflict(shape_of(v), sizes)):
            raise ShapeError(op, [type_of(x), type_of(v)], f"a parameter lacks the sizes {sizes}")
    return tuple(range(-n, 0))


def layer_norm(
    x: Any, sizes: Sequence[int], weight: Any = None, bias: Any = None, epsilon: float = 1e-5
) -> Any:
    """Layer normalization over the last axes, of the given sizes, then scaled and shifted.

    Raises ShapeError if the axes have other sizes.

    >>> layer_norm(np.array([[1.0, 3.0]]), (2,), epsilon=0.0)
    array([[-1.,  1.]])
    """
    axes = last_axes("layer_norm", x, sizes, weight, bias)
    return affine(standardize(x, axis=axes, epsilon=epsilon), weight, bias)


def batch_norm(
    x: Any, weight: Any = None, bias: Any = None, epsilon: float = 1e-5,
    moments: tuple[Any, Any] | None = None,
) -> Any:
    """Batch normalization of `x` (examples, channels, ...).

    `moments` are a mean and a variance of each channel, if not those of `x`. Channels are then
    scaled by `weight` and shifted by `bias`.

    >>> batch_norm(np.array([[1.0], [3.0]]), epsilon=0.0)
    array([[-1.],
           [ 1.]])
    """
    weight, bias = by_channel(weight, x), by_channel(bias, x)
    if moments is None:
        return affine(standardize(x, axis=all_but_channels(x), epsilon=epsilon), weight, bias)
    middle, variance = (by_channel(v, x) for v in moments)
    scale = affine(1 / sqrt(variance + epsilon), weight, None)
    return affine((x - middle) * scale, None, bias)


def all_but_channels(x: Operand) -> tuple[int, ...]:
    """All axes but the second."""
    n = len(shape_of(x))
    if n < 2:
        raise ShapeError("batch_norm", [type_of(x)], "there is no axis of channels, the second")
    return (0, *range(2, n))


def instance_norm(x: Any, weight: Any = None, bias: Any = None, epsilon: float = 1e-5) -> Any:
    """Instance normalization: each channel of each example (examples, channels, ...) by itself.

    >>> instance_norm(np.array([[[1.0, 3.0]]]), epsilon=0.0)
    array([[[-1.,  1.]]])
    """
    axes = tuple(range(2, len(shape_of(x))))
    if not axes:
        raise ShapeError("instance_norm", [type_of(x)], "there are no axes after the channels")
    return affine(
        standardize(x, axis=axes, epsilon=epsilon), by_channel(weight, x), by_channel(bias, x)
    )


def group_norm(
    x: Any, groups: int, weight: Any = None, bias: Any = None, epsilon: float = 1e-5
) -> Any:
    """Group normalization: groups of channels of each example (examples, channels, ...).

    Raises ShapeError unless the number of channels is a multiple of `groups`.

    >>> group_norm(np.array([[1.0, 3.0, 2.0, 2.0]]), 2, epsilon=1.0)
    array([[-0.70710678,  0.70710678,  0.        ,  0.        ]])
    """
    shape = shape_of(x)
    if len(shape) < 2 or groups < 1 or (isinstance(shape[1], int) and shape[1] % groups):
        raise ShapeError(
            "group_norm", [type_of(x)], f"{groups} groups cannot share its channels equally",
        )
    parted = reshape(x, shape=(shape[0], groups, shape[1] // groups, *shape[2:]))
    axes = tuple(range(2, len(shape) + 1))
    y = reshape(standardize(parted, axis=axes, epsilon=epsilon), shape=shape)
    return affine(y, by_channel(weight, x), by_channel(bias, x))


@in_single
def normalize(x: Any, p: float = 2.0, axis: Axis = 1, epsilon: float = 1e-12) -> Any:
    """`x` over its p-norm along an axis, bounded below by `epsilon`.

    >>> normalize(np.array([3.0, 4.0]), axis=0)
    array([0.6, 0.8])
    """
    return x / maximum(p_norm(x, p, axis, True), epsilon)


def p_norm(x: Any, p: float, axis: Axis, keepdims: bool) -> Any:
    """The p-norm of vectors along an axis."""
    if p == 2:
        return sqrt(sum(square(x), axis=axis, keepdims=keepdims))
    if p == 1:
        return sum(abs(x), axis=axis, keepdims=keepdims)
    if p == np.inf:
        return max(abs(x), axis=axis, keepdims=keepdims)
    if not p > 0:
        raise OptionError("norm", [type_of(x)], f"its order is greater than 0, not {p}")
    return sum(abs(x) ** p, axis=axis, keepdims=keepdims) ** (1 / p)


@in_single
def local_response_norm(
    x: OperandLike, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> Any:
    """`x` (examples, channels, ...) over (k + alpha m) ** beta, m being a mean of squares.

    The mean is over `size` neighbouring channels, missing ones counting as zero.

    >>> local_response_norm(np.ones((1, 1)), 1, alpha=3.0, beta=0.5)
    array([[0.5]])
    """
    rest = len(shape_of(x)) - 2
    if rest < 0 or size < 1:
        raise ShapeError("local_response_norm", [type_of(x)], "it needs channels, and a size")
    window, ones = (size, *(1,) * rest), (1,) * (rest + 1)
    pads = ((size // 2, (size - 1) // 2), *((0, 0),) * rest)
    total = sum_pool(square(x), window=window, strides=ones, pads=pads)
    return x / (k + total * (alpha / size)) ** beta


Axes = int | tuple[int, ...] | None


def as_rows(x: Any, axis: Axes) -> Any:
    """`x` as a matrix of rows to standardize, as a view; None if its axes cannot be merged."""
    axes = normalize_axes("standardize", type_of(x), axis)
    first = x.ndim - len(axes)
    if min(axes, default=0) < first or not x.flags.c_contiguous:
        return None
    return x.reshape(*x.shape[:first], math.prod(x.shape[first:]))


def center_and_scale(x: Any, axis: Axes, epsilon: float) -> tuple[Any, Any]:
    """`x` less its mean along axes, and 1 over its standard deviation, of half in float32."""
    x = x.astype(np.float32) if x.dtype == HALF else x
    if (rows := as_rows(x, axis)) is not None:
        n = rows.shape[-1]
        y = np.subtract(rows, np.add.reduce(rows, axis=-1, keepdims=True) / n)
        squares = np.vecdot(y, y)[..., None]
        ones = (1,) * (x.ndim - rows.ndim)
        return y.reshape(x.shape), (1 / np.sqrt(squares / n + epsilon)).reshape(
            (*rows.shape[:-1], 1, *ones)
        )
    n = count(x, axis)
    y = np.subtract(x, np.add.reduce(x, axis=axis, keepdims=True) / n)
    return y, 1 / np.sqrt(np.add.reduce(y * y, axis=axis, keepdims=True) / n + epsilon)


def as_stacks(x: Any, axis: Axes) -> Any:
    """An array as stacks of rows (b, c, n) to standardize over b and n; None if it is not so.

    That needs axes that are the last ones, or the first and the last ones without the second.
    """
    if type(x) is not np.ndarray or type(axis) is not tuple or not x.flags.c_contiguous:
        return None
    axes, n = sorted([i % x.ndim for i in axis if -x.ndim <= i < x.ndim]), x.ndim
    if len(set(axes)) != len(axis) or not x.size:
        return None
    if axes == [0, *range(2, n)] and math.prod(x.shape[2:]) >= SHORTEST:
        return x.reshape(x.shape[0], x.shape[1], -1)
    first = n - len(axes)
    if axes == [*range(first, n)]:
        return x.reshape(1, math.prod(x.shape[:first]), -1)
    return None


SHORTEST = 16  # entries of a row in a stack from which machine code pays
LAST = "(axis == -1 or axis == (-1,)) and np.size(x)"
STACKED = "(s := as_stacks(x, axis)) is not None"
FRESH = "(y := np.empty_like(x)).reshape(s.shape)"


@native("norms", "standardize", "x, epsilon, None", when=LAST)
@native("norms", "standardize_stacks", f"s, epsilon, {FRESH}", when=STACKED, result="y")
def standardize_kernel(x: Any, axis: Axes, epsilon: float = 1e-5) -> Any:
    x = np.asarray(x)
    not_empty("standardize", type_of(x), axis)
    y, scale = center_and_scale(x, axis, epsilon)
    y = np.multiply(y, scale, out=y if y.dtype == scale.dtype else None)
    return y.astype(HALF) if x.dtype == HALF else y


@native("norms", "inverse_spread", "x, epsilon, None", when=LAST)
@native(
    "norms", "inverse_spread_stacks", "s, epsilon, None", when=STACKED,
    result="found.reshape([1 if i in axis or i - x.ndim in axis else n"
    " for i, n in enumerate(x.shape)])",
)
def inverse_spread_kernel(x: np.ndarray, axis: Axes, epsilon: float = 1e-5) -> Any:
    x = np.asarray(x)
    not_empty("inverse_spread", type_of(x), axis)
    scale = center_and_scale(x, axis, epsilon)[1]
    return scale.astype(HALF) if x.dtype == HALF else scale


@native("norms", "standardize_slope", "v, x, epsilon, None", when=LAST)
@native(
    "norms", "standardize_slope_stacks", f"v.reshape(s.shape), s, epsilon, {FRESH}", result="y",
    when=f"np.shape(v) == np.shape(x) and v.flags.c_contiguous and {STACKED}",
)
def standardize_slope_kernel(v: Any, x: Any, axis: Axes, epsilon: float = 1e-5) -> Any:
    x = np.asarray(x)
    dtype = standardize_slope_infer(type_of(v), type_of(x), axis, epsilon).dtype
    v = v.astype(np.float32) if dtype == HALF else v
    y, scale = center_and_scale(x, axis, epsilon)
    y *= scale
    n = count(x, axis)
    rows = [as_rows(np.asarray(a), axis) for a in (v, y)]
    if rows[0] is None or rows[1] is None:
        share = np.add.reduce(v * y, axis=axis, keepdims=True) / n
        found = v - np.add.reduce(v, axis=axis, keepdims=True) / n
    else:
        share = (np.vecdot(*rows)[..., None] / n).reshape(scale.shape)
        mean = np.add.reduce(rows[0], axis=-1, keepdims=True) / n
        found = np.subtract(rows[0], mean).reshape(x.shape)
    y *= share
    found -= y
    return np.multiply(found, scale, out=found).astype(dtype, copy=False)


def spread_dtype(dtype: DTypeLike) -> Any:
    """The dtype of a mean."""
    return result_dtype(np.true_divide, (dtype, dtype if is_float(dtype) else np.dtype(float)))


def standardize_infer(x: ArrayType, axis: Axes, epsilon: float) -> ArrayType:
    not_empty("standardize", x, axis)
    return ArrayType(x.shape, spread_dtype(x.dtype))


def slope_type(op: str, v: ArrayType, x: ArrayType, axis: Axes) -> ArrayType:
    """The type of a derivative at `x` along `v`, with a check of their shapes."""
    not_empty(op, x, axis)
    if v.ndim != x.ndim or conflict(v.shape, x.shape):
        raise ShapeError(op, [v, x], "the shapes must be equal")
    return ArrayType(x.shape, spread_dtype(np.result_type(v.dtype, x.dtype)))


def standardize_slope_infer(v: ArrayType, x: ArrayType, axis: Axes, epsilon: float) -> ArrayType:
    return slope_type("standardize_slope", v, x, axis)


def inverse_spread_infer(x: ArrayType, axis: Axes, epsilon: float) -> ArrayType:
    not_empty("inverse_spread", x, axis)
    axes = normalize_axes("inverse_spread", x, axis)
    shape = tuple(1 if i in axes else n for i, n in enumerate(x.shape))
    return ArrayType(shape, spread_dtype(x.dtype))


def spread_slope(r: AnyArray, x: AnyArray, axis: Axes, epsilon: float) -> AnyArray:
    """The derivative of r = `inverse_spread(x)` by each entry."""
    return -(square(r) / count(x, axis)) * standardize(x, axis, epsilon)


def slope_vjp(
    c: AnyArray, found: AnyArray, v: AnyArray, x: AnyArray, axis: Axes, epsilon: float
) -> AnyArray:
    """The cotangent of `x`, through r = `inverse_spread(x)` and y = `standardize(x)`.

    The op is r (v - mean(v) - y mean(v y)).
    """
    r, y = inverse_spread(x, axis, epsilon), standardize(x, axis, epsilon)
    through_spread = sum(c * found, axis=axis, keepdims=True) / r
    shares = c * mean(v * y, axis=axis, keepdims=True) + v * mean(c * y, axis=axis, keepdims=True)
    return through_spread * spread_slope(r, x, axis, epsilon) - standardize_slope(
        r * shares, x, axis, epsilon
    )


def slope_jvp(
    t: AnyArray, found: AnyArray, v: AnyArray, x: AnyArray, axis: Axes, epsilon: float
) -> AnyArray:
    """The tangent along one of `x`; see `slope_vjp`."""
    r, y = inverse_spread(x, axis, epsilon), standardize(x, axis, epsilon)
    turned = sum(t * spread_slope(r, x, axis, epsilon), axis=axis, keepdims=True) / r
    s = standardize_slope(t, x, axis, epsilon)
    shares = s * mean(v * y, axis=axis, keepdims=True) + y * mean(v * s, axis=axis, keepdims=True)
    return turned * found - r * shares


def scale_formula(x: AnyArray, axis: Axes, epsilon: float) -> tuple[AnyArray, AnyArray]:
    """`x` less its mean along axes, and 1 over the standard deviation."""
    off = x - mean(x, axis=axis, keepdims=True)
    return off, 1 / sqrt(mean(off * off, axis=axis, keepdims=True) + epsilon)


def standardize_formula(x: AnyArray, axis: Axes, epsilon: float) -> AnyArray:
    off, scale = scale_formula(x, axis, epsilon)
    return off * scale


def slope_formula(v: AnyArray, x: AnyArray, axis: Axes, epsilon: float) -> AnyArray:
    off, scale = scale_formula(x, axis, epsilon)
    y = off * scale
    share = mean(v * y, axis=axis, keepdims=True)
    return (v - mean(v, axis=axis, keepdims=True) - y * share) * scale


several = cases(
    reals((3, 4), axis=1), reals((2, 3, 4), axis=(0, 2)), reals((4,), axis=None, epsilon=0.1),
    reals((0, 3), axis=-1),
)
empty = [
    invalid((0, 3), axis=0, says="axis 0 is empty"),
    invalid((2, 3), axis=2, says="axis 2 is out of range"),
    invalid((2, 3), axis=(0, -2), says="named twice"),
]
slopes = cases(
    reals((3, 4), (3, 4), axis=1), reals((2, 3, 4), (2, 3, 4), axis=(0, 2)),
    reals((2, 3, 4), (2, 3, 4), axis=(1, 2), epsilon=0.1),
)
unequal = [
    invalid((2, 3), (3, 3), axis=1, says="must be equal"),
    invalid((2, 0), (2, 0), axis=1, says="is empty"),
]

standardize = Op(
    "standardize", standardize_kernel, traits=[Trait.LIKE_OPERAND], infer=standardize_infer,
    flops=flops.per_result(5),
    vjp=[lambda g, y, x, axis, epsilon: standardize_slope(g, x, axis, epsilon)],
    jvp=[lambda t, y, x, axis, epsilon: standardize_slope(t, x, axis, epsilon)],
    batch=batch_together_along_axis, samples=several, error_samples=empty,
    formula=standardize_formula,
    doc="The entries less their mean along some axes, over the square root of their variance and "
    "epsilon.",
)
standardize_slope = Op(
    "standardize_slope", standardize_slope_kernel, traits=[Trait.LIKE_OPERAND],
    infer=standardize_slope_infer, arity=2,
    flops=flops.per_result(10), workspace=unless_native(flops.bytes_of_results(1)),
    vjp=[lambda c, y, v, x, axis, epsilon: standardize_slope(c, x, axis, epsilon), slope_vjp],
    jvp=[lambda t, y, v, x, axis, epsilon: standardize_slope(t, x, axis, epsilon), slope_jvp],
    batch=batch_together_along_axis, samples=slopes, error_samples=unequal,
    formula=slope_formula,
    doc="The derivative of `standardize` at the second operand along the first: a symmetric map.",
)
inverse_spread = Op(
    "inverse_spread", inverse_spread_kernel, infer=inverse_spread_infer,
    flops=flops.per_operand(4),
    vjp=[lambda g, y, x, axis, epsilon: g * spread_slope(y, x, axis, epsilon)],
    jvp=[lambda t, y, x, axis, epsilon: (
        sum(t * spread_slope(y, x, axis, epsilon), axis=axis, keepdims=True)
    )],
    batch=batch_together_along_axis, samples=several, error_samples=empty,
    formula=lambda x, axis, epsilon: scale_formula(x, axis, epsilon)[1],
    doc="One over the square root of the variance and epsilon, along axes that keep size 1.",
)
