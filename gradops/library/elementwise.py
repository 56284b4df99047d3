"""Transcendental functions, entry by entry."""

import math

import numpy as np

from ..families import discrete, elementwise, singular
from ..kernels.special import erf as erf_kernel
from ..samples import analytic, cases, complexes, positive, reals, unary

__all__ = [
    "cos", "erf", "exp", "expm1", "isfinite", "isnan", "log", "log1p", "sin", "tan", "tanh",
]

exp = elementwise(
    "exp", np.exp, d=[lambda y, x: y], traits=["nonnegative"], samples=analytic,
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
sin = elementwise("sin", np.sin, d=[lambda y, x: cos(x)], samples=analytic, doc="The sine.")
cos = elementwise("cos", np.cos, d=[lambda y, x: -sin(x)], samples=analytic, doc="The cosine.")
tan = elementwise(
    "tan", np.tan, d=[lambda y, x: 1 + y * y],
    samples=cases(positive((3,)), reals((2,)), complexes((3,))),
    doc="The tangent.",
)
tanh = elementwise(
    "tanh", np.tanh, d=[lambda y, x: 1 - y * y], samples=analytic, doc="The hyperbolic tangent.",
)
erf = elementwise(
    "erf", erf_kernel, d=[lambda y, x: 2 / math.sqrt(math.pi) * exp(-(x * x))], samples=unary,
    doc="The error function, 2/sqrt(pi) times the integral of exp(-t*t) from 0 to x.",
)
isnan = discrete("isnan", np.isnan, arity=1, samples=unary, doc="Whether an entry is NaN.")
isfinite = discrete(
    "isfinite", np.isfinite, arity=1, samples=unary,
    doc="Whether an entry is neither infinite nor NaN.",
)
