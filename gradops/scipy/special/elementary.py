"""Variants of exponentials, logarithms and sines."""

import math
from typing import Any

from ...library.elementwise.arithmetic import power
from ...library.elementwise.comparison import less_equal, not_equal, where
from ...library.elementwise.logic import logical_or
from ...library.elementwise.rounding import floor, round
from ...library.elementwise.scipy.elliptic import ellipkm1
from ...library.elementwise.special import logaddexp
from ...library.elementwise.trigonometric import cos, sinc
from .operands import operands

__all__ = ["agm", "diric", "exp10", "softplus"]


def agm(a: Any, b: Any) -> Any:
    """The arithmetic-geometric mean of positive numbers.

    >>> float(agm(1.0, 2.0)).__round__(6)
    1.456791
    """
    a, b = operands(a, b)
    total = a + b
    return total * (math.pi / 4) / ellipkm1((2 * a / total) * (2 * b / total))


def exp10(x: Any) -> Any:
    """10 to the power of each entry.

    >>> float(exp10(2.0))
    100.0
    """
    return power(10.0, *operands(x))


def softplus(x: Any) -> Any:
    """log(1 + exp(x)), a smooth relu.

    >>> float(softplus(0.0)) == math.log(2)
    True
    """
    return logaddexp(0.0, *operands(x))


def diric(x: Any, n: Any) -> Any:
    """The Dirichlet function sin(n x / 2) / (n sin(x / 2)), NaN unless n is a whole number from 1.

    >>> float(diric(0.0, 3))
    1.0
    """
    x, n = operands(x, n)
    turns = round(x / (2 * math.pi))
    part = x / (2 * math.pi) - turns
    sign = cos(math.pi * (turns * (n - 1) % 2))
    found = sign * sinc(n * part) / sinc(part)
    return where(logical_or(less_equal(n, 0), not_equal(n, floor(n))), math.nan, found)
