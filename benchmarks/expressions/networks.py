"""Activations, losses, convolutions, pooling and norms."""

import math
from typing import Any

import numpy as np
import scipy.special

from .operands import Call, floats, labels, rng, row, x

probabilities = rng.random((1000, 100)).astype(np.float32)
image, filters, bias = floats(16, 8, 28, 28), floats(16, 8, 3, 3), floats(16)
weight = floats(100, 100)
WINDOW = {"window": (2, 2), "strides": (2, 2)}


def sigmoid(x: Any) -> Any:
    """Without overflow on either side."""
    t = np.exp(-np.abs(x))
    return np.where(x >= 0, 1 / (1 + t), t / (1 + t))


def softmax(x: Any) -> Any:
    """Along the last axis."""
    t = np.exp(x - x.max(axis=-1, keepdims=True))
    return t / t.sum(axis=-1, keepdims=True)


def log_softmax(x: Any) -> Any:
    """Along the last axis."""
    t = x - x.max(axis=-1, keepdims=True)
    return t - np.log(np.exp(t).sum(axis=-1, keepdims=True))


def gelu(x: Any) -> Any:
    """By the error function."""
    return 0.5 * x * (1 + scipy.special.erf(x * np.float32(math.sqrt(0.5))))


def convolved(x: Any, w: Any) -> Any:
    """By one product of all windows with all filters."""
    seen = np.lib.stride_tricks.sliding_window_view(x, (3, 3), (2, 3))
    found = np.tensordot(seen, w, ((1, 4, 5), (1, 2, 3)))
    return np.ascontiguousarray(found.transpose(0, 3, 1, 2))


def pooled(reduce: Any) -> Any:
    """Over windows of two by two."""
    return lambda x: reduce(x.reshape(16, 8, 14, 2, 14, 2), axis=(3, 5))


def standardized(x: Any) -> Any:
    """Each row less its mean, divided by its spread."""
    centred = x - x.mean(axis=1, keepdims=True)
    return centred / np.sqrt((centred * centred).mean(axis=1, keepdims=True) + np.float32(1e-5))


CALLS: dict[str, Call] = {
    "relu": ([x], {}, lambda x: np.maximum(x, 0)),
    "sigmoid": ([x], {}, sigmoid),
    "softplus": ([x], {}, lambda x: np.logaddexp(x, np.float32(0))),
    "silu": ([x], {}, lambda x: x * sigmoid(x)),
    "gelu": ([x], {}, gelu),
    "softmax": ([x], {}, softmax),
    "log_softmax": ([x], {}, log_softmax),
    "binary_cross_entropy_with_logits": (
        [x, probabilities], {"reduction": "none"},
        lambda x, y: np.maximum(x, 0) - x * y + np.log1p(np.exp(-np.abs(x))),
    ),
    "binary_cross_entropy": (
        [probabilities, probabilities], {},
        lambda p, y: -(y * np.maximum(np.log(p), -100) + (1 - y) * np.maximum(np.log1p(-p), -100)),
    ),
    "nll_loss": ([x, labels], {}, lambda x, y: -x[np.arange(len(x)), y].mean()),
    "sparse_cross_entropy": (
        [x, labels], {}, lambda x, y: -log_softmax(x)[np.arange(len(x)), y].mean(),
    ),
    "conv": ([image, filters], {}, convolved),
    "conv_bias": ([image, filters, bias], {}, lambda x, w, b: convolved(x, w) + b[:, None, None]),
    "linear": ([x, weight, row], {}, lambda x, w, b: x @ w.T + b),
    "max_pool": ([image], WINDOW, pooled(np.max)),
    "sum_pool": ([image], WINDOW, pooled(np.sum)),
    "standardize": ([x], {"axis": 1}, standardized),
    "divide_by_rms": (
        [x], {"axis": 1},
        lambda x: x / np.sqrt((x * x).mean(axis=1, keepdims=True) + np.float32(1e-6)),
    ),
}  # fmt: skip
