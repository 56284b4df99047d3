"""Convolutions, with TensorFlow's arguments, shapes of kernels and order of axes.

A kernel has the shape (window..., channels, filters), that of a transposed convolution
(window..., filters, channels). Channels are the last axis of inputs, or with
`data_format="channels_first"` the second.
"""

from collections.abc import Callable
from typing import TypeVar

import gradops as ops
from gradops import OptionError, ShapeError
from gradops.library.nn.conv_layers import for_each
from gradops.typing import AnyArray, DTypeLike, Operand, Sizes

from .. import initializers
from ..build.graph import name_scope
from ..build.inputs import Variable, as_expression
from ..ir.expr import Expr
from ..ops.declarations import implemented_by
from .weights import Activation, Initial, count, require_functions, variable

Counts = tuple[int, ...]  # one for each spatial axis
T = TypeVar("T", bound=AnyArray)
GLOROT, ZEROS = initializers.glorot_uniform(), initializers.zeros()
FORMATS = {"channels_first": 1, "channels_last": -1}


def channels_first(layer: str, inputs: Operand, axes: int, data_format: str) -> Expr:
    """The inputs with their channels moved to the second axis."""
    x = as_expression(inputs)
    if data_format not in FORMATS:
        reason = f"data_format is one of {list(FORMATS)}, not {data_format!r}"
        raise OptionError(layer, [x.label], reason)
    if len(x.shape) != axes + 2:
        raise ShapeError(layer, [x.label], f"inputs have {axes + 2} axes, of a batch and channels")
    return x if data_format == "channels_first" else ops.moveaxis(x, -1, 1)


def as_given(y: T, data_format: str) -> T:
    """The output with its channels moved to where the inputs have them."""
    return y if data_format == "channels_first" else ops.moveaxis(y, 1, -1)


def windows(layer: str, axes: int, **options: Sizes) -> list[tuple[int, ...]]:
    """Options of windows, each as one number per axis."""
    return [for_each(layer, name, value, axes) for name, value in options.items()]


def channels_of(layer: str, x: Expr, filters: int, groups: int = 1) -> tuple[int, int]:
    """The numbers of input and output channels; raises unless groups divide them."""
    channels, filters = x.shape[1], count(layer, "filters", filters)
    if not isinstance(channels, int):
        raise ShapeError(layer, [x.label], "the number of channels has to be known")
    if groups < 1 or channels % groups or filters % groups:
        raise OptionError(layer, [x.label], f"{groups} groups do not share the channels equally")
    return channels, filters


def weights(
    shape: tuple[int, ...], filters: int, starts: tuple[Initial, Initial], use_bias: bool,
    dtype: DTypeLike, trainable: bool,
) -> tuple[Expr, Variable | None]:  # fmt: skip
    """The variables kernel, with its channel axes first as ops take it, and bias or None."""
    kernel_start, bias_start = starts
    axes = len(shape) - 2
    kernel = variable("kernel", shape, dtype, kernel_start or GLOROT, trainable)
    bias = variable("bias", (filters,), dtype, bias_start or ZEROS, trainable) if use_bias else None
    return ops.transpose(kernel, axes=(axes + 1, axes, *range(axes))), bias


def padding_of(layer: str, padding: str) -> str:
    """The padding in lower case; raises OptionError unless it is "same" or "valid"."""
    if not isinstance(padding, str) or padding.lower() not in ("same", "valid"):
        raise OptionError(layer, [], f"padding is 'valid' or 'same', not {padding!r}")
    return padding.lower()


