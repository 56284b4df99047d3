"""Activations, as functions."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import gradops as ops
from gradops.typing import DTypeLike

from ...dispatch.wrapping import set_name
from ...engine.piecewise import mark_kinked
from ...engine.tensor import Tensor, as_tensor
from ...methods.torch_functions import FUNCTIONS
from ...ops.creation import Generator, draw

__all__ = [
    "celu", "elu", "gelu", "glu", "gumbel_softmax", "hardshrink", "hardsigmoid", "hardswish",
    "hardtanh", "leaky_relu", "log_softmax", "logsigmoid", "mish", "prelu", "relu", "relu6", "selu",
    "sigmoid", "silu", "softmax", "softmin", "softplus", "softshrink", "softsign", "tanh",
    "tanhshrink", "threshold",
]  # fmt: skip

sigmoid, tanh, gelu = FUNCTIONS["sigmoid"], FUNCTIONS["tanh"], FUNCTIONS["gelu"]


def of_tensor(function: Callable[..., Any]) -> Callable[..., Tensor]:
    """A function of ours of one tensor, under PyTorch's name for that."""

    def call(input: Tensor) -> Tensor:
        return function(as_tensor(input))

    return set_name(call, function.__name__, function.__doc__)


logsigmoid, softsign = of_tensor(ops.log_sigmoid), of_tensor(ops.softsign)
tanhshrink = of_tensor(ops.tanhshrink)


def apply(function: Callable[[Any], Any], x: Tensor, inplace: bool) -> Tensor:
    """A function of `x`; with `inplace`, of a copy of `x`, and written into `x`."""
    return x.copy_(function(x.clone())) if inplace else function(x)


def piecewise(op: Callable[..., Any], name: str, x: Tensor, inplace: bool, *args: Any) -> Tensor:
    """A piecewise linear function of `x`, with `inplace` written into `x`."""
    return apply(lambda x: mark_kinked(op(x, *args), x, name), as_tensor(x), inplace)


def in_place_or_not(function: Callable[..., Any], kinks: str = "") -> Callable[..., Tensor]:
    """A function of ours of one tensor that PyTorch can also write into the tensor.

    `kinks` is the name of its nodes if it is linear piece by piece.
    """

    def call(input: Tensor, inplace: bool = False) -> Tensor:
        if kinks:
            return piecewise(function, kinks, input, inplace)
        return apply(function, as_tensor(input), inplace)

    return set_name(call, function.__name__, function.__doc__)


selu, mish, hardswish = map(in_place_or_not, (ops.selu, ops.mish, ops.hardswish))
relu6 = in_place_or_not(ops.relu6, "hardtanh")
hardsigmoid = in_place_or_not(ops.hardsigmoid, "hardsigmoid")


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """The positive part of each entry.

    >>> dg.nn.functional.relu(dg.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """
    return input.relu_() if inplace else FUNCTIONS["relu"](input)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """x where it is positive, else `negative_slope` times x.

    >>> dg.nn.functional.leaky_relu(dg.tensor([-1.0, 2.0]), 0.5)
    tensor([-0.5000,  2.0000])
    """
    return piecewise(ops.leaky_relu, "leaky_relu", input, inplace, negative_slope)


def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """x where it is positive, else x times a slope: one, or one for each channel.

    >>> dg.nn.functional.prelu(dg.tensor([[-1.0, -1.0]]), dg.tensor([0.5, 0.25]))
    tensor([[-0.5000, -0.2500]])
    """
    x, slope = as_tensor(input), as_tensor(weight)
    return mark_kinked(ops.prelu(x, slope), x, "prelu_kernel", slope)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """x where it is positive, else alpha (exp(x) - 1).

    >>> dg.nn.functional.elu(dg.tensor([-1.0, 2.0]))
    tensor([-0.6321,  2.0000])
    """
    return apply(lambda x: ops.elu(x, alpha), as_tensor(input), inplace)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """x where it is positive, else alpha (exp(x / alpha) - 1).

    >>> dg.nn.functional.celu(dg.tensor([-2.0, 2.0]), 2.0)
    tensor([-1.2642,  2.0000])
    """
    return apply(lambda x: ops.celu(x, alpha), as_tensor(input), inplace)


def hardtanh(
    input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False
) -> Tensor:
    """Each entry limited to bounds; the derivative at and beyond the bounds is 0.

    >>> dg.nn.functional.hardtanh(dg.tensor([-2.0, 0.5]))
    tensor([-1.0000,  0.5000])
    """
    return piecewise(ops.hardtanh, "hardtanh", input, inplace, min_val, max_val)


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """Each entry that is greater than the threshold, else `value`.

    >>> dg.nn.functional.threshold(dg.tensor([1.0, 2.0]), 1.0, 0.5)
    tensor([0.5000, 2.0000])
    """
    return piecewise(ops.threshold, "threshold", input, inplace, threshold, value)


