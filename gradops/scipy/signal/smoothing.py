"""Trends removed, and smoothing by windows, by SciPy's names."""

from typing import Any

import numpy as np

from ...core.dims import product
from ...core.errors import OptionError, ShapeError
from ...core.types import shape_of, type_of
from ...library.elementwise.comparison import less, where
from ...library.index.indexing import numbers
from ...library.linalg.contraction import matmul
from ...library.reduce.reduction import mean, sum
from ...library.reduce.sorting import sort
from ...library.shape.joining import concatenate
from ...library.shape.movement import moveaxis, reshape
from ...library.shape.padding import pad
from ...library.shape.windows import sliding_window_view
from .designs import savgol_coeffs
from .filters import operand, size_of

__all__ = ["detrend", "medfilt", "medfilt2d", "savgol_filter", "wiener"]

PADDING = {"mirror": "reflect", "nearest": "edge", "wrap": "wrap", "constant": "constant"}
"""The modes of `savgol_filter`, and the names of NumPy's pad for them."""


def detrend(
    data: Any, axis: int = -1, type: str = "linear", bp: Any = 0, overwrite_data: bool = False
) -> Any:
    """`data` without its mean along an axis ("constant"), or its straight line ("linear").

    `bp` are indices between which there is a line for each part. Raises OptionError for another
    type, ShapeError for breaks out of range.

    >>> detrend([1.0, 2.0, 3.0, 5.0]).round(6)
    array([ 0.2, -0.1, -0.4,  0.3])
    """
    x = operand(data)
    if type not in ("linear", "l", "constant", "c"):
        raise OptionError("detrend", [type_of(x)], f"type is linear or constant, not {type!r}")
    x = moveaxis(x, axis, -1)
    if type in ("constant", "c"):
        return moveaxis(x - mean(x, axis=-1, keepdims=True), -1, axis)
    n = size_of(x)
    breaks = np.unique([0, *np.atleast_1d(bp)])
    if isinstance(n, int) and breaks[-1] > n:
        raise ShapeError("detrend", [type_of(x)], f"a break {breaks[-1]} lies beyond {n} entries")
    ends = [*breaks[1:].tolist(), n]
    parts = [x[..., i:j] for i, j in zip(breaks.tolist(), ends, strict=True) if i != j]
    rests = [without_line(part) for part in parts]
    return moveaxis(rests[0] if len(rests) == 1 else concatenate(rests, axis=-1), -1, axis)


def without_line(x: Any) -> Any:
    """`x` less its straight line of least squares along the last axis."""
    t = 1.0 * numbers(x, -1)
    t, x = t - mean(t), x - mean(x, axis=-1, keepdims=True)
    square = sum(t * t)
    slope = sum(x * t, axis=-1, keepdims=True) / where(less(square, 0.1), 1.0, square)
    return x - slope * t


def savgol_filter(
    x: Any, window_length: int, polyorder: int, deriv: int = 0, delta: float = 1.0, axis: int = -1,
    mode: str = "interp", cval: float = 0.0,
) -> Any:  # fmt: skip
    """`x` smoothed along an axis by polynomials of least squares in windows (Savitzky, Golay).

    `mode` is "interp", where the first and last polynomials go on to the ends, or how `x` is
    extended: "mirror", "nearest", "wrap", "constant" by `cval`.

    >>> savgol_filter([1.0, 4.0, 9.0, 16.0, 25.0], 3, 2).round(6)
    array([ 1.,  4.,  9., 16., 25.])
    """
    x = moveaxis(operand(x), axis, -1)
    if mode != "interp" and mode not in PADDING:
        raise OptionError(
            "savgol_filter", [type_of(x)], f"mode is interp or one of {[*PADDING]}, not {mode!r}"
        )
    n, half = size_of(x), window_length // 2
    if mode == "interp" and isinstance(n, int) and n < window_length:
        raise ShapeError(
            "savgol_filter", [type_of(x)], f"a window of {window_length} is longer than {n} entries"
        )
    options = {"deriv": deriv, "delta": delta}
    middle = savgol_coeffs(window_length, polyorder, **options)[::-1]
    if mode == "interp":
        ends = [*range(half), *range(window_length - half, window_length)]
        rows = np.stack(
            [savgol_coeffs(window_length, polyorder, pos=i, use="dot", **options) for i in ends]
        ).astype(type_of(x).dtype)
        before = matmul(x[..., :window_length], rows[:half].T)
        after = matmul(x[..., -window_length:], rows[half:].T)
        inner = windowed(x, middle)[..., 1 - window_length % 2 :]
        return moveaxis(concatenate([before, inner, after], axis=-1), -1, axis)
    widths = ((0, 0),) * (len(shape_of(x)) - 1) + ((window_length - 1 - half, half),)
    extra = {"constant_values": cval} if mode == "constant" else {}
    return moveaxis(windowed(pad(x, widths, mode=PADDING[mode], **extra), middle), -1, axis)


