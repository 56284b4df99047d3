"""Convolutions."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..by_hand import images as by_hand
from ..workload import Arrays, Workload

Rng = np.random.Generator


def filters(rng: Rng, outputs: int, inputs: int) -> Arrays:
    """Filters 3x3 and biases."""
    return [rng.standard_normal((outputs, inputs, 3, 3)) / 10, rng.standard_normal(outputs) / 10]


def digits(rng: Rng, batch: int, size: int, channels: int, classes: int) -> tuple[Arrays, Arrays]:
    """Two convolutions and a dense layer, whose weights have the axes of images; images, labels."""
    last = rng.standard_normal((classes, 2 * channels, size // 4, size // 4)) / 40
    first, second = filters(rng, channels, 1), filters(rng, 2 * channels, channels)
    params = [*first, *second, last, rng.standard_normal(classes) / 10]
    return params, [rng.standard_normal((batch, 1, size, size)), rng.integers(0, classes, batch)]


def cnn(xp: Any, params: Sequence[Any], data: Sequence[Any]) -> Any:
    """Two convolutions with relu and pooling, a dense layer, and the cross entropy."""
    (k1, b1, k2, b2, w, b), (x, labels) = params, data
    h = xp.max_pool(xp.relu(xp.conv2d(x, k1, b1)))
    h = xp.max_pool(xp.relu(xp.conv2d(h, k2, b2)))
    h, w = xp.reshape(h, (xp.shape(x)[0], -1)), xp.reshape(w, (xp.shape(w)[0], -1))
    return xp.cross_entropy(xp.linear(h, xp.matrix_transpose(w), b), labels)


def photos(rng: Rng, batch: int, size: int, inputs: int, outputs: int) -> tuple[Arrays, Arrays]:
    """Images, which get a gradient, and filters."""
    return [rng.standard_normal((batch, inputs, size, size)), *filters(rng, outputs, inputs)], []


def convolution(xp: Any, params: Sequence[Any], data: Sequence[Any]) -> Any:
    """The mean square of a convolution."""
    y = xp.conv2d(*params)
    return xp.mean(y * y)


NONE = {"PyTensor": "no layers of convolution and pooling"}
WORKLOADS = [
    Workload(
        "cnn", "small CNN 28x28, 16 and 32 channels, batch 64", digits, cnn,
        sizes={"batch": 64, "size": 28, "channels": 16, "classes": 10},
        small={"batch": 2, "size": 8, "channels": 3, "classes": 4},
        images=(4, 6), kernels=(0, 2), threads=(1, 2), without=NONE,
    ),
    Workload(
        "conv2d", "conv2d 16 -> 32, 3x3, 64 images 28x28", photos, convolution,
        sizes={"batch": 64, "size": 28, "inputs": 16, "outputs": 32},
        small={"batch": 2, "size": 5, "inputs": 3, "outputs": 4},
        images=(0,), kernels=(1,), threads=(1, 2), by_hand=by_hand.convolution, without=NONE,
    ),
]  # fmt: skip
