"""Dense layers, dropout and flattening."""

import gradops as ops
from gradops import DTypeError, OptionError, ShapeError
from gradops.core.dims import product
from gradops.core.types import as_size, is_float
from gradops.typing import Operand, ShapeLike

from .. import initializers
from ..build.graph import name_scope
from ..build.inputs import as_expression
from ..control.branches import cond
from ..ir.expr import Expr
from ..ops.random import random_key
from .weights import Activation, Initial, Training, features, require_functions, variable


def dense(
    inputs: Operand, units: int, activation: Activation = None, use_bias: bool = True,
    kernel_initializer: Initial = None, bias_initializer: Initial = None, trainable: bool = True,
    name: str = "dense",
) -> Expr:  # fmt: skip
    """`activation(inputs @ kernel + bias)`, with new variables called kernel and bias.

    An initializer is a function of a shape and a dtype, as in `sg.initializers`: by default
    glorot_uniform for the kernel and zeros for the bias. Raises ShapeError for inputs whose last
    axis has no known size, DTypeError for integers.

    >>> x = sg.placeholder("float32", ["batch", 3], name="x")
    >>> sg.layers.dense(x, 2, activation=sg.relu)
    <relu dense/relu: float32[batch, 2]>
    >>> [v.name for v in sg.trainable_variables()]
    ['dense/kernel', 'dense/bias']
    """
    x = as_expression(inputs)
    width = features("dense", x)
    if not is_float(x.dtype):
        raise DTypeError("dense", [x.label], f"a layer takes floats, not {x.dtype}")
    size = as_size(units)
    if not isinstance(size, int) or size < 0:
        raise OptionError("dense", [x.label], f"units={units!r} is not a known size")
    require_functions("dense", activation, kernel_initializer, bias_initializer)
    kernel_initializer = kernel_initializer or initializers.glorot_uniform()
    bias_initializer = bias_initializer or initializers.zeros()
    with name_scope(name):
        kernel = variable("kernel", (width, size), x.dtype, kernel_initializer, trainable)
        y = ops.matmul(x, kernel)
        if use_bias:
            y = y + variable("bias", (size,), x.dtype, bias_initializer, trainable)
        return y if activation is None else activation(y)


def dropout(
    inputs: Operand, rate: float = 0.5, noise_shape: ShapeLike | None = None,
    seed: int | None = None, training: Training = False, name: str = "dropout",
) -> Expr:  # fmt: skip
    """While training, each entry is zero with probability `rate`, else divided by 1 - rate.

    `training` is a truth value, or an expression of one. Each run drops other entries; see
    `set_random_seed`. Axes of size 1 in `noise_shape` are dropped as a whole. Raises OptionError
    for a `rate` that is not a probability below 1.

    >>> y = sg.layers.dropout(sg.constant([1.0, 1.0, 1.0, 1.0]), 0.5, seed=3, training=True)
    >>> sorted(set(sg.Session().run(y).tolist()) | {0.0, 2.0})
    [0.0, 2.0]
    """
    x = as_expression(inputs)
    if not 0 <= rate < 1:
        raise OptionError("dropout", [x.label], f"rate={rate} is not a probability below 1")
    if training is False or rate == 0:
        return x
    with name_scope(name):
        key = random_key(seed, "key")
        shape = x.shape if noise_shape is None else noise_shape
        return cond(training, lambda: drop_entries(x, key, rate, shape), lambda: x)


def drop_entries(x: Expr, key: Expr, rate: float, shape: ShapeLike) -> Expr:
    """`x` with random entries set to zero, the others scaled."""
    keep = ops.random_bernoulli(key, shape=shape, p=1 - rate)
    return ops.where(keep, x / (1 - rate), 0)


def flatten(inputs: Operand, name: str = "flatten") -> Expr:
    """Flatten the axes after the first, which is the batch.

    >>> sg.layers.flatten(sg.placeholder("float32", ["batch", 2, 3]))
    <reshape flatten/reshape: float32[batch, 6]>
    """
    x = as_expression(inputs)
    if not x.shape:
        raise ShapeError("flatten", [x.label], "a number has no axes")
    with name_scope(name):
        return ops.reshape(x, shape=(x.shape[0], product(x.shape[1:])))
