"""sin, cos, tan. Angles too large to be reduced by multiples of pi / 2 are noted, for NumPy."""

import math

from ..ir.scalars import Scalar, choose
from .floats import (
    DOUBLE,
    INTS,
    SINGLE,
    equal,
    fma,
    narrow,
    nearest,
    odd,
    polynomial,
    quotient,
    shift,
    total,
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
HALF_PI = (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591833e-33)
WIDEST = {4: 2.0**40, 8: 2.0**30}  # of angles that are reduced


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


def wave(x: Scalar, turn: int) -> Scalar:
    """sin(x + turn pi / 2)."""
    r, _, n = quadrant(x)
    if x.dtype == SINGLE:
        r, n = narrow(r), n.convert("trunc", INTS[4])
    n = n + turn
    y = choose(odd(n), cosine(r), sine(r))
    return choose(odd(shift(n, 1, "lshr")), -y, y)


def sin(x: Scalar) -> Scalar:
    return choose(equal(x, 0.0), x, wave(x, 0))


def cos(x: Scalar) -> Scalar:
    return wave(x, 1)


def tan(x: Scalar) -> Scalar:
    """The quotient of sine and cosine; for single precision, in double precision."""
    r, lost, n = quadrant(x)
    z, size = r * r, x.dtype.itemsize
    sine = total(r, fma(z * r, polynomial(z, SIN[size]), lost))
    half = z * 0.5
    w = 1.0 - half
    cosine = total(w, (1.0 - w) - half + fma(-r, lost, z * z * polynomial(z, COS[size])))
    is_odd = odd(n)
    above = [choose(is_odd, -c, s) for s, c in zip(sine, cosine, strict=True)]
    below = [choose(is_odd, s, c) for s, c in zip(sine, cosine, strict=True)]
    y, low = quotient((above[0], above[1]), (below[0], below[1]))
    return choose(equal(x, 0.0), x, y + low if x.dtype == DOUBLE else narrow(y))
