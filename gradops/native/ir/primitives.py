"""Ops on one entry that are instructions, or short of a few, for each kind of numbers.

Operands have the dtype in which NumPy computes the op, and integers wrap around as NumPy's do. An
entry for which NumPy raises an error, or has a value of its own, is noted: then NumPy runs instead.
"""

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from ...kernels.numpy_versions import ROOTS_AS_POWERS
from ..transcendental.floats import bits_of as bits_of_float
from ..transcendental.floats import (
    both,
    either,
    equal,
    from_bits,
    is_nan,
    largest,
    signed,
)
from .division import floor_divide, fmod, remainder
from .scalars import BOOL, NotNative, Scalar, call_math, choose, constant, equal_to, flipped


def require_integers(x: Scalar) -> None:
    """Raise NotNative for what has no bits to operate on."""
    if x.dtype.kind not in "iub":
        raise NotNative(f"bits of {x.dtype}")


def of_bits(how: str) -> Callable[[Scalar, Scalar], Scalar]:
    """An instruction on the bits of integers, or on truth values."""

    def op(x: Scalar, y: Scalar) -> Scalar:
        require_integers(x)
        return both(x, y, how)

    return op


def of_truth(x: Scalar, y: Scalar) -> Scalar:
    """True if one of two entries is not zero, but not the other."""
    return both(truth(x), truth(y), "xor")


def truth(x: Scalar) -> Scalar:
    """True for what is not zero."""
    return x if x.dtype == BOOL else flipped(equal_to(x, 0))


def not_less(x: Scalar, count: int) -> Scalar:
    """True for integers that are negative, or not less than a number."""
    return x.then(f"icmp uge {x.typed}, {x.match(count).name}", BOOL)


def shifted(left: bool, x: Scalar, y: Scalar) -> Scalar:
    """Bits shifted; by as many as there are, or more, nothing but the sign is left."""
    require_integers(x)
    bits = 8 * x.dtype.itemsize
    how = "shl" if left else "ashr" if x.dtype.kind == "i" else "lshr"
    is_far = not_less(y, bits)
    near = choose(is_far, constant(x.f, bits - 1, x.dtype), y)
    found = x.then(f"{how} {x.typed}, {near.name}")
    return choose(is_far, found if how == "ashr" else constant(x.f, 0, x.dtype), found)


def inverted(x: Scalar) -> Scalar:
    require_integers(x)
    return flipped(x)


def sign(x: Scalar) -> Scalar:
    if x.dtype == BOOL:
        raise NotNative("the sign of a truth value")
    one, zero = constant(x.f, 1, x.dtype), constant(x.f, 0, x.dtype)
    y = choose(x > 0, one, zero)
    y = choose(x < 0, -one, y) if x.dtype.kind != "u" else y
    return choose(is_nan(x), x, y) if x.dtype.kind == "f" else y


def rounded(name: str, x: Scalar) -> Scalar:
    """A whole number; integers are."""
    if x.dtype == BOOL and name == "rint":
        raise NotNative("a truth value that is rounded")
    return call_math(name, [x]) if x.dtype.kind == "f" else x


def int_power(x: Scalar, y: Scalar) -> Scalar:
    """A power of integers, by squaring; negative and large exponents are left to NumPy."""
    steps = 6
    x.f.note(not_less(y, 2**steps).name)
    result = constant(x.f, 1, x.dtype)
    for k in range(steps):
        is_set = flipped(equal_to(both(y, constant(x.f, 2**k, y.dtype)), 0))
        result = choose(is_set, result * x, result)
        x = x * x
    return result


def power(x: Scalar, y: Scalar) -> Scalar:
    if x.dtype == BOOL:
        raise NotNative("powers of truth values")
    if x.dtype.kind != "f":
        return int_power(x, y)
    known = y.value
    if known in POWERS:
        return POWERS[known](x)
    return call_math("pow", [x, y])


POWERS: dict[float | None, Callable[[Scalar], Scalar]] = {
    -1.0: lambda x: 1.0 / x, 0.0: lambda x: constant(x.f, 1, x.dtype),
    1.0: lambda x: x, 2.0: lambda x: x * x,
    3.0: lambda x: x * x * x, 4.0: lambda x: (x * x) * (x * x),
}  # fmt: skip
if ROOTS_AS_POWERS:
    POWERS[0.5] = lambda x: call_math("sqrt", [x])
"""Powers with a known exponent; up to 2 NumPy has the same bits."""


