"""TensorFlow's convolutions, pooling and normalization of images, whose channels come last.

Ops have channels second. Their results have them last in memory, so that turning the axes around
costs nothing.
"""

from collections.abc import Sequence
from typing import Any

import gradops as ops
from gradops import OptionError, ShapeError
from gradops.core.types import shape_of, type_of
from gradops.library.nn.conv_layers import widths

CHANNELS_LAST = {"NWC": 1, "NHWC": 2, "NDHWC": 3}
CHANNELS_FIRST = {"NCW": 1, "NCHW": 2, "NCDHW": 3}


def is_last(data_format: str | None, n: int) -> bool:
    """Whether a format for `n` axes of places has channels last, as is the default."""
    if data_format is None or CHANNELS_LAST.get(data_format) == n:
        return True
    if CHANNELS_FIRST.get(data_format) == n:
        return False
    names = [k for k, v in (CHANNELS_LAST | CHANNELS_FIRST).items() if v == n]
    raise OptionError("a layer", [], f"data_format is {' or '.join(names)}, not {data_format!r}")


def of_places(op: str, value: Any, n: int, last: bool) -> Any:
    """What an attribute says of the axes of places: a number, one for each, or one for all axes."""
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


def channels_second(x: Any, last: bool) -> Any:
    """`x` with its channels second."""
    return ops.moveaxis(x, -1, 1) if last else x


def channels_last(y: Any, last: bool) -> Any:
    """The result with its channels where the format has them."""
    return ops.moveaxis(y, 1, -1) if last else y


def filters_first(filter: Any, n: int) -> Any:
    """Filters (..., in, out) as (out, in, ...)."""
    if len(shape_of(filter)) != n + 2:
        raise ShapeError("conv", [type_of(filter)], f"filters have {n + 2} axes: sizes, in, out")
    return ops.transpose(filter, axes=(n + 1, n, *range(n)))


def convolution(
    n: int, input: Any, filter: Any, strides: Any, padding: Any, data_format: Any, dilations: Any
) -> Any:
    """A convolution over `n` axes, in TensorFlow's terms."""
    last, op = is_last(data_format, n), f"conv{n}d"
    x, w = channels_second(input, last), filters_first(filter, n)
    require_channels(op, input, filter, last)
    given = (of_places(op, v, n, last) for v in (strides, padding, dilations))
    stride, pads, dilation = given
    groups = groups_of(shape_of(x)[1:2], shape_of(w)[1])
    return channels_last(ops.convolution(x, w, None, stride, pads, dilation, groups), last)


def require_channels(op: str, input: Any, filter: Any, last: bool) -> None:
    """Refuse filters for another number of channels, in terms of axes as the user has them."""
    has, takes = shape_of(input)[-1 if last else 1], shape_of(filter)[-2]
    if isinstance(has, int) and isinstance(takes, int) and (not takes or has % takes):
        raise ShapeError(
            op, [type_of(input), type_of(filter)],
            f"the input has {has} channels, the filters (..., in, out) take {takes}",
            hint=f"channels are the {'last' if last else 'second'} axis of the input, as"
            " data_format says",
        )  # fmt: skip


