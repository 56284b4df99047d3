"""Layers, activations and losses as functions, under PyTorch's names."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import gradops as ops

from ..creation import drawn
from ..spelling import FUNCTIONS, spelled
from ..tensor import as_tensor
from .classification import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    cross_entropy,
    kl_div,
    nll_loss,
)
from .regression import huber_loss, l1_loss, mse_loss, smooth_l1_loss

__all__ = [
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "cross_entropy", "dropout", "elu",
    "gelu", "huber_loss", "kl_div", "l1_loss", "leaky_relu", "linear", "log_softmax", "mse_loss",
    "nll_loss", "one_hot", "pad", "relu", "sigmoid", "silu", "smooth_l1_loss", "softmax",
    "softplus", "tanh",
]  # fmt: skip

sigmoid, tanh, gelu = FUNCTIONS["sigmoid"], FUNCTIONS["tanh"], FUNCTIONS["gelu"]
transposed = spelled(ops.transpose)


def linear(x: Any, weight: Any, bias: Any = None) -> Any:
    """`x @ weight.T + bias`: the weight has a row per output, as in PyTorch.

    >>> dg.nn.functional.linear(dg.ones(3), dg.ones(2, 3), dg.ones(2))
    tensor([4., 4.])
    """
    y = x @ transposed(weight)
    return y if bias is None else y + bias


def applied(function: Callable[[Any], Any], x: Any, inplace: bool) -> Any:
    """A function of `x`, written into `x` if asked; what it saves for backward is a copy then."""
    return x.copy_(function(x.clone())) if inplace else function(x)


def relu(input: Any, inplace: bool = False) -> Any:
    """The positive part of each entry.

    >>> dg.nn.functional.relu(dg.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """
    return input.relu_() if inplace else FUNCTIONS["relu"](input)


def leaky_relu(input: Any, negative_slope: float = 0.01, inplace: bool = False) -> Any:
    """x where it is positive, else `negative_slope` times x.

    >>> dg.nn.functional.leaky_relu(dg.tensor([-1.0, 2.0]), 0.5)
    tensor([-0.5000,  2.0000])
    """
    return applied(lambda x: ops.where(x > 0, x, negative_slope * x), as_tensor(input), inplace)


def elu(input: Any, alpha: float = 1.0, inplace: bool = False) -> Any:
    """x where it is positive, else alpha (exp(x) - 1).

    >>> dg.nn.functional.elu(dg.tensor([-1.0, 2.0]))
    tensor([-0.6321,  2.0000])
    """

    def of(x: Any) -> Any:
        below = ops.where(x > 0, ops.zeros_like(x), x)  # so that exp cannot overflow
        return ops.where(x > 0, x, alpha * ops.expm1(below))

    return applied(of, as_tensor(input), inplace)


def silu(input: Any, inplace: bool = False) -> Any:
    """x times its logistic function.

    >>> dg.nn.functional.silu(dg.tensor([-1.0, 2.0]))
    tensor([-0.2689,  1.7616])
    """
    return applied(FUNCTIONS["silu"], input, inplace)


def softplus(input: Any, beta: float = 1.0, threshold: float = 20.0) -> Any:
    """log(1 + exp(beta x)) / beta; x itself where beta x is over `threshold`.

    >>> dg.nn.functional.softplus(dg.zeros(1))
    tensor([0.6931])
    """
    if beta == 1 and threshold == 20:
        return FUNCTIONS["softplus"](input)  # so far out the two agree to nine digits
    x = as_tensor(input)
    return ops.where(x * beta > threshold, x, ops.softplus(x * beta) / beta)


def softmax(input: Any, dim: int | None = None, dtype: Any = None) -> Any:
    """exp(x) divided by its sum along a dimension; warns if that is left to be guessed.

    >>> dg.nn.functional.softmax(dg.zeros(2), dim=0)
    tensor([0.5000, 0.5000])
    """
    return along(ops.softmax, input, dim, dtype)


def log_softmax(input: Any, dim: int | None = None, dtype: Any = None) -> Any:
    """The logarithm of softmax, accurate where softmax underflows.

    >>> dg.nn.functional.log_softmax(dg.zeros(2), dim=0)
    tensor([-0.6931, -0.6931])
    """
    return along(ops.log_softmax, input, dim, dtype)


def along(op: Any, input: Any, dim: int | None, dtype: Any) -> Any:
    """An op along a dimension, in a dtype if one is given."""
    x = as_tensor(input)
    if dim is None:
        dim = 0 if x.ndim in (0, 1, 3) else 1
        warnings.warn(
            f"Implicit dimension choice for {op} has been deprecated: it is {dim} here, and depends"
            f" on how many dimensions there are; write dim={dim}",
            UserWarning,
            stacklevel=3,
        )
    return op(x if dtype is None else x.to(dtype), axis=dim)


def dropout(
    input: Any,
    p: float = 0.5,
    training: bool = True,
    inplace: bool = False,
    generator: np.random.Generator | None = None,
) -> Any:
    """Each entry zero with probability `p`, else divided by 1 - p; the input if not `training`.

    >>> dg.nn.functional.dropout(dg.ones(4), 0.5, generator=np.random.default_rng(0))
    tensor([2., 2., 2., 0.])
    """
    require_probability(p)
    if not training or p == 0:
        return input
    found = drawn(lambda g, size: g.random(size, np.float32), tuple(input.shape), generator)
    kept = ops.astype(found >= p, dtype=input.dtype)
    scale = as_tensor(kept / (1 - p) if p < 1 else kept)
    return input.mul_(scale) if inplace else input * scale


def require_probability(p: float) -> None:
    """Refuse what is no probability."""
    if not 0 <= p <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def one_hot(labels: Any, num_classes: int = -1) -> Any:
    """A row per label, with a 1 at its place; by default up to the greatest label there is.

    >>> dg.nn.functional.one_hot(dg.tensor([0, 2]))
    tensor([[1, 0, 0],
            [0, 0, 1]])
    """
    labels = as_tensor(labels)
    classes = int(labels.value.max()) + 1 if num_classes < 0 else num_classes
    return ops.one_hot(labels, classes=classes, dtype=np.int64)


def pad(x: Any, pad: Any, mode: str = "constant", value: float | None = None) -> Any:
    """`x` with entries around it: `pad` has a pair of widths per dimension, the last one first.

    With mode "constant" they are `value`, and a negative width takes entries away. Else they are
    entries of `x`: with "reflect", back from the end; with "replicate", the last ones; with
    "circular", from the other end.

    >>> dg.nn.functional.pad(dg.ones(2), (1, 0))
    tensor([0., 1., 1.])
    >>> dg.nn.functional.pad(dg.arange(3), (2, 1), mode="circular")
    tensor([1, 2, 0, 1, 2, 0])
    """
    x, pairs = as_tensor(x), list(zip(pad[::2], pad[1::2], strict=True))[::-1]
    pairs = [(0, 0)] * (len(x.shape) - len(pairs)) + pairs
    if any(min(pair) < 0 for pair in pairs):
        x = x[tuple(slice(max(-a, 0), min(b, 0) or None) for a, b in pairs)]
    widths = [(max(a, 0), max(b, 0)) for a, b in pairs]
    return ops.pad(x, widths, mode, 0.0 if value is None else value)
