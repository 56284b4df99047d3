"""Exponentials and logarithms, and the error function."""

import math

import numpy as np

from ...core.samples import analytic, binary, cases, complexes, exactly, positive, unary
from ...core.traits import Trait
from ...kernels.elementwise import guards
from ...kernels.elementwise.erf import erf as erf_kernel
from ..families import elementwise, singular

__all__ = ["erf", "exp", "exp2", "expm1", "log", "log10", "log1p", "log2"]

exp = elementwise(
    "exp", np.exp, d=[lambda y, x: y], traits=[Trait.NONNEGATIVE], samples=analytic,
    onnx="Exp", doc="The exponential function.",
)
log = elementwise(
    "log", np.log, d=[singular(lambda y, x: 1 / x)],
    traits=[Trait.PROPAGATING],
    samples=cases(positive((3, 4)), complexes((3,))), onnx="Log", doc="The natural logarithm.",
)
exp_difference = elementwise(
    "exp_difference", guards.exp_difference, d=[lambda z, x, y: z, lambda z, x, y: -z],
    traits=[Trait.NONNEGATIVE],
    samples=cases(binary, exactly([-np.inf, 0.0], [-np.inf, 1.0])),
    doc="exp(x - y), 0 where both are -inf: the share of x in a sum with logarithm y.",
)
expm1 = elementwise(
    "expm1", np.expm1, d=[lambda y, x: exp(x)],  # y + 1 has no digits where y is near -1
    traits=[Trait.SATURATING], samples=analytic, doc="exp(x) - 1, accurate near 0.",
)
log1p = elementwise(
    "log1p", np.log1p, d=[singular(lambda y, x: 1 / (x + 1))],
    samples=cases(positive((3, 4)), complexes((3,))), doc="log(1 + x), accurate near 0.",
)
erf = elementwise(
    "erf", erf_kernel, d=[lambda y, x: 2 / math.sqrt(math.pi) * exp(-(x * x))],
    traits=[Trait.SATURATING], samples=unary, scalar="math.erf({0})",
    onnx="Erf", doc="The error function, 2/sqrt(pi) times the integral of exp(-t*t) from 0 to x.",
)
exp2 = elementwise(
    "exp2", np.exp2, d=[lambda y, x: y * math.log(2)], traits=[Trait.NONNEGATIVE], samples=unary,
    doc="2 to the power of each entry.",
)
log2 = elementwise(
    "log2", np.log2, d=[singular(lambda y, x: 1 / (x * math.log(2)))],
    samples=cases(positive((3, 4)), complexes((3,))), doc="The logarithm to base 2.",
)
log10 = elementwise(
    "log10", np.log10, d=[singular(lambda y, x: 1 / (x * math.log(10)))],
    samples=cases(positive((3, 4)), complexes((3,))), doc="The logarithm to base 10.",
)
