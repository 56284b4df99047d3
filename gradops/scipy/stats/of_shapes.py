"""Continuous distributions with a support that depends on shapes, or with shapes of any sign."""

import math
from typing import Any

import numpy as np

from ...library.elementwise.arithmetic import sign, sqrt
from ...library.elementwise.comparison import where
from ...library.elementwise.exponential import erf, exp, expm1, log, log1p
from ...library.elementwise.exprel import log1prel
from ...library.elementwise.gamma import gammainc, gammaincc, gammaln
from ...library.elementwise.special import log_ndtr, ndtr, xlogy
from ...library.elementwise.trigonometric import asinh, atan2
from .families import Continuous, growing, log_less_exp

__all__ = [
    "exponnorm", "foldnorm", "gengamma", "genextreme", "genpareto", "johnsonsb", "johnsonsu",
    "laplace_asymmetric", "loguniform", "reciprocal", "skewcauchy", "triang", "truncexpon",
    "truncnorm",
]  # fmt: skip

LOG_SQRT_2PI, SQRT_2 = 0.5 * math.log(2 * math.pi), math.sqrt(2)


def real(*shapes: Any) -> Any:
    """True for shapes that are finite."""
    return sum(abs(a) < np.inf for a in shapes) == len(shapes)


def times_one_less(c: Any, y: Any) -> Any:
    """(1 - c) y, which is 0 for c = 1 where y is infinite."""
    one = c == 1
    return where(one, 0.0, (1 - c) * where(one, 0.0, y))


def extreme(z: Any, c: Any) -> Any:
    """log(1 - c z) / c, which is -z for c = 0, and infinite at the end of the support."""
    end = c * z == 1
    rest = where(end, 0.0, z)
    return where(end, where(c > 0, -np.inf, np.inf), -rest * log1prel(-c * rest))


def extreme_density(z: Any, c: Any) -> Any:
    """The logarithm of the density of extreme values."""
    y = extreme(z, c)
    end = y == np.inf
    y = where(end, 0.0, y)
    return where(end, -np.inf, times_one_less(c, y) - exp(y))


genextreme = Continuous(
    "genextreme", extreme_density,
    lambda z, c: exp(-growing(extreme(z, c))), lambda z, c: -expm1(-growing(extreme(z, c))),
    log_cumulative=lambda z, c: -exp(extreme(z, c)), shapes=("c",), finite=True, fits=real,
    bounds=lambda c: (where(c < 0, 1 / where(c < 0, c, 1.0), -np.inf),
                      where(c > 0, 1 / where(c > 0, c, 1.0), np.inf)),
    interior=0.0,
)  # fmt: skip

genpareto = Continuous(
    "genpareto", lambda z, c: times_one_less(-c, extreme(z, -c)),
    lambda z, c: -expm1(extreme(z, -c)), lambda z, c: exp(extreme(z, -c)),
    log_survival=lambda z, c: extreme(z, -c), shapes=("c",), finite=True, fits=real,
    bounds=lambda c: (0.0, where(c < 0, -1 / where(c < 0, c, 1.0), np.inf)),
    interior=lambda c: 0.5 / (1 + abs(c)),
)  # fmt: skip


def log_between(low: Any, high: Any) -> Any:
    """The logarithm of the normal probability between two points, by the nearer tail."""
    right = low > 0
    low, high = where(right, -high, low), where(right, -low, high)
    more, less = log_ndtr(high), log_ndtr(low)
    return more + log_less_exp(more - less)


def log_share(own: Any, other: Any, a: Any, b: Any) -> Any:
    """The logarithm of a share, of two parts given by logarithms: by the other one near 1."""
    whole = log_between(a, b)
    less = own < other
    return where(less, own - whole, log1p(-exp(where(less, own - whole, other - whole))))


def inside(a: Any, b: Any) -> Any:
    """A point between two ends, of which one or both may be infinite."""
    low, high = abs(a) < np.inf, abs(b) < np.inf
    a, b = where(low, a, where(high, b - 1, 0.0)), where(high, b, where(low, a + 1, 0.0))
    return a / 2 + b / 2


