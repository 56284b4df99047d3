"""Pooling over the last axes of an array, with one operation for each entry of a window.

Results keep the layout of their operand in memory, as that of a convolution has channels last.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...typing import DTypeLike
from .windows import Pads, entries, framed, within

Sizes = Sequence[int]
LONG = 4  # entries of a window up to which they are combined one at a time
BITS = {np.dtype(f"f{n}"): np.dtype(f"i{n}") for n in (2, 4, 8)}  # floats and integers as wide


def around(x: np.ndarray, pads: Pads) -> Pads:
    """Widths of padding for all axes, of which `pads` are the last."""
    return [(0, 0)] * (x.ndim - len(pads)) + list(pads)


def along_each(sizes: Sizes, window: Sizes, strides: Sizes, dilations: Sizes) -> Iterator[Any]:
    """For each axis, the indices that give the entries of windows along it alone."""
    n = len(window)
    for i in range(n):
        only = [slice(None)] * (n - 1 - i)
        one = entries(sizes[i : i + 1], window[i : i + 1], strides[i : i + 1], dilations[i : i + 1])
        yield [(*index, *only) for index in one]


def combined(
    x: np.ndarray,
    combine: Any,
    fill: Any,
    window: Sizes,
    strides: Sizes,
    pads: Pads,
    dilations: Sizes,
) -> np.ndarray:
    """The entries of each window combined, along one axis after the other."""
    y = framed(x, around(x, pads), fill)
    begin = y.ndim - len(window)
    axes = along_each(y.shape[begin:], window, strides, dilations)
    for i, (first, *others) in enumerate(axes, begin):
        if tiled(y.shape[i], window[i - begin], strides[i - begin], dilations[i - begin]):
            y = combine.reduce(parted(y, i, window[i - begin]), axis=i + 1)
            continue
        total = y[first]
        for k, index in enumerate(others):
            total = combine(total, y[index], out=total if k else None)
        y = total
    return y.copy() if np.may_share_memory(y, x) else y


def tiled(size: int, window: int, stride: int, dilation: int) -> bool:
    """Whether long windows lie side by side and cover an axis."""
    return window > LONG and stride == window and dilation == 1 and size % window == 0


def parted(x: Any, axis: int, window: int) -> Any:
    """`x` with an axis parted in two, of windows and of their entries: a view if it can be."""
    return x.reshape(*x.shape[:axis], x.shape[axis] // window, window, *x.shape[axis + 1 :])


def sums(x: np.ndarray, *slide: Any) -> Any:
    """The sum of each window."""
    return combined(x, np.add, 0, *slide)


def greatest(x: np.ndarray, *slide: Any) -> Any:
    """The greatest entry of each window; NaN if there is one."""
    return combined(x, np.maximum, least(x.dtype), *slide)


def least(dtype: np.dtype) -> Any:
    """What is less than all other numbers of a dtype."""
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min


def spread_sums(
    g: np.ndarray, shape: Sizes, window: Sizes, strides: Sizes, pads: Pads, dilations: Sizes
) -> Any:
    """The transpose of `sums`, for an operand whose last axes have the sizes `shape`."""
    first = g.ndim - len(window)
    sizes = [n + lo + hi for n, (lo, hi) in zip(shape, pads, strict=True)]
    axes = list(along_each(sizes, window, strides, dilations))
    for i in reversed(range(len(window))):
        full = (*g.shape[: first + i], sizes[i], *g.shape[first + i + 1 :])
        if tiled(sizes[i], window[i], strides[i], dilations[i]):
            y = np.empty_like(g, shape=full)
            parted(y, first + i, window[i])[...] = np.expand_dims(g, first + i + 1)
            g = y
            continue
        y = np.zeros_like(g, shape=full)
        for index in axes[i]:
            y[index] += g
        g = y
    return g[within(g.shape, around(g, pads))]


def places_of_greatest(
    x: Any, dtype: np.dtype, window: Sizes, strides: Sizes, pads: Pads, dilations: Sizes
) -> Any:
    """The number of the first greatest entry in each window, counted in order; NaN is greatest."""
    y = greatest(x, window, strides, pads, dilations)
    x = framed(x, around(x, pads), least(x.dtype))
    where = list(entries(x.shape[x.ndim - len(window) :], window, strides, dilations))
    found = np.full_like(y, len(where) - 1, dtype=dtype)
    unordered = x.dtype.kind == "f" and bool(np.isnan(y).any())
    for k in reversed(range(len(where) - 1 + unordered)):
        part = x[where[k]]
        here = part == y
        if unordered:
            here |= np.isnan(part)
        found ^= (found ^ dtype.type(k)) & all_bits(here, dtype)
    return found


def all_bits(mask: np.ndarray, dtype: DTypeLike) -> Any:
    """Integers with all bits set where the mask holds, else with none: faster than `np.where`."""
    return np.negative(mask.view(np.int8)).astype(dtype)


def put_at(
    g: np.ndarray,
    chosen: Any,
    shape: Sizes,
    window: Sizes,
    strides: Sizes,
    pads: Pads,
    dilations: Sizes,
) -> Any:
    """Zeros with each cotangent added at the entry of its window that was chosen."""
    sizes = [n + lo + hi for n, (lo, hi) in zip(shape, pads, strict=True)]
    y = np.zeros_like(g, shape=(*g.shape[: g.ndim - len(window)], *sizes))
    apart = all(s > d * (k - 1) for k, s, d in zip(window, strides, dilations, strict=True))
    for k, index in enumerate(entries(sizes, window, strides, dilations)):
        if apart:
            masked(g, chosen == k, y[index])
        else:
            y[index] += masked(g, chosen == k)
    return y[within(y.shape, around(y, pads))]


def masked(x: np.ndarray, mask: np.ndarray, out: Any = None) -> Any:
    """`x` where the mask holds, else 0; never a product, which an infinity would make NaN."""
    bits = BITS.get(x.dtype)
    if bits is None:
        found = np.where(mask, x, np.zeros((), x.dtype))
        return found if out is None else np.copyto(out, found)
    into = None if out is None else out.view(bits)
    return np.bitwise_and(x.view(bits), all_bits(mask, bits), out=into).view(x.dtype)


def taken_at(
    x: np.ndarray, chosen: Any, window: Sizes, strides: Sizes, pads: Pads, dilations: Sizes
) -> Any:
    """The entry of each window that was chosen."""
    x = framed(x, around(x, pads))
    y = np.zeros_like(chosen, dtype=x.dtype)
    where = entries(x.shape[x.ndim - len(window) :], window, strides, dilations)
    for k, index in enumerate(where):
        y += masked(x[index], chosen == k)
    return y
