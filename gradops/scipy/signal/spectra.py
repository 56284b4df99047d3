"""Power spectra by periodograms of segments, by SciPy's names."""

from typing import Any

import numpy as np

from ...core.errors import OptionError
from ...core.types import is_complex, shape_of, type_of
from ...library.elementwise.arithmetic import abs
from ...library.elementwise.complexes import real
from ...library.linalg.matrices import conjugate
from ...library.reduce.quantiles import median
from ...library.reduce.reduction import mean
from ...library.shape.movement import moveaxis
from ...library.shape.windows import sliding_window_view
from ...library.signal import fourier
from .designs import get_window
from .filters import longer, operand
from .resampling import known_size
from .smoothing import detrend as without_trend

__all__ = ["coherence", "csd", "periodogram", "welch"]


def welch(
    x: Any, fs: float = 1.0, window: Any = "hann_periodic", nperseg: int | None = None,
    noverlap: int | None = None, nfft: int | None = None, detrend: Any = "constant",
    return_onesided: bool = True, scaling: str = "density", axis: int = -1, average: str = "mean",
) -> Any:  # fmt: skip
    """Frequencies and the power spectrum of `x`: the mean, or median, of those of segments.

    >>> f, p = welch(np.ones(8), nperseg=4, detrend=False)
    >>> p.shape
    (3,)
    """
    f, p = csd(
        x, x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, average
    )
    return f, real(p) if is_complex(type_of(p).dtype) else p


def periodogram(
    x: Any, fs: float = 1.0, window: Any = "boxcar", nfft: int | None = None,
    detrend: Any = "constant", return_onesided: bool = True, scaling: str = "density",
    axis: int = -1,
) -> Any:  # fmt: skip
    """Frequencies and the power spectrum of `x` as one segment.

    >>> f, p = periodogram([1.0, -1.0, 1.0, -1.0])
    >>> p.round(6)
    array([0., 0., 4.])
    """
    x = moveaxis(operand(x), axis, -1)
    n = known_size("periodogram", x)
    size = n if nfft is None else min(n, nfft)
    f, p = welch(x[..., :size], fs, window, size, 0, nfft, detrend, return_onesided, scaling)
    return f, moveaxis(p, -1, axis)


def csd(
    x: Any, y: Any, fs: float = 1.0, window: Any = "hann_periodic", nperseg: int | None = None,
    noverlap: int | None = None, nfft: int | None = None, detrend: Any = "constant",
    return_onesided: bool = True, scaling: str = "density", axis: int = -1, average: str = "mean",
) -> Any:  # fmt: skip
    """Frequencies and the cross power spectrum of two signals; see `welch`.

    Segments have `nperseg` entries, 256 by default, and share `noverlap`, by default half of them.
    `detrend` is "constant", "linear", a function, or False.

    >>> f, p = csd([1.0, -1.0, 1.0, -1.0], [1.0, 1.0, -1.0, -1.0], nperseg=4, detrend=False)
    >>> f
    array([0.  , 0.25, 0.5 ])
    """
    if scaling not in ("density", "spectrum") or average not in ("mean", "median"):
        raise OptionError("csd", [], f"there is no scaling {scaling!r} or average {average!r}")
    xs = [moveaxis(operand(v), axis, -1) for v in ([x] if y is x else [x, y])]
    n = max(known_size("csd", v) for v in xs)
    xs = [longer(v, n) for v in xs]
    weights, nperseg = segment_window(window, nperseg, n)
    noverlap = nperseg // 2 if noverlap is None else noverlap
    nfft = nperseg if nfft is None else nfft
    if not 0 <= noverlap < nperseg or nfft < nperseg:
        raise OptionError(
            "csd", [], f"nperseg={nperseg} is above noverlap={noverlap} and up to nfft={nfft}"
        )
    one_sided = return_onesided and not any(is_complex(type_of(v).dtype) for v in xs)
    spectra = [
        spectrum(v, weights, nperseg, nperseg - noverlap, nfft, detrend, one_sided) for v in xs
    ]
    power = conjugate(spectra[0]) * spectra[-1]
    power = power * scale(weights, fs, scaling, nfft, one_sided)
    power = averaged(real(power) if y is x else power, average)
    f = (np.fft.rfftfreq if one_sided else np.fft.fftfreq)(nfft, 1 / fs)
    return f, moveaxis(power, -1, axis)


def segment_window(window: Any, nperseg: int | None, n: int) -> tuple[np.ndarray, int]:
    """The weights of a segment, and its length."""
    if isinstance(window, str | tuple):
        size = min(256 if nperseg is None else nperseg, n)
        return get_window(window, size), size
    weights = np.asarray(window)
    if weights.ndim != 1 or weights.size > n or nperseg not in (None, weights.size):
        raise OptionError("csd", [], f"a window of shape {weights.shape} does not fit")
    return weights, weights.size


def spectrum(
    x: Any, weights: np.ndarray, size: int, step: int, nfft: int, detrend: Any, one_sided: bool
) -> Any:
    """The transforms of the segments, the last axis that of frequencies."""
    parts = sliding_window_view(x, size, axis=-1, step=step)
    if callable(detrend):
        parts = detrend(parts)
    elif detrend:
        parts = without_trend(parts, type=detrend)
    parts = parts * weights.astype(type_of(x).dtype)
    return (fourier.rfft if one_sided else fourier.fft)(parts, nfft)


def scale(weights: np.ndarray, fs: float, scaling: str, nfft: int, one_sided: bool) -> np.ndarray:
    """The factor of each frequency; frequencies that stand for two count twice."""
    power = fs * (weights * weights).sum() if scaling == "density" else weights.sum() ** 2
    size = nfft // 2 + 1 if one_sided else nfft
    factors = np.full(size, 1 / power)
    if one_sided:
        factors[1 : None if nfft % 2 else -1] *= 2
    return factors


def averaged(power: Any, average: str) -> Any:
    """The mean over segments, or the median over its bias."""
    if average == "mean":
        return mean(power, axis=-2)
    n: Any = shape_of(power)[-2]
    ks = 2 * np.arange(1.0, (n - 1) // 2 + 1)
    bias = 1 + np.sum(1 / (ks + 1) - 1 / ks)
    if is_complex(type_of(power).dtype):
        parts = [median(part, -2) for part in (real(power), real(-1j * power))]
        return (parts[0] + 1j * parts[1]) / bias
    return median(power, -2) / bias


def coherence(
    x: Any, y: Any, fs: float = 1.0, window: Any = "hann_periodic", nperseg: int | None = None,
    noverlap: int | None = None, nfft: int | None = None, detrend: Any = "constant",
    axis: int = -1,
) -> Any:  # fmt: skip
    """Frequencies and the coherence of two signals, from 0 to 1; see `csd`.

    >>> f, c = coherence(np.arange(8.0) ** 2, np.arange(8.0) ** 2, nperseg=4)
    >>> c.round(6)
    array([1., 1., 1.])
    """
    options = (fs, window, nperseg, noverlap, nfft, detrend)
    f, px = welch(x, *options, axis=axis)
    _, py = welch(y, *options, axis=axis)
    _, both = csd(x, y, *options, axis=axis)
    size = abs(both)
    return f, size * size / px / py
