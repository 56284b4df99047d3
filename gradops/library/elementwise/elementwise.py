"""The exponential function, the logarithm, and the error function."""

import math

import numpy as np

from ...core.samples import analytic, cases, complexes, positive, unary
from ...core.traits import Trait
from ...kernels.elementwise.erf import erf as erf_kernel
from ..families import elementwise, singular

__all__ = ["erf", "exp", "expm1", "log", "log1p"]

exp = elementwise(
    "exp", np.exp, d=[lambda y, x: y], traits=[Trait.NONNEGATIVE], samples=analytic,
    doc="The exponential function.",
)
log = elementwise(
    "log", np.log, d=[singular(lambda y, x: 1 / x)],
    samples=cases(positive((3, 4)), complexes((3,))),
    doc="The natural logarithm.",
)
expm1 = elementwise(
    "expm1", np.expm1, d=[lambda y, x: y + 1], samples=analytic,
    doc="exp(x) - 1, accurate near 0.",
)
log1p = elementwise(
    "log1p", np.log1p, d=[singular(lambda y, x: 1 / (x + 1))],
    samples=cases(positive((3, 4)), complexes((3,))),
    doc="log(1 + x), accurate near 0.",
)
erf = elementwise(
    "erf", erf_kernel, d=[lambda y, x: 2 / math.sqrt(math.pi) * exp(-(x * x))], samples=unary,
    doc="The error function, 2/sqrt(pi) times the integral of exp(-t*t) from 0 to x.",
)
