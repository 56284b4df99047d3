"""Pooling in machine code, where the extra `native` is installed.

Each function returns None for operands that NumPy's kernels are to take: of other dtypes, of no
entries, or whose entries do not lie side by side along an axis over which no window moves. See Note
[Native kernels] in `native_kernels.py`.
"""

import math
from functools import cache
from typing import Any

import numpy as np

from ..native_kernels import USED, is_installed
from .windows import Sizes, Slide, places

DTYPES = frozenset(map(np.dtype, ("f4", "f8")))
BYTE = np.dtype("u1")  # of indices
Out = np.ndarray | None
AXES = 1, 2, 3  # numbers of axes over which windows may move


@cache
def library() -> Any:
    """The module of native pooling; None without llvmlite."""
    if not is_installed():
        return None
    from ...native.pooling import library as found

    return found


def is_taken(kind: str, x: np.ndarray, slide: Slide, *others: np.ndarray) -> bool:
    """True for arrays whose entries machine code can read where they lie; others are indices."""
    if x.dtype not in DTYPES or not USED.get() or len(slide[0]) not in AXES:
        return False
    for a in (x, *others):
        if type(a) is not np.ndarray or not a.size or not a.flags.aligned:
            return False
        if any(s % a.itemsize for s in a.strides):
            return False
    if any(a.dtype != BYTE for a in others):
        return False
    return library() is not None and library().works(x.dtype, kind)


def pooled(x: np.ndarray, slide: Slide) -> tuple[int, ...]:
    """The shape of what is computed of each window of `x`."""
    first = x.ndim - len(slide[0])
    return (*x.shape[:first], *map(places, x.shape[first:], *slide))


def written(y: np.ndarray, out: Out) -> np.ndarray:
    """A result, in the array where it is wanted."""
    if out is None or out is y:
        return y
    np.copyto(out, y)
    return out


def reduced(kind: str, x: np.ndarray, slide: Slide, out: Out = None) -> np.ndarray | None:
    """A kind of pooling of the windows of `x`."""
    if not is_taken(kind, x, slide):
        return None
    y = np.empty_like(x, shape=pooled(x, slide))
    direct = out is not None and out.strides == y.strides and out.dtype == y.dtype
    y = out if direct and out is not None else y
    if y.size and not library().pool(kind, x, y, None, slide):
        return None
    return written(y, out)


def greatest(x: np.ndarray, slide: Slide, out: Out = None) -> np.ndarray | None:
    """The maximum of each window; NaN if there is one."""
    return reduced("greatest", x, slide, out)


def sums(x: np.ndarray, slide: Slide, out: Out = None) -> np.ndarray | None:
    """The sum of each window."""
    return reduced("sum", x, slide, out)


def greatest_and_places(
    x: np.ndarray, dtype: np.dtype, slide: Slide
) -> tuple[np.ndarray, np.ndarray] | None:
    """The maximum of each window, and the index within it of the first."""
    if dtype != BYTE or not is_taken("places", x, slide):
        return None
    y = np.empty_like(x, shape=pooled(x, slide))
    chosen = np.empty_like(y, dtype=dtype)
    if y.size and not library().pool("places", x, y, chosen, slide):
        return None
    return y, chosen


def do_overlap(slide: Slide) -> bool:
    """True if an entry may be in two windows."""
    window, strides, _, dilations = slide
    return not all(s > d * (k - 1) for k, s, d in zip(window, strides, dilations, strict=True))


def do_cover(sizes: Sizes, slide: Slide) -> bool:
    """True if windows lie side by side, and each entry is in one."""
    return all(
        s == k and pad == (0, 0) and d == 1 and n % k == 0
        for n, k, s, pad, d in zip(sizes, *slide, strict=True)
    )


def transposed(
    kind: str, g: np.ndarray, chosen: Out, shape: Sizes, slide: Slide, out: Out = None
) -> np.ndarray | None:
    """An array whose last axes have the sizes `shape`, with cotangents of windows in it."""
    overlap = do_overlap(slide)
    if overlap and kind == "spread":  # which NumPy's kernel adds up axis by axis
        return None
    kind += "sum" * overlap
    if not is_taken(kind, g, slide, *([] if chosen is None else [chosen])):
        return None
    full = (*g.shape[: g.ndim - len(shape)], *shape)
    if not math.prod(full):
        return None
    if chosen is not None and chosen.shape == g.shape and not lie_alike(g, chosen):
        g = laid_as(chosen, g)
    y = np.empty_like(g, shape=full)
    if out is not None and out.strides == y.strides and out.dtype == y.dtype:
        y = out
    if not do_cover(shape, slide):
        y[...] = 0
    if not library().pool(kind, y, g, chosen, slide, not overlap):
        return None
    return written(y, out)


def lie_alike(x: np.ndarray, y: np.ndarray) -> bool:
    """True if the strides of arrays of a shape are the same in entries."""
    steps = zip(x.shape, x.strides, y.strides, strict=True)
    return all(n == 1 or a * y.itemsize == b * x.itemsize for n, a, b in steps)


def laid_as(like: np.ndarray, x: np.ndarray) -> np.ndarray:
    """A copy of an array whose axes lie as those of another."""
    y = np.empty_like(like, dtype=x.dtype)
    np.copyto(y, x)
    return y


def put_at(
    g: np.ndarray, chosen: Any, shape: Sizes, slide: Slide, out: Out = None
) -> np.ndarray | None:
    """Zeros with each cotangent added at the chosen entry of its window."""
    return transposed("put", g, chosen, shape, slide, out)


def sums_transpose(g: np.ndarray, shape: Sizes, slide: Slide) -> np.ndarray | None:
    """The transpose of `sums`, for an operand whose last axes have the sizes `shape`."""
    return transposed("spread", g, None, shape, slide)


def taken_at(x: np.ndarray, chosen: Any, slide: Slide) -> np.ndarray | None:
    """The chosen entry of each window."""
    if not is_taken("pick", x, slide, chosen):
        return None
    y = np.empty_like(chosen, dtype=x.dtype)
    return y if library().pool("pick", x, y, chosen, slide) else None
