"""Continuous distributions above a point, or below one, each by its standard form."""

import math
from typing import Any

import numpy as np

from ...library.elementwise.arithmetic import sqrt
from ...library.elementwise.beta import betainc, betaln
from ...library.elementwise.comparison import minimum, where
from ...library.elementwise.exponential import erf, exp, expm1, log, log1p
from ...library.elementwise.exprel import exprel
from ...library.elementwise.gamma import gammainc, gammaincc, gammaln
from ...library.elementwise.special import erfc, log_ndtr, logaddexp, ndtr, xlog1py, xlogy
from ...library.elementwise.trigonometric import atan, atan2, tanh
from ...library.nn.activation import log_sigmoid, sigmoid
from .continuous import under_laplace
from .families import LOG_2, Continuous, log_less_exp
from .whole_line import log1p_square

__all__ = [
    "betaprime", "burr", "burr12", "chi", "chi2", "exponpow", "exponweib", "f", "fatiguelife",
    "fisk", "gompertz", "halfcauchy", "halflogistic", "halfnorm", "invgamma", "invgauss",
    "invweibull", "levy", "loglaplace", "lognorm", "lomax", "maxwell", "nakagami", "pareto", "wald",
    "weibull_max",
]  # fmt: skip

ABOVE = (0.0, np.inf)
LOG_SQRT_2PI = 0.5 * math.log(2 * math.pi)

halfnorm = Continuous(
    "halfnorm", lambda z: LOG_2 - LOG_SQRT_2PI - z * z / 2, lambda z: erf(z / math.sqrt(2)),
    lambda z: erfc(z / math.sqrt(2)),
    log_survival=lambda z: where(z < 1, log1p(-erf(z / math.sqrt(2))), LOG_2 + log_ndtr(-z)),
    bounds=ABOVE,
)  # fmt: skip

halfcauchy = Continuous(
    "halfcauchy", lambda z: math.log(2 / math.pi) - log1p_square(z),
    lambda z: 2 / math.pi * atan(z), lambda z: 2 / math.pi * atan2(1.0, z), bounds=ABOVE,
)  # fmt: skip

halflogistic = Continuous(
    "halflogistic", lambda z: LOG_2 - z - 2 * log1p(exp(-z)), lambda z: tanh(z / 2),
    lambda z: 2 * sigmoid(-z),
    log_survival=lambda z: where(z < 1, log1p(-tanh(z / 2)), LOG_2 + log_sigmoid(-z)),
    bounds=ABOVE,
)  # fmt: skip

maxwell = Continuous(
    "maxwell", lambda z: LOG_2 - LOG_SQRT_2PI + 2 * log(z) - z * z / 2,
    lambda z: gammainc(1.5, z * z / 2), lambda z: gammaincc(1.5, z * z / 2), bounds=ABOVE,
)  # fmt: skip

levy = Continuous(
    "levy", lambda z: -LOG_SQRT_2PI - 1.5 * log(z) - 0.5 / z, lambda z: erfc(sqrt(0.5 / z)),
    lambda z: erf(sqrt(0.5 / z)), bounds=ABOVE, open=True, interior=1.0,
)  # fmt: skip

chi2 = Continuous(
    "chi2", lambda z, df: xlogy(df / 2 - 1, z) - z / 2 - gammaln(df / 2) - df / 2 * LOG_2,
    lambda z, df: gammainc(df / 2, z / 2), lambda z, df: gammaincc(df / 2, z / 2),
    shapes=("df",), bounds=ABOVE, finite=True,
)  # fmt: skip

chi = Continuous(
    "chi",
    lambda z, df: LOG_2 - df / 2 * LOG_2 - gammaln(df / 2) + xlogy(df - 1, z) - z * z / 2,
    lambda z, df: gammainc(df / 2, z * z / 2), lambda z, df: gammaincc(df / 2, z * z / 2),
    shapes=("df",), bounds=ABOVE, finite=True,
)  # fmt: skip

nakagami = Continuous(
    "nakagami",
    lambda z, nu: LOG_2 + xlogy(nu, nu) - gammaln(nu) + xlogy(2 * nu - 1, z) - nu * z * z,
    lambda z, nu: gammainc(nu, nu * z * z), lambda z, nu: gammaincc(nu, nu * z * z),
    shapes=("nu",), bounds=ABOVE, finite=True,
)  # fmt: skip

invgamma = Continuous(
    "invgamma", lambda z, a: -(a + 1) * log(z) - gammaln(a) - 1 / z,
    lambda z, a: gammaincc(a, 1 / z), lambda z, a: gammainc(a, 1 / z),
    shapes=("a",), bounds=ABOVE, open=True, finite=True,
)  # fmt: skip

