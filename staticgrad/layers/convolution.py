"""Convolutions, with TensorFlow's arguments, shapes of kernels and order of axes.

A kernel has the shape (window..., channels, filters), that of a transposed convolution
(window..., filters, channels). Channels are the last axis of inputs, or with
`data_format="channels_first"` the second.
"""

from collections.abc import Callable, Sequence
from typing import Any

import gradops as ops
from gradops import OptionError, ShapeError
from gradops.library.nn.conv_layers import for_each

from .. import initializers
from ..build.graph import name_scope
from ..build.inputs import as_expression
from .weights import count, documented, functions, made

Sizes = int | Sequence[int]
Activation = Callable[[Any], Any] | None
GLOROT, ZEROS = initializers.glorot_uniform(), initializers.zeros()
FORMATS = {"channels_first": 1, "channels_last": -1}


def channels_first(layer: str, inputs: Any, axes: int, data_format: str) -> Any:
    """Inputs with their channels as the second axis."""
    x = as_expression(inputs)
    if data_format not in FORMATS:
        raise OptionError(
            layer, [x.label], f"data_format is one of {list(FORMATS)}, not {data_format!r}"
        )
    if len(x.shape) != axes + 2:
        raise ShapeError(layer, [x.label], f"inputs have {axes + 2} axes, of a batch and channels")
    return x if data_format == "channels_first" else ops.moveaxis(x, -1, 1)


def as_given(y: Any, data_format: str) -> Any:
    """An output with its channels where the inputs have them."""
    return y if data_format == "channels_first" else ops.moveaxis(y, 1, -1)


def windows(layer: str, axes: int, **given: Sizes) -> list[Any]:
    """Sizes, steps and distances of windows, as many as there are axes of each."""
    return [for_each(layer, name, value, axes) for name, value in given.items()]


def channels_of(layer: str, x: Any, filters: int, groups: int = 1) -> tuple[int, int]:
    """How many channels come in and go out, in groups of equal size."""
    channels, filters = x.shape[1], count(layer, "filters", filters)
    if not isinstance(channels, int):
        raise ShapeError(layer, [x.label], "the number of channels has to be known")
    if groups < 1 or channels % groups or filters % groups:
        raise OptionError(layer, [x.label], f"{groups} groups do not share the channels equally")
    return channels, filters


def weights(
    shape: tuple[int, ...], filters: int, starts: tuple[Any, Any], use_bias: bool, dtype: Any,
    trainable: bool,
) -> tuple[Any, Any]:  # fmt: skip
    """The variables kernel, its last two axes put first as ops have them, and bias or None."""
    kernel_start, bias_start = starts
    axes = len(shape) - 2
    kernel = made("kernel", shape, dtype, kernel_start or GLOROT, trainable)
    bias = made("bias", (filters,), dtype, bias_start or ZEROS, trainable) if use_bias else None
    return ops.transpose(kernel, axes=(axes + 1, axes, *range(axes))), bias


def worded(layer: str, padding: str) -> str:
    """The word for a padding."""
    if not isinstance(padding, str) or padding.lower() not in ("same", "valid"):
        raise OptionError(layer, [], f"padding is 'valid' or 'same', not {padding!r}")
    return padding.lower()


