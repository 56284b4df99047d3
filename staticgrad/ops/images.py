"""TensorFlow's convolutions, pooling and normalization of images, whose channels come last.

The ops of `gradops` have channels second; their results have them last in memory, so transposing
costs nothing.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import gradops as ops
from gradops import OptionError, ShapeError
from gradops.core.dims import Size
from gradops.core.types import shape_of, type_of
from gradops.library.nn.conv_layers import widths
from gradops.typing import AnyArray, Operand, Sizes

from .declarations import implemented_by

Strides = Sizes | None
Padding = str | int | Sequence[int] | Sequence[Sequence[int]]
Option = Strides | Padding
Given = Operand | None
Format = str | None
CHANNELS_LAST = {"NWC": 1, "NHWC": 2, "NDHWC": 3}
CHANNELS_FIRST = {"NCW": 1, "NCHW": 2, "NCDHW": 3}


def is_last(data_format: Format, n: int) -> bool:
    """Whether a data format for `n` spatial axes has channels last, as is the default."""
    if data_format is None or CHANNELS_LAST.get(data_format) == n:
        return True
    if CHANNELS_FIRST.get(data_format) == n:
        return False
    names = [k for k, v in (CHANNELS_LAST | CHANNELS_FIRST).items() if v == n]
    raise OptionError("a layer", [], f"data_format is {' or '.join(names)}, not {data_format!r}")


def spatial_option(op: str, value: Option, n: int, last: bool) -> Any:
    """The value of an option for the spatial axes, from one number or a number per axis."""
    if value is None:
        return 1
    if isinstance(value, int | str) or len(value) == n:
        return value
    if len(value) == 1:
        return value[0]
    if len(value) != n + 2:
        raise OptionError(op, [], f"{value} is for {len(value)} axes, not for {n} or {n + 2}")
    rest = (value[0], value[-1]) if last else value[:2]
    if any(v not in (1, (0, 0), [0, 0]) for v in rest):
        raise OptionError(op, [], f"{value} names axes of examples or channels, which it cannot")
    return tuple(value[1:-1] if last else value[2:])


def channels_second(x: Operand, last: bool) -> Operand:
    """Move the channels to the second axis."""
    return ops.moveaxis(x, -1, 1) if last else x


def channels_last(y: AnyArray, last: bool) -> AnyArray:
    """Move the channels to the last axis, if the data format has them there."""
    return ops.moveaxis(y, 1, -1) if last else y


def filters_first(filter: Operand, n: int) -> AnyArray:
    """Filters (..., in, out) as (out, in, ...)."""
    if len(shape_of(filter)) != n + 2:
        raise ShapeError("conv", [type_of(filter)], f"filters have {n + 2} axes: sizes, in, out")
    return ops.transpose(filter, axes=(n + 1, n, *range(n)))


def convolution(n: int) -> Callable[..., AnyArray]:
    """The convolution over `n` spatial axes with TensorFlow's options."""
    op = f"conv{n}d"

    def call(
        input: Operand, filter: Operand, strides: Strides = 1, padding: Padding = "VALID",
        data_format: Format = None, dilations: Strides = None,
    ) -> AnyArray:  # fmt: skip
        last = is_last(data_format, n)
        x, w = channels_second(input, last), filters_first(filter, n)
        require_channels(op, input, filter, last)
        groups = groups_of(shape_of(x)[1:2], shape_of(w)[1])
        option = partial(spatial_option, op, n=n, last=last)
        options = option(strides), option(padding), option(dilations)
        return channels_last(ops.convolution(x, w, None, *options, groups), last)

    return call


def require_channels(op: str, input: Operand, filter: Operand, last: bool) -> None:
    """Raise ShapeError unless the filters fit the channels, naming axes as the user has them."""
    has, takes = shape_of(input)[-1 if last else 1], shape_of(filter)[-2]
    if isinstance(has, int) and isinstance(takes, int) and (not takes or has % takes):
        raise ShapeError(
            op, [type_of(input), type_of(filter)],
            f"the input has {has} channels, the filters (..., in, out) take {takes}",
            hint=f"channels are the {'last' if last else 'second'} axis of the input, as"
            " data_format says",
        )  # fmt: skip