lognorm = Continuous(
    "lognorm", lambda z, s: -((log(z) / s) ** 2) / 2 - LOG_SQRT_2PI - log(s) - log(z),
    lambda z, s: ndtr(log(z) / s), lambda z, s: ndtr(-log(z) / s),
    log_cumulative=lambda z, s: log_ndtr(log(z) / s),
    log_survival=lambda z, s: log_ndtr(-log(z) / s), shapes=("s",), bounds=ABOVE, open=True,
    finite=True,
)  # fmt: skip

invweibull = Continuous(
    "invweibull", lambda z, c: log(c) - (c + 1) * log(z) - z ** (-c),
    lambda z, c: exp(-(z ** (-c))), lambda z, c: -expm1(-(z ** (-c))),
    log_cumulative=lambda z, c: -(z ** (-c)), shapes=("c",), bounds=ABOVE, open=True, finite=True,
)  # fmt: skip

weibull_max = Continuous(
    "weibull_max", lambda z, c: log(c) + xlogy(c - 1, -z) - (-z) ** c,
    lambda z, c: exp(-((-z) ** c)), lambda z, c: -expm1(-((-z) ** c)),
    log_cumulative=lambda z, c: -((-z) ** c), shapes=("c",), bounds=(-np.inf, 0.0), finite=True,
    interior=-0.5,
)  # fmt: skip

pareto = Continuous(
    "pareto", lambda z, b: log(b) - (b + 1) * log(z), lambda z, b: -expm1(-b * log(z)),
    lambda z, b: exp(-b * log(z)), log_survival=lambda z, b: -b * log(z), shapes=("b",),
    bounds=(1.0, np.inf), finite=True, interior=1.5,
)  # fmt: skip

lomax = Continuous(
    "lomax", lambda z, c: log(c) - (c + 1) * log1p(z), lambda z, c: -expm1(-c * log1p(z)),
    lambda z, c: exp(-c * log1p(z)), log_survival=lambda z, c: -c * log1p(z), shapes=("c",),
    bounds=ABOVE, finite=True,
)  # fmt: skip


def growing_less_1(x: Any) -> Any:
    """exp(x) - 1, but at most exp(700): see `growing`."""
    return expm1(minimum(x, 700.0))


gompertz = Continuous(
    "gompertz", lambda z, c: log(c) + z - c * growing_less_1(z),
    lambda z, c: -expm1(-c * growing_less_1(z)), lambda z, c: exp(-c * growing_less_1(z)),
    log_survival=lambda z, c: -c * growing_less_1(z), shapes=("c",),
    bounds=ABOVE, finite=True,
)  # fmt: skip


def above_fisk(z: Any, c: Any) -> Any:
    """1 / (1 + z**c), whose slope at small z the sigmoid of -c log z would not have."""
    small = z < 1
    low, high = where(small, z, 0.5), where(small, 1.0, z)
    return where(small, 1 / (1 + low**c), sigmoid(-c * log(high)))


fisk = Continuous(
    "fisk", lambda z, c: log(c) + xlogy(c - 1, z) + 2 * log_sigmoid(-c * log(z)),
    lambda z, c: sigmoid(c * log(z)), above_fisk,
    log_cumulative=lambda z, c: log_sigmoid(c * log(z)),
    log_survival=lambda z, c: log_sigmoid(-c * log(z)), shapes=("c",), bounds=ABOVE, finite=True,
)  # fmt: skip

burr12 = Continuous(
    "burr12", lambda z, c, d: log(c) + log(d) + xlogy(c - 1, z) + xlog1py(-d - 1, z**c),
    lambda z, c, d: -expm1(-d * log1p(z**c)), lambda z, c, d: exp(-d * log1p(z**c)),
    log_survival=lambda z, c, d: -d * log1p(z**c), shapes=("c", "d"), bounds=ABOVE, finite=True,
)  # fmt: skip

fatiguelife = Continuous(
    "fatiguelife",
    lambda z, c: log1p(z) - LOG_2 - log(c) - LOG_SQRT_2PI - 1.5 * log(z)
    - (z - 1) ** 2 / (2 * z * c * c),
    lambda z, c: ndtr((sqrt(z) - 1 / sqrt(z)) / c), lambda z, c: ndtr((1 / sqrt(z) - sqrt(z)) / c),
    log_cumulative=lambda z, c: log_ndtr((sqrt(z) - 1 / sqrt(z)) / c),
    log_survival=lambda z, c: log_ndtr((1 / sqrt(z) - sqrt(z)) / c), shapes=("c",), bounds=ABOVE,
    open=True, finite=True,
)  # fmt: skip


def parts(z: Any, mu: Any) -> tuple[Any, Any, Any]:
    """Logarithms of the terms in the distribution function of an inverse Gaussian."""
    root = sqrt(z)
    below, above = log_ndtr((z / mu - 1) / root), log_ndtr((1 - z / mu) / root)
    return below, above, 2 / mu + log_ndtr(-(z / mu + 1) / root)