def output_padding(word: str, window: Counts, steps: Counts) -> tuple[tuple[Counts, ...], Counts]:
    """The padding of a transposed convolution, and additional padding of the output's end."""
    more = tuple(max(s - k, 0) for k, s in zip(window, steps, strict=True))
    if word == "valid":
        return ((0, 0),) * len(window), more
    totals = [max(k - s, 0) for k, s in zip(window, steps, strict=True)]
    return tuple((total // 2, total - total // 2) for total in totals), more


def convolution(axes: int) -> Callable[..., Expr]:
    """The layer of a convolution along `axes` spatial axes."""

    def layer(
        inputs: Operand, filters: int, kernel_size: Sizes, strides: Sizes = 1,
        padding: str = "valid", data_format: str = "channels_last", dilation_rate: Sizes = 1,
        activation: Activation = None, use_bias: bool = True,
        kernel_initializer: Initial = None, bias_initializer: Initial = None,
        trainable: bool = True, name: str = f"conv{axes}d", groups: int = 1,
    ) -> Expr:  # fmt: skip
        starts = kernel_initializer, bias_initializer
        require_functions(name, activation, *starts)
        x, word = channels_first(name, inputs, axes, data_format), padding_of(name, padding)
        channels, filters = channels_of(name, x, filters, groups)
        window, steps, rates = windows(
            name, axes, kernel_size=kernel_size, strides=strides, dilation_rate=dilation_rate
        )
        with name_scope(name):
            shape = (*window, channels // groups, filters)
            w, bias = weights(shape, filters, starts, use_bias, x.dtype, trainable)
            y = as_given(ops.convolution(x, w, bias, steps, word, rates, groups), data_format)
            return y if activation is None else activation(y)

    return layer


def transposed_convolution(axes: int) -> Callable[..., Expr]:
    """The layer of a transposed convolution along `axes` spatial axes."""

    def layer(
        inputs: Operand, filters: int, kernel_size: Sizes, strides: Sizes = 1,
        padding: str = "valid", data_format: str = "channels_last", activation: Activation = None,
        use_bias: bool = True, kernel_initializer: Initial = None, bias_initializer: Initial = None,
        trainable: bool = True, name: str = f"conv{axes}d_transpose",
    ) -> Expr:  # fmt: skip
        starts = kernel_initializer, bias_initializer
        require_functions(name, activation, *starts)
        x = channels_first(name, inputs, axes, data_format)
        channels, filters = channels_of(name, x, filters)
        window, steps = windows(name, axes, kernel_size=kernel_size, strides=strides)
        ends = output_padding(padding_of(name, padding), window, steps)
        with name_scope(name):
            shape = (*window, filters, channels)
            w, bias = weights(shape, filters, starts, use_bias, x.dtype, trainable)
            y = as_given(ops.conv_transposed(x, w, bias, steps, *ends), data_format)
            return y if activation is None else activation(y)

    return layer


@implemented_by(convolution(1))
def conv1d() -> None:
    """`conv2d` for inputs (batch, steps, channels).

    >>> x = sg.placeholder("float32", ["batch", 8, 3], name="x")
    >>> sg.layers.conv1d(x, 4, 3, padding="same").shape
    (batch, 8, 4)
    """


@implemented_by(convolution(2))
def conv2d() -> None:
    """Convolution of inputs (batch, height, width, channels), with a bias per filter.

    `padding="same"` pads with zeros, so that there is an output per input, apart from strides.
    Variables are called kernel, of the shape (height, width, channels, filters), and bias. Raises
    ShapeError for another number of axes or an unknown number of channels, OptionError for invalid
    options.

    >>> x = sg.placeholder("float32", ["batch", 8, 8, 3], name="x")
    >>> sg.layers.conv2d(x, 4, 3, strides=2, padding="same", activation=sg.nn.relu).shape
    (batch, 4, 4, 4)
    >>> [(v.name, v.shape) for v in sg.trainable_variables()]
    [('conv2d/kernel', (3, 3, 3, 4)), ('conv2d/bias', (4,))]
    """


@implemented_by(convolution(3))
def conv3d() -> None:
    """`conv2d` for inputs (batch, depth, height, width, channels).

    >>> x = sg.placeholder("float32", ["batch", 4, 4, 4, 3], name="x")
    >>> sg.layers.conv3d(x, 4, 2).shape
    (batch, 3, 3, 3, 4)
    """


@implemented_by(transposed_convolution(2))
def conv2d_transpose() -> None:
    """The transpose of a `conv2d`: "same" padding makes sizes `strides` times as large.

    >>> x = sg.placeholder("float32", ["batch", 4, 4, 3], name="x")
    >>> sg.layers.conv2d_transpose(x, 2, 3, strides=2, padding="same").shape
    (batch, 8, 8, 2)
    """


@implemented_by(transposed_convolution(3))
def conv3d_transpose() -> None:
    """`conv2d_transpose` for inputs (batch, depth, height, width, channels).

    >>> x = sg.placeholder("float32", ["batch", 2, 2, 2, 3], name="x")
    >>> sg.layers.conv3d_transpose(x, 2, 2, strides=2).shape
    (batch, 4, 4, 4, 2)
    """