def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """Each entry, or 0 if its magnitude is at most `lambd`.

    >>> dg.nn.functional.hardshrink(dg.tensor([-1.0, 0.25]))
    tensor([-1.,  0.])
    """
    return piecewise(ops.hardshrink, "hardshrink", input, False, lambd)


def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """Each entry nearer to 0 by `lambd`, and 0 if it would be beyond.

    >>> dg.nn.functional.softshrink(dg.tensor([-1.0, 0.25]))
    tensor([-0.5000,  0.0000])
    """
    return piecewise(ops.softshrink, "softshrink", input, False, lambd)


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """The first half along a dimension times the logistic function of the second half.

    >>> dg.nn.functional.glu(dg.tensor([2.0, 0.0]))
    tensor([1.])
    """
    return ops.glu(as_tensor(input), dim)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """x times its logistic function.

    >>> dg.nn.functional.silu(dg.tensor([-1.0, 2.0]))
    tensor([-0.2689,  1.7616])
    """
    return apply(FUNCTIONS["silu"], input, inplace)


def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """log(1 + exp(beta x)) / beta; x itself where beta x is over `threshold`.

    >>> dg.nn.functional.softplus(dg.zeros(1))
    tensor([0.6931])
    """
    if beta == 1 and threshold == 20:
        return FUNCTIONS["softplus"](input)  # so far out the two agree to nine digits
    x = as_tensor(input)
    return ops.where(x * beta > threshold, x, ops.softplus(x * beta) / beta)


def softmax(input: Tensor, dim: int | None = None, dtype: DTypeLike = None) -> Tensor:
    """exp(x) divided by its sum along a dimension; warns if that is left to be guessed.

    >>> dg.nn.functional.softmax(dg.zeros(2), dim=0)
    tensor([0.5000, 0.5000])
    """
    return apply_along(FUNCTIONS["softmax"], input, dim, dtype)


def softmin(input: Tensor, dim: int | None = None, dtype: DTypeLike = None) -> Tensor:
    """exp(-x) divided by its sum along a dimension.

    >>> dg.nn.functional.softmin(dg.zeros(2), dim=0)
    tensor([0.5000, 0.5000])
    """
    return apply_along(FUNCTIONS["softmax"], -as_tensor(input), dim, dtype)


def log_softmax(input: Tensor, dim: int | None = None, dtype: DTypeLike = None) -> Tensor:
    """The logarithm of softmax, accurate where softmax underflows.

    >>> dg.nn.functional.log_softmax(dg.zeros(2), dim=0)
    tensor([-0.6931, -0.6931])
    """
    return apply_along(FUNCTIONS["log_softmax"], input, dim, dtype)


def apply_along(op: Any, input: Tensor, dim: int | None, dtype: DTypeLike) -> Tensor:
    """An op along a dimension, in a dtype if one is given."""
    x = as_tensor(input)
    if dim is None:
        dim = 0 if x.ndim in (0, 1, 3) else 1
        warnings.warn(
            f"Implicit dimension choice for {op.__name__} has been deprecated: it is {dim} here,"
            f" and depends on how many dimensions there are; write dim={dim}", stacklevel=3,
        )  # fmt: skip
    return op(x if dtype is None else x.to(dtype), dim)


def gumbel_softmax(
    logits: Tensor, tau: float = 1.0, hard: bool = False, dim: int = -1, generator: Generator = None
) -> Tensor:
    """A sample of classes with these logits, softened: softmax of (logits + Gumbel noise) / tau.

    With `hard` the value is a row with a 1 at the sampled class, the gradient that of the soft one.

    >>> dg.nn.functional.gumbel_softmax(dg.zeros(1, 3), hard=True).sum()
    tensor(1.)
    """
    x = as_tensor(logits)
    noise = draw(lambda g, size: g.gumbel(size=size), tuple(x.shape), generator)
    soft = ops.softmax((x + ops.astype(noise, dtype=x.dtype)) / tau, axis=dim)
    if not hard:
        return soft
    top = ops.argmax(soft, axis=dim, keepdims=True)
    shape = [1] * x.ndim
    shape[dim] = -1
    is_top = top == np.arange(x.shape[dim]).reshape(shape)
    return ops.astype(is_top, dtype=x.dtype) - ops.stop_gradient(soft) + soft
