"""Pooling, with TensorFlow's arguments and order of axes."""

from collections.abc import Callable, Sequence

from gradops.typing import AnyArray, Operand

from ..build.graph import name_scope
from ..ops.pools import max_of_windows, mean_of_windows
from .convolution import as_given, channels_first, padding_of
from .weights import documented

Sizes = int | Sequence[int]


def pooling(
    kind: str, pool: Callable[..., AnyArray], axes: int, doc: str
) -> Callable[..., AnyArray]:
    """A layer that pools windows along `axes` spatial axes."""
    called = f"{kind}_pooling{axes}d"

    def layer(
        inputs: Operand, pool_size: Sizes, strides: Sizes | None = None, padding: str = "valid",
        data_format: str = "channels_last", name: str = called,
    ) -> AnyArray:  # fmt: skip
        word = padding_of(name, padding)
        with name_scope(name):
            x = channels_first(name, inputs, axes, data_format)
            return as_given(pool(x, pool_size, strides, word, axes), data_format)

    return documented(layer, called, doc)


max_pooling1d = pooling(
    "max",
    max_of_windows,
    1,
    """`max_pooling2d` for inputs (batch, steps, channels).

    >>> sg.layers.max_pooling1d(sg.placeholder("float32", ["batch", 8, 3]), 2).shape
    (batch, 4, 3)
    """,
)
max_pooling2d = pooling(
    "max",
    max_of_windows,
    2,
    """The largest number of each window of inputs (batch, height, width, channels).

    Windows move by `strides`, by default their size.

    >>> sg.layers.max_pooling2d(sg.placeholder("float32", ["batch", 8, 8, 3]), 2).shape
    (batch, 4, 4, 3)
    """,
)
max_pooling3d = pooling(
    "max",
    max_of_windows,
    3,
    """`max_pooling2d` for inputs (batch, depth, height, width, channels).

    >>> sg.layers.max_pooling3d(sg.placeholder("float32", ["batch", 4, 4, 4, 3]), 2).shape
    (batch, 2, 2, 2, 3)
    """,
)
average_pooling1d = pooling(
    "average",
    mean_of_windows,
    1,
    """`average_pooling2d` for inputs (batch, steps, channels).

    >>> sg.layers.average_pooling1d(sg.placeholder("float32", ["batch", 8, 3]), 2).shape
    (batch, 4, 3)
    """,
)
average_pooling2d = pooling(
    "average",
    mean_of_windows,
    2,
    """The mean of each window of inputs (batch, height, width, channels).

    Windows move by `strides`, by default their size; "same" padding does not count.

    >>> sg.layers.average_pooling2d(sg.placeholder("float32", ["batch", 8, 8, 3]), 2).shape
    (batch, 4, 4, 3)
    """,
)
average_pooling3d = pooling(
    "average",
    mean_of_windows,
    3,
    """`average_pooling2d` for inputs (batch, depth, height, width, channels).

    >>> sg.layers.average_pooling3d(sg.placeholder("float32", ["batch", 4, 4, 4, 3]), 2).shape
    (batch, 2, 2, 2, 3)
    """,
)
