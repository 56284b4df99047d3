"""Linear recursive filters: the kernel is SciPy's, imported when first called."""

import numpy as np

from ...core.errors import MissingExtraError


def filtered_dtype(*dtypes: np.dtype) -> np.dtype:
    """The dtype of a result; a TypeError for what SciPy does not filter."""
    dtype = np.result_type(*dtypes)
    if dtype.char not in "fdFD":
        raise TypeError(f"there are no filters of {dtype}, only of floats in 32 and 64 bits")
    return dtype


def recursive_filter(a: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The y with a[0] y[n] + a[1] y[n - 1] + ... = x[n], along the last axis.

    They are NaN where a[0] is 0.
    """
    dtype = filtered_dtype(a.dtype, x.dtype)
    if not x.size or not a[0]:  # of a zero operand the result is zero, whatever the coefficients
        return np.full(x.shape, np.nan if x.any() else 0, dtype)
    try:
        from scipy.signal import lfilter
    except ImportError as error:
        raise MissingExtraError("recursive_filter", "SciPy", "scipy") from error
    y: np.ndarray = lfilter(np.ones(1, dtype), a.astype(dtype), x.astype(dtype, copy=False))
    return y
