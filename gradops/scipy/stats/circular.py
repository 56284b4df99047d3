"""Distributions of angles.

The distribution function of von Mises is an integral over t of exp(k (cos t - 1)): by a rule of
Gauss on the part of the interval where that is not negligible. So the rest of it, where little is
left, keeps its digits, and derivatives by both arguments are those of the rule.
"""

import math
from functools import cache
from typing import Any

import numpy as np

from ...library.elementwise.arithmetic import sqrt
from ...library.elementwise.comparison import maximum, minimum, where
from ...library.elementwise.exponential import exp, log
from ...library.elementwise.rounding import round as rounded
from ...library.elementwise.special import i0e
from ...library.elementwise.trigonometric import asin, sin
from ...library.reduce.reduction import sum
from ...library.shape.creation import stop_gradient
from ...library.shape.movement import expand_dims
from .families import Continuous

__all__ = ["vonmises", "vonmises_line"]

NODES, NEGLIGIBLE = 40, 40.0  # and how far the exponent falls below its value at the begin
TURN = 2 * math.pi


@cache
def rule() -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights of Gauss on the interval from 0 to 1."""
    x, w = np.polynomial.legendre.leggauss(NODES)
    return (x + 1) / 2, w / 2


def exponent(t: Any, kappa: Any) -> Any:
    """k (cos t - 1), which keeps its digits near 0."""
    half = sin(t / 2)
    return -2 * kappa * half * half


def log_density(z: Any, kappa: Any) -> Any:
    """The logarithm of the density."""
    return exponent(z, kappa) - math.log(TURN) - log(i0e(kappa))


def between(begin: Any, kappa: Any, end: Any) -> Any:
    """The probability of angles from `begin` on, up to `end` at most; both from 0 to pi."""
    half = sin(begin / 2)
    near = stop_gradient(minimum(half * half + NEGLIGIBLE / 2 / maximum(kappa, 1e-300), 1.0))
    size = minimum(2 * asin(sqrt(near)), end) - begin
    nodes, weights = rule()
    t = expand_dims(begin, axis=-1) + expand_dims(size, axis=-1) * nodes
    heights = exp(exponent(t, expand_dims(kappa + 0 * begin, axis=-1)))
    return size * sum(heights * weights, axis=-1) / (TURN * i0e(kappa))


def upper(z: Any, kappa: Any) -> Any:
    """The probability of angles from z to pi, where z is from -pi to pi."""
    right = z > 0
    tail = between(where(right, z, 0 * z), kappa, math.pi + 0 * z)
    return where(right, tail, 0.5 + between(0 * z, kappa, where(right, 0 * z, -z)))


def of_turns(z: Any, kappa: Any) -> Any:
    """The distribution function on the whole line, which grows by 1 with each turn."""
    turns = stop_gradient(rounded(z / TURN))
    return turns + upper(TURN * turns - z, kappa)


vonmises = Continuous(
    "vonmises", log_density, of_turns, lambda z, kappa: of_turns(-z, kappa),
    shapes=("kappa",), finite=True, fits=lambda kappa: kappa >= 0,
)  # fmt: skip

vonmises_line = Continuous(
    "vonmises_line", log_density, lambda z, kappa: upper(-z, kappa), upper, shapes=("kappa",),
    bounds=(-math.pi, math.pi), finite=True, fits=lambda kappa: kappa >= 0,
)  # fmt: skip
