"""Distribution functions of Student, and inverses of the gamma distribution function."""

from typing import Any

from ....core.samples import beside, between, cases, positive, reals
from ....typing import AnyArray
from ..beta import betaln
from ..exponential import exp, log, log1p
from ..gamma import counts, gamma_slope, gammaln
from ..special import xlogy
from .family import no_partial, scipy_op

__all__: list[str] = []


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
    return exp(-power - betaln(df * 0.5, 0.5) - 0.5 * log(df))


stdtr = scipy_op(
    "stdtr", samples=beside(counts((3, 4)), reals((4,))),
    d=[no_partial("stdtr", "df"), lambda y, df, t: student_density(df, t)],
    doc="Student's distribution function of x degrees of freedom at y, by SciPy.",
)
stdtrit = scipy_op(
    "stdtrit", samples=beside(counts((3, 4)), between(0.1, 0.9, (4,))),
    d=[no_partial("stdtrit", "df"), lambda t, df, p: 1 / student_density(df, t)],
    doc="The inverse of Student's distribution function of x degrees of freedom at y, by SciPy.",
)
