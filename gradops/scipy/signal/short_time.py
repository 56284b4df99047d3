"""Spectra of segments one after the other, by SciPy's names."""

from typing import Any

import numpy as np

from ...core.errors import OptionError, ShapeError
from ...core.types import is_complex, shape_of, type_of
from ...library.elementwise.arithmetic import abs
from ...library.elementwise.complexes import real
from ...library.index.indexing import scatter
from ...library.linalg.matrices import conjugate
from ...library.shape.movement import moveaxis, swapaxes
from ...library.shape.padding import pad
from ...library.signal import fourier
from .designs import get_window
from .filters import operand
from .resampling import known_size
from .spectra import scale, segment_window, spectrum
from .zero_phase import EXTENSIONS

__all__ = ["istft", "spectrogram", "stft"]


def spectrogram(
    x: Any, fs: float = 1.0, window: Any = ("tukey_periodic", 0.25), nperseg: int | None = None,
    noverlap: int | None = None, nfft: int | None = None, detrend: Any = "constant",
    return_onesided: bool = True, scaling: str = "density", axis: int = -1, mode: str = "psd",
) -> Any:  # fmt: skip
    """Frequencies, times, and the power spectrum of each segment, which share an eighth.

    `mode` is "psd", "complex" or "magnitude". Raises OptionError for others.

    >>> f, t, s = spectrogram(np.ones(16), nperseg=8, noverlap=0)
    >>> s.shape, t
    ((5, 2), array([ 4., 12.]))
    """
    if mode not in ("psd", "complex", "magnitude"):
        raise OptionError("spectrogram", [], f"mode={mode!r} is not here")
    x = moveaxis(operand(x), axis, -1)
    n = known_size("spectrogram", x)
    weights, size = segment_window(window, nperseg, n)
    noverlap = size // 8 if noverlap is None else noverlap
    f, t, z, factors = segments(x, fs, weights, size, noverlap, nfft, detrend, return_onesided, n)
    if mode == "psd":
        nfft = size if nfft is None else nfft
        one_sided = return_onesided and not is_complex(type_of(x).dtype)
        power = real(conjugate(z) * z) * scale(weights, fs, scaling, nfft, one_sided)
        return f, t, moved(power, axis)
    z = z * factors[scaling]
    return f, t, moved(z if mode == "complex" else abs(z), axis)


def moved(z: Any, axis: int) -> Any:
    """Spectra with the axis of frequencies in the place of that of times, which is last."""
    z = swapaxes(z, -1, -2)
    return z if axis == -1 else moveaxis(z, -2, axis if axis >= 0 else axis - 1)


def segments(
    x: Any, fs: float, weights: np.ndarray, size: int, noverlap: int, nfft: int | None,
    detrend: Any, one_sided: bool, n: int,
) -> tuple[np.ndarray, np.ndarray, Any, dict[str, float]]:  # fmt: skip
    """Frequencies, the times of the middles, the transforms, and their scales by name."""
    nfft = size if nfft is None else nfft
    if not 0 <= noverlap < size or nfft < size:
        raise OptionError("stft", [], f"{size} is above noverlap={noverlap} and up to nfft={nfft}")
    one_sided = one_sided and not is_complex(type_of(x).dtype)
    z = spectrum(x, weights, size, size - noverlap, nfft, detrend, one_sided)
    f = (np.fft.rfftfreq if one_sided else np.fft.fftfreq)(nfft, 1 / fs)
    t = np.arange(size / 2, n - size / 2 + 1, size - noverlap) / fs
    density = 1 / np.sqrt(fs * (weights * weights).sum())
    factors = {"spectrum": 1 / weights.sum(), "density": density, "psd": density}
    return f, t, z, factors


