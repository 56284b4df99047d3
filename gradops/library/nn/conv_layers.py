"""Convolution with bias and numeric, "same" or "valid" padding."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core import flops
from ...core.dims import Dim, Shape
from ...core.errors import OptionError, ShapeError
from ...core.op import Op
from ...core.samples import cases, complexes, reals
from ...core.traits import Trait
from ...core.types import ArrayType, conflict, result_dtype, shape_of, type_of
from ...kernels.nn import convolution as kernels
from ...kernels.nn.windows import extent
from ...typing import AnyArray, Arrays, Attrs, Flags, Operand, OperandLike
from ..elementwise.arithmetic import add
from ..families import invalid
from ..shape.broadcasting import broadcast_to, sum_to
from ..shape.movement import expand_dims, reshape, squeeze
from .convolution import batch, conv, conv_operand, conv_workspace, steps, to_filters, to_operand

__all__ = ["conv_bias", "conv_transposed", "convolution"]

Sizes = int | Sequence[int]


def for_each(op: str, name: str, value: Any, n: int) -> tuple[int, ...]:
    """A number for each of `n` axes, from one or from `n` of them."""
    if isinstance(value, int):
        return (value,) * n
    found = tuple(map(int, value))
    if len(found) == 1:
        return found * n
    if len(found) != n:
        raise OptionError(op, [], f"{name} is a number or {n} numbers, not {value}")
    return found


def widths(
    op: str, padding: Any, sizes: Shape, window: Shape, strides: Sequence[int], dilations: Any
) -> tuple[tuple[int, int], ...]:
    """The widths of padding before and after each axis.

    `padding` is a number, one for each axis, a pair for each axis, "valid" for none, or "same" for
    a window at every multiple of the stride.
    """
    n = len(window)
    if isinstance(padding, str):
        return named_padding(op, padding.lower(), sizes, window, strides, dilations)
    if not isinstance(padding, int) and any(isinstance(p, Sequence) for p in padding):
        if len(padding) != n or any(len(p) != 2 for p in padding):
            raise OptionError(op, [], f"padding has a pair for each of {n} axes, not {padding}")
        return tuple((int(lo), int(hi)) for lo, hi in padding)
    found = for_each(op, "padding", padding, n)
    if any(p < 0 for p in found):
        raise OptionError(op, [], f"padding is at least 0, not {padding}")
    return tuple((p, p) for p in found)


def named_padding(
    op: str, word: str, sizes: Shape, window: Shape, strides: Sequence[int], dilations: Any
) -> tuple[tuple[int, int], ...]:
    """The widths for "same" or "valid"; an odd total puts the extra entry after the axis."""
    if word not in ("same", "valid"):
        raise OptionError(op, [], f"padding in words is 'same' or 'valid', not {word!r}")
    if word == "valid":
        return ((0, 0),) * len(window)
    axes = zip(sizes, window, strides, dilations, strict=True)
    totals = [same_width(op, *axis) for axis in axes]
    return tuple((total // 2, total - total // 2) for total in totals)


def same_width(op: str, size: Any, window: Any, stride: int, dilation: int) -> int:
    """The total width of padding with which an axis has a window for each `stride` entries."""
    if isinstance(window, Dim) or (isinstance(size, Dim) and stride > 1):
        raise ShapeError(op, [], "padding 'same' with a stride needs to know the sizes")
    if stride == 1:
        return int(extent(window, dilation)) - 1
    rest = size % stride or stride
    return max(0, int(extent(window, dilation)) - rest)


def convolution(
    x: OperandLike, w: OperandLike, b: OperandLike | None = None, stride: Sizes = 1,
    padding: Any = 0, dilation: Sizes = 1, groups: int = 1,
) -> Any:
    """The convolution of `x` with the filters `w`.

    Shapes are (examples, channels, ...) and (filters, channels / groups, ...), with as many spatial
    axes each; the axis of examples may be missing. `padding` is a number, one or a pair of them for
    each axis, "same" or "valid". Raises ShapeError for channels or sizes that do not fit.

    >>> convolution(np.ones((1, 1, 4)), np.ones((1, 1, 3)), padding=1)
    array([[[2., 3., 3., 2.]]])
    """
    n = len(shape_of(w)) - 2
    if len(shape_of(x)) == n + 1:
        y = convolution(expand_dims(x, axis=0), w, b, stride, padding, dilation, groups)
        return squeeze(y, axis=0)
    strides, dilations = (
        for_each("convolution", name, v, n)
        for name, v in (("stride", stride), ("dilation", dilation))
    )
    sizes = (shape_of(x)[2:], shape_of(w)[2:])
    pads = widths("convolution", padding, *sizes, strides, dilations)
    given = {"strides": strides, "pads": pads, "dilations": dilations, "groups": groups}
    return conv(x, w, **given) if b is None else conv_bias(x, w, b, **given)


def add_bias(y: AnyArray, b: Any) -> AnyArray:
    """`y` plus a number for each channel."""
    if b is None:
        return y
    check_bias("conv_transposed", type_of(y), type_of(b), shape_of(y)[1])
    return add(y, along_channels(b, y))


def check_bias(op: str, x: ArrayType, b: ArrayType, channels: Any) -> None:
    """Raise a ShapeError unless the bias has one number for each channel."""
    if b.ndim != 1 or conflict(b.shape, [channels]):
        raise ShapeError(op, [x, b], f"a bias has {channels} entries, one for each channel")


def along_channels(b: Operand, y: Any) -> Operand:
    """Numbers per channel, reshaped to broadcast with `y`."""
    return reshape(b, shape=(-1, *(1,) * (len(shape_of(y)) - 2)))


def conv_bias_infer(x: ArrayType, w: ArrayType, b: ArrayType, **attrs: object) -> ArrayType:
    y = conv.infer(x, w, **attrs)
    check_bias("conv_bias", x, b, w.shape[0])
    return ArrayType(y.shape, result_dtype(np.add, (y.dtype, b.dtype)))


def conv_bias_kernel(
    x: Any, w: Any, b: Any, strides: Any = None, pads: Any = None, dilations: Any = None,
    groups: int = 1, out: np.ndarray | None = None,
) -> Any:  # fmt: skip
    given = {"strides": strides, "pads": pads, "dilations": dilations, "groups": groups}
    found = conv_bias_infer(type_of(x), type_of(w), type_of(b), **given)
    moves = steps(x.ndim - 2, strides, pads, dilations)
    if found.dtype != np.result_type(x, w):
        channels: Any = along_channels(b, x)
        return np.add(kernels.convolve(x, w, moves, groups), channels, out=out)
    return kernels.convolve(x, w, moves, groups, b, out)


def conv_bias_batch(op: Op, xs: Arrays, batched: Flags, attrs: Attrs) -> AnyArray:
    """The batched convolution plus the biases."""
    x, w, b = xs
    y = batch(conv, (x, w), batched[:2], attrs) if any(batched[:2]) else conv(x, w, **attrs)
    if not batched[2]:
        return add(y, along_channels(b, x if batched[0] is False else type_of(x).example))
    n, count = shape_of(b)
    rest = (1,) * (len(shape_of(y)) - 2 - any(batched[:2]))
    return add(y, reshape(b, shape=(n, 1, count, *rest)))


conv_bias = Op(
    "conv_bias", conv_bias_kernel, traits=[Trait.CHANNELS_LAST], infer=conv_bias_infer, arity=3,
    flops=flops.conv_bias, workspace=conv_workspace,
    vjp=[
        lambda g, y, x, w, b, **attrs: to_operand(g, w, x, attrs),
        lambda g, y, x, w, b, **attrs: to_filters(x, g, w, attrs),
        lambda g, y, x, w, b, **attrs: reshape(
            sum_to(g, shape=(*shape_of(b), *(1,) * (len(shape_of(g)) - 2))), shape=shape_of(b)
        ),
    ],
    jvp=[
        lambda t, y, x, w, b, **attrs: conv(t, w, **attrs),
        lambda t, y, x, w, b, **attrs: conv(x, t, **attrs),
        lambda t, y, x, w, b, **attrs: broadcast_to(along_channels(t, y), shape=shape_of(y)),
    ],
    batch=conv_bias_batch,
    samples=cases(
        reals((2, 3, 7), (4, 3, 3), (4,)),
        reals((2, 4, 5, 6), (6, 2, 2, 3), (6,), strides=(2, 1), pads=((1, 0), (0, 2)), groups=2),
        reals((0, 2, 4), (3, 2, 3), (3,)), complexes((1, 2, 4), (1, 2, 3), (1,)),
    ),
    error_samples=[invalid((2, 3, 7), (4, 3, 3), (3,), says="a bias has 4 entries")],
    doc="`conv` with a bias for each filter.",
)


def conv_transposed(
    x: OperandLike, w: Any, b: OperandLike | None = None, stride: Sizes = 1, padding: Any = 0,
    output_padding: Sizes = 0, groups: int = 1, dilation: Sizes = 1,
) -> Any:
    """The transposed convolution, with filters (channels, filters/groups, ...).

    An axis of n entries gets (n - 1) stride + dilation (window - 1) + 1 entries, less the padding,
    and `output_padding` more at the end.

    >>> conv_transposed(np.ones((1, 1, 2)), np.ones((1, 1, 2)), stride=2)
    array([[[1., 1., 1., 1.]]])
    """
    n = len(shape_of(w)) - 2
    if len(shape_of(x)) == n + 1:
        x = expand_dims(x, axis=0)
        y = conv_transposed(x, w, b, stride, padding, output_padding, groups, dilation)
        return squeeze(y, axis=0)
    named = {"stride": stride, "output_padding": output_padding, "dilation": dilation}
    strides, more, dilations = (for_each("conv_transposed", k, v, n) for k, v in named.items())
    check_output_padding(more, strides, dilations)
    window = shape_of(w)[2:]
    pads = widths("conv_transposed", padding, shape_of(x)[2:], window, (1,) * n, dilations)
    pads = tuple((lo, hi - m) for (lo, hi), m in zip(pads, more, strict=True))
    axes = zip(shape_of(x)[2:], strides, window, dilations, pads, strict=True)
    sizes = tuple((m - 1) * s + extent(k, d) - lo - hi for m, s, k, d, (lo, hi) in axes)
    y = conv_operand(
        x, w, shape=sizes, strides=strides, pads=pads, dilations=dilations, groups=groups
    )
    return add_bias(y, b)


def check_output_padding(
    more: Sequence[int], strides: Sequence[int], dilations: Sequence[int]
) -> None:
    """Raise unless output padding is less than the stride or dilation."""
    if any(not 0 <= m < max(s, d) for m, s, d in zip(more, strides, dilations)):
        raise OptionError(
            "conv_transposed", [], f"output_padding {more} is at least 0, and less than stride or"
            " dilation",
        )  # fmt: skip