truncnorm = Continuous(
    "truncnorm", lambda z, a, b: -z * z / 2 - LOG_SQRT_2PI - log_between(a, b),
    lambda z, a, b: exp(log_between(a, z) - log_between(a, b)),
    lambda z, a, b: exp(log_between(z, b) - log_between(a, b)),
    log_cumulative=lambda z, a, b: log_share(log_between(a, z), log_between(z, b), a, b),
    log_survival=lambda z, a, b: log_share(log_between(z, b), log_between(a, z), a, b),
    shapes=("a", "b"), bounds=lambda a, b: (a, b), fits=lambda a, b: a < b, interior=inside,
    usual=(-1.0, 1.0),
)  # fmt: skip

truncexpon = Continuous(
    "truncexpon", lambda z, b: -z - log(-expm1(-b)), lambda z, b: expm1(-z) / expm1(-b),
    lambda z, b: exp(-z) * expm1(z - b) / expm1(-b), shapes=("b",), finite=True,
    bounds=lambda b: (0.0, b), interior=lambda b: b / 2,
)  # fmt: skip


def of_logarithms(name: str) -> Continuous:
    """The distribution whose logarithm is uniform."""
    return Continuous(
        name, lambda z, a, b: -log(z) - log(log(b / a)), lambda z, a, b: log(z / a) / log(b / a),
        lambda z, a, b: log(b / z) / log(b / a), shapes=("a", "b"), finite=True,
        bounds=lambda a, b: (a, b), fits=lambda a, b: (a > 0) & (b > a),
        interior=lambda a, b: sqrt(a) * sqrt(b), usual=(1.0, 2.0),
    )  # fmt: skip


loguniform, reciprocal = of_logarithms("loguniform"), of_logarithms("reciprocal")


def rising(z: Any, c: Any) -> tuple[Any, Any, Any]:
    """Where a triangle rises, and its widths on both sides, 1 where they are not used."""
    left = (z < c) | (c == 1)
    return left, where(left, c, 1.0), where(left, 1.0, 1 - c)


def triangle(z: Any, c: Any) -> Any:
    """The logarithm of the height of a triangle."""
    left, own, other = rising(z, c)
    return math.log(2.0) + where(
        left, log(where(left, z, 1.0) / own), log(where(left, 1.0, 1 - z) / other)
    )


def under_triangle(z: Any, c: Any) -> Any:
    """The probability below z."""
    left, own, other = rising(z, c)
    return where(left, z * z / own, (z * (2 - z) - c) / other)


def above_triangle(z: Any, c: Any) -> Any:
    """The probability above z."""
    left, own, other = rising(z, c)
    return where(left, 1 - z * z / own, (1 - z) ** 2 / other)


triang = Continuous(
    "triang", triangle, under_triangle, above_triangle, shapes=("c",), bounds=(0.0, 1.0),
    fits=lambda c: (c >= 0) & (c <= 1), usual=(0.5,), interior=0.25,
)  # fmt: skip


def by_normal(name: str, to_normal: Any, log_slope: Any, bounds: Any) -> Continuous:
    """A distribution of Johnson's: a + b f(x) is normal."""
    at: Any = lambda z, a, b: a + b * to_normal(z)
    return Continuous(
        name, lambda z, a, b: log(b) + log_slope(z) - at(z, a, b) ** 2 / 2 - LOG_SQRT_2PI,
        lambda z, a, b: ndtr(at(z, a, b)), lambda z, a, b: ndtr(-at(z, a, b)),
        log_cumulative=lambda z, a, b: log_ndtr(at(z, a, b)),
        log_survival=lambda z, a, b: log_ndtr(-at(z, a, b)),
        shapes=("a", "b"), finite=True, fits=lambda a, b: (b > 0) & real(a), bounds=bounds,
        open=True,
    )  # fmt: skip


