"""The modified Bessel functions of the first kind."""

import math

import numpy as np

from ..families import elementwise
from ..kernels import bessel as kernels
from ..samples import between, cases, reals
from .arithmetic import abs, sign
from .comparison import less, where
from .elementwise import exp

__all__ = ["i0", "i0e", "i1", "i1e"]


NEAR = 0.5  # where the power series below, cut off, is exact to rounding
BENDS = [
    k * (2 * k + 1) / 2 / 2 ** (2 * k - 1) / (math.factorial(k) * math.factorial(k + 1))
    for k in range(9, 0, -1)
]


def bend(x, first, slope, scale):
    """i1'' from i1 and i1' by Bessel's equation, and near 0, where these cancel, a power series."""
    near = less(abs(x), NEAR)
    u, far = where(near, x, 0), where(near, 1, x)
    square, total = u * u, BENDS[0]
    for coefficient in BENDS[1:]:
        total = total * square + coefficient
    return where(near, scale * (u * total), first + (first / far - slope) / far)


i1_slope = elementwise(
    "i1_slope", kernels.i1_slope, d=[lambda y, x: bend(x, i1(x), y, 1)],
    samples=cases(reals((3, 4)), between(-0.4, 0.4, (3,))),
    doc="The derivative of i1, i0(x) - i1(x) / x; 1/2 at 0.",
)
i1e_slope = elementwise(
    "i1e_slope", kernels.i1e_slope,
    d=[lambda y, x: bend(x, i1e(x), y, exp(-abs(x))) - sign(x) * y],
    samples=cases(reals((3, 4)), between(-0.4, 0.4, (3,))),
    doc="exp(-abs(x)) times the derivative of i1.",
)
i0 = elementwise(
    "i0", kernels.i0, d=[lambda y, x: i1(x)], traits=["nonnegative"], samples=reals((3, 4)),
    doc="The modified Bessel function of order 0.",
)
i0_of_numpy = elementwise(
    "i0_of_numpy", np.i0, d=[lambda y, x: i1(x)], traits=["nonnegative"], samples=reals((3, 4)),
    source="i0_of_numpy({0})",
    doc="The modified Bessel function of order 0, with the roundings of `numpy.i0`.",
)
i1 = elementwise(
    "i1", kernels.i1, d=[lambda y, x: i1_slope(x)], samples=reals((3, 4)),
    doc="The modified Bessel function of order 1.",
)
i0e = elementwise(
    "i0e", kernels.i0e, d=[lambda y, x: i1e(x) - sign(x) * y], traits=["nonnegative"],
    samples=reals((3, 4)),
    doc="exp(-abs(x)) i0(x).",
)
i1e = elementwise(
    "i1e", kernels.i1e, d=[lambda y, x: i1e_slope(x) - sign(x) * y], samples=reals((3, 4)),
    doc="exp(-abs(x)) i1(x).",
)
