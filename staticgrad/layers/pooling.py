"""Pooling: one number for each window, with TensorFlow's arguments and order of axes."""

from collections.abc import Sequence
from typing import Any

import gradops as ops

from ..frontend.graph import name_scope
from .convolution import as_given, channels_first, worded

Sizes = int | Sequence[int]


def pooled(
    axes: int, mean: bool, inputs: Any, pool_size: Sizes, strides: Sizes | None, padding: str,
    data_format: str, name: str,
) -> Any:  # fmt: skip
    """The greatest number, or the mean, of each window; padding is none and does not count."""
    word = worded(name, padding)
    with name_scope(name):
        x = channels_first(name, inputs, axes, data_format)
        if mean:
            y = ops.avg_pool(x, pool_size, strides, word, axes, count_padding=False)
        else:
            y = ops.max_pooling(x, pool_size, strides, word, 1, axes)
        return as_given(y, data_format)


def max_pooling1d(
    inputs: Any, pool_size: Sizes, strides: Sizes | None = None, padding: str = "valid",
    data_format: str = "channels_last", name: str = "max_pooling1d",
) -> Any:  # fmt: skip
    """`max_pooling2d` for inputs (batch, steps, channels).

    >>> sg.layers.max_pooling1d(sg.placeholder("float32", ["batch", 8, 3]), 2).shape
    (batch, 4, 3)
    """
    return pooled(1, False, inputs, pool_size, strides, padding, data_format, name)


def max_pooling2d(
    inputs: Any, pool_size: Sizes, strides: Sizes | None = None, padding: str = "valid",
    data_format: str = "channels_last", name: str = "max_pooling2d",
) -> Any:  # fmt: skip
    """The greatest number of each window of inputs (batch, height, width, channels).

    Windows move by `strides`, by default their size.

    >>> sg.layers.max_pooling2d(sg.placeholder("float32", ["batch", 8, 8, 3]), 2).shape
    (batch, 4, 4, 3)
    """
    return pooled(2, False, inputs, pool_size, strides, padding, data_format, name)


def max_pooling3d(
    inputs: Any, pool_size: Sizes, strides: Sizes | None = None, padding: str = "valid",
    data_format: str = "channels_last", name: str = "max_pooling3d",
) -> Any:  # fmt: skip
    """`max_pooling2d` for inputs (batch, depth, height, width, channels).

    >>> sg.layers.max_pooling3d(sg.placeholder("float32", ["batch", 4, 4, 4, 3]), 2).shape
    (batch, 2, 2, 2, 3)
    """
    return pooled(3, False, inputs, pool_size, strides, padding, data_format, name)


def average_pooling1d(
    inputs: Any, pool_size: Sizes, strides: Sizes | None = None, padding: str = "valid",
    data_format: str = "channels_last", name: str = "average_pooling1d",
) -> Any:  # fmt: skip
    """`average_pooling2d` for inputs (batch, steps, channels).

    >>> sg.layers.average_pooling1d(sg.placeholder("float32", ["batch", 8, 3]), 2).shape
    (batch, 4, 3)
    """
    return pooled(1, True, inputs, pool_size, strides, padding, data_format, name)


def average_pooling2d(
    inputs: Any, pool_size: Sizes, strides: Sizes | None = None, padding: str = "valid",
    data_format: str = "channels_last", name: str = "average_pooling2d",
) -> Any:  # fmt: skip
    """The mean of each window of inputs (batch, height, width, channels).

    Windows move by `strides`, by default their size; what "same" padding adds does not count.

    >>> sg.layers.average_pooling2d(sg.placeholder("float32", ["batch", 8, 8, 3]), 2).shape
    (batch, 4, 4, 3)
    """
    return pooled(2, True, inputs, pool_size, strides, padding, data_format, name)


def average_pooling3d(
    inputs: Any, pool_size: Sizes, strides: Sizes | None = None, padding: str = "valid",
    data_format: str = "channels_last", name: str = "average_pooling3d",
) -> Any:  # fmt: skip
    """`average_pooling2d` for inputs (batch, depth, height, width, channels).

    >>> sg.layers.average_pooling3d(sg.placeholder("float32", ["batch", 4, 4, 4, 3]), 2).shape
    (batch, 2, 2, 2, 3)
    """
    return pooled(3, True, inputs, pool_size, strides, padding, data_format, name)
