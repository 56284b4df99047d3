"""The modified Bessel functions of the first kind."""

import numpy as np

from ...core.samples import reals
from ...core.traits import Trait
from ...kernels.elementwise import bessel as kernels
from ..families import elementwise
from .arithmetic import sign
from .comparison import equal, where

__all__ = ["i0", "i0e", "i1", "i1e"]


def i1_slope(y, x, zeroth):
    """i0(x) - i1(x) / x, or of the scaled ones; 1/2 at 0."""
    at_zero = equal(x, 0)
    return where(at_zero, 0.5, zeroth(x) - y / where(at_zero, 1, x))


i0 = elementwise(
    "i0", kernels.i0, d=[lambda y, x: i1(x)], traits=[Trait.NONNEGATIVE], samples=reals((3, 4)),
    doc="The modified Bessel function of order 0.",
)
i0_of_numpy = elementwise(
    "i0_of_numpy", np.i0, d=[lambda y, x: i1(x)], traits=[Trait.NONNEGATIVE], samples=reals((3, 4)),
    doc="The modified Bessel function of order 0, with the roundings of `numpy.i0`.",
)
i1 = elementwise(
    "i1", kernels.i1, d=[lambda y, x: i1_slope(y, x, i0)], samples=reals((3, 4)),
    doc="The modified Bessel function of order 1.",
)
i0e = elementwise(
    "i0e", kernels.i0e, d=[lambda y, x: i1e(x) - sign(x) * y], traits=[Trait.NONNEGATIVE],
    samples=reals((3, 4)),
    doc="exp(-abs(x)) i0(x).",
)
i1e = elementwise(
    "i1e", kernels.i1e, d=[lambda y, x: i1_slope(y, x, i0e) - sign(x) * y], samples=reals((3, 4)),
    doc="exp(-abs(x)) i1(x).",
)
