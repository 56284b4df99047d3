"""The tails of the normal distribution: erfc, erfcx, ndtr, log_ndtr, and their inverses.

All of them are made of two smooth functions, which tables give: erfcx(x) = exp(x**2) erfc(x), and
the ratio of erfinv(x) to x. The rest are exponentials, exact to rounding however far out.
"""

import math

import numpy as np

from .erf import erf
from .tables import entrywise, float_dtype, horner, in_both, interpolants

HALVES = 4  # erfcx(x) is tabulated over t = HALVES / (HALVES + x), in which all of it is smooth
CELLS = 128  # nodes of t
TERMS = 10  # of a Taylor series at a node
ROOT_PI = math.sqrt(math.pi)
ROOT_2 = math.sqrt(2)


@in_both
def erfcx_table() -> np.ndarray:
    """The Taylor coefficients of erfcx at each node of t, a row for each order."""
    from .decimal_tables import erfcx_nodes

    return erfcx_nodes(CELLS, HALVES, TERMS)


def erfcx_of_magnitude(x: np.ndarray) -> np.ndarray:
    """erfcx of nonnegative entries."""
    t = HALVES / (HALVES + x)
    k = np.rint(t * CELLS)
    node = k * (1 / CELLS)
    step = ((HALVES - HALVES * node) - node * x) / (HALVES + x)  # t - node, but for its rounding
    step = np.where(np.isinf(x), 0.0, step)
    return horner(erfcx_table(x.dtype), k, step)


def exp_of_square(x: np.ndarray, factor: float) -> np.ndarray:
    """exp(factor * x**2), as exact as exp itself: the square is computed without rounding."""
    mask = np.int32(-(2**12)) if x.dtype == np.float32 else np.int64(-(2**27))
    high = (x.view(mask.dtype) & mask).view(x.dtype)  # whose square is a float
    low = factor * (x - high) * (x + high)
    y = np.exp(factor * (high * high))
    rise = low * (1 + low * (1 / 2 + low * (1 / 6 + low * (1 / 24 + low * (1 / 120)))))
    return np.where(np.isfinite(y) & np.isfinite(rise), y + y * rise, y)


@entrywise
def erfc(x: np.ndarray) -> np.ndarray:
    """1 - erf(x), exact to rounding where erf is near 1."""
    z = np.abs(x)
    y = exp_of_square(z, -1.0) * erfcx_of_magnitude(z)
    return np.where(x < 0, 2 - y, y)


@entrywise
def erfcx(x: np.ndarray) -> np.ndarray:
    """exp(x**2) erfc(x), which does not underflow."""
    z = np.abs(x)
    y = erfcx_of_magnitude(z)
    negative = x < 0
    return np.where(negative, 2 * exp_of_square(z, 1.0) - y, y) if negative.any() else y


@entrywise
def ndtr(x: np.ndarray) -> np.ndarray:
    """The normal distribution function, exact to rounding in the lower tail."""
    z = np.abs(x)
    tail = exp_of_square(z, -0.5) * erfcx_of_magnitude(z * (1 / ROOT_2)) * 0.5
    return np.where(x > 0, 1 - tail, tail)


@entrywise
def log_ndtr(x: np.ndarray) -> np.ndarray:
    """The logarithm of ndtr, also where that underflows."""
    z = np.abs(x)
    half = erfcx_of_magnitude(z * (1 / ROOT_2)) * 0.5
    return np.where(x < 0, np.log(half) - 0.5 * z * z, np.log1p(-exp_of_square(z, -0.5) * half))


ROOTS_PER_UNIT, LAST_ROOT = 16, 28  # r = sqrt(-log(1 - x**2)) ends near 27.3, at ndtri(5e-324)


@in_both
def root_table() -> np.ndarray:
    """The ratio of erfinv(x) to x as polynomials in r = sqrt(-log(1 - x**2)) around its nodes.

    The ratio is a smooth function of r. In x it is not: near 1 it grows like a root of a logarithm.
    """
    nodes = np.arange(LAST_ROOT * ROOTS_PER_UNIT + 1) / ROOTS_PER_UNIT
    with np.errstate(all="ignore"):
        return interpolants(ratio, nodes, 0.5 / ROOTS_PER_UNIT, TERMS)


def ratio(r: np.ndarray) -> np.ndarray:
    """erfinv(x) / x where 1 - x**2 = exp(-r**2), by Newton's iteration."""
    x = np.sqrt(-np.expm1(-r * r))
    y = np.maximum(np.abs(r), 0.1)
    for _ in range(8):
        inner, tail = erf(y), erfcx(y)
        near = (inner - x) * np.exp(y * y)
        far = np.log(tail) + np.log1p(inner) - (y - r) * (y + r)  # the difference of logarithms
        y = y - ROOT_PI / 2 * np.where(np.abs(r) < 1, near, -far * tail * (1 + inner) / (2 * inner))
    return y / x


def quantile(x: np.ndarray, rest: np.ndarray) -> np.ndarray:
    """erfinv(x), from rest = 1 - |x| to full precision."""
    near = x * x < 0.5
    r = np.sqrt(-np.where(near, np.log1p(-x * x), np.log(rest * (2 - rest))))
    k = np.rint(r * ROOTS_PER_UNIT)
    y = x * horner(root_table(x.dtype), k, r - k * (1 / ROOTS_PER_UNIT))
    return np.where(rest == 0, np.copysign(np.inf, x), y)


@entrywise
def erfinv(x: np.ndarray) -> np.ndarray:
    """The inverse of erf; infinite at -1 and 1, NaN beyond."""
    return quantile(x, 1 - np.abs(x))


@entrywise
def ndtri(p: np.ndarray) -> np.ndarray:
    """The inverse of ndtr; infinite at 0 and 1, NaN beyond."""
    return ROOT_2 * quantile(2 * p - 1, 2 * np.minimum(p, 1 - p))


def logit(x: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """log(x / (1 - x)), exact to rounding also near its zero at 1/2."""
    x = np.asarray(x, float_dtype(x))
    with np.errstate(divide="ignore", invalid="ignore"):
        middle = np.arctanh(np.clip(2 * x - 1, -0.5, 0.5)) * 2
        y = np.where(np.abs(x - 0.5) <= 0.25, middle, np.log(x / (1 - x)))
    return y[()] if out is None else np.positive(y, out=out)