def windowed(x: Any, weights: np.ndarray) -> Any:
    """The weighted sums of all windows along the last axis."""
    windows = sliding_window_view(x, len(weights), axis=-1)
    return matmul(windows, weights.astype(type_of(x).dtype))


def sizes_of_window(call: str, x: Any, given: Any) -> tuple[int, ...]:
    """An odd size for each axis."""
    ndim = len(shape_of(x))
    found = (given,) * ndim if np.ndim(given) == 0 else tuple(given)
    if len(found) != ndim or any(k % 2 != 1 for k in found):
        raise ShapeError(call, [type_of(x)], f"a window has an odd size for each axis: {given}")
    return tuple(map(int, found))


def neighbours(x: Any, window: tuple[int, ...]) -> Any:
    """The entries of the window around each entry, zeros beyond the ends, along a last axis."""
    wide = pad(x, tuple((k // 2, k // 2) for k in window))
    views = sliding_window_view(wide, window)
    return reshape(views, shape=(*shape_of(x), product(window)))


def medfilt(volume: Any, kernel_size: Any = None) -> Any:
    """The median of the window around each entry, of 3 along each axis or another odd size.

    Beyond the ends there are zeros.

    >>> medfilt([1.0, 5.0, 2.0, 3.0])
    array([1., 2., 3., 2.])
    """
    x = np.atleast_1d(np.asarray(volume)) if isinstance(volume, list | tuple) else volume
    window = sizes_of_window("medfilt", x, 3 if kernel_size is None else kernel_size)
    return sort(neighbours(x, window), axis=-1)[..., int(np.prod(window)) // 2]


def medfilt2d(input: Any, kernel_size: Any = 3) -> Any:
    """The median of the window around each entry of an image; see `medfilt`.

    >>> medfilt2d([[1.0, 5.0, 2.0]])
    array([[0., 0., 0.]])
    """
    x = np.asarray(input) if isinstance(input, list | tuple) else input
    if len(shape_of(x)) != 2:
        raise ShapeError("medfilt2d", [type_of(x)], "it takes an image")
    return medfilt(x, kernel_size)


def wiener(im: Any, mysize: Any = None, noise: Any = None) -> Any:
    """`im` smoothed where its variance in a window is little more than the noise (Wiener).

    The noise is by default the mean of the variances.

    >>> wiener([1.0, 1.0, 1.0, 1.0, 1.0]).round(2)
    array([0.87, 1.  , 1.  , 1.  , 0.87])
    """
    x = operand(im)
    window = sizes_of_window("wiener", x, 3 if mysize is None else mysize)
    near = neighbours(x, window)
    local = mean(near, axis=-1)
    variance = mean(near * near, axis=-1) - local * local
    noise = mean(variance) if noise is None else noise
    quiet = less(variance, noise)
    share = 1 - noise / where(quiet, 1.0, variance)
    return where(quiet, local, local + (x - local) * share)
