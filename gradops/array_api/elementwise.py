"""Functions of one or two arrays, entry by entry, by the standard's names."""

import math
from collections.abc import Callable
from typing import Any

import gradops as ops

from ..op import Op
from ..types import is_complex, type_of

ONE = (
    "abs acos acosh asin asinh atan atanh bitwise_invert ceil conj cos cosh exp expm1 floor imag "
    "isfinite isinf isnan log log10 log1p log2 logical_not negative positive real reciprocal round "
    "sign signbit sin sinh sqrt square tan tanh trunc"
)
TWO = (
    "add atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor copysign "
    "divide equal floor_divide greater greater_equal hypot less less_equal logaddexp logical_and "
    "logical_or logical_xor maximum minimum multiply nextafter not_equal pow remainder subtract"
)
CALLED = {
    "bitwise_invert": "invert", "positive": "copy", "divide": "div", "multiply": "mul",
    "negative": "neg", "pow": "power", "subtract": "sub",
}  # fmt: skip
WHOLE = {"ceil", "floor", "round", "trunc"}  # of integers, the integers


NEITHER = complex(math.nan, math.nan)


def one(op: Op) -> Callable[[Any], Any]:
    """An op as a function of one array."""
    return lambda x, /: op(x)


def whole(op: Op) -> Callable[[Any], Any]:
    """An op that leaves integers what they are."""
    return lambda x, /: ops.copy(x) if type_of(x).dtype.kind in "iu" else op(x)


def two(op: Op) -> Callable[[Any, Any], Any]:
    """An op as a function of two arrays, or of an array and a number."""
    return lambda x1, x2, /: op(x1, x2)


def expm1(x: Any, /) -> Any:
    """`exp(x) - 1`; of complex numbers that are not finite, by the standard's special cases."""
    y = ops.expm1(x)
    if not is_complex(type_of(x).dtype):
        return y
    return ops.where(ops.isfinite(x), y, ops.exp(x) - 1)  # NumPy's formula meets inf * 0 there


def sign(x: Any, /) -> Any:
    """The direction of each entry; NaN where any part is, also beside an infinite one."""
    y = ops.sign(x)
    return ops.where(ops.isnan(x), NEITHER, y) if is_complex(type_of(x).dtype) else y


def called(name: str) -> Any:
    """The op that the standard calls so."""
    return getattr(ops, CALLED.get(name, name))


ELEMENTWISE: dict[str, Callable[..., Any]] = {
    **{name: (whole if name in WHOLE else one)(called(name)) for name in ONE.split()},
    **{name: two(called(name)) for name in TWO.split()},
    "expm1": expm1,
    "sign": sign,
}
