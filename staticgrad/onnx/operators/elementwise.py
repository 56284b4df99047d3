"""Arithmetic and activations, entry by entry. Those that are one of our ops say so at the op."""

from functools import reduce
from typing import Any

import numpy as np

import gradops as ops
from gradops import OPS

from ..library import library
from ..reading.registry import operator
from ..reading.size_arithmetic import combined, larger, quotient
from ..reading.tensors import dtype_of
from ..reading.values import Value, scalar


def like(number: Any, x: Value) -> np.ndarray:
    """A number, or several, in the dtype of `x`."""
    return np.asarray(number, x.dtype)


def cast(x: Value, dtype: Any) -> Any:
    """The entries in another dtype; floats out of an integer's range have no warning."""
    return OPS["astype"](x, dtype=np.dtype(dtype)) if x.dtype != dtype else x


@operator("Div", 7)
def divide(a: Value, b: Value) -> Any:
    """The quotient; of integers rounded towards zero."""
    if a.dtype.kind == "f":
        return OPS["div"](a, b)
    if (size := combined(quotient, a, b)) is not None:
        return size
    below = OPS["floor_divide"](a, b)
    if a.dtype.kind == "u":
        return below
    is_below = ops.logical_and(ops.not_equal(below * b, a), ops.less(a, 0) != ops.less(b, 0))
    return below + cast(is_below, a.dtype)


@operator("Mod", 10)
def modulo(a: Value, b: Value, *, fmod: int = 0) -> Any:
    """The remainder, with the sign of the divisor, or with `fmod` of the dividend."""
    return OPS["fmod" if fmod else "remainder"](a, b)


@operator("Pow", 7)
def power(a: Value, b: Value) -> Any:
    """The power, in the dtype of the base."""
    if a.dtype.kind in "iu" and b.dtype.kind == "f":
        return cast(OPS["power"](cast(a, b.dtype), b), a.dtype)
    return cast(OPS["power"](a, cast(b, a.dtype) if a.dtype.kind == "f" else b), a.dtype)


@operator("Sum")
def add_all(*xs: Value, consumed_inputs: Any = None) -> Any:
    """The sum of all inputs."""
    return reduce(OPS["add"], xs)


@operator("Mean")
def mean_all(*xs: Value, consumed_inputs: Any = None) -> Any:
    """The mean of all inputs."""
    return reduce(OPS["add"], xs) / like(len(xs), xs[0])


@operator("Max", 1)
@operator("Max", 7)
def largest(*xs: Value, consumed_inputs: Any = None) -> Any:
    """The largest of all inputs."""
    if len(xs) == 2 and (size := combined(larger, *xs)) is not None:
        return size
    return reduce(OPS["maximum"], xs)


@operator("Min", 1)
@operator("Min", 7)
def smallest(*xs: Value, consumed_inputs: Any = None) -> Any:
    """The smallest of all inputs."""
    return reduce(OPS["minimum"], xs)


@operator("Clip")
def clip_to(
    x: Value, *, min: float | None = None, max: float | None = None, consumed_inputs: Any = None
) -> Any:
    """The entries within bounds."""
    low, high = (None if b is None else like(b, x) for b in (min, max))
    return clip(x, low, high)


@operator("Clip", 11)
def clip(x: Value, low: Value | None = None, high: Value | None = None) -> Any:
    """The entries within bounds that are inputs; where they cross, the upper one holds."""
    if low is not None and high is not None:
        return (
            OPS["minimum"](OPS["maximum"](x, low), high)
            if x.dtype.kind != "f"
            else OPS["clamp"](x, low, high)
        )
    if low is not None:
        return OPS["maximum"](x, low)
    return x if high is None else OPS["minimum"](x, high)


@operator("Identity")
def identity(x: Value) -> Any:
    """The input itself."""
    return x


@operator("Cast")
def cast_to(x: Value, *, to: Any, saturate: int = 1, round_mode: str = "up") -> Any:
    """The entries in another dtype, which the first opset names by a word."""
    if isinstance(to, str):
        to = library().TensorProto.DataType.Value(to)
    return cast(x, dtype_of(to))


@operator("CastLike", 15)
def cast_like(x: Value, target: Value, *, saturate: int = 1, round_mode: str = "up") -> Any:
    """The entries in the dtype of the second input."""
    return cast(x, target.dtype)


@operator("BitShift", 11)
def bit_shift(x: Value, y: Value, *, direction: str) -> Any:
    """The bits shifted left or right."""
    return OPS[f"bitwise_{direction.lower()}_shift"](x, y)


@operator("BitCast", 26)
def bit_cast(x: Value, *, to: int) -> Any:
    """The same bits as another dtype."""
    return OPS["bitcast"](x, dtype=dtype_of(to))


