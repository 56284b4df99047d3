"""Continuous distributions on an interval, each by its standard form."""

import math

from ...library.elementwise.arithmetic import sqrt
from ...library.elementwise.exponential import expm1, log, log1p
from ...library.elementwise.special import xlogy
from ...library.elementwise.trigonometric import asin, cos, sin
from .families import Continuous

__all__ = ["anglit", "arcsine", "bradford", "cosine", "powerlaw", "semicircular"]

powerlaw = Continuous(
    "powerlaw", lambda z, a: log(a) + xlogy(a - 1, z), lambda z, a: z**a,
    lambda z, a: -expm1(xlogy(a, z)), log_cumulative=lambda z, a: xlogy(a, z), shapes=("a",),
    bounds=(0.0, 1.0), finite=True,
)  # fmt: skip

arcsine = Continuous(
    "arcsine", lambda z: -math.log(math.pi) - 0.5 * (log(z) + log1p(-z)),
    lambda z: 2 / math.pi * asin(sqrt(z)), lambda z: 2 / math.pi * asin(sqrt(1 - z)),
    bounds=(0.0, 1.0),
)  # fmt: skip

anglit = Continuous(
    "anglit", lambda z: log(cos(2 * z)), lambda z: sin(z + math.pi / 4) ** 2,
    lambda z: cos(z + math.pi / 4) ** 2, bounds=(-math.pi / 4, math.pi / 4), interior=0.1,
)  # fmt: skip

cosine = Continuous(
    "cosine", lambda z: log1p(cos(z)) - math.log(2 * math.pi),
    lambda z: (math.pi + z + sin(z)) / (2 * math.pi),
    lambda z: (math.pi - z - sin(z)) / (2 * math.pi), bounds=(-math.pi, math.pi),
)  # fmt: skip

semicircular = Continuous(
    "semicircular", lambda z: math.log(2 / math.pi) + 0.5 * log1p(-z * z),
    lambda z: 0.5 + (z * sqrt(1 - z * z) + asin(z)) / math.pi,
    lambda z: 0.5 - (z * sqrt(1 - z * z) + asin(z)) / math.pi, bounds=(-1.0, 1.0),
)  # fmt: skip

bradford = Continuous(
    "bradford", lambda z, c: log(c) - log1p(c * z) - log(log1p(c)),
    lambda z, c: log1p(c * z) / log1p(c), lambda z, c: 1 - log1p(c * z) / log1p(c),
    shapes=("c",), bounds=(0.0, 1.0), finite=True,
)  # fmt: skip
