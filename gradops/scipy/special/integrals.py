"""Integrals that come in pairs, and Lambert's function."""

from typing import Any

from ...library.elementwise.scipy import integrals as library
from .operands import operands

__all__ = ["lambertw", "shichi", "sici"]


def sici(x: Any) -> tuple[Any, Any]:
    """The sine integral and the cosine integral of real numbers.

    >>> [round(float(y), 6) for y in sici(1.0)]
    [0.946083, 0.337404]
    """
    (x,) = operands(x)
    return library.sine_integral(x), library.cosine_integral(x)


def shichi(x: Any) -> tuple[Any, Any]:
    """The hyperbolic sine integral and cosine integral of real numbers.

    >>> [round(float(y), 6) for y in shichi(1.0)]
    [1.057251, 0.837867]
    """
    (x,) = operands(x)
    return library.hyperbolic_sine_integral(x), library.hyperbolic_cosine_integral(x)


def lambertw(z: Any, k: int = 0, tol: float = 1e-8) -> Any:
    """Branch k of Lambert's function, whose results are complex: z is w exp(w).

    `tol` is SciPy's and not read: its own default is exact.

    >>> round(float(lambertw(1.0).real), 6)
    0.567143
    """
    return library.lambertw(*operands(z), k=k)
