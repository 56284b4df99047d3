"""The gamma function and its relatives."""

import math
from typing import Any

import numpy as np

from ...core.errors import OptionError
from ...core.samples import beside, between, cases, drawn, exactly, positive, reals
from ...core.traits import Trait
from ...kernels.elementwise import gamma as kernels
from ...kernels.elementwise import incomplete
from ...typing import AnyArray, OperandLike
from ..families import elementwise, singular
from .arithmetic import strong_product
from .comparison import less, maximum, where
from .exponential import exp, log
from .scipy.family import float_infer, no_partial, scipy_op
from .special import xlogy

__all__ = [
    "digamma", "gamma", "gammainc", "gammaincc", "gammaln", "multigammaln", "polygamma", "zeta",
]


gammaln = elementwise(
    "gammaln", kernels.gammaln, d=[singular(lambda y, x: digamma(x))],
    samples=cases(positive((3, 4)), reals((3,))),
    doc="The logarithm of the absolute value of the gamma function.",
)
digamma = elementwise(
    "digamma", kernels.digamma, d=[singular(lambda y, x: zeta(2, x))],
    samples=cases(positive((3, 4)), reals((3,))),
    doc="The derivative of the logarithm of the gamma function.",
)
counts = lambda *shapes: drawn(lambda rng, shape: rng.integers(2, 6, shape), shapes)
zeta = elementwise(
    "zeta", kernels.zeta, infer=float_infer("zeta"),
    d=[no_partial("zeta", "s"), singular(lambda y, s, q: -s * zeta(s + 1, q))],
    samples=cases(
        beside(counts((3, 1)), positive((3, 4))), beside(counts((3,)), between(-0.8, -0.2, (3,))),
    ),
    doc="Hurwitz's zeta function: the sum of (y + k)**-x over k = 0, 1, ...",
)
gamma = scipy_op(
    "gamma", d=[singular(lambda y, x: y * digamma(x))],
    samples=cases(positive((3, 4)), reals((3,))), doc="The gamma function, by SciPy.",
)


def polygamma(n: int, x: OperandLike) -> Any:
    """Derivative `n` of digamma. Raises OptionError unless `n` is an integer from 0 on.

    >>> float(polygamma(1, 1.0)) == math.pi**2 / 6
    True
    """
    if not isinstance(n, int | np.integer) or n < 0:
        raise OptionError("polygamma", [], f"n is an integer from 0 on, not {n!r}")
    return (-1) ** (n + 1) * math.factorial(n) * zeta(int(n) + 1, x) if n else digamma(x)


def multigammaln(a: Any, d: int) -> Any:
    """The logarithm of the multivariate gamma function of dimension `d`.

    Raises OptionError unless `d` is an integer from 1 on.

    >>> float(multigammaln(3.0, 1)) == math.log(2)
    True
    """
    if not isinstance(d, int | np.integer) or d < 1:
        raise OptionError("multigammaln", [], f"d is an integer from 1 on, not {d!r}")
    total = gammaln(a)
    for j in range(1, d):
        total = total + gammaln(a - j / 2)
    return total + d * (d - 1) / 4 * math.log(math.pi)


def log_density(a: AnyArray, x: AnyArray) -> AnyArray:
    """The logarithm of x times the density of the gamma distribution at x."""
    return xlogy(a, x) - x - gammaln(a)


def gammainc_rise(a: AnyArray, x: AnyArray) -> AnyArray:
    """The derivative of gammainc in `a`. See Note [Tails] in `kernels/elementwise/incomplete`."""
    return strong_product(exp(log_density(a, x)), -gamma_slope(a, log(x)))


def gammainc_density(a: AnyArray, x: AnyArray) -> AnyArray:
    """The derivative of gammainc in `x`."""
    return exp(xlogy(a - 1, x) - x - gammaln(a))


shares = positive((3, 4), (4,))
gammainc = scipy_op(
    "gammainc", samples=shares,
    d=[
        singular(lambda y, a, x: gammainc_rise(a, x)),
        singular(lambda y, a, x: gammainc_density(a, x)),
    ],
    doc="The gamma distribution function with parameter x at y, by SciPy.",
)
gammaincc = scipy_op(
    "gammaincc", samples=shares,
    d=[
        singular(lambda y, a, x: -gammainc_rise(a, x)),
        singular(lambda y, a, x: -gammainc_density(a, x)),
    ],
    doc="The complement of the gamma distribution function with parameter x at y, by SciPy.",
)
def is_lower(a: Any, x: Any) -> Any:
    """True where the lower tail is the one to integrate."""
    return less(x, maximum(a, 1))


def tail_in_x(y: AnyArray, a: AnyArray, x: AnyArray, n: int) -> AnyArray:
    if n:
        return y - (a * y + n * gamma_tail(a, x, n=n - 1)) / x
    return y - where(is_lower(a, x), a * y - 1, a * y + 1) / x


both_tails = cases(positive((3, 4), (4,)), exactly([3.0, 25, 25], [5.0, 21, 33]))
gamma_tail = elementwise(
    "gamma_tail", incomplete.gamma_tail, traits=[Trait.C_CONTIGUOUS],
    infer=float_infer("gamma_tail"),
    d=[singular(lambda y, a, x, n: gamma_tail(a, x, n=n + 1)), singular(tail_in_x)],
    samples=both_tails,
    doc="Moment n of the smaller tail of the gamma distribution; see Note [Tails].",
)


def slope_in_a(y: AnyArray, a: AnyArray, logx: Any) -> AnyArray:
    x = exp(logx)
    m0, m1, m2 = (gamma_tail(a, x, n=n) for n in range(3))
    y = (logx - digamma(a)) * m1 - zeta(2, a) * m0 + m2
    return where(is_lower(a, x), -y, y)


gamma_slope = elementwise(
    "gamma_slope", incomplete.gamma_slope, traits=[Trait.C_CONTIGUOUS],
    infer=float_infer("gamma_slope"),
    d=[singular(slope_in_a), singular(lambda y, a, logx: digamma(a) - logx - y * (a - exp(logx)))],
    samples=beside(positive((3, 4)), reals((4,))),
    doc="The derivative of y in x at a constant value of the gamma distribution function with"
    " parameter x at exp(y).",
)
