"""Sliding windows, their transpose, which adds windows up, and im2col."""

import math
from collections.abc import Sequence
from itertools import product as combinations
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ...core import flops
from ...core.dims import Shape, Size
from ...core.errors import OptionError, ShapeError
from ...core.op import Op
from ...core.samples import cases, complexes, reals
from ...core.traits import Trait
from ...core.types import ArrayType, conflict, normalize_axes, shape_of, type_of
from ...kernels.nn.windows import places
from ...typing import Attrs, Flags, Operand, OperandLike
from ..families import invalid, linear
from ..index.indexing import index
from ..nn.conv_layers import for_each, widths
from .movement import VIEW, reshape, transpose
from .padding import pad

__all__ = ["fold", "sliding_window_view", "sum_windows", "unfold", "windows"]

Numbers = tuple[int, ...]


def check_windows(op: str, x: ArrayType, size: Numbers, axis: Numbers, *steps: Numbers) -> Numbers:
    """The axes of the windows, after a check of sizes, steps and dilations."""
    found = normalize_axes(op, x, axis)
    if any(len(v) != len(found) for v in (size, *steps)):
        raise ShapeError(op, [x], f"{len(size)} sizes of windows do not fit {len(found)} axes")
    if any(min(v, default=1) < 1 for v in (size, *steps)):
        raise OptionError(op, [x], f"the size {size} or a step of {steps} is less than 1")
    return found


def window_count(n: Size, size: int, step: int, dilation: int) -> Size:
    """The number of windows along an axis of `n` entries."""
    return (n - dilation * (size - 1) - 1) // step + 1


def windows_type(
    op: str, x: ArrayType, size: Numbers, axis: Numbers, step: Numbers, dilation: Numbers
) -> ArrayType:
    """The type of an array of windows."""
    shape = list(x.shape)
    for a, *window in zip(check_windows(op, x, size, axis, step, dilation), size, step, dilation):
        shape[a] = many = window_count(shape[a], *window)
        if isinstance(many, int) and many < 1:
            reason = f"a window of {window[0]} does not fit axis {a} of size {x.shape[a]}"
            raise ShapeError(op, [x], reason)
    return ArrayType((*shape, *size), x.dtype)


def windows_kernel(
    x: np.ndarray, size: Numbers, axis: Numbers, step: Numbers, dilation: Numbers
) -> np.ndarray:
    shape, strides = list(x.shape), list(x.strides)
    for a, *window in zip(axis, size, step, dilation, strict=True):
        many: Any = window_count(shape[a], *window)
        if many < 1 or min(window) < 1 or not 0 <= a < x.ndim:
            raise ValueError("type inference has the words for the user")
        strides.append(strides[a] * window[2])
        shape[a], strides[a] = many, strides[a] * window[1]
    apart = all(s > d * (k - 1) for k, s, d in zip(size, step, dilation, strict=True))
    return as_strided(x, (*shape, *size), strides, writeable=apart)


def batch_attrs(op: Op, ndim: int, attrs: Attrs) -> Any:
    """The attributes for a stack of operands with `ndim` axes each."""
    axes = normalize_axes(op, ArrayType((1,) * ndim, bool), attrs["axis"])
    return {**attrs, "axis": tuple(a + 1 for a in axes)}


