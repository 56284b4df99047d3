"""Windows by the names of `scipy.signal.windows`: SciPy's own, arrays of numbers."""

from ...core.lazy_import import lazily
from ..missing_names import missing_from
from ..plain_functions import of_scipy

__all__ = [
    "barthann", "bartlett", "blackman", "blackmanharris", "bohman", "boxcar", "chebwin", "cosine",
    "dpss", "exponential", "flattop", "gaussian", "general_cosine", "general_gaussian",
    "general_hamming", "get_window", "hamming", "hann", "kaiser", "kaiser_bessel_derived",
    "lanczos", "nuttall", "parzen", "taylor", "triang", "tukey",
]  # fmt: skip

(
    barthann, bartlett, blackman, blackmanharris, bohman, boxcar, chebwin, cosine, dpss,
    exponential, flattop, gaussian, general_cosine, general_gaussian, general_hamming, get_window,
    hamming, hann, kaiser, kaiser_bessel_derived, lanczos, nuttall, parzen, taylor, triang, tukey,
) = (of_scipy("scipy.signal.windows", name) for name in __all__)  # fmt: skip

__getattr__, __dir__ = lazily(__name__, {}, missing_from(__name__))
