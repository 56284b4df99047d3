"""Continuous distributions, each by its standard form."""

import math
from typing import Any

import numpy as np

from ...library.elementwise.beta import betainc, betaln
from ...library.elementwise.comparison import where
from ...library.elementwise.exponential import exp, expm1, log, log1p
from ...library.elementwise.gamma import gammainc, gammaincc, gammaln
from ...library.elementwise.special import log_ndtr, ndtr, xlog1py, xlogy
from ...library.nn.activation import log_sigmoid, sigmoid
from .families import Continuous, growing

__all__ = ["beta", "expon", "gamma", "gumbel_l", "gumbel_r", "laplace", "logistic",
           "norm", "rayleigh", "uniform", "weibull_min"]  # fmt: skip

LOG_SQRT_2PI, LOG_2 = 0.5 * math.log(2 * math.pi), math.log(2.0)

norm = Continuous(
    "norm", lambda z: -z * z / 2 - LOG_SQRT_2PI, ndtr, lambda z: ndtr(-z),
    log_cumulative=log_ndtr, log_survival=lambda z: log_ndtr(-z),
)  # fmt: skip

logistic = Continuous(
    "logistic", lambda z: log_sigmoid(z) + log_sigmoid(-z), sigmoid, lambda z: sigmoid(-z),
    log_cumulative=log_sigmoid, log_survival=lambda z: log_sigmoid(-z),
)  # fmt: skip

uniform = Continuous(
    "uniform", lambda z: 0 * z, lambda z: z, lambda z: 1 - z, bounds=(0.0, 1.0),
)  # fmt: skip

expon = Continuous(
    "expon", lambda z: -z, lambda z: -expm1(-z), lambda z: exp(-z),
    log_survival=lambda z: -z, bounds=(0.0, np.inf),
)  # fmt: skip

gumbel_r = Continuous(
    "gumbel_r", lambda z: -z - growing(-z), lambda z: exp(-growing(-z)),
    lambda z: -expm1(-growing(-z)), log_cumulative=lambda z: -growing(-z),
)  # fmt: skip

gumbel_l = Continuous(
    "gumbel_l", lambda z: z - growing(z), lambda z: -expm1(-growing(z)),
    lambda z: exp(-growing(z)), log_survival=lambda z: -growing(z),
)  # fmt: skip

rayleigh = Continuous(
    "rayleigh", lambda z: log(z) - z * z / 2, lambda z: -expm1(-z * z / 2),
    lambda z: exp(-z * z / 2), log_survival=lambda z: -z * z / 2, bounds=(0.0, np.inf),
)  # fmt: skip

gamma = Continuous(
    "gamma", lambda z, a: xlogy(a - 1, z) - z - gammaln(a), lambda z, a: gammainc(a, z),
    lambda z, a: gammaincc(a, z), shapes=("a",), bounds=(0.0, np.inf),
)  # fmt: skip

beta = Continuous(
    "beta", lambda z, a, b: xlogy(a - 1, z) + xlog1py(b - 1, -z) - betaln(a, b),
    lambda z, a, b: betainc(a, b, z), lambda z, a, b: betainc(b, a, 1 - z),
    shapes=("a", "b"), bounds=(0.0, 1.0), finite=True,
)  # fmt: skip

weibull_min = Continuous(
    "weibull_min", lambda z, c: log(c) + xlogy(c - 1, z) - z**c, lambda z, c: -expm1(-(z**c)),
    lambda z, c: exp(-(z**c)), log_survival=lambda z, c: -(z**c),
    shapes=("c",), bounds=(0.0, np.inf), finite=True,
)  # fmt: skip


def under_laplace(z: Any) -> Any:
    """The probability below z, by the side of 0 on which it is: with its slope at 0."""
    left = z < 0
    return where(left, 0.5 * exp(where(left, z, 0.0)), 1 - 0.5 * exp(-where(left, 0.0, z)))


def log_under_laplace(z: Any) -> Any:
    """The logarithm of the probability below z."""
    left = z < 0
    return where(left, z - LOG_2, log1p(-0.5 * exp(-where(left, 0.0, z))))


laplace = Continuous(
    "laplace", lambda z: -abs(z) - LOG_2, under_laplace, lambda z: under_laplace(-z),
    log_cumulative=log_under_laplace, log_survival=lambda z: log_under_laplace(-z),
)  # fmt: skip
