"""Factorials, and numbers of choices."""

from typing import Any

from ...library.elementwise.comparison import equal, greater_equal, less, less_equal, where
from ...library.elementwise.gamma import gamma
from ...library.elementwise.logic import logical_and
from ...library.elementwise.scipy.gamma_quotients import binom, poch
from ...typing import AnyArray
from ..plain_functions import of_scipy
from .operands import operands

__all__ = ["comb", "factorial", "perm"]


def factorial(n: Any, exact: bool = False, extend: str = "zero") -> Any:
    """gamma(n + 1), and 0 for negative numbers. With `exact` SciPy computes integers.

    >>> float(factorial(4.0))
    24.0
    """
    if exact or extend != "zero":
        return of_scipy("scipy.special", "factorial")(n, exact=exact, extend=extend)
    (n,) = operands(n)
    below = less(n, 0)
    return where(below, 0.0, gamma(where(below, 0, n) + 1))


def comb(N: Any, k: Any, *, exact: bool = False, repetition: bool = False) -> Any:
    """The number of ways to take k of N things. With `exact` SciPy computes integers.

    >>> float(comb(5.0, 2.0))
    10.0
    """
    if exact:
        return of_scipy("scipy.special", "comb")(N, k, exact=exact, repetition=repetition)
    N, k = operands(N, k)
    if repetition:
        nothing = logical_and(equal(N, 0), equal(k, 0))
        return where(nothing, 1.0, binom(where(nothing, 1, N) + k - 1, k))
    return where(are_counts(N, k), binom(N, k), 0.0)


def perm(N: Any, k: Any, exact: bool = False) -> Any:
    """The number of orders of k of N things. With `exact` SciPy computes integers.

    >>> float(perm(5.0, 2.0))
    20.0
    """
    if exact:
        return of_scipy("scipy.special", "perm")(N, k, exact=exact)
    N, k = operands(N, k)
    return where(are_counts(N, k), poch(N - k + 1, k), 0.0)


def are_counts(N: Any, k: Any) -> AnyArray:
    """True where k things can be taken of N."""
    return logical_and(less_equal(k, N), logical_and(greater_equal(N, 0), greater_equal(k, 0)))
