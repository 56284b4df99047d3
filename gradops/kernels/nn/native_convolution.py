"""Convolutions in machine code, where the extra `native` is installed.

Both functions return None for operands that NumPy's kernels are to take: of other dtypes, or of no
entries. See Note [Native kernels] in `native_kernels.py`.
"""

import math
from collections.abc import Callable
from functools import cache, wraps
from typing import Any, TypeVar

import numpy as np

from ..native_kernels import USED, is_installed
from .windows import Pads, Sizes, places

DTYPES = frozenset(map(np.dtype, ("f4", "f8")))
Steps = tuple[Sizes, Pads, Sizes]  # strides, pads, dilations
Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def tried_first(native: Callable[..., Any]) -> Callable[[Kernel], Kernel]:
    """A decorator of a kernel by NumPy, which is called where a native one returns None."""

    def decorate(by_numpy: Kernel) -> Kernel:
        @wraps(by_numpy)
        def kernel(*args: Any, **options: Any) -> Any:
            found = native(*args, **options)
            return by_numpy(*args, **options) if found is None else found

        kernel.by_numpy = by_numpy  # type: ignore[attr-defined]
        return kernel  # type: ignore[return-value]

    return decorate


@cache
def library() -> Any:
    """The module of native convolutions; None without llvmlite."""
    if not is_installed():
        return None
    from ...native.convolution import library as found

    return found


def are_taken(filters: int, *arrays: Any) -> bool:
    """True for arrays whose entries machine code can read where they lie."""
    dtype = arrays[0].dtype
    if dtype not in DTYPES or not USED.get():
        return False
    for x in arrays:
        if type(x) is not np.ndarray or x.dtype != dtype or not x.size or not x.flags.aligned:
            return False
        if any(s % dtype.itemsize for s in x.strides):
            return False
    return library() is not None and library().works(dtype, filters)


def convolve(
    x: np.ndarray, w: np.ndarray, steps: Steps, groups: int, bias: np.ndarray | None = None,
    out: np.ndarray | None = None,
) -> np.ndarray | None:  # fmt: skip
    """The convolution of `x` with the filters `w`, channels second but last in memory."""
    given = (x, w) if bias is None else (x, w, bias)
    beside = bias is None or bias.strides[0] == bias.itemsize
    if len(w) == 1 or not (beside and are_taken(len(w) // groups, *given)):
        return None  # with one filter all lanes of a vector but one would be idle
    sizes = tuple(map(places, x.shape[2:], w.shape[2:], *steps))
    into = out if out is not None and is_writable(out, x.dtype) else None
    if into is None:
        into = np.moveaxis(np.empty((len(x), *sizes, len(w)), x.dtype), -1, 1)
    if into.size:
        library().convolve(x, w, steps, groups, bias, into)
    if out is None or into is out:
        return into
    np.copyto(out, into)
    return out


def is_writable(y: np.ndarray, dtype: np.dtype) -> bool:
    """True if a convolution can be written to an array: its channels lie side by side."""
    beside = y.strides[1] == y.itemsize or y.shape[1] == 1
    return beside and y.dtype == dtype and are_taken(1, y)


def filter_gradient(
    x: np.ndarray, g: np.ndarray, shape: Sizes, steps: Steps, groups: int
) -> np.ndarray | None:
    """The gradient of filters of the sizes `shape`, in C order."""
    if g.shape[1] == 1 or not are_taken(g.shape[1] // groups, x, g):
        return None
    if not is_writable(g, x.dtype):  # its channels are not side by side
        g = np.moveaxis(np.ascontiguousarray(np.moveaxis(g, 1, -1)), -1, 1)
    to = np.empty((g.shape[1], x.shape[1] // groups, *shape), x.dtype)
    if to.size:
        library().filters(x, g, steps, groups, to)
    return to


def workspace(
    x: Sizes, w: Sizes, y: Sizes, steps: Steps, groups: int, dtype: np.dtype,
    for_filters: bool = False,
) -> int | None:  # fmt: skip
    """The bytes that a convolution of these sizes, channels second but last in memory, allocates.

    With `for_filters` those that the gradient of its filters does. None if NumPy computes it.
    """
    if dtype not in DTYPES or not USED.get() or 0 in (*x, *w, *y) or w[0] == 1 or library() is None:
        return None
    placed = [(shape, channels_last(shape)) for shape in (x, w, y)]
    found: int = library().workspace(dtype, for_filters, placed, steps, groups)
    return found


def channels_last(shape: Sizes) -> Sizes:
    """The strides in entries of an array whose second axis is the last in memory."""
    _, channels, *sizes = shape
    strides = [channels * math.prod(sizes[i:]) for i in range(len(sizes) + 1)]
    return (strides[0], 1, *strides[1:])
