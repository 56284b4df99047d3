"""Moments of the tails of the gamma distribution, of which its derivatives in alpha are made.

Note [Tails]. With t = x e**u, what x cuts off from the gamma function's integral is

    the integral of t**(a - 1) e**-t dt = x**a e**-x M0,
    Mn = the integral of u**n e**(a u - x (e**u - 1)) du

over u < 0 (the lower tail) or u > 0 (the upper one). Mn is an op. Its derivative in `a` is
M(n + 1), and by parts, its derivative in `x` is Mn - (a Mn + n M(n - 1) -+ [n = 0]) / x, with the
sign of the lower tail first. So all derivatives of the incomplete gamma functions, and those of
random numbers with a gamma distribution (Figurnov and others, "Implicit reparameterization
gradients", 2018), come from one op. Of the two tails the one with positive terms is taken, so that
nothing cancels.
"""

import math
from functools import cache
from typing import Any

import numpy as np

from .gamma import digamma
from .tables import float_dtype

TERMS = 150  # of the series, the last of which is below 1e-18 wherever the series is used
SERIES_TO = 20.0  # in `a`; from there on the integrand is one narrow peak
DECAY = 40.0  # e**-40 is left of the integrand where integration ends
POINTS = 48


def is_lower(a: np.ndarray, x: np.ndarray) -> np.ndarray:
    """True where the lower tail is the one to integrate."""
    return np.less(x, np.maximum(a, 1))


@cache
def gauss() -> tuple[list[float], list[float]]:
    """Nodes and weights of Gauss-Legendre quadrature on the interval from 0 to 1."""
    points, weights = np.polynomial.legendre.leggauss(POINTS)
    return (0.5 * (points + 1)).tolist(), (0.5 * weights).tolist()


def moments(a: np.ndarray, x: np.ndarray, n: int) -> list[np.ndarray]:
    """M0 to Mn of the tails of float64 arrays of one shape. See Note [Tails]."""
    lower = is_lower(a, x)
    series = lower & ((a <= SERIES_TO) | (x < 1))
    if series.all():
        return by_series(a, x, n)
    if not series.any():
        return by_quadrature(a, x, np.where(lower, -1.0, 1.0), n)
    found = [np.empty_like(x) for _ in range(n + 1)]
    for where, parts in (
        (series, by_series(a[series], x[series], n)),
        (~series, by_quadrature(a[~series], x[~series], np.where(lower[~series], -1.0, 1.0), n)),
    ):
        for y, part in zip(found, parts):
            y[where] = part
    return found


def by_series(a: np.ndarray, x: np.ndarray, n: int) -> list[np.ndarray]:
    """Moments of lower tails: M0 is the sum of x**k / (a (a + 1) ... (a + k)), Mn its derivatives.

    A term is kept as a polynomial in a step of `a`; all coefficients of a power have one sign.
    """
    term = [np.power(-1.0, j) / a ** (j + 1) for j in range(n + 1)]
    total = [t.copy() for t in term]
    for k in range(1, TERMS):
        scale = 1 / (a + k)
        for j in range(n + 1):
            term[j] = (x * term[j] - (term[j - 1] if j else 0)) * scale
            total[j] += term[j]
        if not np.any(np.abs(term[n]) > 1e-17 * np.abs(total[n])):
            break
    return [math.factorial(j) * total[j] for j in range(n + 1)]


def by_quadrature(a: np.ndarray, x: np.ndarray, sign: np.ndarray, n: int) -> list[np.ndarray]:
    """Moments of either tail where the integrand decreases from its end on one scale."""
    root, ratio = np.sqrt(2 * DECAY / x), DECAY / x
    reach = np.where(sign < 0, root + ratio, np.log1p(root + ratio))
    reach = np.minimum(reach, DECAY / np.abs(a - x))
    total = [np.zeros_like(x) for _ in range(n + 1)]
    for point, weight in zip(*gauss()):
        u = sign * reach * point
        part = weight * np.exp((a - x) * u - x * (np.expm1(u) - u))
        for y in total:
            y += part
            part = part * u
    return [y * reach for y in total]


def gamma_tail(a: np.ndarray, x: np.ndarray, n: int = 0) -> np.ndarray:
    """Moment n of a tail of the gamma distribution."""
    return in_float64(lambda a, x: moments(a, x, n)[n], a, x)


def gamma_slope(a: np.ndarray, logx: Any) -> np.ndarray:
    """The derivative of log(x) in `a` at a constant value of the distribution function."""
    return in_float64(slope, a, logx)


def slope(a: np.ndarray, logx: np.ndarray) -> np.ndarray:
    x = np.exp(logx)
    m0, m1 = moments(a, x, 1)
    y = (logx - digamma(a)) * m0 + m1
    return np.where(is_lower(a, x), -y, y)


def in_float64(f: Any, *xs: np.ndarray) -> np.ndarray:
    """A kernel that computes `f` in float64 and returns the dtype of its operands."""
    dtype = float_dtype(*xs)
    rows = np.broadcast_arrays(*(np.asarray(x, np.float64) for x in xs))
    with np.errstate(all="ignore"):
        y = f(*(np.ravel(x) for x in rows)).reshape(rows[0].shape)
    return y.astype(dtype, copy=False)[()]