def groups_of(channels: Sequence[Size], per_group: Size) -> int:
    """The number of groups of channels: 1 if it is unknown or the filters do not fit."""
    known = [n for n in (*channels, per_group) if isinstance(n, int) and n]
    return known[0] // known[1] if len(known) == 2 and known[0] % known[1] == 0 else 1


@implemented_by(convolution(1))
def conv1d() -> None:
    """Convolve sequences (batch, width, in) with filters (width, in, out).

    >>> sg.nn.conv1d(np.ones((1, 3, 1)), np.ones((2, 1, 1)), 1, "SAME")[0, :, 0]
    array([2., 2., 1.])
    """


@implemented_by(convolution(2))
def conv2d() -> None:
    """Convolve images (batch, height, width, in) with filters (height, width, in, out).

    `strides` and `dilations` are a number, two, or four in the order of `data_format`; `padding`
    is "SAME", "VALID", or a pair for each axis. With filters of fewer channels than the images it
    is a grouped convolution.

    >>> sg.nn.conv2d(np.ones((1, 3, 3, 1)), np.ones((2, 2, 1, 1)), [1, 2, 2, 1], "SAME")[0, ..., 0]
    array([[4., 2.],
           [2., 1.]])
    """


@implemented_by(convolution(3))
def conv3d() -> None:
    """Convolve volumes (batch, depth, height, width, in); filters end in axes (in, out).

    >>> sg.nn.conv3d(np.ones((1, 2, 2, 2, 1)), np.ones((2, 2, 2, 1, 1))).ravel()
    array([8.])
    """


def transposed_convolution(n: int) -> Callable[..., AnyArray]:
    """The transpose of a convolution over `n` spatial axes with TensorFlow's options."""

    def call(
        input: Operand, filter: Operand, output_shape: Sequence[Size], strides: Strides = 1,
        padding: Padding = "SAME", data_format: Format = None, dilations: Strides = None,
    ) -> AnyArray:  # fmt: skip
        last, op = is_last(data_format, n), f"conv{n}d_transpose"
        x, w = channels_second(input, last), filters_first(filter, n)
        if len(output_shape) not in (n, n + 2):
            raise OptionError(op, [], f"output_shape {output_shape} is not for {n + 2} axes")
        sizes = tuple(output_shape)
        if len(sizes) > n:
            sizes = sizes[1:-1] if last else sizes[2:]
        steps = [spatial_option(op, v, n, last) for v in (strides, dilations)]
        stride, dilation = ((v,) * n if isinstance(v, int) else tuple(v) for v in steps)
        pads = spatial_option(op, padding, n, last)
        pads = widths(op, pads, sizes, shape_of(w)[2:], stride, dilation)
        y = ops.conv_operand(x, w, shape=sizes, strides=stride, pads=pads, dilations=dilation)
        return channels_last(y, last)

    return call


@implemented_by(transposed_convolution(1))
def conv1d_transpose() -> None:
    """The transpose of `conv1d` in its input, with filters (width, out, in).

    >>> sg.nn.conv1d_transpose(np.ones((1, 2, 1)), np.ones((2, 1, 1)), [1, 4, 1], 2).ravel()
    array([1., 1., 1., 1.])
    """


@implemented_by(transposed_convolution(2))
def conv2d_transpose() -> None:
    """The transpose of `conv2d` in its input, with filters (height, width, out, in).

    >>> x, w = np.ones((1, 1, 1, 1)), np.ones((2, 2, 1, 1))
    >>> sg.nn.conv2d_transpose(x, w, [1, 2, 2, 1], 2).shape
    (1, 2, 2, 1)
    """


@implemented_by(transposed_convolution(3))
def conv3d_transpose() -> None:
    """The transpose of `conv3d` in its input, with filters (depth, height, width, out, in).

    >>> x, w = np.ones((1, 1, 1, 1, 1)), np.ones((2, 2, 2, 1, 1))
    >>> sg.nn.conv3d_transpose(x, w, [1, 2, 2, 2, 1], 2).shape
    (1, 2, 2, 2, 1)
    """


