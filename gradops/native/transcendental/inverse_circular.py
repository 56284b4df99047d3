"""asin, acos, atan and atan2."""

import math

from ..ir.scalars import Scalar, choose, constant
from .floats import (
    both,
    equal,
    fma,
    is_nan,
    largest,
    polynomial,
    quotient,
    signed,
    sqrt,
    total,
)

ASIN = {
    4: (0.16666666337430908, 0.07500094543497424, 0.04459940152851218, 0.03110066273549457,
        0.017149238357677253, 0.03369084720283012),
    8: (0.16666666666666669, 0.07499999999998433, 0.04464285714635543, 0.030381944138531247,
        0.02237217294214989, 0.017352392720869973, 0.013971212973552933, 0.011479177415184906,
        0.01032281435018578, 0.005457506718640358, 0.01740087944269402, -0.014851887071247204,
        0.028757851367421566),
}  # fmt: skip
"""(asin(t) - t) / t**3 as a function of t**2, for |t| <= 1 / 2."""
ATAN = {
    4: (-0.3333333176116852, 0.19999540483648964, -0.1426395559798464, 0.10743731490791084,
        -0.06451928208121749),
    8: (-0.3333333333333333, 0.1999999999999552, -0.14285714284666542, 0.11111111015256361,
        -0.09090904578123903, 0.07692183190826087, -0.06664511447381948, 0.0585814891280221,
        -0.0508544973794026, 0.03923165829558719, -0.01917688711906226),
}  # fmt: skip
"""(atan(t) - t) / t**3 as a function of t**2, for |t| <= sqrt(2) - 1."""
HALF_PI = {4: (1.5707963705062866, -4.371138828673793e-08),
           8: (1.5707963267948966, 6.123233995736766e-17)}  # fmt: skip
REACH = {4: 100, 8: 900}  # powers of two beyond which the numbers of a quotient are scaled


def small_arc(x: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """t and p with asin(t) = t + p, where t is |x|, or if that is large, sin(acos(|x|) / 2)."""
    a = abs(x)
    is_large = a > 0.5
    z = choose(is_large, (1.0 - a) * 0.5, a * a)
    t = choose(is_large, sqrt(z), a)
    return t, t * (z * polynomial(z, ASIN)), is_large


def asin(x: Scalar) -> Scalar:
    t, p, is_large = small_arc(x)
    high, low = HALF_PI[x.dtype.itemsize]
    y, lost = total(constant(x.f, high, x.dtype), t * -2.0)
    return signed(choose(is_large, y + (fma(p, -2.0, low) + lost), t + p), x)


def acos(x: Scalar) -> Scalar:
    t, p, is_large = small_arc(x)
    high, low = HALF_PI[x.dtype.itemsize]
    is_negative = x < 0.0
    small = (t + p) * 2.0
    t, p = choose(is_negative, -t, t), choose(is_negative, -p, p)
    scale = choose(is_large, constant(x.f, 2, x.dtype), 1.0)
    y, lost = total(scale * high, choose(is_large, t * 2.0, -t))
    other = y + (lost + fma(scale, low, choose(is_large, p * 2.0, -p)))
    return choose(both(is_large, x > 0.0), small, other)


def arc_of_ratio(y: Scalar, x: Scalar) -> Scalar:
    """atan(y / x) of numbers that are not negative, between 0 and pi / 2.

    For the quotient q of the smaller by the larger one, it is atan(q) or, above tan(pi / 8),
    pi / 4 + atan((q - 1) / (q + 1)); or what is left to pi / 2.
    """
    is_steep = y > x
    more, less = choose(is_steep, y, x), choose(is_steep, x, y)
    is_flat, zero = less < more * (math.sqrt(2) - 1), constant(x.f, 0, x.dtype)
    below, below_low = total(more, choose(is_flat, zero, less))
    above, above_low = total(choose(is_flat, -less, more), choose(is_flat, zero, -less))
    t, lost = quotient((-above, -above_low), (below, below_low))
    z = t * t
    rest = fma(z * t, polynomial(z, ATAN), lost)
    half = choose(is_flat, zero, 0.5)
    half = choose(is_steep, 1.0 - half, half)
    high, low = HALF_PI[x.dtype.itemsize]
    y, lost = total(half * high, choose(is_steep, -t, t))
    return y + (choose(is_steep, -rest, rest) + fma(half, low, lost))


def atan(x: Scalar) -> Scalar:
    a = abs(x)
    bound = constant(x.f, 2.0**100, x.dtype)
    return signed(arc_of_ratio(choose(a > bound, bound, a), constant(x.f, 1, x.dtype)), x)


def atan2(y: Scalar, x: Scalar) -> Scalar:
    """The angle of a point: infinities count as ones, very large and small numbers are scaled."""
    a, b, one = abs(y), abs(x), constant(x.f, 1, x.dtype)
    high, low = HALF_PI[x.dtype.itemsize]
    more = choose(b > a, b, a)
    bound = 2.0 ** REACH[x.dtype.itemsize]
    scale = choose(more > bound, constant(x.f, 2.0**-10, x.dtype), 1.0)
    scale = choose(more < 1 / bound, constant(x.f, bound, x.dtype), scale)
    a, b = (choose(more > largest(x), choose(v > largest(x), one, 0.0), v * scale) for v in (a, b))
    angle = arc_of_ratio(a, choose(equal(more, 0.0), one, b))
    is_left = signed(one, x) < 0.0
    angle = choose(is_left, (high * 2.0 - angle) + low * 2.0, angle)
    return choose(is_nan(x, y), constant(x.f, math.nan, x.dtype), signed(angle, y))
