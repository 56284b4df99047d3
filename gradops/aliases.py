"""Other names that NumPy and the Python array API have for ops, and for functions of them."""

from .library.arithmetic import abs, div, mul, neg, power, sub
from .library.complexes import conj
from .library.joining import concatenate
from .library.logic import bitwise_left_shift, bitwise_right_shift, invert
from .library.movement import transpose
from .library.rounding import remainder, round, trunc
from .library.trigonometric import (
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