windows = linear(
    "windows", windows_kernel, infer=lambda x, **attrs: windows_type("windows", x, **attrs),
    transpose=lambda g, y, x, **attrs: sum_windows(g, shape=shape_of(x), **attrs),
    batch=lambda op, xs, batched, attrs: op(
        xs[0], **batch_attrs(op, len(shape_of(xs[0])) - 1, attrs)
    ),
    traits=VIEW | {Trait.OVERLAPPING},
    samples=cases(
        reals((5, 2), size=(3,), axis=(0,), step=(1,), dilation=(1,)),
        reals((2, 5, 6), size=(2, 3), axis=(1, 2), step=(2, 1), dilation=(1, 2)),
        reals((4,), size=(2,), axis=(0,), step=(3,), dilation=(1,)),
        reals((0, 3), size=(2,), axis=(1,), step=(1,), dilation=(1,)),
        complexes((3,), size=(2,), axis=(0,), step=(1,), dilation=(1,)),
    ),
    error_samples=[
        invalid((3,), size=(4,), axis=(0,), step=(1,), dilation=(1,),
                says="a window of 4 does not fit axis 0 of size 3"),
        invalid((3,), size=(2,), axis=(1,), step=(1,), dilation=(1,),
                says="axis 1 is out of range"),
        invalid((3,), size=(2,), axis=(0,), step=(0,), dilation=(1,), error=OptionError,
                says="less than 1"),
        invalid((3,), size=(2, 2), axis=(0,), step=(1,), dilation=(1,),
                says="2 sizes of windows do not fit 1 axes"),
    ],
    doc="Sliding windows along axes, each along new last axes: a view.",
)


def sum_windows_infer(g: ArrayType, shape: Shape, **attrs: Numbers) -> ArrayType:
    found = windows_type("sum_windows", ArrayType(shape, g.dtype), **attrs)
    if found.ndim != g.ndim or conflict(found.shape, g.shape):
        raise ShapeError("sum_windows", [g], f"the windows of the shape {shape} have type {found}")
    return ArrayType(shape, g.dtype)


def sum_windows_kernel(
    g: Any, shape: Any, size: Numbers, axis: Numbers, step: Numbers, dilation: Numbers
) -> np.ndarray:
    """Adds, for each position in a window, that entry of all windows as one strided slice."""
    y = np.zeros(shape, g.dtype)
    key: list[Any] = [slice(None)] * y.ndim
    for offsets in combinations(*map(range, size)):
        for a, i, s, d in zip(axis, offsets, step, dilation, strict=True):
            key[a] = slice(i * d, i * d + s * (g.shape[a] - 1) + 1, s)
        y[tuple(key)] += g[(..., *offsets)]
    return y


def sum_windows_batch(op: Op, xs: Any, batched: Flags, attrs: dict[str, Any]) -> Operand:
    shape = (shape_of(xs[0])[0], *attrs["shape"])
    return op(xs[0], **{**batch_attrs(op, len(shape) - 1, attrs), "shape": shape})


sum_windows = linear(
    "sum_windows", sum_windows_kernel, infer=sum_windows_infer,
    flops=flops.per_operand(1),
    transpose=lambda g, y, x, shape, **attrs: windows(g, **attrs), batch=sum_windows_batch,
    samples=cases(
        reals((3, 3), shape=(5,), size=(3,), axis=(0,), step=(1,), dilation=(1,)),
        reals((2, 2, 2, 2, 3), shape=(2, 5, 6), size=(2, 3), axis=(1, 2), step=(2, 1),
              dilation=(1, 2)),
    ),
    error_samples=[
        invalid((3, 2), shape=(5,), size=(3,), axis=(0,), step=(1,), dilation=(1,),
                says="have type float64[3, 3]"),
    ],
    doc="The transpose of `windows`: sliding windows added up in zeros of a shape.",
)


def sliding_window_view(
    x: OperandLike, window_shape: Any, axis: int | None = None, step: Any = 1, dilation: Any = 1
) -> Any:
    """Sliding windows of `x` along axes, each along new last axes: a view.

    `step` is the distance between windows, `dilation` that between entries of a window; each is one
    number, or one for each axis. Raises ShapeError if a window does not fit.

    >>> sliding_window_view(np.arange(5), 3, step=2)
    array([[0, 1, 2],
           [2, 3, 4]])
    """
    kind = type_of(x)
    size = as_numbers(window_shape)
    if axis is None and len(size) != kind.ndim:
        reason = f"{len(size)} sizes of windows do not fit {kind.ndim} axes"
        raise ShapeError("sliding_window_view", [kind], reason, hint="name the axes: axis=")
    axes = normalize_axes("sliding_window_view", kind, axis)
    steps, dilations = (as_numbers(v, len(axes)) for v in (step, dilation))
    return windows(x, size=size, axis=axes, step=steps, dilation=dilations)


