"""sin, cos, tan. Angles too large to be reduced by multiples of pi / 2 are noted, for NumPy."""

import math
from collections.abc import Sequence

from ..ir.scalars import Scalar, choose, constant
from .floats import (
    DOUBLE,
    INTS,
    MAGIC,
    SINGLE,
    bits_of,
    equal,
    fma,
    narrow,
    nearest,
    odd,
    polynomial,
    product,
    quotient,
    shift,
    total,
    unless,
    wide,
)

SIN = {
    4: (-0.1666666666385529, 0.008333331874710208, -0.00019840086735384846,
        2.724992580305979e-06),
    8: (-0.16666666666666666, 0.008333333333333331, -0.00019841269841265065,
        2.7557319219339167e-06, -2.5052106232447578e-08, 1.6058531618986147e-10,
        -7.586697117706918e-13),
}  # fmt: skip
"""(sin(r) - r) / r**3 as a function of r**2, for |r| <= pi / 4."""
COS = {
    4: (0.0416666666643212, -0.001388888767201679, 2.480060037715673e-05, -2.730095920390147e-07),
    8: (0.041666666666666664, -0.0013888888888888887, 2.4801587301584645e-05,
        -2.7557319221402824e-07, 2.087675579108042e-09, -1.1470460887609959e-11,
        4.7458719020432915e-14),
}  # fmt: skip
"""(cos(r) - 1 + r**2 / 2) / r**4 as a function of r**2, for |r| <= pi / 4."""
SINGLE_HALF_PI = (1.570796251296997, 7.549790126404332e-08, -1.7151245100058819e-15)
"""pi / 2 as numbers of single precision; a multiple of the first leaves no rounding error."""
HALF_PI = (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591833e-33)
WIDEST = {4: 2.0**40, 8: 2.0**30}  # of angles that are reduced
WIDE = 2.0**15  # of angles that are reduced in single precision


def quadrant(x: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """r, what its rounding lost, and n, with x = r + n pi / 2, in double precision."""
    x.f.note((abs(x) > WIDEST[x.dtype.itemsize]).name)
    x = wide(x)
    whole, n = nearest(x * (2 / math.pi))
    first = fma(-whole, HALF_PI[0], x)
    second = fma(-whole, HALF_PI[1], first)
    r = fma(-whole, HALF_PI[2], second)
    return r, fma(-whole, HALF_PI[1], first - second), n


def sine(r: Scalar) -> Scalar:
    """sin(r) for |r| <= pi / 4."""
    z = r * r
    return fma(z * r, polynomial(z, SIN), r)


def cosine(r: Scalar) -> Scalar:
    """cos(r) for |r| <= pi / 4."""
    z = r * r
    half = z * 0.5
    w = 1.0 - half
    return w + ((1.0 - w) - half + z * z * polynomial(z, COS))


def sin(x: Scalar) -> Scalar:
    return sincos(x)[0]


def cos(x: Scalar) -> Scalar:
    return sincos(x)[1]


def sincos(x: Scalar) -> tuple[Scalar, Scalar]:
    """Sine and cosine. The few angles that are wide, in single precision, take a branch."""
    if x.dtype == DOUBLE:
        sine, cosine = both_waves(x)
    else:
        sine, cosine = unless(abs(x) > WIDE, single_waves(x), lambda: both_waves(x))
    return choose(equal(x, 0.0), x, sine), cosine


def single_quadrant(x: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """The same as `quadrant` gives, in single precision, of an angle that is not wide."""
    moved = fma(x, 2 / math.pi, MAGIC[4])
    whole = moved - MAGIC[4]
    first = fma(-whole, SINGLE_HALF_PI[0], x)
    second, of_second = product(whole, SINGLE_HALF_PI[1])
    r = first - second
    return r, ((first - r) - second) + fma(-whole, SINGLE_HALF_PI[2], -of_second), bits_of(moved)


def single_waves(x: Scalar) -> tuple[Scalar, Scalar]:
    """Sine and cosine of an angle of single precision that is not wide.

    It is for short chains of dependent operations: `lost` and other small terms join in the end.
    """
    r, lost, n = single_quadrant(x)
    z = r * r
    half, square = z * 0.5, z * z
    w = 1.0 - half
    sine = r + fma(z * r, of_four(z, square, SIN[4]), lost)
    rest = fma(-r, lost, (1.0 - w) - half)
    cosine = w + fma(square, of_four(z, square, COS[4]), rest)
    return turned(n, sine, cosine)


def of_four(x: Scalar, square: Scalar, coefficients: Sequence[float]) -> Scalar:
    """A polynomial of four coefficients: pairs of them do not wait for one another."""
    a, b, c, d = coefficients
    return fma(square, fma(x, constant(x.f, d, x.dtype), c), fma(x, constant(x.f, b, x.dtype), a))


def both_waves(x: Scalar) -> tuple[Scalar, Scalar]:
    """Sine and cosine, of an angle that is reduced in double precision."""
    r, _, n = quadrant(x)
    if x.dtype == SINGLE:
        r, n = narrow(r), n.convert("trunc", INTS[4])
    return turned(n, sine(r), cosine(r))


def turned(n: Scalar, sine: Scalar, cosine: Scalar) -> tuple[Scalar, Scalar]:
    """Sine and cosine of r + n pi / 2, by those of r."""
    is_odd = odd(n)
    y, z = choose(is_odd, cosine, sine), choose(is_odd, sine, cosine)
    return opposed(n, y), opposed(n + 1, z)


def opposed(n: Scalar, y: Scalar) -> Scalar:
    """A value with the other sign in every second pair of quadrants."""
    return choose(odd(shift(n, 1, "lshr")), -y, y)


def tan(x: Scalar) -> Scalar:
    """The quotient of sine and cosine."""
    if x.dtype == DOUBLE:
        y = tangent(*quadrant(x), 8)
    else:
        found = [tangent(*single_quadrant(x), 4)]
        (y,) = unless(abs(x) > WIDE, found, lambda: [narrow(tangent(*quadrant(x), 4))])
    return choose(equal(x, 0.0), x, y)


def tangent(r: Scalar, lost: Scalar, n: Scalar, size: int) -> Scalar:
    """The tangent of r + lost + n pi / 2, by polynomials for floats of some bytes."""
    z = r * r
    sine = total(r, fma(z * r, polynomial(z, SIN[size]), lost))
    half = z * 0.5
    w = 1.0 - half
    cosine = total(w, (1.0 - w) - half + fma(-r, lost, z * z * polynomial(z, COS[size])))
    is_odd = odd(n)
    above = [choose(is_odd, -c, s) for s, c in zip(sine, cosine, strict=True)]
    below = [choose(is_odd, s, c) for s, c in zip(sine, cosine, strict=True)]
    y, low = quotient((above[0], above[1]), (below[0], below[1]))
    return y + low
