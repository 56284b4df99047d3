"""pow, cbrt and hypot."""

import math

from ..ir.scalars import Scalar, call_math, choose, constant
from .exponential import EXP2
from .floats import (
    BIAS,
    BITS,
    DOUBLE,
    INTS,
    SINGLE,
    Table,
    as_float,
    between,
    bits_of,
    both,
    either,
    equal,
    fma,
    from_bits,
    is_nan,
    largest,
    narrow,
    nearest,
    normal,
    parts,
    polynomial,
    power_of_two,
    product,
    scaled,
    signed,
    sqrt,
    total,
    wide,
)

LOG2: Table = {
    4: (0.5770782334982442, 0.4120659907661984, 0.3325145623249151),
    8: (0.5770780163555858, 0.4121985831098338, 0.3205988986801571, 0.2623080459898803,
        0.22196692033039642, 0.19167599099455052, 0.1863023673611604),
}  # fmt: skip
"""((log2(1 + f) / s - C1) / s**2 - C3) / s**2 as a function of s**2, see `log2_of`."""
C1 = 2.8853900817779268, 4.0710547481862066e-17  # 2 / log(2)
C3 = 0.9617966939259756, 5.0577616648125907e-17  # 2 / (3 log(2))
ROOT = (1.8703346450078002, -1.845190787795483, 1.5369933614033604, -0.6869060714891523,
        0.12474055895636721)  # fmt: skip
"""m**(-1 / 3) for m within sqrt(2), the start of an iteration."""


def pow(x: Scalar, y: Scalar) -> Scalar:
    """2**(y log2(|x|)) with the logarithm as a pair; for single precision, in double precision."""
    if x.dtype == SINGLE:
        return at_ends_of_pow(x, y, narrow(single_pow(wide(abs(x)), wide(y))))
    a = abs(x)
    scaled_a, steps = normal(a)
    high, low = log2_of(*parts(scaled_a), steps)
    high = choose(equal(a, 0.0), constant(x.f, -math.inf, DOUBLE), high)
    high = choose(a > largest(a), a, high)
    p, lost = product(y, high)
    clip = between(p, -1100.0, 1100.0)
    whole, n = nearest(clip)
    r = (clip - whole) + choose(abs(p) < 1100.0, fma(y, low, lost), 0.0)
    return at_ends_of_pow(x, y, scaled(fma(r, polynomial(r, EXP2), 1.0), n))


def log2_of(f: Scalar, n: Scalar, steps: Scalar) -> tuple[Scalar, Scalar]:
    """The logarithm of (1 + f) * 2**(n + steps) as a pair, of 64 bits or more.

    It is s (C1 + s**2 (C3 + s**2 P(s**2))) for s = f / (f + 2), where 1 / (f + 2) = (1 - s) / 2.
    """
    below, lost = total(constant(f.f, 2, f.dtype), f)
    s = f / below
    s_low = fma(-s, lost, fma(-s, below, f)) * fma(s, -0.5, 0.5)
    z, z_low = product(s, s)
    z_low = fma(s + s, s_low, z_low)
    w, w_low = total(constant(f.f, C3[0], f.dtype), z * polynomial(z, LOG2))
    v, v_low = product(z, w)
    v_low = v_low + fma(z, w_low + C3[1], z_low * w)
    u, u_low = total(constant(f.f, C1[0], f.dtype), v)
    high, low = product(s, u)
    low = low + fma(s, u_low + (v_low + C1[1]), s_low * u)
    high, more = total(as_float(n + steps), high)
    return high, more + low


def single_pow(a: Scalar, y: Scalar) -> Scalar:
    """The power of a number that is not negative, to somewhat more than single precision."""
    f, n = parts(a)
    s = f / (f + 2.0)
    z = s * s
    of_f = s * fma(z, fma(z, polynomial(z, LOG2[4]), C3[0]), C1[0])
    log2 = choose(equal(a, 0.0), constant(a.f, -math.inf, DOUBLE), as_float(n) + of_f)
    p = between(y * choose(a > largest(a), a, log2), -300.0, 300.0)
    whole, n = nearest(p)
    r = p - whole
    return fma(r, polynomial(r, EXP2[4]), 1.0) * power_of_two(n)


def at_ends_of_pow(x: Scalar, y: Scalar, result: Scalar) -> Scalar:
    """The power with its sign, and NaN where it is one; a power of 1, and to 0, never is."""
    half = y * 0.5
    is_whole, is_even = equal(floor(y), y), equal(floor(half), half)
    is_odd = both(is_whole, is_even.with_number("xor", True))
    result = choose(is_odd, signed(result, x), result)
    has_none = both(both(x < 0.0, x >= -largest(x)), is_whole.with_number("xor", True))
    result = choose(either(has_none, is_nan(x, y)), constant(x.f, math.nan, x.dtype), result)
    is_one = either(equal(x, 1.0), equal(y, 0.0))
    is_one = either(is_one, both(equal(x, -1.0), abs(y) > largest(y)))
    return choose(is_one, constant(x.f, 1, x.dtype), result)


def floor(x: Scalar) -> Scalar:
    """The largest whole number that is not larger."""
    return call_math("floor", [x])


def cbrt(x: Scalar) -> Scalar:
    """The cube root of m 2**r times 2**q, for x = m 2**(r + 3 q).

    A polynomial gives t = m**(-1/3), and 1 - m t**3 is the error of its cube; m t**2 is the root.
    """
    a, steps = normal(abs(x))
    f, n = parts(a)
    k = as_float(n + steps)
    q, q_whole = nearest(k * (1 / 3))
    r = fma(q, -3.0, k)
    m = f + 1.0
    t = polynomial(m, ROOT)
    h = fma(-m, t * t * t, 1.0)
    t = fma(t * h, fma(h, 2 / 9, 1 / 3), t)
    up, down = r > 0.5, r < -0.5
    m = choose(up, m * 2.0, choose(down, m * 0.5, m))
    factor = choose(down, constant(x.f, 2 ** (1 / 3), x.dtype), 1.0)
    t = t * choose(up, constant(x.f, 0.5 ** (1 / 3), x.dtype), factor)
    y = m * (t * t)
    square, lost = product(y, y)
    y = fma(fma(-lost, y, fma(-square, y, m)), t * t * (1 / 3), y)
    result = signed(y * power_of_two(q_whole), x)
    is_plain = both(abs(x) > 0.0, abs(x) <= largest(x))
    return choose(is_plain, result, x)


def hypot(x: Scalar, y: Scalar) -> Scalar:
    """The root of the sum of squares of numbers that are divided by a power of two."""
    a, b = abs(x), abs(y)
    size = x.dtype.itemsize
    more, less = choose(b > a, b, a), choose(b > a, a, b)
    one = INTS[size].type(BIAS[size]) << BITS[size]
    bits = both(bits_of(more), constant(x.f, (2 * BIAS[size] + 1) << BITS[size], INTS[size]))
    least, most = (constant(x.f, n << BITS[size], bits.dtype) for n in (1, 2 * BIAS[size] - 2))
    bits = choose(bits < least, least, choose(bits > most, most, bits))
    scale = from_bits(constant(x.f, 2 * int(one), bits.dtype) - bits)
    more, less = more * scale, less * scale
    result = sqrt(fma(more, more, less * less)) * from_bits(bits)
    result = choose(is_nan(x, y), constant(x.f, math.nan, x.dtype), result)
    is_infinite = either(a > largest(x), b > largest(x))
    return choose(is_infinite, constant(x.f, math.inf, x.dtype), result)
