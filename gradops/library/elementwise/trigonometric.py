"""Trigonometric and hyperbolic functions, their inverses, and angles."""

import math
from typing import Any

import numpy as np

from ...core.samples import analytic, between, binary, cases, complexes, positive, reals, unary
from ...core.traits import Trait
from ...typing import AnyArray, Operand
from ..families import elementwise, singular
from .arithmetic import abs, sqrt
from .comparison import equal, less, where

__all__ = [
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cos", "cosh", "deg2rad", "hypot",
    "rad2deg", "sin", "sinc", "sinh", "tan", "tanh",
]

sin = elementwise(
    "sin", np.sin, d=[lambda y, x: cos(x)], samples=analytic, traits=[Trait.PROPAGATING],
    onnx="Sin", doc="The sine.",
)
cos = elementwise(
    "cos", np.cos, d=[lambda y, x: -sin(x)], samples=analytic, traits=[Trait.PROPAGATING],
    onnx="Cos", doc="The cosine.",
)
tan = elementwise(
    "tan", np.tan, d=[lambda y, x: 1 + y * y],
    samples=cases(positive((3,)), reals((2,)), complexes((3,))), onnx="Tan", doc="The tangent.",
)
tanh = elementwise(
    "tanh", np.tanh, d=[lambda y, x: 1 - y * y], traits=[Trait.SATURATING],
    samples=analytic, onnx="Tanh", doc="The hyperbolic tangent.",
)
sinh = elementwise(
    "sinh", np.sinh, d=[lambda y, x: cosh(x)], samples=analytic,
    onnx="Sinh", doc="The hyperbolic sine.",
)
cosh = elementwise(
    "cosh", np.cosh, d=[lambda y, x: sinh(x)], samples=analytic,
    onnx="Cosh", doc="The hyperbolic cosine.",
)
inside = cases(between(-0.9, 0.9, (3, 4)), between(-0.9, 0.9, ()), complexes((3,)))


def less_its_square(x: Any, out: np.ndarray | None = None) -> Any:
    """1 - x**2, without cancellation where x is near 1."""
    return np.multiply(1 - x, 1 + x, out=out)


one_minus_square = elementwise(
    "one_minus_square", less_its_square, d=[lambda y, x: -2 * x], samples=analytic,
    formula=lambda x: (1 - x) * (1 + x),
    doc="1 - x**2, accurate where that is near 0, and its derivative where x is.",
)
asin = elementwise(
    "asin", np.arcsin, d=[singular(lambda y, x: 1 / sqrt(one_minus_square(x)))], samples=inside,
    onnx="Asin", doc="The inverse sine, from -pi/2 to pi/2.",
)
acos = elementwise(
    "acos", np.arccos, d=[singular(lambda y, x: -1 / sqrt(one_minus_square(x)))], samples=inside,
    onnx="Acos", doc="The inverse cosine, from 0 to pi.",
)
atan = elementwise(
    "atan", np.arctan, d=[lambda y, x: 1 / (1 + x * x)], samples=analytic,
    onnx="Atan", doc="The inverse tangent, from -pi/2 to pi/2.",
)
asinh = elementwise(
    "asinh", np.arcsinh, d=[lambda y, x: 1 / sqrt(x * x + 1)], samples=analytic,
    onnx="Asinh", doc="The inverse hyperbolic sine.",
)
acosh = elementwise(
    "acosh", np.arccosh, d=[singular(lambda y, x: 1 / (sqrt(x - 1) * sqrt(x + 1)))],
    samples=cases(between(1.1, 3, (3, 4)), complexes((3,))),
    onnx="Acosh", doc="The inverse hyperbolic cosine.",
)
atanh = elementwise(
    "atanh", np.arctanh, d=[singular(lambda y, x: 1 / one_minus_square(x))], samples=inside,
    onnx="Atanh", doc="The inverse hyperbolic tangent.",
)


def share(x: Operand, r: Any) -> Any:
    """x / r for a leg x of a right triangle with the hypotenuse r; 0 where both are 0."""
    flat = equal(r, 0)
    return where(flat, 0, x / where(flat, 1, r))


hypot = elementwise(
    "hypot", np.hypot, d=[lambda y, a, b: share(a, y), lambda y, a, b: share(b, y)],
    traits=[Trait.NONNEGATIVE], samples=binary,
    doc="The square root of the sum of two squares; its derivative at 0 is 0.",
)


def turn(x: AnyArray, a: AnyArray, b: AnyArray) -> AnyArray:
    """x / (a**2 + b**2) without overflow on the way; 0 where all are 0."""
    r = hypot(a, b)
    return share(x, r) / where(equal(r, 0), 1, r)


atan2 = elementwise(
    "atan2", np.arctan2, d=[lambda y, a, b: turn(b, a, b), lambda y, a, b: -turn(a, a, b)],
    samples=binary,
    doc="The angle of (x, y) for operands y, x, from -pi to pi; its derivative at 0 is 0.",
)
deg2rad = elementwise(
    "deg2rad", np.deg2rad, d=[lambda y, x: math.pi / 180], samples=unary,
    doc="Degrees converted to radians.", formula=lambda x: x * (math.pi / 180),
)
rad2deg = elementwise(
    "rad2deg", np.rad2deg, d=[lambda y, x: 180 / math.pi], samples=unary,
    doc="Radians converted to degrees.", formula=lambda x: x * (180 / math.pi),
)


def sinc_kernel(x: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    u = np.asarray(np.multiply(x, np.pi))
    y, zero = np.sin(u), np.equal(u, 0)
    with np.errstate(invalid="ignore"):  # 0 / 0, which is made 1
        y = np.asarray(np.divide(y, u, out=out))
    if np.logical_or.reduce(zero, axis=None):
        np.copyto(y, 1, where=zero)
    return y[()] if out is None else y


NEAR = 0.25  # where the power series below, cut off, is exact to rounding
SLOPES = [(-1) ** k * 2 * k / math.factorial(2 * k + 1) for k in range(6, 0, -1)]


def sinc_slope(y: AnyArray, x: AnyArray) -> AnyArray:
    """(cos(pi x) - y) / x; near 0, where these cancel, the power series."""
    u = math.pi * x
    near = less(abs(u), NEAR)
    return where(near, series_near_zero(where(near, u, 0)), (cos(u) - y) / where(near, 1, x))


def series_near_zero(u: AnyArray) -> AnyArray:
    """The power series of sinc' in u = pi x."""
    square, total = u * u, SLOPES[0]
    for coefficient in SLOPES[1:]:
        total = total * square + coefficient
    return math.pi * u * total


def sinc_formula(x: AnyArray) -> AnyArray:
    u = x * math.pi
    return where(equal(u, 0), 1, sin(u) / u)


sinc = elementwise(
    "sinc", sinc_kernel, d=[sinc_slope], samples=cases(analytic, between(-0.06, 0.06, (3,))),
    doc="sin(pi x) / (pi x), 1 at 0.", formula=sinc_formula,
)
