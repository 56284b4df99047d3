"""Tables of special functions in decimals, which are the same on every platform.

A kernel imports this module, and `decimal` with it, when it first needs its table.
"""

import math
from collections.abc import Iterator
from decimal import Context, Decimal, localcontext

import numpy as np

from .tables import BERNOULLI

SHIFT = 24  # how far gammaln is shifted before Stirling's series
LOG_2PI = Decimal("1.837877066409345483560659472811235279723")
NEAR_ZERO = Decimal("0.0625")  # below, the series of erfcx at t = 0 is exact
TWO_BY_ROOT_PI = Decimal("1.128379167095512573896158903121545171688101258658")


def erf_nodes(cells: int, last: int) -> tuple[list[float], list[float], list[float]]:
    """erf at 0, 1 / cells, ..., last as the sum of two floats, and its derivative there.

    It takes 20 ms.
    """
    with localcontext(Context(prec=30)):
        exact, slopes = zip(*trapezoids(1 / Decimal(cells), cells * last + 1))
        values = [float(e) for e in exact]
        rests = [float(e - Decimal(v)) for e, v in zip(exact, values)]
        return values, rests, [float(s) for s in slopes]


def trapezoids(h: Decimal, count: int) -> Iterator[tuple[Decimal, Decimal]]:
    """erf(c) and its derivative at c = 0, h, 2 h, and so on.

    The area under the trapezoids and two end corrections by the formula of Euler and Maclaurin
    give erf(c) to 1e-20.
    """
    area, slope = Decimal(0), Decimal("1.12837916709551257389615890312")  # 2 / sqrt(pi)
    ratio, shrink = (-h * h).exp(), (-2 * h * h).exp()  # slope(c + h) / slope(c), and its ratio
    for c in (k * h for k in range(count)):
        yield area + slope * c * h**2 * (1 + h**2 * (3 - 2 * c * c) / 30) / 6, slope
        area += slope * (1 + ratio) * h / 2
        slope, ratio = slope * ratio, ratio * shrink


def gammaln_nodes(cells: int, first: int, last: int) -> np.ndarray:
    """gammaln and digamma at first / cells, ..., last / cells, rounded once.

    Stirling's series holds at x + SHIFT, and recurrence leads back to x. Decimals have the digits
    that cancel near a root.
    """
    with localcontext(Context(prec=34)):
        nodes = [Decimal(k) / cells for k in range(first, last + 1)]
        return np.array([gammaln_and_slope(x) for x in nodes]).T.copy()


def gammaln_and_slope(x: Decimal) -> tuple[float, float]:
    """gammaln and digamma at `x`."""
    z, product, total = x + SHIFT, Decimal(1), Decimal(0)
    for k in range(SHIFT):
        product *= x + k
        total += 1 / (x + k)
    log = z.ln()
    value = (z - Decimal("0.5")) * log - z + LOG_2PI / 2 - product.ln()
    slope = log - 1 / (2 * z) - total
    for n, (p, q) in enumerate(BERNOULLI, 1):
        term = Decimal(p) / q / (2 * n) / z ** (2 * n)
        value += term * z / (2 * n - 1)
        slope -= term
    return float(value), float(slope)


def erfcx_nodes(cells: int, half: int, terms: int) -> np.ndarray:
    """Taylor coefficients of erfcx at the nodes 0, 1 / cells, ..., 1 of t = half / (half + x).

    A row for each order.
    """
    with localcontext(Context(prec=50)):
        c, nodes = Decimal(half), [Decimal(k) / cells for k in range(cells + 1)]
        far = erfcx_at_infinity(c, 40)
        rows = [shift(far, t, terms) if t < NEAR_ZERO else erfcx_series(c, t, terms) for t in nodes]
        return np.array([[float(w) for w in row] for row in rows]).T.copy()


def erfcx_series(c: Decimal, t: Decimal, terms: int) -> list[Decimal]:
    """Taylor coefficients of erfcx at a node.

    dw/dx = 2xw - 2/sqrt(pi) is t**3 dw/dt = 2 c**2 (t - 1) w + 2 c t / sqrt(pi) in t = c / (c + x).
    So each coefficient follows from the three before it.
    """
    w = [Decimal(0), Decimal(0), erfcx(c / t - c)]  # two zeros, and coefficients 0 to k
    for k in range(terms - 1):
        known = 2 * c * c * ((t - 1) * w[-1] + w[-2])
        known += c * TWO_BY_ROOT_PI * (t, Decimal(1), Decimal(0))[min(k, 2)]
        known -= 3 * t * t * k * w[-1] + 3 * t * (k - 1) * w[-2] + (k - 2) * w[-3]
        w.append(known / (t**3 * (k + 1)))
    return w[2:]


def erfcx_at_infinity(c: Decimal, terms: int) -> list[Decimal]:
    """Coefficients of erfcx at t = 0, an asymptotic series."""
    w = [Decimal(0), TWO_BY_ROOT_PI / (2 * c)]
    for k in range(2, terms):
        w.append(w[-1] - (k - 2) * w[-2] / (2 * c * c))
    return w


def shift(series: list[Decimal], t: Decimal, terms: int) -> list[Decimal]:
    """The first coefficients at `t` of a function with a series at 0."""
    powers = [t**n if n else Decimal(1) for n in range(len(series))]
    return [
        sum(
            (math.comb(n, k) * series[n] * powers[n - k] for n in range(k, len(series))), Decimal(0)
        )
        for k in range(terms)
    ]


def erfcx(x: Decimal) -> Decimal:
    """exp(x**2) erfc(x) to 30 digits: a series where x is small, else a continued fraction."""
    if x < 3:
        term = total = x
        for n in range(1, 90):
            term *= 2 * x * x / (2 * n + 1)
            total += term
        return (x * x).exp() - TWO_BY_ROOT_PI * total
    fraction = x
    for n in range(90, 0, -1):
        fraction = x + Decimal(n) / 2 / fraction
    return TWO_BY_ROOT_PI / 2 / fraction
