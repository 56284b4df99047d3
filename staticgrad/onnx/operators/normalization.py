"""Normalizations and softmax."""

import math
from typing import Any

import numpy as np

import gradops as ops
from gradops import OPS

from ..reading.registry import operator, register
from ..reading.values import Value
from .elementwise import cast, like


def by_channel(v: Value, x: Value) -> Any:
    """A vector along the second axis of `x`."""
    return OPS["reshape"](v, shape=(*v.shape, *(1,) * (len(x.shape) - 2)))


@operator("BatchNormalization")
@operator("BatchNormalization", 7)
@operator("BatchNormalization", 9)
def batch_norm(
    x: Value, scale: Value, bias: Value, mean: Value, var: Value, *, epsilon: float = 1e-5,
    momentum: float = 0.9, spatial: int = 1, is_test: int = 0, consumed_inputs: Any = None,
) -> Any:  # fmt: skip
    """Entries normalized by the given moments, scaled and shifted by channel."""
    if spatial and len(x.shape) > 1:
        scale, bias, mean, var = (by_channel(v, x) for v in (scale, bias, mean, var))
    scaled = scale / OPS["sqrt"](var + like(epsilon, var))
    return cast((x - mean) * scaled + bias, x.dtype)


@operator("BatchNormalization", 14)
def batch_norm_in_training(
    x: Value, scale: Value, bias: Value, mean: Value, var: Value, *, epsilon: float = 1e-5,
    momentum: float = 0.9, training_mode: int = 0,
) -> Any:  # fmt: skip
    """Batch normalization; in training by the moments of the batch, which it returns averaged."""
    if not training_mode:
        return batch_norm(x, scale, bias, mean, var, epsilon=epsilon), mean, var
    axes = (0, *range(2, len(x.shape)))
    batch_mean, batch_var = OPS["mean"](x, axis=axes), OPS["var"](x, axis=axes)
    y = batch_norm(x, scale, bias, batch_mean, batch_var, epsilon=epsilon)
    new = [v * like(momentum, v) + cast(b, v.dtype) * like(1 - momentum, v)
           for v, b in ((mean, batch_mean), (var, batch_var))]  # fmt: skip
    return y, *new


@operator("InstanceNormalization")
def instance_norm(
    x: Value, scale: Value, bias: Value, *, epsilon: float = 1e-5, consumed_inputs: Any = None
) -> Any:
    """Each channel of each example normalized over space."""
    return ops.instance_norm(x, scale, bias, epsilon)


@operator("LayerNormalization", 17)
def layer_norm(
    x: Value, scale: Value, bias: Value | None = None, *, axis: int = -1, epsilon: float = 1e-5,
    stash_type: int = 1, wanted: tuple[bool, ...] = (True,),
) -> Any:  # fmt: skip
    """The last axes, from `axis` on, normalized; on demand with mean and inverse deviation."""
    axes = tuple(range(axis % len(x.shape), len(x.shape)))
    wide = cast(x, np.float32) if stash_type == 1 and x.dtype == np.float16 else x
    y = cast(OPS["standardize"](wide, axis=axes, epsilon=epsilon), x.dtype) * scale
    y = y if bias is None else y + bias
    if not any(wanted[1:]):
        return y, None, None
    mean = OPS["mean"](wide, axis=axes, keepdims=True)
    variance = OPS["var"](wide, axis=axes, keepdims=True)
    return y, mean, like(1, variance) / OPS["sqrt"](variance + like(epsilon, variance))


@operator("GroupNormalization", 21)
def group_norm(
    x: Value, scale: Value, bias: Value, *, num_groups: int, epsilon: float = 1e-5,
    stash_type: int = 1,
) -> Any:  # fmt: skip
    """Groups of channels normalized over channels and space, scaled and shifted by channel."""
    return ops.group_norm(x, num_groups, scale, bias, epsilon)


@operator("RMSNormalization", 23)
def rms_norm(
    x: Value, scale: Value, *, axis: int = -1, epsilon: float = 1e-5, stash_type: int = 1
) -> Any:
    """The last axes, from `axis` on, over the root of the mean of their squares."""
    axes = tuple(range(axis % len(x.shape), len(x.shape)))
    wide = cast(x, np.float32) if stash_type == 1 and x.dtype == np.float16 else x
    return cast(OPS["divide_by_rms"](wide, axis=axes, epsilon=epsilon), scale.dtype) * scale


@operator("LRN")
def local_response(
    x: Value, *, size: int, alpha: float = 1e-4, beta: float = 0.75, bias: float = 1.0
) -> Any:
    """Entries over a power of the sum of squares in neighbouring channels."""
    before = (size - 1) // 2
    widths = ((0, 0), (before, size - 1 - before), *((0, 0),) * (len(x.shape) - 2))
    squares = OPS["pad"](x * x, pad_width=widths, value=0)
    windows = OPS["windows"](squares, size=(size,), axis=(1,), step=(1,), dilation=(1,))
    sums = OPS["sum"](windows, axis=(-1,))
    return x / OPS["power"](sums * like(alpha / size, x) + like(bias, x), like(beta, x))


@operator("LpNormalization")
def lp_normalization(x: Value, *, axis: int = -1, p: int = 2) -> Any:
    """Vectors along an axis over their norms; zero where the norm is."""
    if p == 1:
        norm = OPS["sum"](OPS["abs"](x), axis=axis, keepdims=True)
    else:
        norm = OPS["sqrt"](OPS["sum"](x * x, axis=axis, keepdims=True))
    is_zero = OPS["equal"](norm, like(0, x))
    return OPS["where"](is_zero, like(0, x), x / OPS["where"](is_zero, like(1, x), norm))


@operator("MeanVarianceNormalization", 9)
def mean_variance(x: Value, *, axes: tuple[int, ...] = (0, 2, 3)) -> Any:
    """Entries less their mean over their standard deviation."""
    axes = tuple(axes)
    centered = x - OPS["mean"](x, axis=axes, keepdims=True)
    deviation = OPS["sqrt"](OPS["mean"](centered * centered, axis=axes, keepdims=True))
    return centered / (deviation + like(1e-9, x))


def of_matrix(name: str) -> Any:
    """Softmax or its logarithm before opset 13: the axes from `axis` on are one."""

    def build(x: Value, *, axis: int = 1) -> Any:
        axis %= max(len(x.shape), 1)
        shape = (math.prod(x.shape[:axis]), math.prod(x.shape[axis:]))
        return OPS["reshape"](OPS[name](OPS["reshape"](x, shape=shape), axis=-1), shape=x.shape)

    return build


def along_axis(name: str) -> Any:
    """Softmax or its logarithm along one axis."""
    return lambda x, *, axis=-1: OPS[name](x, axis=axis)


for _operator, _op in (("Softmax", "softmax"), ("LogSoftmax", "log_softmax")):
    register(_operator, 1, of_matrix(_op))
    register(_operator, 13, along_axis(_op))
