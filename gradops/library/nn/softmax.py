"""softmax, its logarithm, and their derivatives along an operand."""

from typing import Any

import numpy as np

from ...core import flops
from ...core.errors import ShapeError
from ...core.op import Op
from ...core.samples import cases, reals
from ...core.traits import Trait
from ...core.types import ArrayType, conflict, normalize_axis, result_dtype
from ...kernels.elementwise.tables import inexact
from ...kernels.native_kernels import native
from ...kernels.nn import activation as kernels
from ...typing import AnyArray
from ..elementwise.exponential import exp, log
from ..families import Kernel, batch_along_axis, invalid
from ..reduce.reduction import max, require_axes, sum
from ..shape.broadcasting import batch_together_along_axis

__all__ = ["log_softmax", "softmax"]


def along_axis_op(name: str, kernel: Kernel, **facets: Any) -> Op:
    """An op that normalizes along one axis and keeps the shape."""

    def infer(x: ArrayType, axis: int) -> ArrayType:
        normalize_axis(name, x, axis)
        return ArrayType(x.shape, result_dtype(kernel, (x.dtype,)))

    return Op(
        name=name, kernel=kernel, infer=infer, batch=batch_along_axis, family="along an axis",
        samples=cases(reals((3, 4)), reals((2, 3, 4), axis=1), reals((4,), axis=0), reals((0, 3)),
                      reals((2, 0))),
        error_samples=[invalid((2, 3), axis=2, says="axis 2 is out of range")],
        **facets,
    )


def minus_max(x: Any, axis: int, out: Any) -> Any:
    """`x` less its maximum along the axis, so that exp cannot overflow."""
    require_axes(x, axis)
    x = inexact(x)
    if not x.size:
        return x.copy()
    return np.subtract(x, np.maximum.reduce(x, axis=axis, keepdims=True), out=out)


LAST = "(axis == -1 or axis == np.ndim(x) - 1)"


@native("softmax", "softmax", "x, out", when=LAST)
def softmax_kernel(x: Any, axis: int = -1, out: Any = None) -> np.ndarray:
    if kernels.has_short_rows(x, axis):
        y = kernels.columns(x)
        y = np.exp(np.subtract(y, np.maximum.reduce(y), out=y), out=y)
        return kernels.rows(np.divide(y, np.add.reduce(y), out=y), x, out)
    y = minus_max(x, axis, out)
    out = kernels.reusable(y)
    y = np.exp(y, out=out)
    return np.divide(y, np.add.reduce(y, axis=axis, keepdims=True), out=out)


@native("softmax", "log_softmax", "x, out", when=LAST)
def log_softmax_kernel(x: Any, axis: int = -1, out: Any = None) -> Any:
    if kernels.has_short_rows(x, axis):
        y = kernels.columns(x)
        y = np.subtract(y, np.maximum.reduce(y), out=y)
        return kernels.rows(np.subtract(y, np.log(np.add.reduce(np.exp(y))), out=y), x, out)
    y = minus_max(x, axis, out)
    total = np.add.reduce(np.exp(y), axis=axis, keepdims=True)
    if not y.size:
        return y
    return np.subtract(y, np.log(total), out=kernels.reusable(y))


def shifted(x: AnyArray, axis: int) -> AnyArray:
    """x less its maximum."""
    return x - max(x, axis=axis, keepdims=True)


def softmax_formula(x: AnyArray, axis: int) -> AnyArray:
    e = exp(shifted(x, axis))
    return e / sum(e, axis=axis, keepdims=True)


def log_softmax_formula(x: AnyArray, axis: int) -> AnyArray:
    rest = shifted(x, axis)
    return rest - log(sum(exp(rest), axis=axis, keepdims=True))


BOTH_LAST = "type(v) is np.ndarray and (axis == -1 or axis == v.ndim - 1)"


@native("softmax", "softmax_slope", "v, y, out", when=BOTH_LAST)
def softmax_slope_kernel(v: Any, y: Any, axis: int = -1, out: Any = None) -> Any:
    share = sum.kernel(np.multiply(v, y), axis, True)
    return np.multiply(y, np.subtract(v, share), out=out)


