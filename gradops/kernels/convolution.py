"""Convolution and its transposes as products of matrices.

Note [Channels last]. All three work on arrays whose channels are last in memory: there the entries
of a window lie in long runs, and windows become the rows of a matrix by few and fast copies. The
axes of results are in the usual order, channels first, but their memory is not, so what follows in
a network finds it as it needs it, and nothing is turned around.

Note [Blocks]. The matrix of all windows has each entry of an operand many times. It is made and
used in blocks that stay in the cache.
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .windows import extent, framed, places, windows

BLOCK = 1 << 20  # bytes of the windows that are copied at a time
Sizes = Sequence[int]
Pads = Sequence[tuple[int, int]]


def convolve(x: Any, w: Any, strides: Sizes, pads: Pads, dilations: Sizes, groups: int) -> Any:
    """The products of the filters `w` with the windows of `x`, summed: channels first."""
    return np.moveaxis(correlate(np.moveaxis(x, 1, -1), w, strides, pads, dilations, groups), -1, 1)


def correlate(x: Any, w: Any, strides: Sizes, pads: Pads, dilations: Sizes, groups: int) -> Any:
    """The same for an `x` with channels last, and so is the result."""
    views = windows_of(x, w.shape[2:], strides, pads, dilations)
    n = len(strides)
    y = np.empty((*views.shape[: n + 1], len(w)), np.result_type(x, w))
    filters = matrices(w, groups)
    for part in blocks(views):
        rows = rows_of(views[part], n, groups)
        into = y[part].reshape(rows.shape[1], groups, -1).transpose(1, 0, 2)
        np.matmul(rows, filters, out=into)
    return y


def windows_of(x: Any, window: Sizes, strides: Sizes, pads: Pads, dilations: Sizes) -> Any:
    """The windows over all axes of `x` but the first and the last, after padding."""
    return windows(framed(x, ((0, 0), *pads, (0, 0)), order="C"), 1, window, strides, dilations)


def matrices(w: Any, groups: int) -> Any:
    """The filters of each group as the columns of a matrix."""
    filters = np.moveaxis(w, 1, -1).reshape(groups, len(w) // groups, math.prod(w.shape[1:]))
    return np.ascontiguousarray(filters.transpose(0, 2, 1))


def blocks(views: Any) -> Iterator[tuple[slice, slice]]:
    """Parts of the windows that are made at a time: some examples, or some rows of one."""
    n, m = views.shape[:2]
    one = max(1, views[:1, :1].size * views.itemsize)
    rows = min(m, max(1, BLOCK // one))
    examples = max(1, BLOCK // (one * m)) if m and rows == m else 1
    for i in range(0, n, examples):
        for j in range(0, m, max(1, rows)):
            yield slice(i, i + examples), slice(j, j + rows)


def rows_of(views: Any, n: int, groups: int) -> Any:
    """Windows over `n` axes as the rows of a matrix for each group of channels."""
    *shape, channels = views.shape
    parted = views.reshape(*shape, groups, channels // groups)
    copied = np.empty((groups, *shape, channels // groups), views.dtype)
    np.copyto(copied, np.moveaxis(parted, -2, 0))
    return copied.reshape(groups, math.prod(shape[: n + 1]), -1)


def weigh(
    x: Any, g: Any, shape: Sizes, strides: Sizes, pads: Pads, dilations: Sizes, groups: int
) -> Any:
    """The transpose of `convolve` in its filters, of sizes `shape`: windows times cotangents."""
    x, g = np.moveaxis(x, 1, -1), np.moveaxis(g, 1, -1)
    n, filters = len(strides), g.shape[-1]
    views = fitted(windows_of(x, shape, strides, pads, dilations), g, n)
    width = math.prod(shape) * x.shape[-1] // groups
    total = np.zeros((groups, filters // groups, width), np.result_type(x, g))
    for part in blocks(views):
        rows = rows_of(views[part], n, groups)
        by_group = g[part].reshape(rows.shape[1], groups, -1).transpose(1, 2, 0)
        total += np.matmul(by_group, rows)
    full = total.reshape(filters, *shape, x.shape[-1] // groups)
    return np.ascontiguousarray(np.moveaxis(full, -1, 1))


def fitted(views: Any, g: Any, n: int) -> Any:
    """The windows for which there is a cotangent."""
    return views[tuple(slice(0, m) for m in g.shape[: n + 1])]


def spread(
    g: Any, w: Any, shape: Sizes, strides: Sizes, pads: Pads, dilations: Sizes, groups: int
) -> Any:
    """The transpose of `convolve` in its operand, whose axes have the sizes `shape`.

    Entries that are a stride apart see the same part of each filter. They are a convolution of `g`
    with that part, turned around.
    """
    g, turned = np.moveaxis(g, 1, -1), exchanged(w, groups)
    once = (1,) * len(strides)
    axes = zip(shape, g.shape[1:-1], w.shape[2:], strides, pads, dilations, strict=True)
    parts = list(itertools.product(*(list(phases(*axis)) for axis in axes)))
    if strides == once:
        _, taps, frames, steps = zip(*parts[0])
        turned = turned[(slice(None), slice(None), *taps)]
        return np.moveaxis(correlate(g, turned, once, frames, steps, groups), -1, 1)
    y = np.zeros((len(g), *shape, len(turned)), np.result_type(g, w))
    for part in parts:
        entries, taps, frames, steps = zip(*part)
        seen = turned[(slice(None), slice(None), *taps)]
        y[(slice(None), *entries)] = correlate(g, seen, once, frames, steps, groups)
    return np.moveaxis(y, -1, 1)


def exchanged(w: Any, groups: int) -> Any:
    """The filters with channels of operand and result in each other's place."""
    parted = w.reshape(groups, -1, *w.shape[1:]).swapaxes(1, 2)
    return parted.reshape(-1, *parted.shape[2:])


def phases(
    size: int, given: int, window: int, stride: int, pad: tuple[int, int], dilation: int
) -> Iterator[tuple[slice, slice, tuple[int, int], int]]:
    """Which entries along an axis see which part of a filter: entries, part, frame, dilation.

    Entry p + s j sees the cotangent j + (p + lo - d t) / s through tap t, where s divides that.
    """
    for p in range(min(stride, size)):
        taps = [t for t in range(window) if (p + pad[0] - t * dilation) % stride == 0]
        if not taps:
            continue
        apart = taps[1] - taps[0] if len(taps) > 1 else stride
        step = apart * dilation // stride
        before = (taps[-1] * dilation - p - pad[0]) // stride
        count = places(size - p, 1, stride, (0, 0), 1)
        after = count - given - before + extent(len(taps), step) - 1
        stop = taps[0] - 1 if taps[0] else None
        yield slice(p, None, stride), slice(taps[-1], stop, -apart), (before, after), step
