"""Convolutions and filters by the names of `scipy.signal`, for every operand, with derivatives.

>>> from gradops.scipy import signal
>>> signal.lfilter([1.0], [1.0, -0.5], np.array([1.0, 0.0, 0.0]))
array([1.  , 0.5 , 0.25])
"""

from ...core.lazy_import import lazily
from ..missing_names import missing_from
from .convolutions import convolve, correlate, fftconvolve, oaconvolve
from .filters import lfilter, lfilter_zi, sosfilt

__all__ = [
    "convolve", "correlate", "fftconvolve", "lfilter", "lfilter_zi", "oaconvolve", "sosfilt",
]  # fmt: skip

__getattr__, __dir__ = lazily(__name__, {}, missing_from(__name__))
