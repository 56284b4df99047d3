"""Entries less their mean, over their spread: what all normalization is made of."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.errors import ShapeError
from ...core.op import ErrorSample, Op
from ...core.samples import cases, reals
from ...core.types import ArrayType, conflict, is_float, normalize_axes, result_dtype, type_of
from ..elementwise.arithmetic import square
from ..families import advance
from ..reduce.reduction import count, mean, not_empty, sum
from ..shape.broadcasting import repeated

__all__ = ["inverse_spread", "standardize", "standardize_slope"]

Axes = int | tuple[int, ...] | None


def in_rows(x: Any, axis: Axes) -> Any:
    """`x` as rows to standardize, if its axes can be merged so: a view. Else None."""
    axes = normalize_axes("standardize", type_of(x), axis)
    first = x.ndim - len(axes)
    if min(axes, default=0) < first or not x.flags.c_contiguous:
        return None
    return x.reshape(*x.shape[:first], math.prod(x.shape[first:]))


def centred(x: Any, axis: Axes, epsilon: float) -> tuple[Any, Any]:
    """`x` less its mean along axes, and one over the spread around it."""
    if (rows := in_rows(x, axis)) is not None:
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


def standardize_kernel(x: Any, axis: Axes, epsilon: float = 1e-5) -> Any:
    x = np.asarray(x)
    not_empty("standardize", type_of(x), axis)
    y, scale = centred(x, axis, epsilon)
    return np.multiply(y, scale, out=y if y.dtype == scale.dtype else None)


def inverse_spread_kernel(x: Any, axis: Axes, epsilon: float = 1e-5) -> Any:
    x = np.asarray(x)
    not_empty("inverse_spread", type_of(x), axis)
    return centred(x, axis, epsilon)[1]


def standardize_slope_kernel(v: Any, x: Any, axis: Axes, epsilon: float = 1e-5) -> Any:
    x = np.asarray(x)
    standardize_slope_infer(type_of(v), type_of(x), axis, epsilon)
    y, scale = centred(x, axis, epsilon)
    y *= scale
    n = count(x, axis)
    rows = [in_rows(np.asarray(a), axis) for a in (v, y)]
    if rows[0] is None or rows[1] is None:
        share = np.add.reduce(v * y, axis=axis, keepdims=True) / n
        found = v - np.add.reduce(v, axis=axis, keepdims=True) / n
    else:
        share = (np.vecdot(*rows)[..., None] / n).reshape(scale.shape)
        mean = np.add.reduce(rows[0], axis=-1, keepdims=True) / n
        found = np.subtract(rows[0], mean).reshape(x.shape)
    y *= share
    found -= y
    return np.multiply(found, scale, out=found)


def spread_dtype(dtype: Any) -> Any:
    """The dtype of a mean."""
    return result_dtype(np.true_divide, (dtype, dtype if is_float(dtype) else np.dtype(float)))


def standardize_infer(x: ArrayType, axis: Axes, epsilon: float) -> ArrayType:
    not_empty("standardize", x, axis)
    return ArrayType(x.shape, spread_dtype(x.dtype))


def standardize_slope_infer(v: ArrayType, x: ArrayType, axis: Axes, epsilon: float) -> ArrayType:
    not_empty("standardize_slope", x, axis)
    if v.ndim != x.ndim or conflict(v.shape, x.shape):
        raise ShapeError("standardize_slope", [v, x], "the two shapes must be equal")
    return ArrayType(x.shape, spread_dtype(np.result_type(v.dtype, x.dtype)))


def inverse_spread_infer(x: ArrayType, axis: Axes, epsilon: float) -> ArrayType:
    not_empty("inverse_spread", x, axis)
    axes = normalize_axes("inverse_spread", x, axis)
    shape = tuple(1 if i in axes else n for i, n in enumerate(x.shape))
    return ArrayType(shape, spread_dtype(x.dtype))


def norm_batch(op: Op, xs: Sequence[Any], batched: Any, attrs: dict[str, Any]) -> Any:
    """Work along the same axes of a stack of examples."""
    return advance(op, repeated(xs, batched), batched, attrs)


def spread_slope(r: Any, x: Any, axis: Axes, epsilon: float) -> Any:
    """The derivative of r = `inverse_spread(x)` by each entry."""
    return -(square(r) / count(x, axis)) * standardize(x, axis, epsilon)


def slope_vjp(c: Any, found: Any, v: Any, x: Any, axis: Axes, epsilon: float) -> Any:
    """The cotangent of `x`: through the spread r, and through the standardized y.

    The op gives r (v - mean(v) - y mean(v y)).
    """
    r, y = inverse_spread(x, axis, epsilon), standardize(x, axis, epsilon)
    through_spread = sum(c * found, axis=axis, keepdims=True) / r
    shares = c * mean(v * y, axis=axis, keepdims=True) + v * mean(c * y, axis=axis, keepdims=True)
    return through_spread * spread_slope(r, x, axis, epsilon) - standardize_slope(
        r * shares, x, axis, epsilon
    )


def slope_jvp(t: Any, found: Any, v: Any, x: Any, axis: Axes, epsilon: float) -> Any:
    """The tangent along one of `x`, likewise."""
    r, y = inverse_spread(x, axis, epsilon), standardize(x, axis, epsilon)
    turned = sum(t * spread_slope(r, x, axis, epsilon), axis=axis, keepdims=True) / r
    s = standardize_slope(t, x, axis, epsilon)
    shares = s * mean(v * y, axis=axis, keepdims=True) + y * mean(v * s, axis=axis, keepdims=True)
    return turned * found - r * shares


several = cases(
    reals((3, 4), axis=1), reals((2, 3, 4), axis=(0, 2)), reals((4,), axis=None, epsilon=0.1),
    reals((0, 3), axis=-1),
)
empty = [
    ErrorSample([np.ones((0, 3))], {"axis": 0}, ShapeError, "axis 0 is empty"),
    ErrorSample([np.ones((2, 3))], {"axis": 2}, ShapeError, "axis 2 is out of range"),
    ErrorSample([np.ones((2, 3))], {"axis": (0, -2)}, ShapeError, "named twice"),
]

standardize = Op(
    "standardize", standardize_kernel, infer=standardize_infer,
    vjp=[lambda g, y, x, axis, epsilon: standardize_slope(g, x, axis, epsilon)],
    jvp=[lambda t, y, x, axis, epsilon: standardize_slope(t, x, axis, epsilon)], batch=norm_batch,
    source="standardize({0}, axis={axis}, epsilon={epsilon})", samples=several,
    error_samples=empty,
    doc="The entries less their mean along some axes, over the square root of their variance and "
    "epsilon.",
)
standardize_slope = Op(
    "standardize_slope", standardize_slope_kernel, infer=standardize_slope_infer, arity=2,
    vjp=[lambda c, y, v, x, axis, epsilon: standardize_slope(c, x, axis, epsilon), slope_vjp],
    jvp=[lambda t, y, v, x, axis, epsilon: standardize_slope(t, x, axis, epsilon), slope_jvp],
    batch=norm_batch,
    source="standardize_slope({0}, {1}, axis={axis}, epsilon={epsilon})",
    samples=cases(
        reals((3, 4), (3, 4), axis=1), reals((2, 3, 4), (2, 3, 4), axis=(0, 2)),
        reals((2, 3, 4), (2, 3, 4), axis=(1, 2), epsilon=0.1),
    ),
    error_samples=[
        ErrorSample([np.ones((2, 3)), np.ones((3, 3))], {"axis": 1}, ShapeError, "must be equal"),
        ErrorSample([np.ones((2, 0)), np.ones((2, 0))], {"axis": 1}, ShapeError, "is empty"),
    ],
    doc="The derivative of `standardize` at the second operand along the first: a symmetric map.",
)
inverse_spread = Op(
    "inverse_spread", inverse_spread_kernel, infer=inverse_spread_infer,
    vjp=[lambda g, y, x, axis, epsilon: g * spread_slope(y, x, axis, epsilon)],
    jvp=[lambda t, y, x, axis, epsilon: (
        sum(t * spread_slope(y, x, axis, epsilon), axis=axis, keepdims=True)
    )],
    batch=norm_batch,
    source="inverse_spread({0}, axis={axis}, epsilon={epsilon})", samples=several,
    error_samples=empty,
    doc="One over the square root of the variance and epsilon, along axes that keep size 1.",
)