@operator("LeakyRelu")
def leaky_relu(x: Value, *, alpha: float = 0.01, consumed_inputs: Any = None) -> Any:
    """x, and alpha * x below zero."""
    return ops.leaky_relu(x, alpha)


@operator("PRelu")
def prelu(x: Value, slope: Value, *, consumed_inputs: Any = None) -> Any:
    """x, and slope * x below zero."""
    return ops.where(ops.less(x, like(0, x)), slope * x, x)


@operator("PRelu", 1)
def prelu_by_channels(x: Value, slope: Value, *, consumed_inputs: Any = None) -> Any:
    """PRelu whose slope is one for each channel."""
    if len(slope.shape) == 1 and len(x.shape) > 2 and slope.shape[0] != 1:
        slope = OPS["reshape"](slope, shape=(*slope.shape, *(1,) * (len(x.shape) - 2)))
    return prelu(x, slope)


operator("PRelu", 7)(prelu)


@operator("Elu")
def elu(x: Value, *, alpha: float = 1.0, consumed_inputs: Any = None) -> Any:
    """x, and alpha * (exp(x) - 1) below zero."""
    return ops.elu(x, alpha)


@operator("Selu")
def selu(
    x: Value, *, alpha: float = 1.67326319217681884765625, gamma: float = 1.05070102214813232421875,
    consumed_inputs: Any = None,
) -> Any:  # fmt: skip
    """gamma times the exponential linear unit."""
    return like(gamma, x) * ops.elu(x, alpha)


@operator("Celu", 12)
def celu(x: Value, *, alpha: float = 1.0) -> Any:
    """The exponential linear unit that is smooth for every alpha."""
    return ops.celu(x, alpha)


@operator("ThresholdedRelu", 10)
def thresholded_relu(x: Value, *, alpha: float = 1.0) -> Any:
    """x above alpha, else 0."""
    return ops.threshold(x, alpha, 0.0)


@operator("HardSigmoid")
def hard_sigmoid(
    x: Value, *, alpha: float = 0.2, beta: float = 0.5, consumed_inputs: Any = None
) -> Any:
    """alpha * x + beta between 0 and 1."""
    return OPS["clamp"](like(alpha, x) * x + like(beta, x), like(0, x), like(1, x))


@operator("HardSwish", 14)
def hard_swish(x: Value) -> Any:
    """x times its piecewise linear sigmoid."""
    return x * hard_sigmoid(x, alpha=1 / 6, beta=0.5)


@operator("Softsign")
def softsign(x: Value) -> Any:
    """x / (1 + |x|)."""
    return ops.softsign(x)


@operator("Mish", 18)
def mish(x: Value) -> Any:
    """x * tanh(softplus(x))."""
    return ops.mish(x)


@operator("Gelu", 20)
def gelu(x: Value, *, approximate: str = "none") -> Any:
    """x times the normal distribution function."""
    return OPS["gelu"](x, approximate=approximate)


@operator("Swish", 24)
def swish(x: Value, *, alpha: float = 1.0) -> Any:
    """x * sigmoid(alpha * x)."""
    return OPS["silu"](x) if alpha == 1 else x * OPS["sigmoid"](like(alpha, x) * x)


@operator("Shrink", 9)
def shrink(x: Value, *, bias: float = 0.0, lambd: float = 0.5) -> Any:
    """x nearer to zero by a bias, and 0 where |x| <= lambd."""
    above, below = ops.greater(x, like(lambd, x)), ops.less(x, like(-lambd, x))
    zero = like(0, x)
    return ops.where(below, x + like(bias, x), ops.where(above, x - like(bias, x), zero))


@operator("Dropout")
@operator("Dropout", 7)
def dropout_of_old(
    x: Value, *, ratio: float = 0.5, is_test: int = 0, consumed_inputs: Any = None
) -> Any:
    """The input: models before opset 12 are for inference."""
    return x, ops.full_like(x, value=1, dtype=np.dtype(bool))


@operator("Dropout", 12)
def dropout(
    x: Value, ratio: Value | None = None, training_mode: Value | None = None, *,
    seed: int | None = None, wanted: tuple[bool, ...] = (True,),
) -> Any:  # fmt: skip
    """The input, with random entries zero where `training_mode` holds."""
    from .random import keep_mask

    if training_mode is None or not scalar(training_mode):
        return x, ops.full_like(x, value=1, dtype=np.dtype(bool))
    share = 0.5 if ratio is None else float(scalar(ratio))
    if share == 0:
        return x, ops.full_like(x, value=1, dtype=np.dtype(bool))
    keep = keep_mask(x, 1 - share, seed)
    return OPS["masked"](keep, x) * like(1 / (1 - share), x), keep
