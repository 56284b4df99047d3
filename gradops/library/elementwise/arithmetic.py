"""Arithmetic and powers."""

import math
from typing import Any

import numpy as np

from ...core.op import OPS
from ...core.samples import (
    analytic,
    analytic_binary,
    beside,
    binary,
    cases,
    complexes,
    exactly,
    positive,
    unary,
)
from ...core.traits import Trait
from ...core.types import PYTHON_SCALARS, is_complex, type_of
from ...kernels.elementwise import guards
from ...typing import AnyArray, Operand, OperandLike
from ..families import elementwise, singular, zeros_like
from .comparison import equal, greater_equal, where
from .exponential import log

__all__ = [
    "abs", "add", "cbrt", "copysign", "div", "float_power", "mul", "neg", "power", "reciprocal",
    "rsqrt", "sign", "sqrt", "square", "strong_product", "sub",
]



def in_result_dtype(x: Any, y: Any) -> Any:
    """A Python number `x` in the dtype of the result `y`; other operands unchanged.

    A graph holds it as a constant of that dtype, so arithmetic on it has the same bits there.
    """
    return y.dtype.type(x) if type(x) in PYTHON_SCALARS else x


def cast_to_result(x: Operand, y: AnyArray) -> Any:
    """An operand cast to the dtype of the result."""
    if type(x) in PYTHON_SCALARS:
        return in_result_dtype(x, y)
    return x if type_of(x).dtype == y.dtype else OPS["astype"](x, dtype=y.dtype)


def inverse(y: Any, b: Any) -> Any:
    """1 / b, infinite and without a warning where `b` is the number 0."""
    if type(b) in PYTHON_SCALARS and b == 0:
        return math.copysign(math.inf, b)
    return 1 / in_result_dtype(b, y)


add = elementwise(
    "add", np.add, infix="{0} + {1}", d=[1, 1], samples=analytic_binary,
    onnx="Add", doc="The elementwise sum.",
    traits=[Trait.CORRECTLY_ROUNDED, Trait.PROPAGATING],
)
sub = elementwise(
    "sub", np.subtract, infix="{0} - {1}", d=[1, -1], samples=analytic_binary,
    traits=[Trait.CORRECTLY_ROUNDED, Trait.PROPAGATING],
    onnx="Sub", doc="The elementwise difference.",
)
mul = elementwise(
    "mul", np.multiply, infix="{0} * {1}", d=[lambda y, a, b: b, lambda y, a, b: a],
    traits=[Trait.CORRECTLY_ROUNDED, Trait.PROPAGATING],
    samples=analytic_binary, onnx="Mul", doc="The elementwise product.",
)
div = elementwise(
    "div", np.true_divide, infix="{0} / {1}",
    d=[singular(lambda y, a, b: inverse(y, b)), singular(lambda y, a, b: -(a / b) / b)],
    samples=analytic_binary,
    onnx="Div", doc="The elementwise quotient; a float, also for integers.",
    traits=[Trait.CORRECTLY_ROUNDED],
)
strong_product = elementwise(
    "strong_product", guards.strong_product,
    scalar="({0} * {1} if {0} or {1} - {1} == 0.0 else 0.0)",
    d=[singular(lambda y, v, p: p), singular(lambda y, v, p: v)],
    samples=cases(analytic_binary, exactly([0.0, 1.0, 2.0], [2.0, 3.0, 0.5])),
    doc="The product, 0 where the first operand is 0, whatever the second.",
)
neg = elementwise(
    "neg", np.negative, infix="-{0}", d=[-1], samples=analytic,
    traits=[Trait.CORRECTLY_ROUNDED, Trait.LINEAR, Trait.PROPAGATING, Trait.UNROUNDED],
    onnx="Neg", doc="The operand with its sign changed.",
)


def abs_tangent(t: AnyArray, y: AnyArray, x: AnyArray) -> AnyArray:
    """The component of t along x: t sign(x), or for complex x the real part of conj(sign(x)) t."""
    if not is_complex(type_of(x).dtype):
        return t * sign(x)
    return OPS["real"](OPS["conj"](sign(x)) * t)


abs = elementwise(
    "abs", np.abs, d=[lambda y, x: sign(x)], jvp=[abs_tangent],
    traits=[Trait.CORRECTLY_ROUNDED, Trait.NONNEGATIVE, Trait.PROPAGATING, Trait.UNROUNDED],
    samples=cases(unary, complexes((3, 4))),
    onnx="Abs", doc="The absolute value; its derivative at 0 is 0.",
)


def direction_rate(v: AnyArray, y: AnyArray, x: AnyArray, along: Any) -> AnyArray:
    """The derivative of the direction of x along `v`, whose component along x is `along`."""
    return strong_product(abs(y) * v - y * along, 1 / abs(x))  # abs(y) is 0 where x is, else 1


def sign_cotangent(g: AnyArray, y: AnyArray, x: AnyArray) -> Operand:
    if not is_complex(type_of(x).dtype):
        return zeros_like(g)
    return direction_rate(g, OPS["conj"](y), x, OPS["real"](y * g))


def sign_tangent(t: AnyArray, y: AnyArray, x: AnyArray) -> Operand:
    if not is_complex(type_of(x).dtype):
        return zeros_like(t)
    return direction_rate(t, y, x, OPS["real"](OPS["conj"](y) * t))


