"""Norms: of batches with TensorFlow's variables, the others with PyTorch's."""

from typing import Any

import gradops as ops
from gradops import OptionError, ShapeError
from gradops.core.types import normalize_axis
from gradops.nn import running_moments

from .. import initializers
from ..build.graph import add_to_collection, name_scope
from ..build.inputs import as_expression
from ..control.branches import cond
from ..ir.expr import Expr
from .weights import made

ZEROS, ONES = initializers.zeros(), initializers.ones()


def batch_normalization(
    inputs: Any,
    axis: int = -1,
    momentum: float = 0.99,
    epsilon: float = 1e-3,
    center: bool = True,
    scale: bool = True,
    beta_initializer: Any = None,
    gamma_initializer: Any = None,
    moving_mean_initializer: Any = None,
    moving_variance_initializer: Any = None,
    training: Any = False,
    trainable: bool = True,
    name: str = "batch_normalization",
) -> Any:
    """Each channel, along `axis`, less its mean over a batch and over its spread; scaled and moved.

    `training` is a truth value, or an expression of one. While training, the mean and variance are
    the batch's, else the moving ones: `moving_mean` and `moving_variance`, which assignments in the
    collection "update_ops" let move towards the batch's by 1 - `momentum`. Run them with the step:
    `sg.group(train, *sg.get_collection("update_ops"))`. The other variables are gamma and beta.

    >>> x = sg.placeholder("float32", ["batch", 8, 8, 3], name="x")
    >>> sg.layers.batch_normalization(x, training=True).shape
    (batch, 8, 8, 3)
    >>> [v.name.split("/")[1] for v in sg.global_variables()]
    ['gamma', 'beta', 'moving_mean', 'moving_variance']
    """
    x, axis, channels = located(name, inputs, axis)
    shape = (channels,)
    with name_scope(name):
        given = {"gamma": gamma_initializer or ONES, "beta": beta_initializer or ZEROS}
        gamma, beta = (
            made(k, shape, x.dtype, v, trainable) if wanted else None
            for (k, v), wanted in zip(given.items(), (scale, center), strict=True)
        )
        mean = made("moving_mean", shape, x.dtype, moving_mean_initializer or ZEROS, False)
        variance = made(
            "moving_variance", shape, x.dtype, moving_variance_initializer or ONES, False
        )
        return normalized(x, axis, (gamma, beta), (mean, variance), training, momentum, epsilon)


def normalized(
    x: Expr, axis: int, scales: Any, moving: Any, training: Any, momentum: float, epsilon: float
) -> Any:
    """The inputs by the batch's moments or the moving ones, and the updates of these."""
    moved, (gamma, beta) = ops.moveaxis(x, axis, 1), scales
    y = cond(
        training,
        lambda: ops.batch_norm(moved, gamma, beta, epsilon),
        lambda: ops.batch_norm(moved, gamma, beta, epsilon, moving),
    )
    if training is not False:
        new = cond(
            training,
            lambda: running_moments(moved, moving, 1 - momentum),
            lambda: [ops.copy(v) for v in moving],
        )
        for variable, value in zip(moving, new, strict=True):
            add_to_collection("update_ops", variable.assign(value))
    return ops.moveaxis(y, 1, axis)


def located(layer: str, inputs: Any, axis: int) -> tuple[Expr, int, int]:
    """Inputs, the place of their channels, and how many these are."""
    x = as_expression(inputs)
    axis = normalize_axis(layer, x.type, axis)
    size = x.shape[axis]
    if not isinstance(size, int) or not axis:
        raise ShapeError(
            layer, [x.label], f"axis {axis} is not an axis of a known number of channels"
        )
    return x, axis, size


def parameters(
    shape: tuple[int, ...], dtype: Any, scale: bool, center: bool, trainable: bool
) -> tuple[Any, Any]:
    """The variables weight and bias, None for what is not wanted."""
    weight = made("weight", shape, dtype, ONES, trainable) if scale else None
    return weight, made("bias", shape, dtype, ZEROS, trainable) if center else None


def last_sizes(layer: str, x: Expr, axes: int) -> tuple[int, ...]:
    """The sizes of the last axes, which have to be known."""
    result = x.shape[len(x.shape) - axes :] if 0 < axes <= len(x.shape) else ()
    if not result or not all(isinstance(n, int) for n in result):
        raise ShapeError(layer, [x.label], f"it has not {axes} last axes of known sizes")
    return result


def layer_norm(
    inputs: Any,
    axes: int = 1,
    epsilon: float = 1e-5,
    center: bool = True,
    scale: bool = True,
    trainable: bool = True,
    name: str = "layer_norm",
) -> Any:
    """Each example less its mean, over its spread, along the last `axes` axes; scaled and moved.

    The variables are called weight and bias.

    >>> sg.layers.layer_norm(sg.placeholder("float32", ["batch", 5, 3])).shape
    (batch, 5, 3)
    """
    x = as_expression(inputs)
    sizes = last_sizes(name, x, axes)
    with name_scope(name):
        return ops.layer_norm(
            x, sizes, *parameters(sizes, x.dtype, scale, center, trainable), epsilon
        )


def rms_norm(
    inputs: Any,
    axes: int = 1,
    epsilon: float = 1e-6,
    scale: bool = True,
    trainable: bool = True,
    name: str = "rms_norm",
) -> Any:
    """Each example over the root of the mean of its squares, along the last `axes` axes; scaled.

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
    inputs: Any,
    groups: int = 32,
    axis: int = -1,
    epsilon: float = 1e-5,
    center: bool = True,
    scale: bool = True,
    trainable: bool = True,
    name: str = "group_norm",
) -> Any:
    """Groups of channels, along `axis`, of each example less their mean, over their spread.

    Then each channel is scaled and moved, by the variables weight and bias. With as many groups as
    channels it is an instance norm.

    >>> sg.layers.group_norm(sg.placeholder("float32", ["batch", 4, 4, 6]), groups=3).shape
    (batch, 4, 4, 6)
    """
    x, axis, channels = located(name, inputs, axis)
    if groups < 1 or channels % groups:
        raise OptionError(name, [x.label], f"{groups} groups do not share the channels equally")
    with name_scope(name):
        given = parameters((channels,), x.dtype, scale, center, trainable)
        return ops.moveaxis(
            ops.group_norm(ops.moveaxis(x, axis, 1), groups, *given, epsilon), 1, axis
        )
