"""Windows that slide along the axes of an array: how many there are, and a view of them."""

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

Pads = Sequence[tuple[int, int]]


def extent(window: Any, dilation: int) -> np.ndarray:
    """The entries from the first of a window to the last."""
    return dilation * (window - 1) + 1


def places(size: Any, window: Any, stride: int, pad: tuple[int, int], dilation: int) -> Any:
    """How many windows there are along an axis of a size, which may be unknown."""
    return (size + sum(pad) - extent(window, dilation)) // stride + 1


def framed(x: np.ndarray, pads: Pads, fill: Any = 0, order: Any = "K") -> np.ndarray:
    """`x` with entries added around it, or taken away where a width is negative."""
    if not any(map(any, pads)):
        return x if order == "K" else np.ascontiguousarray(x)
    shape = tuple(n + lo + hi for n, (lo, hi) in zip(x.shape, pads, strict=True))
    if not isinstance(fill, int) or fill:
        y = np.full_like(x, fill, shape=shape, order=order)
    else:
        y = np.zeros_like(x, shape=shape, order=order)
    y[within(shape, pads)] = x[within(x.shape, inverse(pads))]
    return y


def inverse(pads: Pads) -> Pads:
    """The widths that take away what was added."""
    return [(-lo, -hi) for lo, hi in pads]


def within(shape: Sequence[int], pads: Pads) -> tuple[slice, ...]:
    """What is left of each axis without its first and last entries."""
    sides = zip(shape, pads, strict=True)
    return tuple(slice(max(lo, 0), max(0, n - max(hi, 0))) for n, (lo, hi) in sides)


def windows(
    x: np.ndarray,
    first: int,
    window: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
) -> Any:
    """A view of the windows over the axes of `x` from `first` on.

    In place of these axes it has those of the places of windows, followed by those of the entries
    of a window.
    """
    after = first + len(window)
    steps = x.strides[first:after]
    sizes = (
        places(n, k, s, (0, 0), d)
        for n, k, s, d in zip(x.shape[first:after], window, strides, dilations, strict=True)
    )
    shape = (*x.shape[:first], *sizes, *window, *x.shape[after:])
    moves = (
        *(step * s for step, s in zip(steps, strides)),
        *(step * d for step, d in zip(steps, dilations)),
    )
    found = (*x.strides[:first], *moves, *x.strides[after:])
    return as_strided(x, shape, found, writeable=False)


def in_runs(y: Any, x: Any) -> Any:
    """Two arrays of equal shapes, what lies in a row in both of them as one entry.

    So NumPy copies it in one step, which is up to twice as fast for runs of a few entries.
    """
    n, run = x.ndim, x.itemsize
    while n and x.strides[n - 1] == run == y.strides[n - 1]:
        run *= x.shape[n - 1]
        n -= 1
    if n == x.ndim or not x.size:
        return y, x
    kind = np.dtype((np.void, run))
    return tuple(a.reshape(*a.shape[:n], run // a.itemsize).view(kind)[..., 0] for a in (y, x))


def entries(
    sizes: Sequence[int], window: Sequence[int], strides: Sequence[int], dilations: Sequence[int]
) -> Iterator[tuple[Any, ...]]:
    """For each entry of a window, in order, where that entry of all windows lies: an index."""
    counts = [
        places(n, k, s, (0, 0), d)
        for n, k, s, d in zip(sizes, window, strides, dilations, strict=True)
    ]
    for entry in itertools.product(*map(range, window)):
        starts = [t * d for t, d in zip(entry, dilations)]
        stops = [i + s * (m - 1) + 1 for i, s, m in zip(starts, strides, counts)]
        yield (..., *map(slice, starts, stops, strides))