sign = elementwise(
    "sign", np.sign, d=[None], vjp=[sign_cotangent], jvp=[sign_tangent],
    samples=cases(unary, complexes((3, 4))),
    onnx="Sign", doc="The sign of each entry, -1, 0 or 1; for complex ones the direction z / |z|.",
)
square = elementwise(
    "square", np.square, d=[lambda y, x: 2 * x], samples=analytic,
    traits=[Trait.CORRECTLY_ROUNDED, Trait.NONNEGATIVE, Trait.PROPAGATING],
    doc="The square of each entry.",
)
sqrt = elementwise(
    "sqrt", np.sqrt, d=[singular(lambda y, x: 0.5 / y)],
    traits=[Trait.CORRECTLY_ROUNDED, Trait.NONNEGATIVE, Trait.PROPAGATING],
    samples=cases(positive((3, 4)), complexes((3,))),
    onnx="Sqrt", doc="The square root; its derivative at 0 is infinite.",
)
reciprocal = elementwise(
    "reciprocal", np.reciprocal, d=[singular(lambda y, x: -(y * y))], samples=analytic,
    onnx="Reciprocal", doc="One over each entry.",
    traits=[Trait.CORRECTLY_ROUNDED],
)


def rsqrt(x: OperandLike) -> Any:
    """1 divided by the square root of each entry.

    >>> rsqrt(np.array([4.0]))
    array([0.5])
    """
    return reciprocal(sqrt(x))


def is_constant_power(a: AnyArray, b: AnyArray) -> AnyArray:
    """True where the base is 0 and the exponent at least 0: there it counts as a constant."""
    return equal(a, 0) & greater_equal(b, 0)


def power_slope_kernel(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    if not np.shape(b) and b != 0 and not np.real(b) < 1:  # the common case, without masks
        return b * np.power(a, b - 1)
    flat = np.equal(b, 0)
    with np.errstate(divide="ignore"):  # an infinite slope at 0 is meant
        return np.where(flat, 0, b * np.power(a, np.where(flat, 1, b) - 1))


def power_slope_exponent(y: AnyArray, a: AnyArray, b: AnyArray) -> AnyArray:
    zero = is_constant_power(a, b)
    a = where(zero, 1, a)
    return where(zero, 0, power(a, b - 1) + where(zero, 0, y) * log(cast_to_result(a, y)))


def power_slope_base(y: AnyArray, a: AnyArray, b: AnyArray) -> AnyArray:
    b = where(is_constant_power(a, b), OPS["stop_gradient"](b), b)
    return strong_product(b, power_slope(a, b - 1))


power_slope = elementwise(
    "power_slope", power_slope_kernel,
    d=[singular(power_slope_base), singular(power_slope_exponent)],
    samples=cases(
        positive((3, 4), (3, 4)), positive((3, 4), (4,)), complexes((3, 4), (4,)),
        exactly([1.0, 2, 0.5], [0.0, 1, 0]),
    ),
    doc="The derivative of a power in its base, y x**(y - 1); zero where the exponent y is zero.",
    formula=lambda a, b: where(equal(b, 0), 0, b * power(a, b - 1)),
)


def power_base(y: AnyArray, a: AnyArray, b: AnyArray) -> AnyArray:
    """d(a**b)/da; zero where the exponent is zero, also at a = 0."""
    return power_slope(a, in_result_dtype(b, y))


def power_exponent(y: AnyArray, a: AnyArray, b: AnyArray) -> AnyArray:
    """d(a**b)/db = y log a; zero at a = 0 for b >= 0, by convention.

    The logarithm is that of the result's dtype: of a negative base it is complex if the result is.
    """
    a = cast_to_result(a, y)
    zero = is_constant_power(a, b)
    return where(zero, 0, y * log(where(zero, 1, a)))


power = elementwise(
    "power", np.power, d=[singular(power_base), singular(power_exponent)],
    samples=cases(
        positive((3, 4), (3, 4)), positive((3, 4), (4,)), positive((), (2,)),
        beside(positive((3, 4)), exactly(2.0)), complexes((3, 4), (4,)),
    ),
    onnx="Pow", doc="The first operand to the power of the second.",
)


float_power = elementwise(
    "float_power", np.float_power,
    d=[
        singular(lambda y, a, b: power_base(y, cast_to_result(a, y), cast_to_result(b, y))),
        singular(lambda y, a, b: power_exponent(y, cast_to_result(a, y), cast_to_result(b, y))),
    ],
    samples=cases(positive((3, 4), (4,)), positive((), ()), complexes((3, 4), (4,))),
    doc="The first operand to the power of the second, in double precision.",
)
cbrt = elementwise(
    "cbrt", np.cbrt, d=[singular(lambda y, x: 1 / (3 * (y * y)))], samples=unary,
    doc="The cube root, negative for negative entries; its derivative at 0 is infinite.",
)
copysign = elementwise(
    "copysign", np.copysign, d=[lambda y, a, b: sign(a) * sign(y), 0], samples=binary,
    doc="The magnitude of the first entry with the sign of the second; its derivative at 0 is 0.",
    traits=[Trait.UNROUNDED],
)