def groups_of(channels: Any, per_group: Any) -> int:
    """How many groups of channels there are, if they are known and filters fit them."""
    known = all(isinstance(n, int) and n for n in (*channels, per_group))
    return int(channels[0] // per_group) if known and channels[0] % per_group == 0 else 1


def conv1d(
    input: Any, filter: Any, stride: Any = 1, padding: Any = "VALID",
    data_format: str | None = None, dilations: Any = None,
) -> Any:  # fmt: skip
    """Filters (width, in, out) along sequences (examples, width, in).

    >>> sg.nn.conv1d(np.ones((1, 3, 1)), np.ones((2, 1, 1)), 1, "SAME")[0, :, 0]
    array([2., 2., 1.])
    """
    return convolution(1, input, filter, stride, padding, data_format, dilations)


def conv2d(
    input: Any, filter: Any, strides: Any = 1, padding: Any = "VALID",
    data_format: str | None = "NHWC", dilations: Any = None,
) -> Any:  # fmt: skip
    """Filters (height, width, in, out) along images (examples, height, width, in).

    `strides` and `dilations` are a number, two, or four in the order of `data_format`; `padding`
    is "SAME", "VALID", or pairs for each axis. If filters have fewer channels than the images,
    groups of these have filters of their own.

    >>> sg.nn.conv2d(np.ones((1, 3, 3, 1)), np.ones((2, 2, 1, 1)), [1, 2, 2, 1], "SAME")[0, ..., 0]
    array([[4., 2.],
           [2., 1.]])
    """
    return convolution(2, input, filter, strides, padding, data_format, dilations)


def conv3d(
    input: Any, filter: Any, strides: Any = 1, padding: Any = "VALID",
    data_format: str | None = "NDHWC", dilations: Any = None,
) -> Any:  # fmt: skip
    """Filters (depth, height, width, in, out) along volumes (examples, depth, height, width, in).

    >>> sg.nn.conv3d(np.ones((1, 2, 2, 2, 1)), np.ones((2, 2, 2, 1, 1))).ravel()
    array([8.])
    """
    return convolution(3, input, filter, strides, padding, data_format, dilations)


def transposed(
    n: int, input: Any, filter: Any, output_shape: Sequence[Any], strides: Any, padding: Any,
    data_format: Any, dilations: Any,
) -> Any:  # fmt: skip
    """The transpose of a convolution over `n` axes, in TensorFlow's terms."""
    last, op = is_last(data_format, n), f"conv{n}d_transpose"
    x, w = channels_second(input, last), filters_first(filter, n)
    if len(output_shape) not in (n, n + 2):
        raise OptionError(op, [], f"output_shape {output_shape} is not for {n + 2} axes")
    sizes = tuple(output_shape)
    if len(sizes) > n:
        sizes = sizes[1:-1] if last else sizes[2:]
    steps = [of_places(op, v, n, last) for v in (strides, dilations)]
    stride, dilation = ((v,) * n if isinstance(v, int) else tuple(v) for v in steps)
    pads = of_places(op, padding, n, last)
    pads = widths(op, pads, sizes, shape_of(w)[2:], stride, dilation)
    y = ops.conv_operand(x, w, shape=sizes, strides=stride, pads=pads, dilations=dilation)
    return channels_last(y, last)


def conv1d_transpose(
    input: Any, filter: Any, output_shape: Any, strides: Any = 1, padding: Any = "SAME",
    data_format: str | None = "NWC", dilations: Any = None,
) -> Any:  # fmt: skip
    """The transpose of `conv1d` in its input, with filters (width, out, in).

    >>> sg.nn.conv1d_transpose(np.ones((1, 2, 1)), np.ones((2, 1, 1)), [1, 4, 1], 2).ravel()
    array([1., 1., 1., 1.])
    """
    return transposed(1, input, filter, output_shape, strides, padding, data_format, dilations)


def conv2d_transpose(
    input: Any, filter: Any, output_shape: Any, strides: Any = 1, padding: Any = "SAME",
    data_format: str | None = "NHWC", dilations: Any = None,
) -> Any:  # fmt: skip
    """The transpose of `conv2d` in its input, with filters (height, width, out, in).

    >>> x, w = np.ones((1, 1, 1, 1)), np.ones((2, 2, 1, 1))
    >>> sg.nn.conv2d_transpose(x, w, [1, 2, 2, 1], 2).shape
    (1, 2, 2, 1)
    """
    return transposed(2, input, filter, output_shape, strides, padding, data_format, dilations)


def conv3d_transpose(
    input: Any, filter: Any, output_shape: Any, strides: Any = 1, padding: Any = "SAME",
    data_format: str | None = "NDHWC", dilations: Any = None,
) -> Any:  # fmt: skip
    """The transpose of `conv3d` in its input, with filters (depth, height, width, out, in).

    >>> x, w = np.ones((1, 1, 1, 1, 1)), np.ones((2, 2, 2, 1, 1))
    >>> sg.nn.conv3d_transpose(x, w, [1, 2, 2, 2, 1], 2).shape
    (1, 2, 2, 2, 1)
    """
    return transposed(3, input, filter, output_shape, strides, padding, data_format, dilations)


def depthwise_conv2d(
    input: Any, filter: Any, strides: Any = 1, padding: Any = "VALID", rate: Any = None,
    data_format: str | None = None, dilations: Any = None,
) -> Any:  # fmt: skip
    """Filters (height, width, in, multiplier), each along one channel of images.

    >>> sg.nn.depthwise_conv2d(np.ones((1, 2, 2, 3)), np.ones((2, 2, 3, 2))).shape
    (1, 1, 1, 6)
    """
    if len(shape_of(filter)) != 4:
        raise ShapeError(
            "depthwise_conv2d", [type_of(filter)], "filters are (height, width, in, multiplier)"
        )
    h, w, channels, multiplier = shape_of(filter)
    filter = ops.reshape(filter, shape=(h, w, 1, channels * multiplier))
    dilations = rate if dilations is None else dilations
    return convolution(2, input, filter, strides, padding, data_format, dilations)


def separable_conv2d(
    input: Any, depthwise_filter: Any, pointwise_filter: Any, strides: Any = 1,
    padding: Any = "VALID", rate: Any = None, data_format: str | None = None,
    dilations: Any = None,
) -> Any:  # fmt: skip
    """`depthwise_conv2d`, and then filters (1, 1, in * multiplier, out).

    >>> x, d, p = np.ones((1, 2, 2, 3)), np.ones((2, 2, 3, 2)), np.ones((1, 1, 6, 4))
    >>> sg.nn.separable_conv2d(x, d, p).shape
    (1, 1, 1, 4)
    """
    y = depthwise_conv2d(input, depthwise_filter, strides, padding, rate, data_format, dilations)
    return convolution(2, y, pointwise_filter, 1, "VALID", data_format, None)


def depth_to_space(input: Any, block_size: int, data_format: str = "NHWC") -> Any:
    """Channels of images as blocks of places.

    >>> sg.nn.depth_to_space(np.arange(4.0).reshape(1, 1, 1, 4), 2)[0, ..., 0]
    array([[0., 1.],
           [2., 3.]])
    """
    last, b = is_last(data_format, 2), block_size
    x = channels_second(input, last)
    n, c, h, w = shape_of(x)
    if isinstance(c, int) and c % (b * b):
        raise ShapeError(
            "depth_to_space", [type_of(input)], f"{c} channels are no multiple of {b}**2"
        )
    parted = ops.reshape(x, shape=(n, b, b, c // (b * b), h, w))
    moved = ops.transpose(parted, axes=(0, 3, 4, 1, 5, 2))
    return channels_last(ops.reshape(moved, shape=(n, c // (b * b), h * b, w * b)), last)


def space_to_depth(input: Any, block_size: int, data_format: str = "NHWC") -> Any:
    """Blocks of places of images as channels.

    >>> sg.nn.space_to_depth(np.arange(4.0).reshape(1, 2, 2, 1), 2).ravel()
    array([0., 1., 2., 3.])
    """
    last, b = is_last(data_format, 2), block_size
    x = channels_second(input, last)
    n, c, h, w = shape_of(x)
    if any(isinstance(m, int) and m % b for m in (h, w)):
        raise ShapeError("space_to_depth", [type_of(input)], f"its sizes are no multiples of {b}")
    parted = ops.reshape(x, shape=(n, c, h // b, b, w // b, b))
    moved = ops.transpose(parted, axes=(0, 3, 5, 1, 2, 4))
    return channels_last(ops.reshape(moved, shape=(n, c * b * b, h // b, w // b)), last)