def depthwise_conv2d(
    input: Operand, filter: Operand, strides: Strides = 1, padding: Padding = "VALID",
    rate: Strides = None, data_format: Format = None, dilations: Strides = None,
) -> AnyArray:  # fmt: skip
    """Convolve each channel of images with its filters (height, width, in, multiplier).

    >>> sg.nn.depthwise_conv2d(np.ones((1, 2, 2, 3)), np.ones((2, 2, 3, 2))).shape
    (1, 1, 1, 6)
    """
    if len(shape_of(filter)) != 4:
        takes = "filters are (height, width, in, multiplier)"
        raise ShapeError("depthwise_conv2d", [type_of(filter)], takes)
    h, w, channels, multiplier = shape_of(filter)
    filter = ops.reshape(filter, shape=(h, w, 1, channels * multiplier))
    dilations = rate if dilations is None else dilations
    return conv2d(input, filter, strides, padding, data_format, dilations)


def separable_conv2d(
    input: Operand, depthwise_filter: Operand, pointwise_filter: Operand, strides: Strides = 1,
    padding: Padding = "VALID", rate: Strides = None, data_format: Format = None,
    dilations: Strides = None,
) -> AnyArray:  # fmt: skip
    """`depthwise_conv2d` followed by a convolution with filters (1, 1, in * multiplier, out).

    >>> x, d, p = np.ones((1, 2, 2, 3)), np.ones((2, 2, 3, 2)), np.ones((1, 1, 6, 4))
    >>> sg.nn.separable_conv2d(x, d, p).shape
    (1, 1, 1, 4)
    """
    y = depthwise_conv2d(input, depthwise_filter, strides, padding, rate, data_format, dilations)
    return conv2d(y, pointwise_filter, 1, "VALID", data_format)


