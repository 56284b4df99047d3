"""Divergences of distributions, and losses of robust regression."""

import math
from typing import Any

from ...library.elementwise.arithmetic import abs, add, square, sub
from ...library.elementwise.comparison import equal, greater, greater_equal, less, less_equal, where
from ...library.elementwise.exponential import log, log1p
from ...library.elementwise.logic import isinf, isnan, logical_and, logical_or
from ...library.elementwise.trigonometric import hypot
from ...typing import AnyArray
from .operands import operands

__all__ = ["huber", "kl_div", "pseudo_huber", "rel_entr"]


def log_ratio(x: Any, y: Any) -> AnyArray:
    """log(x / y) of positive numbers, accurate near 0 and where the quotient overflows."""
    ratio = x / y
    near = less(abs(ratio - 1), 0.5)
    usual = greater(ratio, 1e-30) & less(ratio, 1e30)
    other = log(where(usual, 1.0, x)) - log(where(usual, 1.0, y))
    far = where(usual, log(where(usual, ratio, 1.0)), other)
    return where(near, log1p(where(near, (x - y) / y, 0.0)), far)


def rel_entr(x: Any, y: Any) -> Any:
    """x log(x / y), the terms of a relative entropy: 0 where x is 0, infinite outside.

    >>> float(rel_entr(2.0, 1.0)) == 2 * math.log(2)
    True
    """
    x, y = operands(x, y)
    inside = logical_and(greater(x, 0), greater(y, 0))
    edge = logical_and(equal(x, 0), greater_equal(y, 0))
    p, q = where(inside, x, 1.0), where(inside, y, 1.0)
    found = where(inside, p * log_ratio(p, q), where(edge, 0 * p, math.inf))
    return where(logical_or(isnan(x), isnan(y)), add(x, y), found)


def kl_div(x: Any, y: Any) -> Any:
    """x log(x / y) - x + y, the terms of Kullback and Leibler's divergence, infinite outside.

    >>> float(kl_div(1.0, 3.0)) == 2 - math.log(3)
    True
    """
    entropy = rel_entr(x, y)
    return entropy + where(isinf(entropy), 0.0, sub(*operands(y, x)))


def huber(delta: Any, r: Any) -> Any:
    """The loss of Huber: r**2 / 2 up to delta, then linear; infinite where delta is negative.

    >>> [float(huber(1.0, r)) for r in (0.5, 2.0)]
    [0.125, 1.5]
    """
    delta, r = operands(delta, r)
    size = abs(r)
    far = delta * (size - 0.5 * delta)
    found = where(less_equal(size, delta), 0.5 * square(r), far)
    return where(less(delta, 0), math.inf, found)


def pseudo_huber(delta: Any, r: Any) -> Any:
    """delta**2 (sqrt(1 + (r / delta)**2) - 1); infinite where delta is negative.

    >>> round(float(pseudo_huber(3.0, 4.0)), 6)
    6.0
    """
    delta, r = operands(delta, r)
    scale = where(greater(delta, 0), delta, 1.0)
    ratio = r / scale
    found = where(isinf(ratio), scale * abs(r), r * (r / (1 + hypot(1.0, ratio))))
    found = where(equal(delta, 0), 0 * scale, found)
    return where(less(delta, 0), math.inf, found)
