"""Kernels of SciPy, which is imported when one of them is first called."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from ...core.errors import MissingExtraError
from .tables import float_dtype

HALF = np.dtype(np.float16)


def of_scipy(name: str) -> Callable[..., Any]:
    """The kernel of the function `name` of `scipy.special`."""

    def kernel(*xs: np.ndarray, out: np.ndarray | None = None) -> Any:
        dtype = float_dtype(*xs)
        wide = np.dtype(np.float32) if dtype == HALF else dtype
        with np.errstate(all="ignore"):
            y = scipy_function(name)(*(np.asarray(x, wide) for x in xs))
        return y.astype(dtype, copy=False) if out is None else np.positive(y, out=out)

    kernel.__name__ = kernel.__qualname__ = name
    return kernel


@cache
def scipy_function(name: str) -> Callable[..., Any]:
    """A function of `scipy.special`, or a MissingExtraError."""
    try:
        from scipy import special
    except ImportError as error:
        raise MissingExtraError(name, "SciPy", "scipy") from error
    return getattr(special, name)
