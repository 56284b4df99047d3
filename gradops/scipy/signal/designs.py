"""Designs of filters by SciPy's names: SciPy's own, of numbers that have no derivatives."""

from ..plain_functions import of_scipy

__all__ = [
    "bessel", "butter", "buttord", "cheb1ord", "cheb2ord", "cheby1", "cheby2", "ellip", "ellipord",
    "firls", "firwin", "firwin2", "get_window", "iirdesign", "iirfilter", "iirnotch", "iirpeak",
    "kaiser_atten", "kaiser_beta", "kaiserord", "remez", "savgol_coeffs", "unit_impulse",
]  # fmt: skip

(
    bessel, butter, buttord, cheb1ord, cheb2ord, cheby1, cheby2, ellip, ellipord, firls, firwin,
    firwin2, get_window, iirdesign, iirfilter, iirnotch, iirpeak, kaiser_atten, kaiser_beta,
    kaiserord, remez, savgol_coeffs, unit_impulse,
) = (of_scipy("scipy.signal", name) for name in __all__)  # fmt: skip
