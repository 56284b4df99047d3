"""Normalization by the root of the mean of squares."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core import flops
from ...core.op import Op
from ...core.traits import Trait
from ...core.types import ArrayType, type_of
from ...kernels.native_kernels import native, unless_native
from ...typing import AnyArray
from ..elementwise.arithmetic import sqrt, square
from ..reduce.reduction import HALF, mean, mean_kernel, not_empty
from ..shape.broadcasting import batch_together_along_axis
from ..shape.movement import in_single
from .normalization import (
    FRESH,
    LAST,
    STACKED,
    Axes,
    affine,
    as_stacks,  # noqa: F401 - in `when`
    empty,
    last_axes,
    several,
    slope_type,
    slopes,
    spread_dtype,
    unequal,
)

__all__ = ["divide_by_rms", "divide_by_rms_slope", "rms_norm"]


@in_single
def rms_norm(x: Any, sizes: Sequence[int], weight: Any = None, epsilon: float = 1e-6) -> Any:
    """RMS normalization over the last axes, of the given sizes, then scaled.

    >>> rms_norm(np.array([[3.0, 3.0]]), (2,), epsilon=0.0)
    array([[1., 1.]])
    """
    axes = last_axes("rms_norm", x, sizes, weight)
    return affine(divide_by_rms(x, axis=axes, epsilon=epsilon), weight, None)


def root_by_numpy(x: Any, axis: Axes, epsilon: float) -> Any:
    """The root of the mean of squares and epsilon."""
    return np.sqrt(mean_kernel(np.square(x), axis, True) + epsilon)


@native("norms", "divide_by_rms", "x, epsilon, None", when=LAST)
@native("norms", "divide_by_rms_stacks", f"s, epsilon, {FRESH}", when=STACKED, result="y")
def divide_by_rms_kernel(x: Any, axis: Axes, epsilon: float = 1e-6) -> Any:
    x = np.asarray(x)
    not_empty("divide_by_rms", type_of(x), axis)
    wide = x.astype(np.float32) if x.dtype == HALF else x
    y = np.true_divide(wide, root_by_numpy(wide, axis, epsilon))
    return y.astype(HALF) if x.dtype == HALF else y


@native("norms", "divide_by_rms_slope", "v, x, epsilon, None", when=LAST)
@native(
    "norms", "divide_by_rms_slope_stacks", f"v.reshape(s.shape), s, epsilon, {FRESH}", result="y",
    when=f"np.shape(v) == np.shape(x) and v.flags.c_contiguous and {STACKED}",
)
def divide_by_rms_slope_kernel(v: Any, x: Any, axis: Axes, epsilon: float = 1e-6) -> Any:
    v, x = np.asarray(v), np.asarray(x)
    dtype = divide_by_rms_slope_infer(type_of(v), type_of(x), axis, epsilon).dtype
    v, x = (a.astype(np.float32) if a.dtype == HALF else a for a in (v, x))
    root = root_by_numpy(x, axis, epsilon)
    y = x / root
    y *= mean_kernel(v * y, axis, True)
    found = np.subtract(v, y, out=y if y.dtype == dtype else None)
    return np.true_divide(found, root, out=found).astype(dtype, copy=False)


def divide_by_rms_infer(x: ArrayType, axis: Axes, epsilon: float) -> ArrayType:
    not_empty("divide_by_rms", x, axis)
    return ArrayType(x.shape, spread_dtype(x.dtype))


def divide_by_rms_slope_infer(v: ArrayType, x: ArrayType, axis: Axes, epsilon: float) -> ArrayType:
    return slope_type("divide_by_rms_slope", v, x, axis)


def root(x: AnyArray, axis: Axes, epsilon: float) -> AnyArray:
    """The root of the mean of squares and epsilon."""
    return sqrt(mean(square(x), axis=axis, keepdims=True) + epsilon)


def slope_formula(v: AnyArray, x: AnyArray, axis: Axes, epsilon: float) -> AnyArray:
    r = root(x, axis, epsilon)
    y = x / r
    return (v - y * mean(v * y, axis=axis, keepdims=True)) / r


def slope_vjp(
    c: AnyArray, found: AnyArray, v: AnyArray, x: AnyArray, axis: Axes, epsilon: float
) -> AnyArray:
    """The cotangent of `x`, through the root r and y = `divide_by_rms(x)`.

    The op is (v - y mean(v y)) / r, and the derivative of r by each entry is y / count.
    """
    r, y = root(x, axis, epsilon), divide_by_rms(x, axis, epsilon)
    through_root = y * mean(c * found, axis=axis, keepdims=True) / r
    shares = c * mean(v * y, axis=axis, keepdims=True) + v * mean(c * y, axis=axis, keepdims=True)
    return -through_root - divide_by_rms_slope(shares / r, x, axis, epsilon)


def slope_jvp(
    t: AnyArray, found: AnyArray, v: AnyArray, x: AnyArray, axis: Axes, epsilon: float
) -> AnyArray:
    """The tangent along one of `x`; see `slope_vjp`."""
    r, y = root(x, axis, epsilon), divide_by_rms(x, axis, epsilon)
    s = divide_by_rms_slope(t, x, axis, epsilon)
    turned = found * mean(t * y, axis=axis, keepdims=True)
    shares = s * mean(v * y, axis=axis, keepdims=True) + y * mean(v * s, axis=axis, keepdims=True)
    return -(turned + shares) / r


divide_by_rms = Op(
    "divide_by_rms", divide_by_rms_kernel, traits=[Trait.LIKE_OPERAND], infer=divide_by_rms_infer,
    flops=flops.per_result(4), workspace=unless_native(flops.bytes_of_results(1)),
    vjp=[lambda g, y, x, axis, epsilon: divide_by_rms_slope(g, x, axis, epsilon)],
    jvp=[lambda t, y, x, axis, epsilon: divide_by_rms_slope(t, x, axis, epsilon)],
    batch=batch_together_along_axis, samples=several, error_samples=empty,
    formula=lambda x, axis, epsilon: x / root(x, axis, epsilon),
    doc="The entries over the square root of the mean of their squares, along some axes, and "
    "epsilon.",
)
divide_by_rms_slope = Op(
    "divide_by_rms_slope", divide_by_rms_slope_kernel, traits=[Trait.LIKE_OPERAND],
    infer=divide_by_rms_slope_infer, arity=2,
    flops=flops.per_result(8), workspace=unless_native(flops.bytes_of_results(1)),
    vjp=[lambda c, y, v, x, axis, epsilon: divide_by_rms_slope(c, x, axis, epsilon), slope_vjp],
    jvp=[lambda t, y, v, x, axis, epsilon: divide_by_rms_slope(t, x, axis, epsilon), slope_jvp],
    batch=batch_together_along_axis, samples=slopes, error_samples=unequal,
    formula=slope_formula,
    doc="The derivative of `divide_by_rms` at the second operand along the first: a symmetric map.",
)
