"""Signals at other rates, by SciPy's names."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.errors import OptionError, ShapeError
from ...core.types import is_complex, shape_of, type_of
from ...library.index.indexing import take
from ...library.linalg.contraction import matmul
from ...library.reduce import reduction
from ...library.reduce.quantiles import median
from ...library.shape.movement import expand_dims, flip, moveaxis, reshape
from ...library.shape.padding import pad
from ...library.shape.windows import sliding_window_view
from ...library.signal import fourier
from ..promotion import promoted
from .designs import cheby1, firwin, get_window
from .filters import operand, size_of, sosfilt
from .zero_phase import sosfiltfilt

__all__ = ["decimate", "resample", "resample_poly", "upfirdn"]

DIRECT = 32  # entries of a filter, up to which sums of products are formed
BACKGROUNDS: dict[str, Callable[..., Any]] = {
    "mean": reduction.mean, "median": lambda x, axis, keepdims: median(x, axis, keepdims=keepdims),
    "minimum": reduction.min, "maximum": reduction.max,
}  # fmt: skip


def known_size(call: str, x: Any) -> int:
    """The number of entries along the last axis, or a ShapeError if it is not known."""
    n = size_of(x)
    if not isinstance(n, int):
        raise ShapeError(
            call, [type_of(x)], f"the size {n} is not known",
            hint="give the axis a size: ensure_shape(x, shape)",
        )  # fmt: skip
    return n


def upfirdn(
    h: Any, x: Any, up: int = 1, down: int = 1, axis: int = -1, mode: str = "constant",
    cval: float = 0,
) -> Any:  # fmt: skip
    """`x` with `up` - 1 zeros after each entry, convolved with `h`, of which each `down`-th entry.

    Raises OptionError for an extension other than by zeros.

    >>> upfirdn([1.0, 1.0, 1.0], [1.0, 2.0], 3)
    array([1., 1., 1., 2., 2., 2.])
    """
    h, x = promoted(operand(h), operand(x))
    if mode != "constant" or cval:
        raise OptionError("upfirdn", [type_of(h), type_of(x)], "only zeros are beyond the ends")
    if len(shape_of(h)) != 1 or up < 1 or down < 1:
        raise OptionError("upfirdn", [type_of(h)], f"h is a vector, up={up}, down={down} positive")
    x = moveaxis(x, axis, -1)
    n, taps = known_size("upfirdn", x), known_size("upfirdn", h)
    batch = shape_of(x)[:-1]
    if up > 1:
        lead = ((0, 0),) * (len(batch) + 1)
        x = reshape(pad(expand_dims(x, axis=-1), (*lead, (0, up - 1))), shape=(*batch, n * up))
        x = x[..., : (n - 1) * up + 1]
    if taps > DIRECT and not is_complex(type_of(x).dtype):
        return moveaxis(by_fourier(x, h, size_of(x) + taps - 1)[..., ::down], -1, axis)
    wide = pad(x, (*((0, 0),) * len(batch), (taps - 1, taps - 1)))
    windows = sliding_window_view(wide, taps, axis=-1, step=down)
    return moveaxis(matmul(windows, flip(h)), -1, axis)


def by_fourier(x: Any, h: Any, size: int) -> Any:
    """The full convolution of rows with a vector, `size` entries of it."""
    fast = min(b << max((size - 1) // b, 0).bit_length() for b in (1, 3, 5, 9, 15))
    spectrum = fourier.rfft(x, fast) * fourier.rfft(h, fast)
    return fourier.irfft(spectrum, fast)[..., :size]


def resample_poly(
    x: Any, up: int, down: int, axis: int = 0, window: Any = ("kaiser", 5.0),
    padtype: str = "constant", cval: float | None = None,
) -> Any:  # fmt: skip
    """`x` at up / down times the rate, filtered by `upfirdn`.

    `window` is one of SciPy's, or the filter itself. `padtype` is "constant", for zeros beyond the
    ends, or "mean", "median", "minimum", "maximum", for that of `x`.

    >>> resample_poly(np.ones(4), 2, 1, padtype="mean").round(6)
    array([1., 1., 1., 1., 1., 1., 1., 1.])
    """
    x = moveaxis(operand(x), axis, -1)
    if up < 1 or down < 1 or up != int(up) or down != int(down):
        raise OptionError("resample_poly", [type_of(x)], f"up={up} and down={down} are rates")
    if padtype not in ("constant", *BACKGROUNDS) or cval:
        raise OptionError(
            "resample_poly", [type_of(x)],
            f"padtype is constant, without cval, or one of {[*BACKGROUNDS]}, not {padtype!r}",
        )  # fmt: skip
    common = math.gcd(int(up), int(down))
    up, down = int(up) // common, int(down) // common
    if up == down == 1:
        return moveaxis(x, -1, axis)
    if hasattr(window, "shape") or isinstance(window, list):
        h = operand(window)
    else:
        rate = max(up, down)
        h = firwin(20 * rate + 1, 1.0 / rate, window=window).astype(type_of(x).dtype)
    level: Any = None
    if padtype in BACKGROUNDS:
        level = BACKGROUNDS[padtype](x, axis=-1, keepdims=True)
        x = x - level
    y = centred(up * h, x, up, down)
    return moveaxis(y if level is None else y + level, -1, axis)


def centred(h: Any, x: Any, up: int, down: int) -> Any:
    """The filtered entries from the first on, at the middle of the filter."""
    n, taps = known_size("resample_poly", x), known_size("resample_poly", h)
    half = (taps - 1) // 2
    size = -(-n * up // down)
    before = down - half % down
    first = (half + before) // down
    missing = (size + first - 1) * down + 1 - ((n - 1) * up + taps + before)
    h = pad(h, ((before, max(missing, 0)),))
    return upfirdn(h, x, up, down)[..., first : first + size]


def decimate(
    x: Any, q: int, n: int | None = None, ftype: str = "iir", axis: int = -1,
    zero_phase: bool = True,
) -> Any:  # fmt: skip
    """Each `q`-th entry of `x`, after a filter of order `n`: "iir" (Chebyshev) or "fir".

    With `zero_phase` it is filtered forwards and backwards, or centred.

    >>> decimate(np.ones(60), 2).round(2)[:3]
    array([0.99, 0.99, 0.99])
    """
    x = moveaxis(operand(x), axis, -1)
    if ftype == "fir":
        b = firwin((20 * q if n is None else n) + 1, 1.0 / q, window="hamming")
        b = b.astype(type_of(x).dtype)
        if zero_phase:
            return moveaxis(resample_poly(x, 1, q, axis=-1, window=b), -1, axis)
        size = -(-known_size("decimate", x) // q)
        return moveaxis(upfirdn(b, x, 1, q)[..., :size], -1, axis)
    if ftype != "iir":
        raise OptionError("decimate", [type_of(x)], f"ftype is 'iir' or 'fir', not {ftype!r}")
    sos = cheby1(8 if n is None else n, 0.05, 0.8 / q, output="sos").astype(type_of(x).dtype)
    y = sosfiltfilt(sos, x) if zero_phase else sosfilt(sos, x)
    return moveaxis(y[..., ::q], -1, axis)


def resample(
    x: Any, num: int, t: Any = None, axis: int = 0, window: Any = None, domain: str = "time"
) -> Any:
    """`num` entries of a periodic signal, by Fourier transforms; with `t` also their times.

    `window` is multiplied to the spectrum. With `domain="freq"` `x` is the spectrum.

    >>> resample([1.0, 0.0, 1.0, 0.0], 8).round(6)
    array([1. , 0.5, 0. , 0.5, 1. , 0.5, 0. , 0.5])
    """
    if domain not in ("time", "freq"):
        raise OptionError("resample", [], f"domain is 'time' or 'freq', not {domain!r}")
    x = moveaxis(operand(x), axis, -1)
    n = known_size("resample", x)
    weights = None if window is None else spectral_weights(window, n)
    is_real = domain == "time" and not is_complex(type_of(x).dtype)
    if is_real:
        y = of_real(x, n, num, weights)
    else:
        spectrum = fourier.fft(x) if domain == "time" else x
        y = of_spectrum(spectrum if weights is None else spectrum * weights, n, num)
    y = moveaxis(y, -1, axis)
    if t is None:
        return y
    return y, t[0] + (t[1] - t[0]) * (n / num) * np.arange(num)


def spectral_weights(window: Any, n: int) -> Any:
    """The weight of each frequency."""
    if callable(window):
        return window(np.fft.fftfreq(n))
    if hasattr(window, "shape"):
        if shape_of(window) != (n,):
            raise ShapeError("resample", [type_of(window)], f"a window has {n} weights")
        return window
    return np.fft.fftshift(get_window(window, n))


def of_real(x: Any, n: int, num: int, weights: Any) -> Any:
    """The resampled real signal."""
    spectrum = fourier.rfft(x)
    if weights is not None:
        size = n // 2 + 1
        other = take(weights, -np.arange(size) % n, axis=0)
        spectrum = spectrum * ((weights[:size] + other) / 2)
    m = min(n, num)
    factors = np.full(m // 2 + 1, num / n)
    if m % 2 == 0 and num != n:
        factors[m // 2] *= 2 if num < n else 0.5
    return fourier.irfft(spectrum[..., : m // 2 + 1] * factors, n=num)


def of_spectrum(spectrum: Any, n: int, num: int) -> Any:
    """The signal of a spectrum of n frequencies, at `num` times."""
    m = min(n, num)
    places, factors = np.zeros((2, num), np.intp), np.zeros((2, num))
    low, high = m // 2 + 1, m - (m // 2 + 1)
    places[0, :low], factors[0, :low] = np.arange(low), 1
    if high:
        places[0, num - high :], factors[0, num - high :] = np.arange(n - high, n), 1
    if m % 2 == 0 and num < n:
        places[1, m // 2], factors[1, m // 2] = n - m // 2, 1
    elif m % 2 == 0 and n < num:
        factors[0, m // 2] = 0.5
        places[1, num - m // 2], factors[1, num - m // 2] = m // 2, 0.5
    y = take(spectrum, places[0], axis=-1) * factors[0]
    if factors[1].any():
        y = y + take(spectrum, places[1], axis=-1) * factors[1]
    return fourier.ifft(y * (num / n))
