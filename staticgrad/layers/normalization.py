"""Normalization layers: batch norm with TensorFlow's variables, others with PyTorch's."""

from functools import partial

import gradops as ops
from gradops import OptionError, ShapeError
from gradops.core.types import normalize_axis
from gradops.nn import running_moments
from gradops.typing import DTypeLike, Operand

from .. import initializers
from ..build.graph import add_to_collection, name_scope
from ..build.inputs import Variable, as_expression
from ..control.branches import cond
from ..ir.expr import Expr
from .weights import Initial, InitializerLike, Training, variable

ZEROS, ONES = initializers.zeros(), initializers.ones()
Moments = tuple[Variable, Variable]


def batch_normalization(
    inputs: Operand, axis: int = -1, momentum: float = 0.99, epsilon: float = 1e-3,
    center: bool = True, scale: bool = True, beta_initializer: Initial = None,
    gamma_initializer: Initial = None, moving_mean_initializer: Initial = None,
    moving_variance_initializer: Initial = None, training: Training = False, trainable: bool = True,
    name: str = "batch_normalization",
) -> Expr:  # fmt: skip
    """Batch normalization of the channels along `axis`, with scales gamma and offsets beta.

    `training` is a truth value, or an expression of one. Training uses the mean and variance of the
    batch, otherwise the variables `moving_mean` and `moving_variance` are used. Assignments in the
    collection "update_ops" move these towards the batch's by 1 - `momentum`; run them with the
    step: `sg.group(train, *sg.get_collection("update_ops"))`.

    >>> x = sg.placeholder("float32", ["batch", 8, 8, 3], name="x")
    >>> sg.layers.batch_normalization(x, training=True).shape
    (batch, 8, 8, 3)
    >>> [v.name.split("/")[1] for v in sg.global_variables()]
    ['gamma', 'beta', 'moving_mean', 'moving_variance']
    """
    x, axis, channels = channels_axis(name, inputs, axis)

    def own(name: str, initializer: InitializerLike, train: bool) -> Variable:
        return variable(name, (channels,), x.dtype, initializer, train)

    with name_scope(name):
        gamma = own("gamma", gamma_initializer or ONES, trainable) if scale else None
        beta = own("beta", beta_initializer or ZEROS, trainable) if center else None
        mean = own("moving_mean", moving_mean_initializer or ZEROS, False)
        variance = own("moving_variance", moving_variance_initializer or ONES, False)
        moved, moving = ops.moveaxis(x, axis, 1), (mean, variance)
        normalized = partial(ops.batch_norm, moved, gamma, beta, epsilon)
        y = cond(training, lambda: normalized(), lambda: normalized(moving))
        if training is not False:
            update_moments(moved, moving, training, 1 - momentum)
        return ops.moveaxis(y, 1, axis)


def update_moments(x: Expr, moving: Moments, training: Training, rate: float) -> None:
    """Add updates of the moving mean and variance by those of the batch, where training."""
    unchanged = lambda: [ops.copy(v) for v in moving]
    new = cond(training, lambda: running_moments(x, moving, rate), unchanged)
    for v, value in zip(moving, new, strict=True):
        add_to_collection("update_ops", v.assign(value))


def channels_axis(layer: str, inputs: Operand, axis: int) -> tuple[Expr, int, int]:
    """The inputs, the axis of their channels, and the number of channels."""
    x = as_expression(inputs)
    axis = normalize_axis(layer, x.type, axis)
    size = x.shape[axis]
    if not isinstance(size, int) or not axis:
        reason = f"axis {axis} is not an axis of a known number of channels"
        raise ShapeError(layer, [x.label], reason)
    return x, axis, size


def parameters(
    shape: tuple[int, ...], dtype: DTypeLike, scale: bool, center: bool, trainable: bool
) -> tuple[Variable | None, Variable | None]:
    """The variables weight and bias, None for one that is switched off."""
    weight = variable("weight", shape, dtype, ONES, trainable) if scale else None
    return weight, variable("bias", shape, dtype, ZEROS, trainable) if center else None


def last_sizes(layer: str, x: Expr, axes: int) -> tuple[int, ...]:
    """The sizes of the last axes; raises ShapeError if one is unknown."""
    result = x.shape[len(x.shape) - axes :] if 0 < axes <= len(x.shape) else ()
    if not result or not all(isinstance(n, int) for n in result):
        raise ShapeError(layer, [x.label], f"it does not have {axes} last axes of known sizes")
    return result


def layer_norm(
    inputs: Operand, axes: int = 1, epsilon: float = 1e-5, center: bool = True, scale: bool = True,
    trainable: bool = True, name: str = "layer_norm",
) -> Expr:  # fmt: skip
    """Layer normalization over the last `axes` axes, with a scale and an offset.

    The variables are called weight and bias.

    >>> sg.layers.layer_norm(sg.placeholder("float32", ["batch", 5, 3])).shape
    (batch, 5, 3)
    """
    x = as_expression(inputs)
    sizes = last_sizes(name, x, axes)
    with name_scope(name):
        scales = parameters(sizes, x.dtype, scale, center, trainable)
        return ops.layer_norm(x, sizes, *scales, epsilon)


def rms_norm(
    inputs: Operand, axes: int = 1, epsilon: float = 1e-6, scale: bool = True,
    trainable: bool = True, name: str = "rms_norm",
) -> Expr:  # fmt: skip
    """Root-mean-square normalization over the last `axes` axes, with a scale.

    The variable is called weight.

    >>> sg.layers.rms_norm(sg.placeholder("float32", ["batch", 5, 3])).shape
    (batch, 5, 3)
    """
    x = as_expression(inputs)
    sizes = last_sizes(name, x, axes)
    with name_scope(name):
        weight, _ = parameters(sizes, x.dtype, scale, False, trainable)
        return ops.rms_norm(x, sizes, weight, epsilon)


def group_norm(
    inputs: Operand, groups: int = 32, axis: int = -1, epsilon: float = 1e-5, center: bool = True,
    scale: bool = True, trainable: bool = True, name: str = "group_norm",
) -> Expr:  # fmt: skip
    """Group normalization of the channels along `axis`, with a scale and an offset per channel.

    The variables are called weight and bias. With as many groups as channels it is instance norm.

    >>> sg.layers.group_norm(sg.placeholder("float32", ["batch", 4, 4, 6]), groups=3).shape
    (batch, 4, 4, 6)
    """
    x, axis, channels = channels_axis(name, inputs, axis)
    if groups < 1 or channels % groups:
        raise OptionError(name, [x.label], f"{groups} groups do not share the channels equally")
    with name_scope(name):
        scales = parameters((channels,), x.dtype, scale, center, trainable)
        y = ops.group_norm(ops.moveaxis(x, axis, 1), groups, *scales, epsilon)
        return ops.moveaxis(y, 1, axis)
