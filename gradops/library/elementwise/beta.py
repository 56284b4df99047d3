"""The beta function, its logarithm and the beta distribution function.

Note [Quotients of gamma functions]. gammaln(q) - gammaln(p + q) cancels for large q. From LARGE on
both are Stirling's formula and a small correction, of which the difference is written without
cancellation.
"""

import math
from typing import Any

import numpy as np

from ...core.errors import ShapeError
from ...core.op import ErrorSample
from ...core.samples import beside, between
from ...typing import AnyArray, OperandLike
from .arithmetic import add
from .comparison import equal, greater_equal, less, maximum, minimum, where
from .exponential import exp, log, log1p
from .gamma import counts, digamma, gammaln
from .logic import logical_xor
from .rounding import floor, remainder
from .scipy.family import no_partial, scipy_op
from .special import xlog1py, xlogy

__all__ = ["beta", "betainc", "betaln"]

LARGE = 10.0
STIRLING = [1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156, -3617 / 122400]


def correction(x: AnyArray) -> Any:
    """gammaln(x) less Stirling's formula, for `x` from LARGE on."""
    r = 1 / x
    u, total = r * r, STIRLING[-1]
    for c in STIRLING[-2::-1]:
        total = total * u + c
    return total * r


def correction_slope(x: AnyArray) -> Any:
    """The derivative of the correction: digamma(x) - log(x) + 1 / (2 x)."""
    u, total = 1 / (x * x), -(2 * len(STIRLING) - 1) * STIRLING[-1]
    for k in range(len(STIRLING) - 1, 0, -1):
        total = total * u - (2 * k - 1) * STIRLING[k - 1]
    return total * u


def digamma_difference(a: AnyArray, b: AnyArray) -> Any:
    """digamma(a + b) - digamma(a), without cancellation where both are large."""
    large = greater_equal(minimum(a, a + b), LARGE)
    x, step = where(large, a, LARGE), where(large, b, 0.0)
    smooth = log1p(step / x) + 0.5 * step / (x * (x + step))
    far = smooth + correction_slope(x + step) - correction_slope(x)
    return where(large, far, digamma(a + b) - digamma(a))


def one_large(p: AnyArray, q: AnyArray) -> AnyArray:
    """betaln where q and p + q are large."""
    change = correction(q) - correction(p + q) + (q - 0.5) * log1p(-p / (p + q))
    return gammaln(p) + p - p * log(p + q) + change


def both_large(p: AnyArray, q: AnyArray) -> AnyArray:
    """betaln where both operands are large."""
    rest = correction(p) + correction(q) - correction(p + q)
    powers = (p - 0.5) * log(p / (p + q)) + q * log1p(-p / (p + q))
    return powers + rest - 0.5 * log(q) + 0.5 * math.log(2 * math.pi)


def betaln(a: Any, b: Any) -> Any:
    """The logarithm of the absolute value of the beta function, also of large numbers.

    See Note [Quotients of gamma functions].

    >>> round(float(betaln(2.0, 3.0)), 6)
    -2.484907
    """
    p, q = minimum(a, b), maximum(a, b)
    both, one = greater_equal(p, LARGE), greater_equal(minimum(q, p + q), LARGE)
    far = where(one, q, LARGE)
    found = one_large(where(one & ~both, p, 1.0), far)
    found = where(both, both_large(where(both, p, LARGE), far), found)
    return where(one, found, gammaln(a) + gammaln(b) - gammaln(a + b))


def has_negative_gamma(x: Any) -> Any:
    """True where the gamma function is negative."""
    return less(x, 0) & equal(remainder(floor(x), 2), 1)


def beta(a: OperandLike, b: OperandLike) -> Any:
    """The beta function, gamma(a) gamma(b) / gamma(a + b).

    >>> round(float(1 / beta(2.0, 3.0)), 6)
    12.0
    """
    size = exp(betaln(a, b))
    first, second, total = (has_negative_gamma(x) for x in (a, b, add(a, b)))
    return where(logical_xor(logical_xor(first, second), total), -size, size)


def beta_density(a: AnyArray, b: AnyArray, x: AnyArray) -> Any:
    return exp(xlogy(a - 1, x) + xlog1py(b - 1, -x) - betaln(a, b))


betainc = scipy_op(
    "betainc", samples=beside(counts((3, 1), (4,)), between(0.1, 0.9, (3, 4))),
    error_samples=[ErrorSample([np.ones(3)] * 2 + [np.ones(2)], {}, ShapeError, "3 against 2")],
    d=[
        no_partial("betainc", "a"), no_partial("betainc", "b"),
        lambda y, a, b, x: beta_density(a, b, x),
    ],
    doc="The beta distribution function with parameters x and y at z, by SciPy.",
)
betaincc = scipy_op(
    "betaincc", samples=beside(counts((3, 1), (4,)), between(0.1, 0.9, (3, 4))),
    d=[
        no_partial("betaincc", "a"), no_partial("betaincc", "b"),
        lambda y, a, b, x: -beta_density(a, b, x),
    ],
    doc="The complement of the beta distribution function with parameters x and y, by SciPy.",
)
betaincinv = scipy_op(
    "betaincinv", samples=beside(counts((3, 1), (4,)), between(0.1, 0.9, (3, 4))),
    d=[
        no_partial("betaincinv", "a"), no_partial("betaincinv", "b"),
        lambda x, a, b, y: 1 / beta_density(a, b, x),
    ],
    doc="The inverse of betainc with parameters x and y at z, by SciPy.",
)
betainccinv = scipy_op(
    "betainccinv", samples=beside(counts((3, 1), (4,)), between(0.1, 0.9, (3, 4))),
    d=[
        no_partial("betainccinv", "a"), no_partial("betainccinv", "b"),
        lambda x, a, b, y: -1 / beta_density(a, b, x),
    ],
    doc="The inverse of betaincc with parameters x and y at z, by SciPy.",
)
