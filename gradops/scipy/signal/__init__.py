"""Convolutions and filters by the names of `scipy.signal`, for every operand, with derivatives.

>>> from gradops.scipy import signal
>>> signal.lfilter([1.0], [1.0, -0.5], np.array([1.0, 0.0, 0.0]))
array([1.  , 0.5 , 0.25])
"""

from ...core.lazy_import import lazily
from ..missing_names import missing_from
from . import windows
from .analytic_signals import hilbert, hilbert2
from .convolutions import convolve, correlate, correlation_lags, fftconvolve, oaconvolve
from .designs import (
    bessel,
    butter,
    buttord,
    cheb1ord,
    cheb2ord,
    cheby1,
    cheby2,
    ellip,
    ellipord,
    firls,
    firwin,
    firwin2,
    get_window,
    iirdesign,
    iirfilter,
    iirnotch,
    iirpeak,
    kaiser_atten,
    kaiser_beta,
    kaiserord,
    remez,
    savgol_coeffs,
    unit_impulse,
)
from .filters import deconvolve, lfilter, lfilter_zi, lfiltic, sosfilt, sosfilt_zi
from .linear_systems import cont2discrete, dlsim, lsim
from .planes import convolve2d, correlate2d
from .resampling import decimate, resample, resample_poly, upfirdn
from .responses import freqs, freqs_zpk, freqz, freqz_sos, freqz_zpk, group_delay, sosfreqz
from .short_time import istft, spectrogram, stft
from .smoothing import detrend, medfilt, medfilt2d, savgol_filter, wiener
from .spectra import coherence, csd, periodogram, welch
from .waveforms import chirp, gausspulse, sawtooth, square
from .zero_phase import filtfilt, sosfiltfilt

__all__ = [
    "bessel", "butter", "buttord", "cheb1ord", "cheb2ord", "cheby1", "cheby2", "chirp",
    "coherence", "cont2discrete", "convolve", "convolve2d", "correlate", "correlate2d",
    "correlation_lags", "csd", "decimate", "deconvolve", "detrend", "dlsim", "ellip", "ellipord",
    "fftconvolve", "filtfilt", "firls", "firwin", "firwin2", "freqs", "freqs_zpk", "freqz",
    "freqz_sos", "freqz_zpk", "gausspulse", "get_window", "group_delay", "hilbert", "hilbert2",
    "iirdesign", "iirfilter", "iirnotch", "iirpeak", "istft", "kaiser_atten", "kaiser_beta",
    "kaiserord", "lfilter", "lfilter_zi", "lfiltic", "lsim", "medfilt", "medfilt2d", "oaconvolve",
    "periodogram", "remez", "resample", "resample_poly", "savgol_coeffs", "savgol_filter",
    "sawtooth", "sosfilt", "sosfilt_zi", "sosfiltfilt", "sosfreqz", "spectrogram", "square",
    "stft", "unit_impulse", "upfirdn", "welch", "wiener", "windows",
]  # fmt: skip

__getattr__, __dir__ = lazily(__name__, {}, missing_from(__name__))
