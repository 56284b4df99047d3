"""The default dtype, which tensors made from Python floats get."""

from contextvars import ContextVar

import numpy as np

from gradops.core.levels import observe
from gradops.typing import DTypeLike

DEFAULT_DTYPE: ContextVar[DTypeLike] = ContextVar("default_dtype", default="float32")


def get_default_dtype() -> np.dtype:
    """The dtype of tensors made from Python floats.

    >>> dg.get_default_dtype()
    dtype('float32')
    """
    return np.dtype(observe(DEFAULT_DTYPE.get))


def set_default_dtype(dtype: DTypeLike) -> None:
    """Set the dtype of tensors made from Python floats; raises TypeError unless it is a float.

    >>> dg.set_default_dtype("float64")
    >>> dg.tensor([1.0]).dtype
    dtype('float64')
    >>> dg.set_default_dtype("float32")
    """
    if np.dtype(dtype).kind != "f":
        raise TypeError(f"only floating-point types are supported as the default type, not {dtype}")
    DEFAULT_DTYPE.set(np.dtype(dtype))


def natural_dtype(value: np.ndarray) -> np.dtype:
    """The dtype of an array made from Python numbers, with the default dtype for floats."""
    if value.dtype == np.complex128:
        return np.result_type(get_default_dtype(), np.complex64)
    return get_default_dtype() if value.dtype == np.float64 else value.dtype
