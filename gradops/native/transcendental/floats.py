"""Floats as numbers and as bits: what the functions of this folder are made of.

Note [Straight-line functions]. A function is written with scalars, or vectors, without a branch or
a call, but for `unless`, whose branch is rarely taken. Arguments are reduced to a short range by
adding and multiplying exactly (Cody and Waite, Software Manual for the Elementary Functions, 1980);
there a polynomial of nearly the least largest error stands for the function. Coefficients are those
of the polynomial through the function at Chebyshev's nodes, computed to 60 digits: the table in
tests/gradops/native/coefficients.py has the functions and ranges, and a test computes them again.
Where the rounding of an intermediate result would show, what it lost is computed, too, and added at
the end: a pair of numbers, the second of which is small, stands for their sum.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ..ir.scalars import BOOL, Scalar, call_math, choose, constant

SINGLE, DOUBLE = np.dtype("f4"), np.dtype("f8")
INTS: dict[int, np.dtype] = {4: np.dtype("i4"), 8: np.dtype("i8")}
MAGIC = {4: 1.5 * 2**23, 8: 1.5 * 2**52}  # added to a number, it leaves the nearest whole one
BIAS, BITS = {4: 127, 8: 1023}, {4: 23, 8: 52}
Pair = tuple[Scalar, Scalar]
"""A number and a small one, which stand for their sum."""
Table = Mapping[int, Sequence[float]]
"""Coefficients, by the bytes of a float."""


def fma(a: Scalar, b: Scalar | float, c: Scalar | float) -> Scalar:
    """a * b + c, rounded once."""
    return call_math("fma", [a, a.match(b), a.match(c)])


def polynomial(x: Scalar, coefficients: Table | Sequence[float]) -> Scalar:
    """Horner's rule."""
    found = coefficients[x.dtype.itemsize] if isinstance(coefficients, Mapping) else coefficients
    result = constant(x.f, found[-1], x.dtype)
    for c in found[-2::-1]:
        result = fma(result, x, c)
    return result


def product(a: Scalar, b: Scalar | float) -> Pair:
    """a * b as a pair."""
    p = a * b
    return p, fma(a, b, -p)


def total(a: Scalar, b: Scalar) -> Pair:
    """a + b as a pair, for a not smaller than b."""
    s = a + b
    return s, (a - s) + b


def quotient(a: Pair, b: Pair) -> Pair:
    """a / b as a pair, with one division, for b whose inverse is a normal number."""
    inverse = 1.0 / b[0]
    q = a[0] * inverse
    return q, (fma(-q, b[0], a[0]) + fma(-q, b[1], a[1])) * inverse


def bits_of(x: Scalar) -> Scalar:
    """The bits of a float as an integer."""
    dtype = INTS[x.dtype.itemsize]
    return x.convert("bitcast", dtype)


def from_bits(n: Scalar) -> Scalar:
    """The float with these bits."""
    dtype = SINGLE if n.dtype.itemsize == 4 else DOUBLE
    return n.convert("bitcast", dtype)


def shift(n: Scalar, count: int, how: str) -> Scalar:
    """Bits moved to the left (shl) or right (lshr, ashr)."""
    return n.with_number(how, count)


def both(a: Scalar, b: Scalar, how: str = "and") -> Scalar:
    """The bits, or the truth, of two values together."""
    return a.then(f"{how} {a.typed}, {b.name}")


def either(a: Scalar, b: Scalar) -> Scalar:
    """True where one of two truth values is."""
    return both(a, b, "or")


def odd(n: Scalar) -> Scalar:
    """True for odd integers."""
    return n.convert("trunc", BOOL)


def power_of_two(n: Scalar) -> Scalar:
    """2 to the power of an integer within the range of normal numbers."""
    size = n.dtype.itemsize
    return from_bits(shift(n + BIAS[size], BITS[size], "shl"))


def scaled(y: Scalar, n: Scalar) -> Scalar:
    """y * 2**n, where 2**n itself may be no normal number."""
    half = shift(n, 1, "ashr")
    return y * power_of_two(half) * power_of_two(n - half)


