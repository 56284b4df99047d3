"""The dtype of what is made from Python's floats."""

from contextvars import ContextVar
from typing import Any

import numpy as np

from gradops.core.levels import watched

DEFAULT_DTYPE: ContextVar[Any] = ContextVar("default_dtype", default="float32")


def get_default_dtype() -> np.dtype[Any]:
    """The dtype of what is made from Python floats.

    >>> dg.get_default_dtype()
    dtype('float32')
    """
    return np.dtype(watched(DEFAULT_DTYPE.get))


def set_default_dtype(dtype: Any) -> None:
    """Set the dtype of what is made from Python floats; raises TypeError unless it is a float.

    >>> dg.set_default_dtype("float64")
    >>> dg.tensor([1.0]).dtype
    dtype('float64')
    >>> dg.set_default_dtype("float32")
    """
    if np.dtype(dtype).kind != "f":
        raise TypeError(f"only floating-point types are supported as the default type, not {dtype}")
    DEFAULT_DTYPE.set(np.dtype(dtype))


def natural_dtype(value: np.ndarray) -> np.dtype:
    """The dtype of data that came as Python numbers, of which NumPy made an array."""
    if value.dtype == np.complex128:
        return np.result_type(get_default_dtype(), np.complex64)
    return get_default_dtype() if value.dtype == np.float64 else value.dtype
