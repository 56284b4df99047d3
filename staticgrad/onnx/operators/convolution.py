"""Convolutions."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradops import OPS

from ..reading.registry import operator
from ..reading.values import Value
from .elementwise import cast, like
from .normalization import by_channel
from .products import less_zero
from .windows import Ints, Windows, windows_of


@operator("Conv")
def conv(
    x: Value, w: Value, b: Value | None = None, *, auto_pad: str = "NOTSET", dilations: Ints = None,
    group: int = 1, kernel_shape: Ints = None, pads: Ints = None, strides: Ints = None,
) -> Any:  # fmt: skip
    """The convolution of examples and channels with (filters, channels / group, ...)."""
    given = windows_of(x.shape[2:], w.shape[2:], auto_pad, dilations, pads, strides)
    options = {"strides": given.strides, "pads": given.pads, "dilations": given.dilations}
    if b is None:
        return OPS["conv"](x, w, **options, groups=group)
    return OPS["conv_bias"](x, w, b, **options, groups=group)


@operator("ConvInteger", 10)
def conv_integer(
    x: Value, w: Value, x_zero: Value | None = None, w_zero: Value | None = None, *,
    auto_pad: str = "NOTSET", dilations: Ints = None, group: int = 1, kernel_shape: Ints = None,
    pads: Ints = None, strides: Ints = None,
) -> Any:  # fmt: skip
    """The convolution of small integers, less their zero points, as int32."""
    if w_zero is not None and len(w_zero.shape) == 1 and w_zero.shape[0] > 1:
        w_zero = OPS["reshape"](w_zero, shape=(-1, *(1,) * (len(w.shape) - 1)))
    wide = [cast(less_zero(v, zero), np.float64) for v, zero in ((x, x_zero), (w, w_zero))]
    y = conv(*wide, auto_pad=auto_pad, dilations=dilations, group=group, pads=pads, strides=strides)
    return cast(y, np.int32)


@operator("ConvTranspose")
def conv_transpose(
    x: Value, w: Value, b: Value | None = None, *, auto_pad: str = "NOTSET", dilations: Ints = None,
    group: int = 1, kernel_shape: Ints = None, output_padding: Ints = None,
    output_shape: Ints = None, pads: Ints = None, strides: Ints = None,
) -> Any:  # fmt: skip
    """The transpose of the convolution, with filters (channels, filters / group, ...)."""
    space, k = x.shape[2:], len(w.shape) - 2
    plain = windows_of(space, w.shape[2:], "NOTSET", dilations, None, strides)
    more = output_padding or (0,) * k
    each = zip(space, plain.strides, more, plain.extents(), strict=True)
    full = [s * (n - 1) + m + e for n, s, m, e in each]
    pairs = transposed_pads(space, full, auto_pad, output_shape, pads, plain)
    sizes = [n - a - z for n, (a, z) in zip(full, pairs, strict=True)]
    ends = tuple((a, z - m) for (a, z), m in zip(pairs, more, strict=True))
    y = OPS["conv_operand"](
        x, w, shape=tuple(sizes), strides=plain.strides, pads=ends, dilations=plain.dilations,
        groups=group,
    )  # fmt: skip
    return y if b is None else y + by_channel(b, y)


def transposed_pads(
    space: Sequence[Any], full: Sequence[Any], auto_pad: str, output_shape: Ints, pads: Ints,
    plain: Windows,
) -> list[tuple[Any, Any]]:  # fmt: skip
    """What is cut off each axis: given, or so that the result has the wanted sizes."""
    k = len(full)
    if output_shape is not None:
        totals = [n - m for n, m in zip(full, output_shape[-k:], strict=True)]
    elif auto_pad.startswith("SAME"):
        totals = [n - m * s for n, m, s in zip(full, space, plain.strides, strict=True)]
    else:
        given = (0,) * (2 * k) if pads is None or auto_pad == "VALID" else tuple(pads)
        return list(zip(given[:k], given[k:], strict=True))
    halves = [(n - n // 2, n // 2) for n in totals]
    return [(a, z) for z, a in halves] if auto_pad == "SAME_UPPER" else halves


@operator("DeformConv", 19)
def deform_conv(
    x: Value, w: Value, offset: Value, b: Value | None = None, mask: Value | None = None, *,
    dilations: Ints = None, group: int = 1, kernel_shape: Ints = None, offset_group: int = 1,
    pads: Ints = None, strides: Ints = None,
) -> Any:  # fmt: skip
    """A convolution whose windows are sampled at places that inputs move."""
    from .sampling import bilinear_at

    given = windows_of(x.shape[2:], w.shape[2:], "NOTSET", dilations, pads, strides)
    (n, c), (out_h, out_w), (kh, kw) = x.shape[:2], offset.shape[2:], given.window
    taps = kh * kw
    offset = OPS["reshape"](offset, shape=(n, offset_group, taps, 2, out_h, out_w))
    ys, xs = (base_places(given, axis, size, like(0, offset).dtype)
              for axis, size in enumerate((out_h, out_w)))  # fmt: skip
    rows = OPS["reshape"](ys.repeat(kw, axis=0), shape=(taps, out_h, 1)) + offset[:, :, :, 0]
    columns = OPS["reshape"](np.tile(xs, (kh, 1)), shape=(taps, 1, out_w)) + offset[:, :, :, 1]
    grouped = OPS["reshape"](x, shape=(n * offset_group, c // offset_group, *x.shape[2:]))
    flat = (n * offset_group, taps * out_h * out_w)
    samples = bilinear_at(grouped, *(OPS["reshape"](v, shape=flat) for v in (rows, columns)))
    samples = OPS["reshape"](
        samples, shape=(n, offset_group, c // offset_group, taps, out_h, out_w)
    )
    if mask is not None:
        samples = samples * OPS["reshape"](mask, shape=(n, offset_group, 1, taps, out_h, out_w))
    per_group = (n, group, c // group * taps, out_h * out_w)
    columns = OPS["reshape"](samples, shape=per_group)
    filters = OPS["reshape"](w, shape=(group, w.shape[0] // group, math.prod(w.shape[1:])))
    y = OPS["reshape"](OPS["matmul"](filters, columns), shape=(n, w.shape[0], out_h, out_w))
    return y if b is None else y + by_channel(b, y)


def base_places(given: Windows, axis: int, size: int, dtype: Any) -> np.ndarray:
    """The places of a window's taps along an axis, (taps, windows), before they are moved."""
    k, s, d = given.window[axis], given.strides[axis], given.dilations[axis]
    return (np.arange(k)[:, None] * d + np.arange(size) * s - given.pads[axis][0]).astype(dtype)
