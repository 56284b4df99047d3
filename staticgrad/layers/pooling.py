"""Pooling, with TensorFlow's arguments and order of axes."""

from collections.abc import Callable

from gradops.typing import AnyArray, Operand, Sizes

from ..build.graph import name_scope
from ..ops.declarations import implemented_by
from ..ops.images import max_of_windows, mean_of_windows
from .convolution import as_given, channels_first, padding_of


def pooling(pool: Callable[..., AnyArray], name: str, axes: int) -> Callable[..., AnyArray]:
    """The layer of that name that pools windows along `axes` spatial axes."""

    def layer(
        inputs: Operand, pool_size: Sizes, strides: Sizes | None = None, padding: str = "valid",
        data_format: str = "channels_last", name: str = name,
    ) -> AnyArray:  # fmt: skip
        word = padding_of(name, padding)
        with name_scope(name):
            x = channels_first(name, inputs, axes, data_format)
            return as_given(pool(x, pool_size, strides, word, axes), data_format)

    return layer


@implemented_by(pooling(max_of_windows, "max_pooling1d", 1))
def max_pooling1d() -> None:
    """`max_pooling2d` for inputs (batch, steps, channels).

    >>> sg.layers.max_pooling1d(sg.placeholder("float32", ["batch", 8, 3]), 2).shape
    (batch, 4, 3)
    """


@implemented_by(pooling(max_of_windows, "max_pooling2d", 2))
def max_pooling2d() -> None:
    """The largest number of each window of inputs (batch, height, width, channels).

    Windows move by `strides`, by default their size.

    >>> sg.layers.max_pooling2d(sg.placeholder("float32", ["batch", 8, 8, 3]), 2).shape
    (batch, 4, 4, 3)
    """


@implemented_by(pooling(max_of_windows, "max_pooling3d", 3))
def max_pooling3d() -> None:
    """`max_pooling2d` for inputs (batch, depth, height, width, channels).

    >>> sg.layers.max_pooling3d(sg.placeholder("float32", ["batch", 4, 4, 4, 3]), 2).shape
    (batch, 2, 2, 2, 3)
    """


@implemented_by(pooling(mean_of_windows, "average_pooling1d", 1))
def average_pooling1d() -> None:
    """`average_pooling2d` for inputs (batch, steps, channels).

    >>> sg.layers.average_pooling1d(sg.placeholder("float32", ["batch", 8, 3]), 2).shape
    (batch, 4, 3)
    """


@implemented_by(pooling(mean_of_windows, "average_pooling2d", 2))
def average_pooling2d() -> None:
    """The mean of each window of inputs (batch, height, width, channels).

    Windows move by `strides`, by default their size; "same" padding does not count.

    >>> sg.layers.average_pooling2d(sg.placeholder("float32", ["batch", 8, 8, 3]), 2).shape
    (batch, 4, 4, 3)
    """


@implemented_by(pooling(mean_of_windows, "average_pooling3d", 3))
def average_pooling3d() -> None:
    """`average_pooling2d` for inputs (batch, depth, height, width, channels).

    >>> sg.layers.average_pooling3d(sg.placeholder("float32", ["batch", 4, 4, 4, 3]), 2).shape
    (batch, 2, 2, 2, 3)
    """