johnsonsu = by_normal("johnsonsu", asinh, lambda z: -0.5 * log1p(z * z), (-np.inf, np.inf))
johnsonsb = by_normal(
    "johnsonsb", lambda z: log(z) - log1p(-z), lambda z: -log(z) - log1p(-z), (0.0, 1.0)
)


def powered(z: Any, c: Any, lower: Any, higher: Any) -> Any:
    """A function of z**c for positive c, and another one for negative c."""
    return where(c > 0, lower(z**c), higher(z**c))


def power_density(z: Any, a: Any, c: Any) -> Any:
    """log(z**(c a - 1) exp(-z**c)), -inf at 0 for negative c."""
    end = (z == 0) & (c < 0)
    z = where(end, 1.0, z)
    return where(end, -np.inf, xlogy(c * a - 1, z) - z**c)


gengamma = Continuous(
    "gengamma",
    lambda z, a, c: log(abs(c)) + power_density(z, a, c) - gammaln(a),
    lambda z, a, c: powered(z, c, lambda y: gammainc(a, y), lambda y: gammaincc(a, y)),
    lambda z, a, c: powered(z, c, lambda y: gammaincc(a, y), lambda y: gammainc(a, y)),
    shapes=("a", "c"), bounds=(0.0, np.inf), finite=True,
    fits=lambda a, c: (a > 0) & (c != 0),
)  # fmt: skip

laplace_asymmetric = Continuous(
    "laplace_asymmetric",
    lambda z, k: -log(k + 1 / k) - abs(z) * where(z < 0, 1 / k, k),
    lambda z, k: side(-z, 1 / k), lambda z, k: side(z, k), shapes=("kappa",), finite=True,
)  # fmt: skip


def side(z: Any, k: Any) -> Any:
    """The probability above z of two exponentials that decay like k above 0, and 1 / k below."""
    share, right = 1 / (1 + k * k), z > 0
    below = (1 - share) * exp(where(right, 0.0, z) / k)
    return where(right, share * exp(-k * where(right, z, 0.0)), 1 - below)


def folded(z: Any, c: Any) -> Any:
    """The probability of a normal around c to lie between -z and z: near 0 by its series."""
    near = z < 1e-4
    small, rest = where(near, z, 0.0), where(near, 1.0, z)
    series = 2 * small * exp(-c * c / 2 - LOG_SQRT_2PI) * (1 + small * small * (c * c - 1) / 6)
    return where(near, series, (erf((rest - c) / SQRT_2) + erf((rest + c) / SQRT_2)) / 2)


foldnorm = Continuous(
    "foldnorm",
    lambda z, c: -((z - c) ** 2) / 2 - LOG_SQRT_2PI + log1p(exp(-2 * c * z)),
    folded, lambda z, c: ndtr(c - z) + ndtr(-z - c),
    shapes=("c",), bounds=(0.0, np.inf), finite=True, fits=lambda c: c >= 0,
)  # fmt: skip


def over_cauchy(z: Any, a: Any) -> Any:
    """The probability above z of two halves of Cauchy's, of the widths 1 - a and 1 + a."""
    right = z > 0
    width = where(right, 1 + a, 1 - a)
    rest = width / math.pi * atan2(1.0, where(right, z, -z) / width)
    return where(right, rest, 1 - rest)


skewcauchy = Continuous(
    "skewcauchy", lambda z, a: -math.log(math.pi) - log1p((z / (1 + a * sign(z))) ** 2),
    lambda z, a: over_cauchy(-z, -a), over_cauchy, shapes=("a",), fits=lambda a: abs(a) < 1,
    usual=(0.5,),
)  # fmt: skip


def log_below(z: Any, k: Any) -> Any:
    """The part that an exponential takes from a normal, as a logarithm."""
    return 0.5 / (k * k) - z / k + log_ndtr(z - 1 / k)


exponnorm = Continuous(
    "exponnorm", lambda z, k: log_below(z, k) - log(k),
    lambda z, k: ndtr(z) - exp(log_below(z, k)), lambda z, k: ndtr(-z) + exp(log_below(z, k)),
    shapes=("K",), finite=True,
)  # fmt: skip
