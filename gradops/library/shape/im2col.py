"""im2col and col2im: windows of images as columns of a matrix, and back."""

import math
from collections.abc import Sequence
from typing import Any

from ...core.errors import ShapeError
from ...core.types import shape_of, type_of
from ...kernels.nn.windows import places
from ..index.indexing import index
from ..nn.conv_layers import for_each, widths
from .movement import reshape, transpose
from .padding import pad
from .windows import sum_windows, windows

__all__ = ["fold", "unfold"]

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
    y = windows(
        pad(x, ((0, 0), (0, 0), *pads)), size=size, axis=last, step=step, dilation=dilation
    )
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
        raise ShapeError("fold", [type_of(x)], f"{rows} are no multiple of {math.prod(size)}")
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