def nearest(x: Scalar) -> tuple[Scalar, Scalar]:
    """The nearest whole number, as a float and an integer; of NaN any integer."""
    size = x.dtype.itemsize
    moved = x + MAGIC[size]
    n = bits_of(moved) - bits_of(constant(x.f, MAGIC[size], x.dtype))
    return moved - MAGIC[size], n


def as_float(n: Scalar) -> Scalar:
    """An integer that is not large as a float; not every machine converts several at once."""
    dtype = SINGLE if n.dtype.itemsize == 4 else DOUBLE
    magic = constant(n.f, MAGIC[n.dtype.itemsize], dtype)
    return from_bits(n + bits_of(magic)) - magic


def parts(x: Scalar) -> tuple[Scalar, Scalar]:
    """f and k with x = (1 + f) * 2**k, sqrt(1/2) <= 1 + f < sqrt(2), for a normal number x."""
    size = x.dtype.itemsize
    bits = bits_of(x)
    offset = bits - bits_of(constant(x.f, 0.5**0.5, x.dtype))
    k = shift(offset, BITS[size], "ashr")
    return from_bits(bits - shift(k, BITS[size], "shl")) - 1.0, k


def normal(x: Scalar) -> tuple[Scalar, Scalar]:
    """y and n with x = y * 2**n, where y is a normal number if x is positive."""
    size = x.dtype.itemsize
    is_small, bits = x < float(np.finfo(x.dtype).tiny), BITS[size] + 2
    n = choose(is_small, constant(x.f, -bits, INTS[size]), 0)
    return choose(is_small, x * 2.0**bits, x), n


def largest(x: Scalar) -> float:
    """The largest finite number of the dtype."""
    return float(np.finfo(x.dtype).max)


def epsilon(x: Scalar) -> float:
    """The distance from 1 to the next number of the dtype."""
    return float(np.finfo(x.dtype).eps)


def equal(x: Scalar, value: Scalar | float) -> Scalar:
    """True where a value is equal to a number."""
    return x.then(f"fcmp oeq {x.typed}, {x.match(value).name}", BOOL)


def is_nan(x: Scalar, y: Scalar | None = None) -> Scalar:
    """True where one of two values is NaN."""
    return x.then(f"fcmp uno {x.typed}, {(y or x).name}", BOOL)


def between(x: Scalar, low: float, high: float) -> Scalar:
    """A value within a range, of others the nearer end; NaN as it is."""
    x = choose(x > high, constant(x.f, high, x.dtype), x)
    return choose(x < low, constant(x.f, low, x.dtype), x)


def signed(x: Scalar, like: Scalar) -> Scalar:
    """A value with the sign of another."""
    return call_math("copysign", [x, like])


def sqrt(x: Scalar) -> Scalar:
    """The square root, which the machine computes."""
    return call_math("sqrt", [x])


def unless(
    is_rare: Scalar, found: Sequence[Scalar], of_rare: Callable[[], Sequence[Scalar]]
) -> list[Scalar]:
    """Values, and others where a test holds: these are computed in a branch, rarely."""
    f, types = is_rare.f, [y.typed.rsplit(" ", 1)[0] for y in found]
    places = [f.reserve(type) for type in types]
    for y, to in zip(found, places, strict=True):
        f.do(f"store {y.typed}, ptr {to}")
    with f.given(f.any(is_rare.name)):
        for y, z, to in zip(of_rare(), found, places, strict=True):
            f.do(f"store {choose(is_rare, y, z).typed}, ptr {to}")
    return [
        y.then(f"load {type}, ptr {to}") for y, type, to in zip(found, types, places, strict=True)
    ]


def is_not_normal(x: Scalar) -> Scalar:
    """True for what is not a positive normal number: zero, subnormal, negative, infinite, NaN."""
    tiny, most = float(np.finfo(x.dtype).tiny), largest(x)
    return both(x >= tiny, x <= most).with_number("xor", True)


def wide(x: Scalar) -> Scalar:
    """A float in double precision."""
    return x if x.dtype == DOUBLE else x.convert("fpext", DOUBLE)


def narrow(x: Scalar) -> Scalar:
    """A float in single precision."""
    return x if x.dtype == SINGLE else x.convert("fptrunc", SINGLE)
