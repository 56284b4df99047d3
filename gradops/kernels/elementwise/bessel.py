"""The modified Bessel functions of order 0 and 1, from tables."""

import math
from functools import partial

import numpy as np

from .tables import entrywise, horner, in_both, interpolants

HALVES = 1  # tables are over t = HALVES / (HALVES + x), in which the functions are smooth
CELLS, TERMS = 128, 8
POINTS = 128  # of the trapezoidal rule, which is exact to rounding up to x = FAR
FAR = 60.0


def smooth(x: np.ndarray, order: int) -> np.ndarray:
    """exp(-x) I(x) / x**order, scaled to be nearly constant for large x.

    I0(x) is the mean of exp(x cos(a)), and I1(x) x times that of sin(a)**2 exp(x cos(a)).
    """
    a, bounded = np.pi / POINTS * (np.arange(POINTS) + 0.5), np.minimum(x, FAR)[..., None]
    near = np.mean(np.sin(a) ** (2 * order) * np.exp(-2 * np.sin(a / 2) ** 2 * bounded), axis=-1)
    term, far = np.ones_like(x), np.ones_like(x)
    for n in range(1, 25):  # the asymptotic series
        term = term * ((2 * n - 1) ** 2 - 4 * order) / (8 * n * np.maximum(x, FAR))
        far += term
    near *= (HALVES + x) ** (order + 0.5)
    far *= (1 + HALVES / np.maximum(x, FAR)) ** (order + 0.5) / math.sqrt(2 * math.pi)
    return np.where(x < FAR, near, far)


def table(order: int) -> np.ndarray:
    """`smooth` as polynomials around the middle of each cell of t."""
    middles = (np.arange(CELLS) + 0.5) / CELLS
    return interpolants(lambda t: smooth(HALVES * (1 - t) / t, order), middles, 0.5 / CELLS, TERMS)


TABLES = [in_both(partial(table, order)) for order in (0, 1)]


def scaled_bessel(x: np.ndarray, order: int) -> np.ndarray:
    """exp(-x) I(x) for nonnegative entries."""
    t = HALVES / (HALVES + x)
    k = np.minimum(np.floor(t * CELLS), CELLS - 1)
    middle = (k + 0.5) * (1 / CELLS)
    step = ((HALVES - HALVES * middle) - middle * x) / (HALVES + x)  # t - middle, less rounded
    y = horner(TABLES[order](x.dtype), k, np.where(np.isinf(x), -middle, step))
    y /= np.sqrt(HALVES + x)
    return y * (x / (HALVES + x)) if order else y


@entrywise
def i0e(x: np.ndarray) -> np.ndarray:
    """exp(-abs(x)) i0(x)."""
    return scaled_bessel(np.abs(x), 0)


@entrywise
def i1e(x: np.ndarray) -> np.ndarray:
    """exp(-abs(x)) i1(x)."""
    z = np.abs(x)
    return np.copysign(np.where(np.isinf(z), 0.0, scaled_bessel(z, 1)), x)


@entrywise
def i0(x: np.ndarray) -> np.ndarray:
    """The modified Bessel function of order 0."""
    z = np.abs(x)
    return times_exp(scaled_bessel(z, 0), z)


@entrywise
def i1(x: np.ndarray) -> np.ndarray:
    """The modified Bessel function of order 1."""
    z = np.abs(x)
    return np.copysign(times_exp(scaled_bessel(z, 1), z), x)


def times_exp(y: np.ndarray, x: np.ndarray) -> np.ndarray:
    """exp(x) y, also where exp(x) overflows."""
    half = np.exp(0.5 * x)
    return np.where(np.isinf(x), np.inf, y * half * half)
