"""The transformation of Box and Cox and its inverse, smooth at lambda = 0 in every derivative."""

import math
from collections.abc import Callable
from typing import Any

from ...library.elementwise.comparison import equal, greater, where
from ...library.elementwise.exponential import exp, expm1, log, log1p
from ...library.elementwise.exprel import exprel, log1prel
from ...typing import AnyArray
from .operands import operands

__all__ = ["boxcox", "boxcox1p", "inv_boxcox", "inv_boxcox1p"]


def transformed(x: Any, lmbda: Any, zero: float, logarithm: Callable[[Any], Any]) -> AnyArray:
    """(exp(lmbda log) - 1) / lmbda with a logarithm of `x`, which is -inf where x is `zero`."""
    at_zero = equal(x, zero)
    finite = logarithm(where(at_zero, zero + 1, x))
    positive = greater(lmbda, 0)
    limit = where(positive, -1 / where(positive, lmbda, 1.0), -math.inf)
    return where(at_zero, limit, finite * exprel(finite * lmbda))


def boxcox(x: Any, lmbda: Any) -> Any:
    """(x**lmbda - 1) / lmbda, and log(x) where lmbda is 0.

    >>> float(boxcox(3.0, 2.0)).__round__(9)
    4.0
    """
    x, lmbda = operands(x, lmbda)
    return transformed(x, lmbda, 0.0, log)


def boxcox1p(x: Any, lmbda: Any) -> Any:
    """((1 + x)**lmbda - 1) / lmbda, and log(1 + x) where lmbda is 0.

    >>> float(boxcox1p(2.0, 2.0)).__round__(9)
    4.0
    """
    x, lmbda = operands(x, lmbda)
    return transformed(x, lmbda, -1.0, log1p)


def inv_boxcox(y: Any, lmbda: Any) -> Any:
    """The x of which `boxcox(x, lmbda)` is y.

    >>> float(inv_boxcox(4.0, 2.0)).__round__(9)
    3.0
    """
    y, lmbda = operands(y, lmbda)
    return exp(y * log1prel(y * lmbda))


def inv_boxcox1p(y: Any, lmbda: Any) -> Any:
    """The x of which `boxcox1p(x, lmbda)` is y.

    >>> float(inv_boxcox1p(4.0, 2.0)).__round__(9)
    2.0
    """
    y, lmbda = operands(y, lmbda)
    return expm1(y * log1prel(y * lmbda))
