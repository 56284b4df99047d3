"""Functions related to the gamma function."""

import math
from typing import Any

import numpy as np

from ...library.elementwise import gamma as library
from ...library.elementwise.beta import has_negative_gamma
from ...library.elementwise.comparison import equal, less, where
from ...library.elementwise.gamma import digamma, gamma
from ...library.elementwise.logic import logical_and, signbit
from ...library.elementwise.rounding import floor
from ...library.families import zeros_like
from ..plain_functions import of_scipy
from .operands import operands

__all__ = ["gammasgn", "polygamma", "zeta", "zetac"]


def gammasgn(x: Any) -> Any:
    """The sign of the gamma function, NaN at its poles.

    >>> float(gammasgn(-0.5))
    -1.0
    """
    (x,) = operands(x)
    positive = zeros_like(digamma(x)) + 1
    found = where(has_negative_gamma(x), -positive, positive)
    pole = logical_and(less(x, 0), equal(x, floor(x)))
    return where(pole, math.nan, where(logical_and(equal(x, 0), signbit(x)), -positive, found))


def polygamma(n: Any, x: Any) -> Any:
    """Derivative n of digamma, for orders from 0 on.

    >>> bool(np.isclose(polygamma(1, 1.0), np.pi**2 / 6))
    True
    """
    n, x = operands(n, x)
    if isinstance(n, int | np.integer):
        return library.polygamma(int(n), x)
    parity = 2.0 * (n % 2) - 1
    return where(equal(n, 0), digamma(x), parity * gamma(n + 1) * library.zeta(n + 1, x))


def zeta(x: Any, q: Any = None) -> Any:
    """Hurwitz's zeta function, the sum of (k + q)**-x; without `q` of numbers, by SciPy.

    >>> bool(np.isclose(zeta(2.0, 1.0), np.pi**2 / 6))
    True
    """
    x, q = operands(x, q)
    return of_scipy("scipy.special", "zeta")(x) if q is None else library.zeta(x, q)


zetac = of_scipy("scipy.special", "zetac")
