"""Activations and losses as functions, under PyTorch's names."""

from typing import Any

import numpy as np

import gradops as ops

from ..spelling import DIM, FUNCTIONS, spelled
from ..tensor import as_tensor

relu, sigmoid, tanh = FUNCTIONS["relu"], FUNCTIONS["sigmoid"], FUNCTIONS["tanh"]
silu, softplus, gelu = FUNCTIONS["silu"], FUNCTIONS["softplus"], FUNCTIONS["gelu"]
softmax, log_softmax = spelled(ops.softmax, **DIM), spelled(ops.log_softmax, **DIM)
binary_cross_entropy_with_logits = spelled(ops.binary_cross_entropy_with_logits, target="y")
sparse_cross_entropy = spelled(ops.sparse_cross_entropy)
mse_loss, l1_loss = spelled(ops.mse_loss), spelled(ops.l1_loss)


def cross_entropy(input: Any, target: Any, reduction: str = "mean") -> Any:
    """The cross entropy of class labels, or of probabilities, with softmax of the last dimension.

    >>> dg.nn.functional.cross_entropy(dg.zeros(1, 2), dg.tensor([1]))
    tensor(0.6931)
    """
    input, target = as_tensor(input), as_tensor(target)
    if len(target.value.shape) == len(input.value.shape):
        return ops.cross_entropy(input, target, reduction)
    if reduction == "mean":
        return sparse_cross_entropy(input, target)  # the default, which need not be said
    return sparse_cross_entropy(input, target, reduction=reduction)


def linear(x: Any, weight: Any, bias: Any = None) -> Any:
    """`x @ weight.T + bias`: the weight has a row per output, as in PyTorch.

    >>> dg.nn.functional.linear(dg.ones(3), dg.ones(2, 3), dg.ones(2))
    tensor([4., 4.])
    """
    y = x @ ops.transpose(weight)
    return y if bias is None else y + bias


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
    """`x` padded with a number: `pad` has a pair of widths per dimension, the last one first.

    >>> dg.nn.functional.pad(dg.ones(2), (1, 0))
    tensor([0., 1., 1.])
    """
    pairs = list(zip(pad[::2], pad[1::2], strict=True))[::-1]
    widths = ((0, 0),) * (len(x.shape) - len(pairs)) + tuple(pairs)
    if mode != "constant":
        raise ops.OptionError("pad", [ops.type_of(x)], f"mode is 'constant', not {mode!r}")
    return ops.pad(as_tensor(x), widths, 0.0 if value is None else value)