def log_below(z: Any, mu: Any) -> Any:
    """The logarithm of the distribution function of an inverse Gaussian."""
    below, _, more = parts(z, mu)
    return logaddexp(below, more)


def log_above(z: Any, mu: Any) -> Any:
    """The logarithm of the probability of an inverse Gaussian to lie above z."""
    _, above, more = parts(z, mu)
    return above + log_less_exp(above - more)


def density_of_invgauss(z: Any, mu: Any) -> Any:
    """The logarithm of the density of an inverse Gaussian."""
    return -LOG_SQRT_2PI - 1.5 * log(z) - ((z - mu) / mu) ** 2 / (2 * z)


invgauss = Continuous(
    "invgauss", density_of_invgauss, lambda z, mu: exp(log_below(z, mu)),
    lambda z, mu: exp(log_above(z, mu)), log_cumulative=log_below, log_survival=log_above,
    shapes=("mu",), bounds=ABOVE, open=True, finite=True,
)  # fmt: skip

wald = Continuous(
    "wald", lambda z: density_of_invgauss(z, 1.0), lambda z: exp(log_below(z, 1.0)),
    lambda z: exp(log_above(z, 1.0)), log_cumulative=lambda z: log_below(z, 1.0),
    log_survival=lambda z: log_above(z, 1.0), bounds=ABOVE, open=True,
)  # fmt: skip


def share_below(z: Any, n: Any, d: Any) -> Any:
    """The distribution function of F."""
    return betainc(n / 2, d / 2, n * z / (d + n * z))


def share_above(z: Any, n: Any, d: Any) -> Any:
    """The complement of the distribution function of F, by an argument that is not next to 1."""
    small = n * z < 1e-3 * d
    low, high = where(small, z, 1e-4 * d / n), where(small, d / n, z)
    below = 1 - betainc(n / 2, d / 2, n * low / (d + n * low))
    return where(small, below, betainc(d / 2, n / 2, d / (d + n * high)))


f = Continuous(
    "f",
    lambda z, n, d: n / 2 * (log(n) - log(d)) + xlogy(n / 2 - 1, z) - betaln(n / 2, d / 2)
    - (n + d) / 2 * log1p(n * z / d),
    share_below, share_above, shapes=("dfn", "dfd"), bounds=ABOVE, finite=True,
)  # fmt: skip

exponpow = Continuous(
    "exponpow", lambda z, b: log(b) + xlogy(b - 1, z) + z**b - growing_less_1(z**b),
    lambda z, b: -expm1(-growing_less_1(z**b)), lambda z, b: exp(-growing_less_1(z**b)),
    log_survival=lambda z, b: -growing_less_1(z**b), shapes=("b",), bounds=ABOVE, finite=True,
)  # fmt: skip


exponweib = Continuous(
    "exponweib",
    lambda z, a, c: log(a) + log(c) + (a - 1) * log(exprel(-(z**c))) - z**c + xlogy(a * c - 1, z),
    lambda z, a, c: exp(a * log_less_exp(z**c)), lambda z, a, c: -expm1(a * log_less_exp(z**c)),
    log_cumulative=lambda z, a, c: a * log_less_exp(z**c),
    shapes=("a", "c"), bounds=ABOVE, finite=True,
)  # fmt: skip

burr = Continuous(
    "burr",
    lambda z, c, d: log(c * d) + xlogy(c * d - 1, z) - (d + 1) * logaddexp(0.0, c * log(z)),
    lambda z, c, d: exp(-d * logaddexp(0.0, -c * log(z))),
    lambda z, c, d: -expm1(-d * logaddexp(0.0, -c * log(z))),
    log_cumulative=lambda z, c, d: -d * logaddexp(0.0, -c * log(z)),
    shapes=("c", "d"), bounds=ABOVE, finite=True,
)  # fmt: skip

betaprime = Continuous(
    "betaprime", lambda z, a, b: xlogy(a - 1, z) - (a + b) * log1p(z) - betaln(a, b),
    lambda z, a, b: betainc(a, b, z / (1 + z)), lambda z, a, b: betainc(b, a, 1 / (1 + z)),
    shapes=("a", "b"), bounds=ABOVE, finite=True, open=True,
)  # fmt: skip

loglaplace = Continuous(
    "loglaplace", lambda z, c: log(c / 2) + xlogy(where(z < 1, c - 1, -c - 1), z),
    lambda z, c: under_laplace(c * log(z)), lambda z, c: under_laplace(-c * log(z)),
    shapes=("c",), bounds=ABOVE, finite=True,
)  # fmt: skip