def stft(
    x: Any, fs: float = 1.0, window: Any = "hann_periodic", nperseg: int | None = 256,
    noverlap: int | None = None, nfft: int | None = None, detrend: Any = False,
    return_onesided: bool = True, boundary: str | None = "zeros", padded: bool = True,
    axis: int = -1, scaling: str = "spectrum",
) -> Any:  # fmt: skip
    """Frequencies, times, and the Fourier transform of each segment; `istft` inverts it.

    `boundary` extends the ends: "zeros", "even", "odd", "constant" or None.

    >>> f, t, z = stft(np.ones(16), nperseg=8)
    >>> z.shape
    (5, 5)
    """
    if scaling not in ("spectrum", "psd"):
        raise OptionError("stft", [], f"scaling is 'spectrum' or 'psd', not {scaling!r}")
    x = moveaxis(operand(x), axis, -1)
    n = known_size("stft", x)
    weights, size = segment_window(window, nperseg, n)
    noverlap = size // 2 if noverlap is None else noverlap
    if boundary not in ("zeros", *EXTENSIONS):
        raise OptionError("stft", [type_of(x)], f"there is no boundary {boundary!r}")
    half = size // 2 if boundary else 0
    if boundary == "zeros":
        x = pad(x, (*((0, 0),) * (len(shape_of(x)) - 1), (half, half)))
    elif boundary:
        x = EXTENSIONS[boundary](x, half)
    n += 2 * half
    missing = (-(n - size) % (size - noverlap)) % size if padded else 0
    x = pad(x, (*((0, 0),) * (len(shape_of(x)) - 1), (0, missing)))
    found = segments(x, fs, weights, size, noverlap, nfft, detrend, return_onesided, n + missing)
    f, t, z, factors = found
    return f, t - (size / 2 / fs if boundary else 0), moved(z * factors[scaling], axis)


def istft(
    Zxx: Any, fs: float = 1.0, window: Any = "hann_periodic", nperseg: int | None = None,
    noverlap: int | None = None, nfft: int | None = None, input_onesided: bool = True,
    boundary: bool = True, time_axis: int = -1, freq_axis: int = -2, scaling: str = "spectrum",
) -> Any:  # fmt: skip
    """Times and the signal whose `stft` it is, by adding segments that overlap.

    >>> _, x = istft(stft(np.arange(16.0), nperseg=8)[2])
    >>> x.round(6)[:4]
    array([0., 1., 2., 3.])
    """
    if scaling not in ("spectrum", "psd"):
        raise OptionError("istft", [], f"scaling is 'spectrum' or 'psd', not {scaling!r}")
    z = moveaxis(operand(Zxx), (time_axis, freq_axis), (-2, -1))
    count, bins = shape_of(z)[-2:]
    if not isinstance(count, int) or not isinstance(bins, int):
        raise ShapeError("istft", [type_of(z)], "the numbers of segments and frequencies are known")
    size = (2 * (bins - 1) if input_onesided else bins) if nperseg is None else nperseg
    default = 2 * (bins - 1) if input_onesided else bins
    nfft = (size if input_onesided and size == default + 1 else default) if nfft is None else nfft
    noverlap = size // 2 if noverlap is None else noverlap
    weights = get_window(window, size) if isinstance(window, str | tuple) else np.asarray(window)
    if not 0 <= noverlap < size or weights.shape != (size,):
        raise OptionError("istft", [], f"segments of {size} with noverlap={noverlap} do not fit")
    parts = (fourier.irfft(z, nfft) if input_onesided else fourier.ifft(z, nfft))[..., :size]
    power = fs * (weights * weights).sum()
    parts = parts * (weights * (weights.sum() if scaling == "spectrum" else np.sqrt(power)))
    places = np.arange(count)[:, None] * (size - noverlap) + np.arange(size)
    length = size + (count - 1) * (size - noverlap)
    x = scatter(parts, places, index=("...", "array"), shape=(*shape_of(z)[:-2], length))
    norm = np.zeros(length)
    np.add.at(norm, places, np.broadcast_to(weights * weights, places.shape))
    if boundary:
        half = size // 2
        x, norm = x[..., half : length - half], norm[half : length - half]
    x = x / np.where(norm > 1e-10, norm, 1.0)
    return np.arange(norm.size) / fs, x