def depth_to_space(input: Operand, block_size: int, data_format: str = "NHWC") -> AnyArray:
    """Rearrange channels of images into spatial blocks.

    >>> sg.nn.depth_to_space(np.arange(4.0).reshape(1, 1, 1, 4), 2)[0, ..., 0]
    array([[0., 1.],
           [2., 3.]])
    """
    last, b = is_last(data_format, 2), block_size
    x = channels_second(input, last)
    n, c, h, w = shape_of(x)
    if isinstance(c, int) and c % (b * b):
        reason = f"{c} channels are not a multiple of {b}**2"
        raise ShapeError("depth_to_space", [type_of(input)], reason)
    parted = ops.reshape(x, shape=(n, b, b, c // (b * b), h, w))
    moved = ops.transpose(parted, axes=(0, 3, 4, 1, 5, 2))
    return channels_last(ops.reshape(moved, shape=(n, c // (b * b), h * b, w * b)), last)


def space_to_depth(input: Operand, block_size: int, data_format: str = "NHWC") -> AnyArray:
    """Rearrange spatial blocks of images into channels.

    >>> sg.nn.space_to_depth(np.arange(4.0).reshape(1, 2, 2, 1), 2).ravel()
    array([0., 1., 2., 3.])
    """
    last, b = is_last(data_format, 2), block_size
    x = channels_second(input, last)
    n, c, h, w = shape_of(x)
    if any(isinstance(m, int) and m % b for m in (h, w)):
        raise ShapeError("space_to_depth", [type_of(input)], f"its sizes are not multiples of {b}")
    parted = ops.reshape(x, shape=(n, c, h // b, b, w // b, b))
    moved = ops.transpose(parted, axes=(0, 3, 5, 1, 2, 4))
    return channels_last(ops.reshape(moved, shape=(n, c * b * b, h // b, w // b)), last)


def pooling(pool: Callable[..., AnyArray], n: int | None = None) -> Callable[..., AnyArray]:
    """The pooling over `n` spatial axes, or as many as there are, with TensorFlow's options."""

    def call(
        input: Operand, ksize: Strides, strides: Strides, padding: Padding,
        data_format: Format = None,
    ) -> AnyArray:  # fmt: skip
        axes = len(shape_of(input)) - 2 if n is None else n
        if len(shape_of(input)) != axes + 2 or axes < 1:
            raise ShapeError("pool", [type_of(input)], f"it takes {axes + 2} axes")
        last = is_last(data_format, axes)
        options = [spatial_option("pool", v, axes, last) for v in (ksize, strides, padding)]
        return channels_last(pool(channels_second(input, last), *options, axes), last)

    return call


def max_of_windows(x: Operand, size: Sizes, steps: Strides, padding: Padding, n: int) -> AnyArray:
    """The largest entry of each window."""
    return ops.max_pooling(x, size, steps, padding, 1, n)


def mean_of_windows(x: Operand, size: Sizes, steps: Strides, padding: Padding, n: int) -> AnyArray:
    """The mean of each window; padding does not count."""
    return ops.avg_pool(x, size, steps, padding, n, count_padding=False)


@implemented_by(pooling(max_of_windows))
def max_pool() -> None:
    """The largest entry of each window of images (batch, height, width, channels).

    Sequences and volumes are pooled likewise. `padding` is "SAME" or "VALID".

    >>> sg.nn.max_pool(np.arange(9.0).reshape(1, 3, 3, 1), 2, 2, "SAME")[0, ..., 0]
    array([[4., 5.],
           [7., 8.]])
    """


@implemented_by(pooling(mean_of_windows))
def avg_pool() -> None:
    """The mean of each window of images (batch, height, width, channels), without padding.

    >>> sg.nn.avg_pool(np.arange(9.0).reshape(1, 3, 3, 1), 2, 2, "SAME")[0, ..., 0]
    array([[2. , 3.5],
           [6.5, 8. ]])
    """


@implemented_by(pooling(max_of_windows, 1))
def max_pool1d() -> None:
    """`max_pool` of sequences (batch, width, channels)."""


@implemented_by(pooling(max_of_windows, 2))
def max_pool2d() -> None:
    """`max_pool` of images (batch, height, width, channels)."""


@implemented_by(pooling(max_of_windows, 3))
def max_pool3d() -> None:
    """`max_pool` of volumes (batch, depth, height, width, channels)."""


@implemented_by(pooling(mean_of_windows, 1))
def avg_pool1d() -> None:
    """`avg_pool` of sequences (batch, width, channels)."""


@implemented_by(pooling(mean_of_windows, 2))
def avg_pool2d() -> None:
    """`avg_pool` of images (batch, height, width, channels)."""


@implemented_by(pooling(mean_of_windows, 3))
def avg_pool3d() -> None:
    """`avg_pool` of volumes (batch, depth, height, width, channels)."""


def fused_batch_norm(
    x: Operand, scale: Operand, offset: Operand, mean: Given = None, variance: Given = None,
    epsilon: float = 0.001, data_format: str = "NHWC", is_training: bool = True,
) -> tuple[AnyArray, Given, Given]:  # fmt: skip
    """Batch normalization of images: the result, the mean and the variance of each channel.

    Training uses the statistics of the batch, and returns the unbiased variance. Otherwise the
    given statistics are used and returned.

    >>> y, mean, variance = sg.nn.fused_batch_norm(
    ...     np.array([1.0, 3.0]).reshape(2, 1, 1, 1), np.ones(1), np.zeros(1), epsilon=0.0
    ... )
    >>> y.ravel(), mean, variance
    (array([-1.,  1.]), array([2.]), array([2.]))
    """
    last = is_last(data_format, 2)
    images = channels_second(x, last)
    if not is_training:
        y = ops.batch_norm(images, scale, offset, epsilon, (mean, variance))
        return channels_last(y, last), mean, variance
    axes = (0, 2, 3)
    batch_mean = ops.mean(images, axis=axes)
    inverse_std = ops.inverse_spread(images, axis=axes, epsilon=0.0)
    n, _, h, w = shape_of(images)
    entries = n * h * w
    unbiased = ops.mul(ops.div(1, ops.square(inverse_std)), ops.div(entries, entries - 1))
    y = ops.batch_norm(images, scale, offset, epsilon)
    return channels_last(y, last), batch_mean, ops.reshape(unbiased, shape=(-1,))


def local_response_normalization(
    input: Operand, depth_radius: int = 5, bias: float = 1.0, alpha: float = 1.0, beta: float = 0.5
) -> AnyArray:
    """Divide images by a power of the sum of squares over neighbouring channels.

    >>> sg.nn.local_response_normalization(np.full((1, 1, 1, 1), 2.0), bias=0.0).ravel()
    array([1.])
    """
    size = 2 * depth_radius + 1
    x = channels_second(input, True)
    return channels_last(ops.local_response_norm(x, size, alpha * size, beta, bias), True)
