"""Functions of one or two arrays, entry by entry, by the standard's names."""

import math

import gradops as ops

from ..core.types import is_complex, type_of
from ..typing import AnyArray, OperandLike
from .signatures import Function, Functions, each, one, two

NEITHER = complex(math.nan, math.nan)


def whole(f: Function) -> Function:
    """A function of one array that copies integers unchanged."""
    return lambda x, /: ops.copy(x) if type_of(x).dtype.kind in "iu" else f(x)


def expm1(x: OperandLike, /) -> AnyArray:
    """`exp(x) - 1`; of complex numbers that are not finite, by the standard's special cases."""
    y = ops.expm1(x)
    if not is_complex(type_of(x).dtype):
        return y
    return ops.where(ops.isfinite(x), y, ops.exp(x) - 1)  # NumPy's formula meets inf * 0 there


def sign(x: OperandLike, /) -> AnyArray:
    """The sign of each entry; NaN where any part is NaN, even if the other is infinite."""
    y = ops.sign(x)
    return ops.where(ops.isnan(x), NEITHER, y) if is_complex(type_of(x).dtype) else y


OF_ONE: Functions = {
    **each(
        one,
        "abs acos acosh asin asinh atan atanh bitwise_invert conj cos cosh exp imag isfinite isinf "
        "isnan log log10 log1p log2 logical_not negative real reciprocal signbit sin sinh sqrt "
        "square tan tanh",
    ),
    **each(whole, "ceil floor round trunc"),
    "expm1": expm1,
    "positive": one(ops.copy),
    "sign": sign,
}
OF_TWO = each(
    two,
    "add atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor copysign "
    "divide equal floor_divide greater greater_equal hypot less less_equal logaddexp logical_and "
    "logical_or logical_xor maximum minimum multiply nextafter not_equal pow remainder subtract",
)
ELEMENTWISE = OF_ONE | OF_TWO
