"""Other names that NumPy and the Python array API have for ops, and for functions of them."""

from ..library.elementwise import trigonometric
from ..library.elementwise.arithmetic import abs, div, mul, neg, power, sub
from ..library.elementwise.complexes import conj
from ..library.elementwise.logic import bitwise_left_shift, bitwise_right_shift, invert
from ..library.elementwise.rounding import remainder, round, trunc
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
arcsin, arccos, arctan = trigonometric.asin, trigonometric.acos, trigonometric.atan
arcsinh, arccosh, arctanh = trigonometric.asinh, trigonometric.acosh, trigonometric.atanh
arctan2, degrees, radians = trigonometric.atan2, trigonometric.rad2deg, trigonometric.deg2rad
fix, rint = trunc, round
bitwise_invert = bitwise_not = invert
left_shift, right_shift = bitwise_left_shift, bitwise_right_shift
concat, conjugate, permute_dims = concatenate, conj, transpose
