"""Quotients and remainders of integers and floats, as NumPy rounds them."""

from ..transcendental.floats import BITS, both, either, equal, fma, largest, signed
from .scalars import BOOL, NotNative, Scalar, call_math, choose, constant, equal_to, flipped


def quotient_and_remainder(x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
    """The quotient of integers rounded towards zero, and the remainder; of a zero none is used."""
    is_signed = x.dtype.kind == "i"
    one = constant(x.f, 1, x.dtype)
    bad = equal_to(y, 0)
    if is_signed:  # the smallest over -1 does not fit; over 1, it is what NumPy gives
        bad = either(bad, equal_to(y, -1))
    below = choose(bad, one, y)
    how = "s" if is_signed else "u"
    q = x.then(f"{how}div {x.typed}, {below.name}")
    if is_signed:
        q = choose(equal_to(y, -1), -q, q)
    return q, x - q * y


def floor_divide(x: Scalar, y: Scalar) -> Scalar:
    if x.dtype.kind == "f":
        return divided(x, y)[0]
    if x.dtype == BOOL:
        raise NotNative("quotients of truth values")
    q, r = quotient_and_remainder(x, y)
    if x.dtype.kind == "i":
        is_less = both(flipped(equal_to(r, 0)), both(r, y, "xor") < 0)
        q = choose(is_less, q - 1, q)
    return choose(equal_to(y, 0), constant(x.f, 0, x.dtype), q)


def remainder(x: Scalar, y: Scalar) -> Scalar:
    if x.dtype.kind == "f":
        return divided(x, y)[1]
    if x.dtype == BOOL:
        raise NotNative("remainders of truth values")
    r = quotient_and_remainder(x, y)[1]
    if x.dtype.kind == "i":
        is_less = both(flipped(equal_to(r, 0)), both(r, y, "xor") < 0)
        r = choose(is_less, r + y, r)
    return choose(equal_to(y, 0), constant(x.f, 0, x.dtype), r)


def fmod(x: Scalar, y: Scalar) -> Scalar:
    if x.dtype == BOOL:
        raise NotNative("remainders of truth values")
    if x.dtype.kind == "f":
        return float_remainder(x, y)
    return choose(equal_to(y, 0), constant(x.f, 0, x.dtype), quotient_and_remainder(x, y)[1])


def float_remainder(x: Scalar, y: Scalar) -> Scalar:
    """x less a multiple of y, exactly, with the sign of x; large quotients are left to NumPy.

    The quotient may be rounded up to a whole number, and is too large by one then.
    """
    a, b = abs(x), abs(y)
    is_infinite = both(b > largest(b), a <= largest(a))
    q = call_math("trunc", [a / b])
    q = choose(is_infinite, constant(x.f, 0, x.dtype), q)
    x.f.note(both(both(q >= 2.0 ** (BITS[x.dtype.itemsize] + 1), b > 0.0), a <= largest(a)).name)
    r = choose(is_infinite, a, fma(-q, b, a))
    r = choose(r < 0.0, r + b, r)
    return signed(r, x)


def divided(x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
    """The quotient rounded down, and the remainder, which has the sign of y: as NumPy has them."""
    r = float_remainder(x, y)
    zero = constant(x.f, 0, x.dtype)
    q = (x - r) / y
    is_other = both(flipped(equal(r, 0.0)), both(y < 0.0, r < 0.0, "xor"))
    r, q = choose(is_other, r + y, r), choose(is_other, q - 1.0, q)
    r = choose(equal(r, 0.0), signed(zero, y), r)
    low = call_math("floor", [q])
    low = choose(q - low > 0.5, low + 1.0, low)
    low = choose(equal(q, 0.0), signed(zero, x / y), low)
    return choose(equal(y, 0.0), x / y, low), r
