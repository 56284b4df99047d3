"""The logarithm of the gamma function, its derivatives, and Hurwitz's zeta function."""

import math
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from .tables import BERNOULLI, DOUBLE, SHORT, entrywise, float_dtype, horner

CELLS, FIRST, LAST = 64, 32, 512  # nodes from 1/2 to 8, so many per unit
TERMS = 11  # of a Taylor series at a node
LOG_2PI = 1.8378770664093454836
ROOT = 1.4616321449683622, 9.549995429965697e-17  # of digamma, as the sum of two floats


class Table(NamedTuple):
    """Taylor coefficients at nodes, a row for each order, and the nodes."""

    coefficients: np.ndarray
    high: np.ndarray
    low: np.ndarray  # what a float cannot hold of a node


@cache
def node_values() -> np.ndarray:
    """gammaln and digamma at the nodes."""
    from .decimal_tables import gammaln_nodes

    return gammaln_nodes(CELLS, FIRST, LAST)


@cache
def taylor(order: int, dtype: np.dtype) -> Table:
    """The table of gammaln (order 0) or of digamma (order 1), which has its root as a node."""
    if dtype != DOUBLE:
        whole = taylor(order, DOUBLE)
        high = whole.high.astype(dtype)
        rest = whole.high - high + whole.low
        return Table(whole.coefficients[:SHORT].astype(dtype), high, rest.astype(dtype))
    high = np.arange(FIRST, LAST + 1) / CELLS
    low, values = np.zeros_like(high), node_values().copy()
    if order:
        below = math.floor(ROOT[0] * CELLS) - FIRST  # the nodes on both sides of it become the root
        around = slice(below, below + 2)
        high[around], low[around], values[1, around] = *ROOT, 0
    else:
        values[0, [CELLS - FIRST, 2 * CELLS - FIRST]] = 0  # at 1 and 2, to the last digit
    rows = list(values[order:])
    for n in range(2, TERMS + order):  # the derivatives of gammaln after the first
        scale = (-1) ** n * math.factorial(n - 1) / math.factorial(n - order)
        rows.append(scale * zeta_of_positive(float(n), high))
    return Table(np.array(rows), high, low)


def from_table(x: np.ndarray, order: int) -> np.ndarray:
    """gammaln or digamma of entries from 1/2 to 8."""
    table = taylor(order, x.dtype)
    k = (np.rint(x * CELLS) - FIRST).astype(np.intp)
    step = x - table.high.take(k, mode="clip")
    return horner(table.coefficients, k, step - table.low.take(k, mode="clip") if order else step)


def of_large(x: np.ndarray, order: int) -> np.ndarray:
    """gammaln or digamma by Stirling's series, from 8 on."""
    log, inverse = np.log(x), 1 / x
    terms = np.zeros_like(x)
    for n in range(8, 0, -1):
        p, q = BERNOULLI[n - 1]
        terms = terms * (inverse * inverse) + p / q / (2 * n * (1 if order else 2 * n - 1))
    if order:
        return log - inverse * (0.5 + inverse * terms)
    return (x - 0.5) * (log - 1) + (0.5 * (LOG_2PI - 1) + terms * inverse)


def of_half_on(x: np.ndarray, order: int) -> np.ndarray:
    """gammaln or digamma of entries from 1/2 on."""
    large = x > LAST / CELLS
    if large.all():
        return of_large(x, order)
    y = from_table(np.minimum(x, LAST / CELLS), order)
    if large.any():
        y[large] = of_large(x[large], order)
    return y


@entrywise
def gammaln(x: np.ndarray) -> np.ndarray:
    """log(abs(gamma(x)))."""
    small = x < 0.5
    if not small.any():
        return of_half_on(x, 0)
    negative = x < 0
    y = of_half_on(np.where(small, np.where(negative, 1 - x, 1 + x), x), 0)
    y = np.where(small & ~negative, y - np.log(x), y)
    if not negative.any():
        return y
    part = np.abs(np.sin(np.pi * (x - np.rint(x))))
    is_pole = np.isinf(x) | (part == 0)  # also where y is infinite
    return np.where(negative, np.where(is_pole, np.inf, np.log(np.pi / part) - y), y)


@entrywise
def digamma(x: np.ndarray) -> np.ndarray:
    """The derivative of gammaln; NaN at negative integers, infinite at 0."""
    small = x < 0.5
    if not small.any():
        return of_half_on(x, 1)
    negative = x < 0
    y = of_half_on(np.where(small, np.where(negative, 1 - x, 1 + x), x), 1)
    y = np.where(small & ~negative, y - 1 / x, y)
    if not negative.any():
        return y
    part = x - np.rint(x)
    cotangent = np.pi / np.tan(np.pi * np.where(part == 0, np.nan, part))
    return np.where(negative, y - cotangent, y)


SUMMED = 10  # terms of the zeta function before the formula of Euler and Maclaurin


def zeta_of_positive(s: Any, q: np.ndarray) -> np.ndarray:
    """The sum of (q + k)**-s over k = 0, 1, ... where q > 0 and s > 1."""
    z = q + SUMMED
    power = z**-s
    tail, factor = z / (s - 1) + 0.5, s / z
    for n, (p, b) in enumerate(BERNOULLI, 1):
        tail = tail + factor * (p / b / math.factorial(2 * n))
        factor = factor * (s + 2 * n - 1) * (s + 2 * n) / (z * z)
    total = power * tail
    for k in range(SUMMED - 1, -1, -1):
        total = total + (q + k) ** -s
    return total


def zeta(s: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Hurwitz's zeta function: the sum of (q + k)**-s over k = 0, 1, ...

    Where q < 0, the sum over all integers k gives it, which has the period 1 in q; it is NaN there
    unless s is an integer.
    """
    dtype = float_dtype(s, q)
    s, q = np.asarray(s, np.float64), np.asarray(q, np.float64)
    with np.errstate(all="ignore"):
        y = zeta_of_positive(s, np.where(q > 0, q, 1.0))
        if not np.all(q > 0):
            y = np.where(q > 0, y, zeta_by_reflection(s, q))
        y = np.where(np.isposinf(q) | np.isposinf(s) & (q > 1), 0.0, y)
        y = np.where(s > 1, y, np.where(s == 1, np.inf, np.nan))
    return y.astype(dtype, copy=False)[()]


def zeta_by_reflection(s: np.ndarray, q: np.ndarray) -> np.ndarray:
    """zeta where q <= 0."""
    rest, sign = np.ceil(q) - q, np.where(s % 2 == 0, 1.0, -1.0)  # exact just below an integer
    safe = np.where(rest > 0, rest, 0.5)
    above = zeta_of_positive(s, safe) - zeta_of_positive(s, 1 - np.minimum(q, 0))
    y = zeta_of_positive(s, 1 - safe) + sign * above
    y = np.where(s == np.floor(s), y, np.nan)
    return np.where(np.isnan(q), np.nan, np.where(rest > 0, y, np.inf))
