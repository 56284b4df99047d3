"""Moments of the lower tail of the beta distribution, of which its derivatives are made.

Note [Tails of the beta distribution]. With u = log(x / t) and r = log((1 - t) / (1 - x)), the
integral of t**(a - 1) (1 - t)**(b - 1) dt from 0 to x is x**a (1 - x)**(b - 1) T(0, 0), where

    T(m, n) = the integral of exp((b - 1) r - a u) u**m r**n du over u > 0.

T(m, n) is an op, whose derivatives in a and b are -T(m + 1, n) and T(m, n + 1). Its integrand is
positive and, where x is below the mean, decreases on one scale. Double exponential quadrature
also finds what happens near u = 0, where x is near 1.
"""

from functools import cache
from typing import Any

import numpy as np

from .incomplete import in_float64

DECAY = 46.0  # e**-46 is left of the integrand where integration ends
POINTS = 140
HALVINGS = 50


@cache
def double_exponential() -> tuple[list[float], list[float]]:
    """Points and weights on the interval from 0 to 1, which crowd at its ends."""
    t = np.linspace(-3.2, 3.2, POINTS)
    s = np.sinh(t) * np.pi / 2
    weights = (t[1] - t[0]) * np.pi / 4 * np.cosh(t) / np.cosh(s) ** 2
    return (1 / (1 + np.exp(-2 * s))).tolist(), weights.tolist()


def rise(x: np.ndarray, u: np.ndarray) -> np.ndarray:
    """log((1 - t) / (1 - x)) at t = x exp(-u)."""
    return np.log1p(-x * np.expm1(-u) / (1 - x))


def reach(a: np.ndarray, b: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The u up to which the integrand is more than exp(-DECAY), by bisection."""
    low, high = np.zeros_like(x), (DECAY - np.maximum(b - 1, 0) * np.log1p(-x)) / a
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        inside = (b - 1) * rise(x, middle) - a * middle > -DECAY
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    return high


def moment(a: np.ndarray, b: np.ndarray, x: np.ndarray, m: int, n: int) -> np.ndarray:
    """T(m, n) of float64 arrays of one shape."""
    end, total = reach(a, b, x), np.zeros_like(x)
    for point, weight in zip(*double_exponential()):
        u = end * point
        r = rise(x, u)
        total += weight * np.exp((b - 1) * r - a * u) * u**m * r**n
    return total * end


def beta_tail(a: Any, b: Any, x: Any, m: int = 0, n: int = 0) -> Any:
    """A moment of the lower tail. See Note [Tails of the beta distribution]."""
    return in_float64(lambda a, b, x: moment(a, b, x, m, n), a, b, x)
