"""Sliding windows: their number, and views of them."""

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

Sizes = Sequence[int]
Pads = Sequence[tuple[int, int]]
Slide = tuple[Sizes, Sizes, Pads, Sizes]  # window, strides, pads, dilations


def extent(window: Any, dilation: int) -> np.ndarray:
    """The number of entries from the first of a window to the last."""
    return dilation * (window - 1) + 1


def places(size: Any, window: Any, stride: int, pad: tuple[int, int], dilation: int) -> Any:
    """The number of windows along an axis, whose size may be unknown."""
    return (size + sum(pad) - extent(window, dilation)) // stride + 1


def pad_with(x: np.ndarray, pads: Pads, fill: Any = 0) -> np.ndarray:
    """`x` padded by `fill`, or cropped where a width is negative."""
    if not any(map(any, pads)):
        return x
    shape = tuple(n + lo + hi for n, (lo, hi) in zip(x.shape, pads, strict=True))
    if not isinstance(fill, int) or fill:
        y = np.full_like(x, fill, shape=shape)
    else:
        y = np.zeros_like(x, shape=shape)
    y[inner_slices(shape, pads)] = x[inner_slices(x.shape, inverse(pads))]
    return y


def inverse(pads: Pads) -> Pads:
    """The widths that undo a padding."""
    return [(-lo, -hi) for lo, hi in pads]


def inner_slices(shape: Sequence[int], pads: Pads) -> tuple[slice, ...]:
    """The slices of each axis without its padding."""
    sides = zip(shape, pads, strict=True)
    return tuple(slice(max(lo, 0), max(0, n - max(hi, 0))) for n, (lo, hi) in sides)


def windows(x: np.ndarray, first: int, window: Sizes, strides: Sizes, dilations: Sizes) -> Any:
    """A view of the windows over the axes of `x` from `first` on.

    These axes are replaced by those of the windows' positions, followed by those of the entries of
    a window.
    """
    after = first + len(window)
    steps = x.strides[first:after]
    axes = zip(x.shape[first:after], window, strides, dilations, strict=True)
    sizes = (places(n, k, s, (0, 0), d) for n, k, s, d in axes)
    shape = (*x.shape[:first], *sizes, *window, *x.shape[after:])
    moves = (step * n for several in (strides, dilations) for step, n in zip(steps, several))
    return as_strided(x, shape, (*x.strides[:first], *moves, *x.strides[after:]), writeable=False)


def merge_runs(y: Any, x: Any) -> Any:
    """Two arrays of equal shapes, with runs contiguous in both as single entries.

    So NumPy copies a run in one step, up to twice as fast for runs of a few entries.
    """
    n, run = x.ndim, x.itemsize
    while n and x.strides[n - 1] == run == y.strides[n - 1]:
        run *= x.shape[n - 1]
        n -= 1
    if n == x.ndim or not x.size:
        return y, x
    kind = np.dtype((np.void, run))
    return tuple(a.reshape(*a.shape[:n], run // a.itemsize).view(kind)[..., 0] for a in (y, x))


def entries(sizes: Sizes, window: Sizes, strides: Sizes, dilations: Sizes) -> Iterator[Any]:
    """For each entry of a window in order, the index of that entry of all windows."""
    axes = zip(sizes, window, strides, dilations, strict=True)
    counts = [places(n, k, s, (0, 0), d) for n, k, s, d in axes]
    for entry in itertools.product(*map(range, window)):
        starts = [t * d for t, d in zip(entry, dilations)]
        stops = [i + s * (m - 1) + 1 for i, s, m in zip(starts, strides, counts)]
        yield (..., *map(slice, starts, stops, strides))
