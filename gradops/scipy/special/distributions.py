"""Distribution functions by their short names, as functions of the incomplete gamma and beta ones.

Names with a final c are complements, and those with a final i are inverses.
"""

import math
from typing import Any

from ...library.elementwise.beta import betainc, betaincc
from ...library.elementwise.comparison import equal, greater, greater_equal, less, less_equal, where
from ...library.elementwise.gamma import gammainc, gammaincc
from ...library.elementwise.rounding import floor
from ...library.elementwise.scipy.distributions import gammainccinv, gammaincinv
from .operands import operands

__all__ = [
    "bdtr", "bdtrc", "chdtr", "chdtrc", "chdtri", "fdtr", "fdtrc", "gdtr", "gdtrc",
    "gdtrix", "nbdtr", "nbdtrc", "pdtr", "pdtrc",
]  # fmt: skip


def within(condition: Any, value: Any) -> Any:
    """`value`, but NaN outside of its domain."""
    return where(condition, value, math.nan)


def is_chance(p: Any) -> Any:
    """True for probabilities."""
    return greater_equal(p, 0) & less_equal(p, 1)


def chdtr(v: Any, x: Any) -> Any:
    """The chi-square distribution function of v degrees of freedom at x."""
    v, x = operands(v, x)
    return gammainc(v / 2, x / 2)


def chdtrc(v: Any, x: Any) -> Any:
    """The complement of the chi-square distribution function."""
    v, x = operands(v, x)
    return gammaincc(v / 2, x / 2)


def chdtri(v: Any, p: Any) -> Any:
    """The x at which `chdtrc(v, x)` is p."""
    v, p = operands(v, p)
    return 2 * gammainccinv(v / 2, p)


def gdtr(a: Any, b: Any, x: Any) -> Any:
    """The gamma distribution function of rate a and shape b at x."""
    a, b, x = operands(a, b, x)
    return within(greater_equal(x, 0), gammainc(b, a * x))


def gdtrc(a: Any, b: Any, x: Any) -> Any:
    """The complement of the gamma distribution function of rate a and shape b."""
    a, b, x = operands(a, b, x)
    return within(greater_equal(x, 0), gammaincc(b, a * x))


def gdtrix(a: Any, b: Any, p: Any) -> Any:
    """The x at which `gdtr(a, b, x)` is p."""
    a, b, p = operands(a, b, p)
    return gammaincinv(b, p) / a


def pdtr(k: Any, m: Any) -> Any:
    """The probability of at most k events of a Poisson distribution of mean m."""
    k, m = operands(k, m)
    return within(greater_equal(k, 0), gammaincc(floor(k) + 1, m))


def pdtrc(k: Any, m: Any) -> Any:
    """The probability of more than k events of a Poisson distribution of mean m."""
    k, m = operands(k, m)
    return within(greater_equal(k, 0), gammainc(floor(k) + 1, m))


def bdtr(k: Any, n: Any, p: Any) -> Any:
    """The probability of at most k successes in n trials of probability p."""
    k, n, p = operands(k, n, p)
    k = floor(k)
    every = equal(k, n)
    found = where(every, 1.0, betaincc(k + 1, where(every, 1, n - k), p))
    return within(greater_equal(k, 0) & is_chance(p), found)


def bdtrc(k: Any, n: Any, p: Any) -> Any:
    """The probability of more than k successes in n trials of probability p."""
    k, n, p = operands(k, n, p)
    k = floor(k)
    every = equal(k, n)
    found = where(every, 0.0, betainc(k + 1, where(every, 1, n - k), p))
    return within(is_chance(p), where(less(k, 0), 1.0, found))


def nbdtr(k: Any, n: Any, p: Any) -> Any:
    """The probability of at most k failures before n successes of probability p."""
    k, n, p = operands(k, n, p)
    return within(greater_equal(k, 0) & greater(n, 0), betainc(n, floor(k) + 1, p))


def nbdtrc(k: Any, n: Any, p: Any) -> Any:
    """The probability of more than k failures before n successes of probability p."""
    k, n, p = operands(k, n, p)
    return within(greater_equal(k, 0) & greater(n, 0), betaincc(n, floor(k) + 1, p))


def fdtr(dfn: Any, dfd: Any, x: Any) -> Any:
    """The F distribution function of dfn and dfd degrees of freedom at x."""
    dfn, dfd, x = operands(dfn, dfd, x)
    valid = greater(dfn, 0) & greater(dfd, 0) & greater_equal(x, 0)
    return within(valid, betainc(dfn / 2, dfd / 2, dfn * x / (dfd + dfn * x)))


def fdtrc(dfn: Any, dfd: Any, x: Any) -> Any:
    """The complement of the F distribution function."""
    dfn, dfd, x = operands(dfn, dfd, x)
    valid = greater(dfn, 0) & greater(dfd, 0) & greater_equal(x, 0)
    return within(valid, betainc(dfd / 2, dfn / 2, dfd / (dfd + dfn * x)))