def as_numbers(v: Any, times: int = 1) -> Numbers:
    """A tuple of numbers; a single number is repeated."""
    return tuple(v) if isinstance(v, tuple | list) else (v,) * times


Sizes = int | Sequence[int]


def steps(
    op: str, n: int, window: Sizes, stride: Sizes, padding: Any, dilation: Sizes
) -> tuple[Any, ...]:
    """The window, strides, padding and dilations of each of `n` axes."""
    window, stride, dilation = (
        for_each(op, name, v, n)
        for name, v in (("window", window), ("stride", stride), ("dilation", dilation))
    )
    return window, stride, widths(op, padding, window, window, stride, dilation), dilation


def unfold(
    x: Any, window: Sizes, stride: Sizes = 1, padding: Any = 0, dilation: Sizes = 1, axes: int = 2
) -> Any:
    """Windows over the last axes of `x` (examples, channels, ...) as columns.

    The result has the shape (examples, channels * window size, windows).

    >>> unfold(np.arange(4.0).reshape(1, 1, 4), 2, axes=1)
    array([[[0., 1., 2.],
            [1., 2., 3.]]])
    """
    if len(shape_of(x)) != axes + 2:
        raise ShapeError("unfold", [type_of(x)], f"it takes {axes + 2} axes")
    size, step, pads, dilation = steps("unfold", axes, window, stride, padding, dilation)
    last = tuple(range(2, axes + 2))
    y = windows(pad(x, ((0, 0), (0, 0), *pads)), size=size, axis=last, step=step, dilation=dilation)
    y = transpose(y, axes=(0, 1, *(i + axes for i in last), *last))
    n, c, *rest = shape_of(y)
    return reshape(y, shape=(n, c * math.prod(size), math.prod(rest[axes:])))


def fold(
    x: Any, sizes: Sequence[int], window: Sizes, stride: Sizes = 1, padding: Any = 0,
    dilation: Sizes = 1,
) -> Any:
    """The transpose of `unfold`: columns added at their windows, in axes of the given sizes.

    >>> fold(np.ones((1, 2, 3)), (4,), 2)
    array([[[1., 2., 2., 1.]]])
    """
    axes = len(sizes)
    size, step, pads, dilations = steps("fold", axes, window, stride, padding, dilation)
    counts = tuple(map(places, sizes, size, step, pads, dilations))
    if len(shape_of(x)) != 3 or shape_of(x)[2] != math.prod(counts) or min(counts) < 1:
        raise ShapeError(
            "fold", [type_of(x)], f"columns (examples, channels * {math.prod(size)}, windows) of"
            f" sizes {tuple(sizes)} have {' * '.join(map(str, counts))} windows",
        )  # fmt: skip
    n, rows, _ = shape_of(x)
    if isinstance(rows, int) and rows % math.prod(size):
        raise ShapeError("fold", [type_of(x)], f"{rows} are not a multiple of {math.prod(size)}")
    full = tuple(m + lo + hi for m, (lo, hi) in zip(sizes, pads, strict=True))
    channels = rows // math.prod(size)
    y = reshape(x, shape=(n, channels, *size, *counts))
    last = tuple(range(2, axes + 2))
    y = transpose(y, axes=(0, 1, *(i + axes for i in last), *last))
    y = sum_windows(
        y, shape=(n, channels, *full), size=size, axis=last, step=step, dilation=dilations
    )
    inner = tuple(slice(lo, lo + m) for m, (lo, _) in zip(sizes, pads, strict=True))
    return index(y, (slice(None), slice(None), *inner))
