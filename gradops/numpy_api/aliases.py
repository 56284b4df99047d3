"""Other names that NumPy and the Python array API have for ops, and for functions of them."""

from ..library.elementwise.arithmetic import abs, div, mul, neg, power, sub
from ..library.elementwise.complexes import conj
from ..library.elementwise.logic import bitwise_left_shift, bitwise_right_shift, invert
from ..library.elementwise.rounding import remainder, round, trunc
from ..library.elementwise.trigonometric import (
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    deg2rad,
    rad2deg,
)
from ..library.shape.joining import concatenate
from ..library.shape.movement import transpose

__all__ = [
    "absolute", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh",
    "bitwise_invert", "bitwise_not", "concat", "conjugate", "degrees", "divide", "fix",
    "left_shift", "mod", "multiply", "negative", "permute_dims", "pow", "radians",
    "right_shift", "rint", "subtract", "true_divide",
]  # fmt: skip

absolute, negative, multiply, subtract, pow, mod = abs, neg, mul, sub, power, remainder
divide = true_divide = div
arcsin, arccos, arctan, arctan2 = asin, acos, atan, atan2
arcsinh, arccosh, arctanh = asinh, acosh, atanh
degrees, radians, fix, rint = rad2deg, deg2rad, trunc, round
bitwise_invert = bitwise_not = invert
left_shift, right_shift = bitwise_left_shift, bitwise_right_shift
concat, conjugate, permute_dims = concatenate, conj, transpose