def reciprocal(x: Scalar) -> Scalar:
    if x.dtype.kind != "f":
        raise NotNative(f"reciprocals of {x.dtype}")
    return 1.0 / x


def exp_difference(x: Scalar, y: Scalar) -> Scalar:
    """exp(x - y), zero where both are -inf."""
    z, least = call_math("exp", [x - y]), float(np.finfo(x.dtype).min)
    return choose(y < least, choose(z >= 0, z, 0.0), z)


def next_after(x: Scalar, y: Scalar) -> Scalar:
    """The next float towards another: one bit more or less, but at zero the smallest."""
    bits = bits_of_float(x)
    grows = both(both(y > x, x > 0.0), both(y < x, x < 0.0), "or")
    moved = from_bits(choose(grows, bits + 1, bits - 1))
    least = signed(constant(x.f, np.finfo(x.dtype).smallest_subnormal, x.dtype), y)
    result = choose(equal(x, 0.0), least, moved)
    result = choose(equal_to(x, y), y, result)
    return choose(is_nan(x, y), x + y, result)


def is_special(test: Callable[[Scalar], Scalar], x: Scalar) -> Scalar:
    """A test of floats, that holds for no integer."""
    return test(x) if x.dtype.kind == "f" else constant(x.f, False, BOOL)


def sign_bit(x: Scalar) -> Scalar:
    """True for what is negative, or -0.0."""
    return (bits_of_float(x) if x.dtype.kind == "f" else x) < 0


def prefer_number(keeps: Callable[[Scalar, Scalar], Scalar], x: Scalar, y: Scalar) -> Scalar:
    """The first of two entries if it wins, or the other is NaN."""
    wins = keeps(x, y)
    return choose(either(wins, is_nan(y)) if x.dtype.kind == "f" else wins, x, y)


def clamp(x: Scalar, low: Scalar, high: Scalar) -> Scalar:
    """The entry within bounds; NaN if one of the three is."""
    y = choose(x < low, low, x)
    y = choose(y > high, high, y)
    if x.dtype.kind != "f":
        return y
    return choose(is_nan(low, high), low + high, y)


def class_labels(labels: Scalar, classes: int) -> Scalar:
    """A label as it is; NumPy has the error's text for one out of range."""
    labels.f.note(not_less(labels, classes).name)
    return labels


def heaviside(x: Scalar, at_zero: Scalar) -> Scalar:
    y = choose(x < 0.0, constant(x.f, 0, x.dtype), 1.0)
    return choose(is_nan(x), x, choose(equal(x, 0.0), at_zero, y))


def sigmoid(x: Scalar) -> Scalar:
    return call_math("sigmoid", [x])


def own(name: str) -> Callable[..., Scalar]:
    """A function that machine code calls."""
    return lambda *xs: call_math(name, xs)


PRIMITIVES: dict[str, Callable[..., Scalar]] = {
    "bitwise_and": of_bits("and"), "bitwise_left_shift": partial(shifted, True),
    "bitwise_or": of_bits("or"), "bitwise_right_shift": partial(shifted, False),
    "bitwise_xor": of_bits("xor"), "ceil": partial(rounded, "ceil"), "clamp": clamp,
    "class_labels": class_labels,
    "copy": lambda x: x, "erfc": own("erfc"), "exp_difference": exp_difference,
    "float_power": power, "floor": partial(rounded, "floor"), "floor_divide": floor_divide,
    "fmax": partial(prefer_number, lambda x, y: x >= y),
    "fmin": partial(prefer_number, lambda x, y: x <= y), "fmod": fmod, "heaviside": heaviside,
    "invert": inverted, "isfinite": lambda x: flipped(is_special(is_not_finite, x)),
    "isinf": partial(is_special, lambda x: equal(abs(x), math.inf)),
    "isnan": partial(is_special, is_nan), "logical_xor": of_truth, "nextafter": next_after,
    "power": power, "reciprocal": reciprocal, "remainder": remainder,
    "round": partial(rounded, "rint"), "sigmoid": sigmoid, "sign": sign,
    "signbit": sign_bit, "softplus": own("softplus"), "stop_gradient": lambda x: x,
    "trunc": partial(rounded, "trunc"),
}  # fmt: skip
"""By the name of an op, what it does to an entry, where that is shorter than its formula."""


def is_not_finite(x: Scalar) -> Scalar:
    """True for infinities and NaN."""
    return flipped(abs(x) <= largest(x))
