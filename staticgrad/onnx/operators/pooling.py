"""Pooling."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

import gradops as ops
from gradops import OPS
from gradops.core.dims import Dim

from ..reading.registry import operator
from ..reading.values import Value, filled, integers, known
from .elementwise import cast, like
from .windows import Ints, Windows, windows_of


@operator("MaxPool")
def max_pool(
    x: Value, *, kernel_shape: Sequence[int], auto_pad: str = "NOTSET", ceil_mode: int = 0,
    dilations: Ints = None, pads: Ints = None, storage_order: int = 0, strides: Ints = None,
    wanted: tuple[bool, ...] = (True,),
) -> Any:  # fmt: skip
    """The largest entry of each window, and on demand its index in the flattened input."""
    given = windows_of(
        x.shape[2:], kernel_shape, auto_pad, dilations, pads, strides, bool(ceil_mode)
    )
    y = OPS["max_pool"](x, **given.attributes)
    if not any(wanted[1:]):
        return y, None
    return y, flat_places(x, OPS["places_of_max"](x, **given.attributes), given, storage_order)


def flat_places(x: Value, entry: Any, given: Windows, column_major: int) -> Any:
    """The index in the flattened input for the index of an entry in its window."""
    space, k = x.shape[2:], len(given.window)
    rest, along = cast(entry, np.int64), []
    for i in range(k):
        inner = math.prod(given.window[i + 1 :])
        step, rest = OPS["floor_divide"](rest, inner), OPS["remainder"](rest, inner)
        starts = np.arange(entry.shape[2 + i]) * given.strides[i] - given.pads[i][0]
        along.append(step * given.dilations[i] + starts.reshape(-1, *(1,) * (k - 1 - i)))
    order = reversed(range(k)) if column_major else range(k)
    place: Any = 0
    for i in order:
        place = place * space[i] + along[i]
    planes = np.arange(math.prod(x.shape[:2])).reshape(*x.shape[:2], *(1,) * k)
    return place + planes * math.prod(space)


@operator("AveragePool")
def average_pool(
    x: Value, *, kernel_shape: Sequence[int], auto_pad: str = "NOTSET", ceil_mode: int = 0,
    count_include_pad: int = 0, dilations: Ints = None, pads: Ints = None, strides: Ints = None,
) -> Any:  # fmt: skip
    """The mean of each window; entries of the padding count where asked."""
    options = (kernel_shape, auto_pad, dilations, pads, strides)
    given = windows_of(x.shape[2:], *options, bool(ceil_mode))
    inner = windows_of(x.shape[2:], *options)
    return OPS["sum_pool"](x, **given.attributes) / counts(x, given, inner, bool(count_include_pad))


def counts(x: Value, given: Windows, inner: Windows, include: bool) -> Any:
    """How many entries each window has; those of `inner`'s padding count if `include`."""
    space = x.shape[2:]
    if any(isinstance(n, Dim) for n in space):
        ones: Any = ops.full_like(x[:1, :1], value=1)
    else:
        ones = np.ones((1, 1, *space), x.dtype)
    pads = given.pads
    if include:
        ones = OPS["pad"](ones, pad_width=((0, 0), (0, 0), *inner.pads), value=1)
        pads = tuple(
            (0, max(z - y, 0)) for (_, z), (_, y) in zip(given.pads, inner.pads, strict=True)
        )
    return OPS["sum_pool"](ones, **{**given.attributes, "pads": pads})


@operator("LpPool")
def lp_pool(
    x: Value, *, kernel_shape: Sequence[int], auto_pad: str = "NOTSET", ceil_mode: int = 0,
    dilations: Ints = None, p: float = 2, pads: Ints = None, strides: Ints = None,
) -> Any:  # fmt: skip
    """The p-norm of each window."""
    given = windows_of(
        x.shape[2:], kernel_shape, auto_pad, dilations, pads, strides, bool(ceil_mode)
    )
    powers = OPS["power"](OPS["abs"](x), like(p, x))
    return OPS["power"](OPS["sum_pool"](powers, **given.attributes), like(1 / p, x))