@native("softmax", "log_softmax_slope", "v, y, out", when=BOTH_LAST)
def log_softmax_slope_kernel(v: Any, y: Any, axis: int = -1, out: Any = None) -> Any:
    total = sum.kernel(v, axis, True)
    return np.subtract(v, np.multiply(np.exp(y), total), out=out)


def softmax_slope_formula(v: AnyArray, y: AnyArray, axis: int) -> AnyArray:
    return y * (v - sum(v * y, axis=axis, keepdims=True))


def log_softmax_slope_formula(v: AnyArray, y: AnyArray, axis: int) -> AnyArray:
    return v - exp(y) * sum(v, axis=axis, keepdims=True)


def slope_along_axis(name: str, kernel: Kernel, **facets: Any) -> Op:
    """An op of a cotangent and a result that was normalized along one axis."""

    def infer(v: ArrayType, y: ArrayType, axis: int) -> ArrayType:
        normalize_axis(name, y, axis)
        if v.ndim != y.ndim or conflict(v.shape, y.shape):
            raise ShapeError(name, [v, y], "the shapes must be equal")
        return ArrayType(y.shape, result_dtype(kernel, (v.dtype, y.dtype)))

    return Op(
        name=name, kernel=kernel, arity=2, infer=infer, batch=batch_together_along_axis,
        samples=cases(
            reals((3, 4), (3, 4)), reals((2, 3, 4), (2, 3, 4), axis=1), reals((4,), (4,), axis=0),
            reals((0, 3), (0, 3)), reals((2, 0), (2, 0)),
        ),
        error_samples=[
            invalid((2, 3), (3, 3), says="must be equal"),
            invalid((2, 3), (2, 3), axis=2, says="axis 2 is out of range"),
        ],
        **facets,
    )  # fmt: skip


softmax_slope = slope_along_axis(
    "softmax_slope", softmax_slope_kernel, formula=softmax_slope_formula,
    vjp=[
        lambda c, f, v, y, axis: softmax_slope(c, y, axis=axis),
        lambda c, f, v, y, axis: (
            c * (v - sum(v * y, axis=axis, keepdims=True))
            - v * sum(c * y, axis=axis, keepdims=True)
        ),
    ],
    jvp=[
        lambda t, f, v, y, axis: softmax_slope(t, y, axis=axis),
        lambda t, f, v, y, axis: (
            t * (v - sum(v * y, axis=axis, keepdims=True))
            - y * sum(v * t, axis=axis, keepdims=True)
        ),
    ],
    flops=flops.per_result(4),
    doc="The derivative of softmax along the first operand, a symmetric map; y is its result.",
)
log_softmax_slope = slope_along_axis(
    "log_softmax_slope", log_softmax_slope_kernel, formula=log_softmax_slope_formula,
    vjp=[
        lambda c, f, v, y, axis: c - sum(exp(y) * c, axis=axis, keepdims=True),
        lambda c, f, v, y, axis: -(c * exp(y) * sum(v, axis=axis, keepdims=True)),
    ],
    jvp=[
        lambda t, f, v, y, axis: log_softmax_slope(t, y, axis=axis),
        lambda t, f, v, y, axis: -(t * exp(y) * sum(v, axis=axis, keepdims=True)),
    ],
    flops=flops.per_result(4),
    doc="The cotangent of the operand of log_softmax, whose result is y.",
)
softmax_rule = lambda v, y, x, axis: softmax_slope(v, y, axis=axis)
softmax = along_axis_op(
    "softmax", softmax_kernel, formula=softmax_formula, vjp=[softmax_rule], jvp=[softmax_rule],
    flops=flops.per_result(5),
    traits=[Trait.NONNEGATIVE, Trait.KEEPS_C_ORDER, Trait.IN_PLACE],
    doc="exp(x) divided by its sum along an axis.",
)
log_softmax = along_axis_op(
    "log_softmax", log_softmax_kernel, formula=log_softmax_formula,
    traits=[Trait.KEEPS_C_ORDER, Trait.IN_PLACE], flops=flops.per_result(5),
    vjp=[lambda g, y, x, axis: log_softmax_slope(g, y, axis=axis)],
    jvp=[lambda t, y, x, axis: t - sum(exp(y) * t, axis=axis, keepdims=True)],
    doc="The logarithm of softmax, accurate where softmax underflows.",
)
