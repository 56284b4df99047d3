"""Reciprocals and quotients of gamma functions."""

import math

from ....core.samples import cases, exactly, positive, reals
from ....typing import AnyArray
from ..beta import digamma_difference
from ..comparison import equal, less, less_equal, where
from ..gamma import digamma, gamma
from ..logic import logical_or
from ..rounding import floor, round
from ..trigonometric import cos, sin
from .family import scipy_op

__all__: list[str] = []


def is_pole(x: AnyArray) -> AnyArray:
    """True where the gamma function has a pole."""
    return less_equal(x, 0) & equal(x, floor(x))


def reciprocal_slope(y: AnyArray, x: AnyArray) -> AnyArray:
    """The derivative of 1 / gamma(x), by reflection where x is small: it is finite at each pole."""
    low = less(x, 0.5)
    z, turn = where(low, x, 0.0), round(where(low, x, 0.0))
    angle = (z - turn) * math.pi
    parity = cos(turn * math.pi)
    swing = cos(angle) - digamma(1 - z) * sin(angle) / math.pi
    return where(low, parity * gamma(1 - z) * swing, -digamma(where(low, 1.0, x)) * y)


rgamma = scipy_op(
    "rgamma", d=[reciprocal_slope], samples=cases(reals((3, 4)), exactly([-2.0, 0.0])),
    doc="1 / gamma(x), which has no poles, by SciPy.",
)


def poch_in_z(y: AnyArray, z: AnyArray, m: AnyArray) -> AnyArray:
    pole = is_pole(z)
    at, to = where(pole, z, 1.0), where(pole, z + m, 1.0)
    at_pole = gamma(to) * (digamma(to) * rgamma(at) + reciprocal_slope(rgamma(at), at))
    return where(pole, at_pole, y * digamma_difference(where(pole, 1.0, z), m))


poch = scipy_op(
    "poch", samples=cases(positive((3, 4), (4,)), exactly(-2.0, [2.5, 0.7])),
    d=[poch_in_z, lambda y, z, m: y * digamma(z + m)],
    doc="The rising factorial gamma(x + y) / gamma(x), by SciPy.",
)


def product_of_reciprocals(n: AnyArray, k: AnyArray) -> tuple[AnyArray, ...]:
    """gamma(n + 1), both reciprocals in a binomial coefficient, and the slopes of these."""
    r, s = rgamma(k + 1), rgamma(n - k + 1)
    return gamma(n + 1), r, s, reciprocal_slope(r, k + 1), reciprocal_slope(s, n - k + 1)


def binom_in_n(y: AnyArray, n: AnyArray, k: AnyArray) -> AnyArray:
    pole = is_pole(n - k + 1)
    g, r, s, _, slope = product_of_reciprocals(where(pole, n, 0.0), where(pole, k, 1.0))
    m = where(pole, n, 0.0) + 1
    difference = digamma_difference(where(pole, 1.0, n - k + 1), where(pole, 1.0, k))
    return where(pole, g * r * (digamma(m) * s + slope), y * difference)


def binom_in_k(y: AnyArray, n: AnyArray, k: AnyArray) -> AnyArray:
    pole = logical_or(is_pole(n - k + 1), is_pole(k + 1))
    g, r, s, rise, fall = product_of_reciprocals(where(pole, n, 0.0), where(pole, k, 1.0))
    low, high = where(pole, 1.0, k + 1), where(pole, 1.0, n - k + 1)
    return where(pole, g * (rise * s - r * fall), y * (digamma(high) - digamma(low)))


binom = scipy_op(
    "binom", samples=cases(positive((3, 4), (4,)), exactly([2.5, 3.0], [3.5, 4.0])),
    d=[binom_in_n, binom_in_k],
    doc="The binomial coefficient of x over y, also of numbers that are not whole, by SciPy.",
)