def space_of(x: Value) -> tuple[int, ...]:
    """The axes of space."""
    return tuple(range(2, len(x.shape)))


@operator("GlobalAveragePool")
def global_average_pool(x: Value) -> Any:
    """The mean over space."""
    return OPS["mean"](x, axis=space_of(x), keepdims=True)


@operator("GlobalMaxPool")
def global_max_pool(x: Value) -> Any:
    """The largest entry over space."""
    return OPS["max"](x, axis=space_of(x), keepdims=True)


@operator("GlobalLpPool")
def global_lp_pool(x: Value, *, p: float = 2) -> Any:
    """The p-norm over space."""
    sums = OPS["sum"](OPS["power"](OPS["abs"](x), like(p, x)), axis=space_of(x), keepdims=True)
    return OPS["power"](sums, like(1 / p, x))


@operator("MaxUnpool", 9)
def max_unpool(
    x: Value, places: Value, shape: Value | None = None, *, kernel_shape: Sequence[int],
    pads: Ints = None, strides: Ints = None,
) -> Any:  # fmt: skip
    """Zeros with each entry at the index that MaxPool gave."""
    given = windows_of(x.shape[2:], kernel_shape, "NOTSET", None, pads, strides)
    natural = [(n - 1) * s + k - a - z for n, s, k, (a, z) in
               zip(x.shape[2:], given.strides, given.window, given.pads, strict=True)]  # fmt: skip
    own = (*x.shape[:2], *natural)
    wanted = own if shape is None else integers(shape)
    # Indices are those of the natural shape: planes are filled, and padded to the wanted one.
    flat = OPS["scatter"](
        OPS["reshape"](x, shape=(-1,)), OPS["reshape"](in_wanted(places, own, wanted), shape=(-1,)),
        index=("array",), shape=(math.prod(wanted),),
    )  # fmt: skip
    return OPS["reshape"](flat, shape=tuple(wanted))


def in_wanted(places: Value, own: Sequence[int], wanted: Sequence[int]) -> Any:
    """Indices in an array of the shape `own` as those in one of the shape `wanted`."""
    if tuple(own) == tuple(wanted):
        return places
    result: Any = 0
    for i, n in enumerate(wanted):
        inner = math.prod(own[i + 1 :])
        result = result * n + OPS["remainder"](OPS["floor_divide"](places, inner), own[i])
    return result


@operator("MaxRoiPool")
def max_roi_pool(
    x: Value, rois: Value, *, pooled_shape: Sequence[int], spatial_scale: float = 1.0
) -> Any:
    """The largest entries in the cells of a grid on each region, whose places are known."""
    results = []
    for batch, *corners in known(rois):
        left, top, right, bottom = (round(float(v) * spatial_scale) for v in corners)
        rows = cells(top, bottom, pooled_shape[0], x.shape[2])
        columns = cells(left, right, pooled_shape[1], x.shape[3])
        image = x[int(batch)]
        lines = [OPS["stack"](*[of_cell(image, r, c) for c in columns], axis=-1) for r in rows]
        results.append(OPS["stack"](*lines, axis=-2))
    if not results:
        return filled((0, x.shape[1], *pooled_shape), like(0, x))
    return OPS["stack"](*results, axis=0)


def cells(start: int, end: int, count: int, size: int) -> list[slice]:
    """The cells of a grid along one axis of a region, cut to the input."""
    each = max(end - start + 1, 1) / count
    bounds = [
        (start + math.floor(i * each), start + math.ceil((i + 1) * each)) for i in range(count)
    ]
    return [slice(min(max(a, 0), size), min(max(b, 0), size)) for a, b in bounds]


def of_cell(x: Value, rows: slice, columns: slice) -> Any:
    """The largest entry of a cell, 0 where it is empty."""
    if rows.start >= rows.stop or columns.start >= columns.stop:
        return filled((x.shape[0],), like(0, x))
    return OPS["max"](x[:, rows, columns], axis=(-2, -1))
