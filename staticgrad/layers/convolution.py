"""Convolutions and pooling, with TensorFlow's arguments, shapes of kernels and order of axes.

A kernel has the shape (window..., channels, filters), that of a transposed convolution
(window..., filters, channels). Channels are the last axis of inputs, or with
`data_format="channels_first"` the second.
"""

from collections.abc import Callable, Sequence
from typing import Any

import gradops as ops
from gradops import OptionError, ShapeError
from gradops.library.filtering import for_each

from .. import initializers
from ..frontend.graph import name_scope
from ..frontend.leaves import as_expression
from .weights import count, functions, made

Sizes = int | Sequence[int]
Activation = Callable[[Any], Any] | None
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


def convolved(
    axes: int,
    inputs: Any,
    filters: int,
    kernel_size: Sizes,
    strides: Sizes,
    padding: str,
    data_format: str,
    dilation_rate: Sizes,
    activation: Activation,
    use_bias: bool,
    kernel_initializer: Any,
    bias_initializer: Any,
    trainable: bool,
    name: str,
    groups: int = 1,
    transposed: bool = False,
) -> Any:
    """A convolution along so many axes, or its transpose."""
    functions(name, activation, kernel_initializer, bias_initializer)
    x = channels_first(name, inputs, axes, data_format)
    channels, filters = x.shape[1], count(name, "filters", filters)
    if not isinstance(channels, int):
        raise ShapeError(name, [x.label], "the number of channels has to be known")
    if groups < 1 or channels % groups or filters % groups:
        raise OptionError(name, [x.label], f"{groups} groups do not share the channels equally")
    named = {"kernel_size": kernel_size, "strides": strides, "dilation_rate": dilation_rate}
    window, steps, rates = (for_each(name, k, v, axes) for k, v in named.items())
    ends = (filters, channels) if transposed else (channels // groups, filters)
    with name_scope(name):
        kernel = made(
            "kernel", (*window, *ends), x.dtype,
            kernel_initializer or initializers.glorot_uniform(), trainable,
        )  # fmt: skip
        start = bias_initializer or initializers.zeros()
        bias = made("bias", (filters,), x.dtype, start, trainable) if use_bias else None
        w = ops.transpose(kernel, axes=(axes + 1, axes, *range(axes)))
        if transposed:
            y = ops.conv_transposed(x, w, bias, steps, *room(name, padding, window, steps))
        else:
            y = ops.convolution(x, w, bias, steps, worded(name, padding), rates, groups)
        y = as_given(y, data_format)
        return y if activation is None else activation(y)


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


def conv1d(
    inputs: Any,
    filters: int,
    kernel_size: Sizes,
    strides: Sizes = 1,
    padding: str = "valid",
    data_format: str = "channels_last",
    dilation_rate: Sizes = 1,
    activation: Activation = None,
    use_bias: bool = True,
    kernel_initializer: Any = None,
    bias_initializer: Any = None,
    trainable: bool = True,
    name: str = "conv1d",
    groups: int = 1,
) -> Any:
    """`conv2d` for inputs (batch, steps, channels).

    >>> x = sg.placeholder("float32", ["batch", 8, 3], name="x")
    >>> sg.layers.conv1d(x, 4, 3, padding="same").shape
    (batch, 8, 4)
    """
    return convolved(
        1, inputs, filters, kernel_size, strides, padding, data_format, dilation_rate, activation,
        use_bias, kernel_initializer, bias_initializer, trainable, name, groups,
    )  # fmt: skip


def conv2d(
    inputs: Any,
    filters: int,
    kernel_size: Sizes,
    strides: Sizes = 1,
    padding: str = "valid",
    data_format: str = "channels_last",
    dilation_rate: Sizes = 1,
    activation: Activation = None,
    use_bias: bool = True,
    kernel_initializer: Any = None,
    bias_initializer: Any = None,
    trainable: bool = True,
    name: str = "conv2d",
    groups: int = 1,
) -> Any:
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
    """
    return convolved(
        2, inputs, filters, kernel_size, strides, padding, data_format, dilation_rate, activation,
        use_bias, kernel_initializer, bias_initializer, trainable, name, groups,
    )  # fmt: skip


def conv3d(
    inputs: Any,
    filters: int,
    kernel_size: Sizes,
    strides: Sizes = 1,
    padding: str = "valid",
    data_format: str = "channels_last",
    dilation_rate: Sizes = 1,
    activation: Activation = None,
    use_bias: bool = True,
    kernel_initializer: Any = None,
    bias_initializer: Any = None,
    trainable: bool = True,
    name: str = "conv3d",
    groups: int = 1,
) -> Any:
    """`conv2d` for inputs (batch, depth, height, width, channels).

    >>> x = sg.placeholder("float32", ["batch", 4, 4, 4, 3], name="x")
    >>> sg.layers.conv3d(x, 4, 2).shape
    (batch, 3, 3, 3, 4)
    """
    return convolved(
        3, inputs, filters, kernel_size, strides, padding, data_format, dilation_rate, activation,
        use_bias, kernel_initializer, bias_initializer, trainable, name, groups,
    )  # fmt: skip


def conv2d_transpose(
    inputs: Any,
    filters: int,
    kernel_size: Sizes,
    strides: Sizes = 1,
    padding: str = "valid",
    data_format: str = "channels_last",
    activation: Activation = None,
    use_bias: bool = True,
    kernel_initializer: Any = None,
    bias_initializer: Any = None,
    trainable: bool = True,
    name: str = "conv2d_transpose",
) -> Any:
    """The transpose of a `conv2d`: "same" padding makes sizes `strides` times as large.

    >>> x = sg.placeholder("float32", ["batch", 4, 4, 3], name="x")
    >>> sg.layers.conv2d_transpose(x, 2, 3, strides=2, padding="same").shape
    (batch, 8, 8, 2)
    """
    return convolved(
        2, inputs, filters, kernel_size, strides, padding, data_format, 1, activation,
        use_bias, kernel_initializer, bias_initializer, trainable, name, transposed=True,
    )  # fmt: skip


def conv3d_transpose(
    inputs: Any,
    filters: int,
    kernel_size: Sizes,
    strides: Sizes = 1,
    padding: str = "valid",
    data_format: str = "channels_last",
    activation: Activation = None,
    use_bias: bool = True,
    kernel_initializer: Any = None,
    bias_initializer: Any = None,
    trainable: bool = True,
    name: str = "conv3d_transpose",
) -> Any:
    """`conv2d_transpose` for inputs (batch, depth, height, width, channels).

    >>> x = sg.placeholder("float32", ["batch", 2, 2, 2, 3], name="x")
    >>> sg.layers.conv3d_transpose(x, 2, 2, strides=2).shape
    (batch, 4, 4, 4, 2)
    """
    return convolved(
        3, inputs, filters, kernel_size, strides, padding, data_format, 1, activation,
        use_bias, kernel_initializer, bias_initializer, trainable, name, transposed=True,
    )  # fmt: skip
