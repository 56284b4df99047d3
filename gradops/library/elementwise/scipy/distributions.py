"""Distribution functions of Student, and inverses of the gamma distribution function."""

from typing import Any

from ....core.samples import beside, between, cases, positive, reals
from ....typing import AnyArray
from ..arithmetic import sign
from ..beta import beta_rises, betaln
from ..comparison import where
from ..exponential import exp, log, log1p
from ..gamma import digamma, gamma_slope, gammaln
from ..special import xlogy
from .family import scipy_op

__all__: list[str] = []

NEAR = 1e-6  # of t**2 / df, up to which a series has all digits but one


def inverse_density(a: AnyArray, x: AnyArray) -> Any:
    """1 over the density of the gamma distribution."""
    return exp(x - xlogy(a - 1, x) + gammaln(a))


def quantile_slope(x: AnyArray, a: AnyArray, y: AnyArray) -> AnyArray:
    """The derivative of a quantile in the parameter; see Note [Tails]."""
    return x * gamma_slope(a, log(x))


quantiles = cases(beside(positive((3, 4)), between(0.1, 0.9, (4,))))
gammaincinv = scipy_op(
    "gammaincinv", d=[quantile_slope, lambda x, a, y: inverse_density(a, x)], samples=quantiles,
    doc="The inverse of gammainc with parameter x at y, by SciPy.",
)
gammainccinv = scipy_op(
    "gammainccinv", d=[quantile_slope, lambda x, a, y: -inverse_density(a, x)], samples=quantiles,
    doc="The inverse of gammaincc with parameter x at y, by SciPy.",
)


def student_density(df: AnyArray, t: AnyArray) -> Any:
    power = (df + 1) * 0.5 * log1p(t * t / df)
    return exp(-power - betaln(df * 0.5, 0.5 + 0 * df) - 0.5 * log(df))


def student_rise(df: AnyArray, t: AnyArray) -> Any:
    """The derivative of Student's distribution function in the degrees of freedom.

    Near 0 it is that of the series t f(0) (1 - t**2 (df + 1) / (6 df)), with the density f.
    """
    near = t * t < NEAR * df
    small, rest = where(near, t, 0.0), where(near, 1.0, t)
    in_parameter, _ = beta_rises(df * 0.5, 0.5 + 0 * df, df / (df + rest * rest))
    far = 0.25 * sign(rest) * in_parameter + student_density(df, rest) * rest / (2 * df)
    growth = (digamma((df + 1) * 0.5) - digamma(df * 0.5) - 1 / df) * 0.5
    second = small * small / (6 * df)
    series = small * student_density(df, 0 * t) * (growth * (1 - second * (df + 1)) + second / df)
    return where(near, series, -far)


stdtr = scipy_op(
    "stdtr", samples=beside(positive((3, 4)), reals((4,))),
    d=[lambda y, df, t: student_rise(df, t), lambda y, df, t: student_density(df, t)],
    doc="Student's distribution function of x degrees of freedom at y, by SciPy.",
)
stdtrit = scipy_op(
    "stdtrit", samples=beside(positive((3, 4)), between(0.1, 0.9, (4,))),
    d=[
        lambda t, df, p: -student_rise(df, t) / student_density(df, t),
        lambda t, df, p: 1 / student_density(df, t),
    ],
    doc="The inverse of Student's distribution function of x degrees of freedom at y, by SciPy.",
)