def room(
    layer: str, padding: str, window: Sequence[int], steps: Sequence[int]
) -> tuple[tuple[tuple[int, int], ...], tuple[int, ...]]:
    """The padding of a transposed convolution, and what it puts at the end besides."""
    more = tuple(max(s - k, 0) for k, s in zip(window, steps, strict=True))
    if worded(layer, padding) == "valid":
        return ((0, 0),) * len(window), more
    totals = [max(k - s, 0) for k, s in zip(window, steps, strict=True)]
    return tuple((total // 2, total - total // 2) for total in totals), more


def convolutional(axes: int, doc: str) -> Callable[..., Any]:
    """The layer of a convolution along so many axes."""

    def layer(
        inputs: Any, filters: int, kernel_size: Sizes, strides: Sizes = 1, padding: str = "valid",
        data_format: str = "channels_last", dilation_rate: Sizes = 1,
        activation: Activation = None, use_bias: bool = True, kernel_initializer: Any = None,
        bias_initializer: Any = None, trainable: bool = True, name: str = f"conv{axes}d",
        groups: int = 1,
    ) -> Any:  # fmt: skip
        starts = kernel_initializer, bias_initializer
        functions(name, activation, *starts)
        x, word = channels_first(name, inputs, axes, data_format), worded(name, padding)
        channels, filters = channels_of(name, x, filters, groups)
        window, steps, rates = windows(
            name, axes, kernel_size=kernel_size, strides=strides, dilation_rate=dilation_rate
        )
        with name_scope(name):
            shape = (*window, channels // groups, filters)
            w, bias = weights(shape, filters, starts, use_bias, x.dtype, trainable)
            y = as_given(ops.convolution(x, w, bias, steps, word, rates, groups), data_format)
            return y if activation is None else activation(y)

    return documented(layer, f"conv{axes}d", doc)


def transposed(axes: int, doc: str) -> Callable[..., Any]:
    """The layer of the transpose of a convolution along so many axes."""

    def layer(
        inputs: Any, filters: int, kernel_size: Sizes, strides: Sizes = 1, padding: str = "valid",
        data_format: str = "channels_last", activation: Activation = None, use_bias: bool = True,
        kernel_initializer: Any = None, bias_initializer: Any = None, trainable: bool = True,
        name: str = f"conv{axes}d_transpose",
    ) -> Any:  # fmt: skip
        starts = kernel_initializer, bias_initializer
        functions(name, activation, *starts)
        x = channels_first(name, inputs, axes, data_format)
        channels, filters = channels_of(name, x, filters)
        window, steps = windows(name, axes, kernel_size=kernel_size, strides=strides)
        ends = room(name, padding, window, steps)
        with name_scope(name):
            shape = (*window, filters, channels)
            w, bias = weights(shape, filters, starts, use_bias, x.dtype, trainable)
            y = as_given(ops.conv_transposed(x, w, bias, steps, *ends), data_format)
            return y if activation is None else activation(y)

    return documented(layer, f"conv{axes}d_transpose", doc)


conv1d = convolutional(
    1,
    """`conv2d` for inputs (batch, steps, channels).

    >>> x = sg.placeholder("float32", ["batch", 8, 3], name="x")
    >>> sg.layers.conv1d(x, 4, 3, padding="same").shape
    (batch, 8, 4)
    """,
)
conv2d = convolutional(
    2,
    """Filters that slide along inputs (batch, height, width, channels), with a bias for each.

    They move by `strides`, and their entries are `dilation_rate` apart. With `padding="same"` there
    are zeros around, so that windows begin at each entry, but for strides. Variables are called
    kernel, of the shape (height, width, channels, filters), and bias. Raises ShapeError for another
    number of axes or of channels that is not known, OptionError for options that make no sense.

    >>> x = sg.placeholder("float32", ["batch", 8, 8, 3], name="x")
    >>> sg.layers.conv2d(x, 4, 3, strides=2, padding="same", activation=sg.nn.relu).shape
    (batch, 4, 4, 4)
    >>> [(v.name, v.shape) for v in sg.trainable_variables()]
    [('conv2d/kernel', (3, 3, 3, 4)), ('conv2d/bias', (4,))]
    """,
)
conv3d = convolutional(
    3,
    """`conv2d` for inputs (batch, depth, height, width, channels).

    >>> x = sg.placeholder("float32", ["batch", 4, 4, 4, 3], name="x")
    >>> sg.layers.conv3d(x, 4, 2).shape
    (batch, 3, 3, 3, 4)
    """,
)
conv2d_transpose = transposed(
    2,
    """The transpose of a `conv2d`: "same" padding makes sizes `strides` times as large.

    >>> x = sg.placeholder("float32", ["batch", 4, 4, 3], name="x")
    >>> sg.layers.conv2d_transpose(x, 2, 3, strides=2, padding="same").shape
    (batch, 8, 8, 2)
    """,
)
conv3d_transpose = transposed(
    3,
    """`conv2d_transpose` for inputs (batch, depth, height, width, channels).

    >>> x = sg.placeholder("float32", ["batch", 2, 2, 2, 3], name="x")
    >>> sg.layers.conv3d_transpose(x, 2, 2, strides=2).shape
    (batch, 4, 4, 4, 2)
    """,
)
