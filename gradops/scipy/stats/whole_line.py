"""Continuous distributions on the whole line, each by its standard form."""

import math
from typing import Any

from ...library.elementwise.beta import betainc
from ...library.elementwise.comparison import where
from ...library.elementwise.exponential import erf, exp, expm1, log, log1p
from ...library.elementwise.gamma import gammainc, gammaincc, gammaln
from ...library.elementwise.special import erfc, log_ndtr, xlogy
from ...library.elementwise.trigonometric import atan, atan2
from ...library.nn.activation import log_sigmoid
from .families import Continuous, growing, log_of

__all__ = ["cauchy", "dgamma", "dweibull", "genlogistic", "gennorm", "hypsecant", "loggamma",
           "moyal", "powernorm", "t"]  # fmt: skip

LOG_PI = math.log(math.pi)


def log1p_square(z: Any) -> Any:
    """log(1 + z**2), where z**2 may be too large for a number."""
    far = abs(z) > 1e8
    return where(far, 2 * log(where(far, abs(z), 1.0)), log1p(where(far, 0.0, z) ** 2))


cauchy = Continuous(
    "cauchy", lambda z: -LOG_PI - log1p_square(z), lambda z: atan2(1.0, -z) / math.pi,
    lambda z: atan2(1.0, z) / math.pi,
)  # fmt: skip

hypsecant = Continuous(
    "hypsecant", lambda z: math.log(2) - LOG_PI - abs(z) - log1p(exp(-2 * abs(z))),
    lambda z: 2 / math.pi * atan(growing(z)), lambda z: 2 / math.pi * atan(growing(-z)),
)  # fmt: skip

moyal = Continuous(
    "moyal", lambda z: -(growing(-z) + z) / 2 - 0.5 * math.log(2 * math.pi),
    lambda z: erfc(growing(-z / 2) / math.sqrt(2)), lambda z: erf(growing(-z / 2) / math.sqrt(2)),
)  # fmt: skip

genlogistic = Continuous(
    "genlogistic", lambda z, c: log(c) + c * log_sigmoid(z) + log_sigmoid(-z),
    lambda z, c: exp(c * log_sigmoid(z)), lambda z, c: -expm1(c * log_sigmoid(z)),
    log_cumulative=lambda z, c: c * log_sigmoid(z), shapes=("c",), finite=True,
)  # fmt: skip


def beyond(z: Any, b: Any) -> Any:
    """The probability of a generalised normal to lie beyond -|z| or |z|, on one side."""
    return 0.5 * gammaincc(1 / b, abs(z) ** b)


def under(z: Any, b: Any) -> Any:
    """The probability of a generalised normal to lie below z: near 0 by the density there."""
    near = abs(z) ** b < 1e-14
    small, rest = where(near, z, 0.0), where(near, 1.0, z)
    inner = 0.5 + 0.5 * gammainc(1 / b, abs(rest) ** b)
    series = 0.5 + small * exp(log(b / 2) - gammaln(1 / b))
    return where(near, series, where(rest < 0, beyond(rest, b), inner))


gennorm = Continuous(
    "gennorm", lambda z, b: log(b / 2) - gammaln(1 / b) - abs(z) ** b,
    under, lambda z, b: under(-z, b),
    shapes=("beta",), finite=True,
)  # fmt: skip


def tail(z: Any, df: Any) -> Any:
    """The probability of Student's t to lie beyond -|z| or |z|, on one side."""
    return 0.5 * betainc(df / 2, 0.5 + 0 * df, 1 / (1 + z * z / df))


def density_of_t(z: Any, df: Any) -> Any:
    """The logarithm of the density of Student's t."""
    norm = gammaln((df + 1) / 2) - gammaln(df / 2) - 0.5 * (log(df) + LOG_PI)
    return norm - (df + 1) / 2 * log1p(z * z / df)


def below(z: Any, df: Any) -> Any:
    """The probability of Student's t to lie below z: near 0 by its series, for its digits."""
    near = abs(z) < 1e-4
    small, rest = where(near, z, 0.0), where(near, 1.0, z)
    series = small * exp(density_of_t(0 * z, df)) * (1 - small * small * (df + 1) / (6 * df))
    far = where(rest < 0, tail(rest, df), 1 - tail(rest, df))
    return where(near, 0.5 + series, far)


t = Continuous(
    "t", density_of_t, below, lambda z, df: below(-z, df), shapes=("df",), finite=True,
)  # fmt: skip


def log_gammainc(z: Any, c: Any) -> Any:
    """The logarithm of the incomplete gamma function at exp(z): far to the left a line."""
    left = z < -40
    z, far = where(left, 0.0, z), where(left, z, -40.0)
    whole = log_of(gammainc, gammaincc)
    return where(left, c * far - gammaln(c + 1), whole(c, growing(z)))


loggamma = Continuous(
    "loggamma", lambda z, c: c * z - growing(z) - gammaln(c),
    lambda z, c: gammainc(c, growing(z)), lambda z, c: gammaincc(c, growing(z)),
    log_cumulative=log_gammainc, shapes=("c",), finite=True,
)  # fmt: skip

powernorm = Continuous(
    "powernorm",
    lambda z, c: log(c) - z * z / 2 - 0.5 * math.log(2 * math.pi) + (c - 1) * log_ndtr(-z),
    lambda z, c: -expm1(c * log_ndtr(-z)), lambda z, c: exp(c * log_ndtr(-z)),
    log_survival=lambda z, c: c * log_ndtr(-z), shapes=("c",), finite=True,
)  # fmt: skip


def two_sided(name: str, shape: str, log_density: Any, beyond_one: Any) -> Continuous:
    """A distribution on both sides of 0, of which each has half of one on the positive side."""

    def below(z: Any, a: Any) -> Any:
        left = z < 0  # and not abs(z), which has no slope in the middle
        tail = 0.5 * beyond_one(where(left, -z, z), a)
        return where(left, tail, 1 - tail)

    return Continuous(
        name, lambda z, a: log_density(abs(z), a) - math.log(2.0), below,
        lambda z, a: below(-z, a), shapes=(shape,), finite=True,
    )  # fmt: skip


dgamma = two_sided(
    "dgamma", "a", lambda y, a: xlogy(a - 1, y) - y - gammaln(a), lambda y, a: gammaincc(a, y)
)
dweibull = two_sided(
    "dweibull", "c", lambda y, c: log(c) + xlogy(c - 1, y) - y**c, lambda y, c: exp(-(y**c))
)
