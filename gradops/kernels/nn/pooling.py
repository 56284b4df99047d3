"""Pooling over the last axes of an array, with one operation for each entry of a window.

Results have the memory layout of their operand, as that of a convolution has channels last.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...typing import DTypeLike
from . import native_pooling as native
from .native_convolution import tried_first
from .windows import Pads, Sizes, Slide, entries, inner_slices, pad_with

Out = np.ndarray | None
LONG = 4  # entries of a window up to which they are combined one at a time
BITS = {np.dtype(f"f{n}"): np.dtype(f"i{n}") for n in (2, 4, 8)}  # floats and integers as wide


def full_padding(x: np.ndarray, pads: Pads) -> Pads:
    """The widths of padding for all axes, of which `pads` are the last."""
    return [(0, 0)] * (x.ndim - len(pads)) + list(pads)


def along_each(sizes: Sizes, window: Sizes, strides: Sizes, dilations: Sizes) -> Iterator[Any]:
    """For each axis, the indices of the entries of windows along it alone."""
    n = len(window)
    for i in range(n):
        only = [slice(None)] * (n - 1 - i)
        one = entries(sizes[i : i + 1], window[i : i + 1], strides[i : i + 1], dilations[i : i + 1])
        yield [(*index, *only) for index in one]


def reduce_windows(x: np.ndarray, combine: Any, fill: Any, slide: Slide, out: Out = None) -> Any:
    """The entries of each window reduced by `combine`, along one axis after the other."""
    window, strides, pads, dilations = slide
    y = pad_with(x, full_padding(x, pads), fill)
    begin = y.ndim - len(window)
    axes = along_each(y.shape[begin:], window, strides, dilations)
    for i, (first, *others) in enumerate(axes, begin):
        into = out if i == y.ndim - 1 else None
        if is_tiled(y.shape[i], window[i - begin], strides[i - begin], dilations[i - begin]):
            y = combine.reduce(split_axis(y, i, window[i - begin]), axis=i + 1, out=into)
            continue
        total = y[first]
        for k, index in enumerate(others):
            total = combine(total, y[index], out=total if k else into)
        y = total
    if out is not None and y is not out:
        np.copyto(out, y)
        return out
    return y.copy(order="K") if np.may_share_memory(y, x) else y


def is_tiled(size: int, window: int, stride: int, dilation: int) -> bool:
    """True if long windows are adjacent and cover an axis."""
    return window > LONG and stride == window and dilation == 1 and size % window == 0


def split_axis(x: np.ndarray, axis: int, window: int) -> np.ndarray:
    """`x` with an axis split into windows and their entries: a view if possible."""
    return x.reshape(*x.shape[:axis], x.shape[axis] // window, window, *x.shape[axis + 1 :])


@tried_first(native.sums)
def sums(x: np.ndarray, slide: Slide, out: Out = None) -> Any:
    """The sum of each window."""
    return reduce_windows(x, np.add, 0, slide, out)


@tried_first(native.greatest)
def greatest(x: np.ndarray, slide: Slide, out: Out = None) -> Any:
    """The maximum of each window; NaN if there is one."""
    return reduce_windows(x, np.maximum, least(x.dtype), slide, out)


def least(dtype: np.dtype) -> Any:
    """The smallest number of a dtype."""
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min


@tried_first(native.sums_transpose)
def sums_transpose(g: np.ndarray, shape: Sizes, slide: Slide) -> np.ndarray:
    """The transpose of `sums`, for an operand whose last axes have the sizes `shape`."""
    window, strides, pads, dilations = slide
    first = g.ndim - len(window)
    sizes = [n + lo + hi for n, (lo, hi) in zip(shape, pads, strict=True)]
    axes = list(along_each(sizes, window, strides, dilations))
    for i in reversed(range(len(window))):
        full = (*g.shape[: first + i], sizes[i], *g.shape[first + i + 1 :])
        if is_tiled(sizes[i], window[i], strides[i], dilations[i]):
            y = np.empty_like(g, shape=full)
            split_axis(y, first + i, window[i])[...] = np.expand_dims(g, first + i + 1)
            g = y
            continue
        y = np.zeros_like(g, shape=full)
        for index in axes[i]:
            y[index] += g
        g = y
    return g[inner_slices(g.shape, full_padding(g, pads))]


def places_of_greatest(x: np.ndarray, dtype: np.dtype, slide: Slide) -> np.ndarray:
    """The index within each window of its first maximum; NaN is greatest."""
    return greatest_and_places(x, dtype, slide)[1]


@tried_first(native.greatest_and_places)
def greatest_and_places(
    x: np.ndarray, dtype: np.dtype, slide: Slide
) -> tuple[np.ndarray, np.ndarray]:
    """The maximum of each window, and the index within it of the first, which is no padding."""
    y = greatest(x, slide)
    window, strides, pads, dilations = slide
    looks_alike = any(map(any, pads)) and bool((y == least(x.dtype)).any())
    inside = np.ones(x.shape[x.ndim - len(window) :], bool)
    inside = pad_with(inside, list(pads), False) if looks_alike else inside
    x = pad_with(x, full_padding(x, pads), least(x.dtype))
    where = list(entries(x.shape[x.ndim - len(window) :], window, strides, dilations))
    unordered = x.dtype.kind == "f" and bool(np.isnan(y).any())
    last = len(where) - (0 if unordered or looks_alike else 1)  # or what is no other is the last
    found = np.full_like(y, last % len(where), dtype=dtype)
    for k in reversed(range(last)):
        part = x[where[k]]
        here = part == y
        if unordered:
            here |= np.isnan(part)
        if looks_alike:
            here &= inside[where[k][-len(window) :]]
        found ^= (found ^ dtype.type(k)) & all_bits(here, dtype)
    return y, found


def all_bits(mask: np.ndarray, dtype: DTypeLike) -> np.ndarray:
    """Integers with all bits set where the mask holds, else none: faster than `np.where`."""
    return np.negative(mask.view(np.int8)).astype(dtype)


@tried_first(native.put_at)
def put_at(g: np.ndarray, chosen: Any, shape: Sizes, slide: Slide, out: Out = None) -> np.ndarray:
    """Zeros with each cotangent added at the chosen entry of its window."""
    window, strides, pads, dilations = slide
    sizes = [n + lo + hi for n, (lo, hi) in zip(shape, pads, strict=True)]
    full = (*g.shape[: g.ndim - len(window)], *sizes)
    if out is not None and out.shape == full:
        y = out
        y[...] = 0
    else:
        y = np.zeros_like(g, shape=full)
    apart = all(s > d * (k - 1) for k, s, d in zip(window, strides, dilations, strict=True))
    for k, index in enumerate(entries(sizes, window, strides, dilations)):
        if apart:
            masked_values(g, chosen == k, y[index])
        else:
            y[index] += masked_values(g, chosen == k)
    y = y[inner_slices(y.shape, full_padding(y, pads))]
    if out is None or np.may_share_memory(y, out):
        return y
    np.copyto(out, y)
    return out


def masked_values(x: np.ndarray, mask: np.ndarray, out: Any = None) -> Any:
    """`x` where the mask holds, else 0; not a product, which would give NaN for infinities."""
    bits = BITS.get(x.dtype)
    if bits is None:
        found = np.where(mask, x, np.zeros((), x.dtype))
        return found if out is None else np.copyto(out, found)
    into = None if out is None else out.view(bits)
    return np.bitwise_and(x.view(bits), all_bits(mask, bits), out=into).view(x.dtype)


@tried_first(native.taken_at)
def taken_at(x: np.ndarray, chosen: Any, slide: Slide) -> np.ndarray:
    """The chosen entry of each window."""
    window, strides, pads, dilations = slide
    x = pad_with(x, full_padding(x, pads))
    y = np.zeros_like(chosen, dtype=x.dtype)
    where = entries(x.shape[x.ndim - len(window) :], window, strides, dilations)
    for k, index in enumerate(where):
        y += masked_values(x[index], chosen == k)
    return y
