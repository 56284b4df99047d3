"""The relative error exponential and its derivatives.

Note [Moments of the exponential]. The integral of t**n exp(x t) over t from 0 to 1 is
(exp(x) - 1) / x for n = 0, and the next one is its derivative. By parts, moment n is
(exp(x) - n (moment n - 1)) / x, in which nothing cancels where abs(x) is large. Where it is small,
Kummer's series have positive terms: sum x**j / (j! (n + 1 + j)), and for negative x exp(x) times
the sum of abs(x)**j / ((n + 1) ... (n + 1 + j)).
"""

import numpy as np

from .tables import float_dtype

FAR = 30.0
TERMS = 150  # the last of which is below 1e-20 of the sum for abs(x) up to FAR


def exprel(x: np.ndarray, n: int = 0) -> np.ndarray:
    """The integral of t**n exp(x t) from 0 to 1. See Note [Moments of the exponential]."""
    dtype, x = float_dtype(x), np.asarray(x, np.float64)
    with np.errstate(all="ignore"):
        safe = np.where(x == 0, 1.0, x)
        y = np.where(x == 0, 1.0, np.expm1(safe) / safe)
        for k in range(1, n + 1):
            y = (np.exp(safe) - k * y) / safe
        if n:
            y = np.where(np.abs(x) < max(FAR, 2 * n), near(x, n), y)
        y = np.where(np.isneginf(x), 0.0, np.where(np.isposinf(x), np.inf, y))
    return y.astype(dtype, copy=False)[()]


def near(x: np.ndarray, n: int) -> np.ndarray:
    """The moment by a series of positive terms."""
    size = np.minimum(np.abs(x), max(FAR, 2 * n))
    term, below = np.ones_like(x), np.full_like(x, 1 / (n + 1))
    above, total = term / (n + 1), below.copy()
    for j in range(1, TERMS + 4 * n):
        term = term * size / j
        above += term / (n + 1 + j)
        below = below * size / (n + 1 + j)
        total += below
    return np.where(x < 0, np.exp(-size) * total, above)
