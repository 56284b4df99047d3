"""log, log1p, log2, log10, and what is computed from them: asinh, acosh, atanh, softplus."""

import math
from collections.abc import Callable

from ..ir.scalars import Scalar, choose, constant
from .exponential import LN2, exp
from .floats import (
    BITS,
    SINGLE,
    as_float,
    bits_of,
    epsilon,
    equal,
    fma,
    from_bits,
    is_not_normal,
    largest,
    normal,
    parts,
    polynomial,
    product,
    quotient,
    shift,
    signed,
    sqrt,
    total,
    unless,
)

LOG = {
    4: (0.6666666655449709, 0.40000121839806124, 0.28550820815960665, 0.23330467216303835),
    8: (0.666666666666667, 0.39999999999899505, 0.28571428625975487, 0.2222221113479508,
        0.18182889125261723, 0.15331721600556042, 0.14616449685043406),
}  # fmt: skip
"""(2 atanh(s) / s - 2) / s**2 as a function of s**2, for (1 + s) / (1 - s) within sqrt(2)."""
LOG_SLOPE = {
    4: (-0.4999999764977098, 0.33333330028354796, -0.25000781239812697, 0.20001234461093456,
        -0.16626645629127462, 0.14204855952571013, -0.1312755565128765, 0.1272267278801096,
        -0.07673641501674025),
}  # fmt: skip
"""(log(1 + f) / f - 1) / f for 1 + f within sqrt(2)."""
ATANH = {
    4: (0.3333333366026371, 0.1999985316596486, 0.14296178997151418, 0.10853287900440187,
        0.11612164612011674),
    8: (0.3333333333333333, 0.20000000000007292, 0.1428571428355438, 0.11111111358713932,
        0.09090894718066429, 0.07692785032479312, 0.06657072104827468, 0.06000536404795356,
        0.04400369243072337, 0.08082022805971766),
}  # fmt: skip
"""(atanh(s) / s - 1) / s**2 as a function of s**2, for |s| <= 1 / 3."""
LOG2E = {4: (1.4426950216293335, 1.925963033500011e-08),
         8: (1.4426950408889634, 2.0355273740931033e-17)}  # fmt: skip
LOG10E = {4: (0.4342944920063019, -1.0103049952192578e-08),
          8: (0.4342944819032518, 1.098319650216765e-17)}  # fmt: skip
LOG10_2 = {
    4: (0.301025390625, 4.605038981195214e-06),
    8: (0.30102999566361177, 3.694239077158931e-13),
}
"""The logarithm of 2, of which multiples of the first part are exact."""


def log_of_parts(f: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """log(1 + f) as a sum of three: f, half its square, taken away, and the rest; and s."""
    s = f / (f + 2.0)
    z = s * s
    half = f * f * 0.5
    return half, s * fma(z, polynomial(z, LOG), half), s


def log_of_normal(x: Scalar, steps: Scalar | int = 0) -> Scalar:
    """log(x * 2**steps) of a normal number."""
    high, low = LN2[x.dtype.itemsize]
    f, n = parts(x)
    k = as_float(n + steps)
    half, rest, _ = log_of_parts(f)
    return fma(k, high, f - (half - fma(k, low, rest)))


def log(x: Scalar) -> Scalar:
    return at_ends_of_log(x, log_of_normal(*normal(x)))


def at_ends_of_log(x: Scalar, result: Scalar) -> Scalar:
    """The logarithm where it is infinite or NaN."""
    result = choose(x > largest(x), x, result)
    result = choose(equal(x, 0.0), constant(x.f, -math.inf, x.dtype), result)
    return choose(x >= 0.0, result, math.nan)


def log1p(x: Scalar) -> Scalar:
    result = choose(abs(x) < epsilon(x) / 4, x, log_of_sum(x))
    result = choose(x > largest(x), x, result)
    result = choose(equal(x, -1.0), constant(x.f, -math.inf, x.dtype), result)
    return choose(x >= -1.0, result, math.nan)


def log_of_sum(x: Scalar, more: Scalar | float = 0.0, steps: Scalar | int = 0) -> Scalar:
    """log((1 + x + more) * 2**steps) for a small `more`, not where x is tiny.

    What the rounding of u = 1 + x lost, by u, is added; for 1 / u = (1 - s) / (1 + s), three terms
    of a series are enough.
    """
    high, low = LN2[x.dtype.itemsize]
    u = x + 1.0
    lost = choose(abs(x) < 1.0, x - (u - 1.0), 1.0 - (u - x)) + more
    f, n = parts(u)
    half, rest, s = log_of_parts(f)
    z, away = s * s, 1.0 - s
    scale = from_bits(bits_of(constant(x.f, 1, x.dtype)) - shift(n, BITS[x.dtype.itemsize], "shl"))
    lost = lost * scale * (away * away) * fma(z, z + 1.0, 1.0)
    k = as_float(n + steps)
    rest = rest + choose(u < 2.0 ** (BITS[x.dtype.itemsize] + 2), lost, 0.0)
    return fma(k, high, f - (half - fma(k, low, rest)))


def log2(x: Scalar) -> Scalar:
    if x.dtype == SINGLE:
        return single_log(x, single_log2)
    y, steps = normal(x)
    f, n = parts(y)
    high, low = in_another_base(f, *LOG2E[x.dtype.itemsize])
    high, more = total(as_float(n + steps), high)
    return at_ends_of_log(x, high + (more + low))


def log10(x: Scalar) -> Scalar:
    if x.dtype == SINGLE:
        return single_log(x, single_log10)
    y, steps = normal(x)
    f, n = parts(y)
    k = as_float(n + steps)
    high, low = in_another_base(f, *LOG10E[x.dtype.itemsize])
    of_two, little = LOG10_2[x.dtype.itemsize]
    high, more = total(k * of_two, high)
    return at_ends_of_log(x, high + (more + fma(k, little, low)))


def single_log(x: Scalar, log_of: Callable[[Scalar, Scalar | int], Scalar]) -> Scalar:
    """A logarithm in single precision, by that of a normal number times a power of two."""
    (y,) = unless(is_not_normal(x), [log_of(x, 0)], lambda: [at_ends_of_log(x, log_of(*normal(x)))])
    return y


def single_log2(x: Scalar, steps: Scalar | int) -> Scalar:
    """log2(x * 2**steps) of a normal number."""
    f, n = parts(x)
    return fma(f, slope(f, LOG2E[4]), as_float(n + steps))


def single_log10(x: Scalar, steps: Scalar | int) -> Scalar:
    """log10(x * 2**steps) of a normal number."""
    f, n = parts(x)
    k, (of_two, little) = as_float(n + steps), LOG10_2[4]
    return fma(k, of_two, fma(f, slope(f, LOG10E[4]), k * little))


def slope(f: Scalar, factor: tuple[float, float]) -> Scalar:
    """log(1 + f) / f times a constant, which is a pair, in single precision."""
    scaled = [c * factor[0] for c in LOG_SLOPE[4]]
    return fma(f, polynomial(f, scaled), factor[1]) + factor[0]


def in_another_base(f: Scalar, factor: float, little: float) -> tuple[Scalar, Scalar]:
    """log(1 + f) times a constant, which is a pair, as a pair."""
    half, rest, _ = log_of_parts(f)
    high, low = total(f, -half)
    p, lost = product(high, factor)
    return p, fma(high, little, fma(low + rest, factor, lost))


def softplus(x: Scalar) -> Scalar:
    """log(1 + exp(x)): the larger of x and 0, and 2 atanh(e / (2 + e)) of e = exp(-|x|)."""
    zero, two = constant(x.f, 0, x.dtype), constant(x.f, 2, x.dtype)
    e = exp(-abs(x))
    y, low = quotient((e * 2.0, zero), total(two, e))
    z = y * y * 0.25
    return choose(x <= 0.0, zero, x) + (y + fma(y * z, polynomial(z, ATANH), low))


def asinh(x: Scalar) -> Scalar:
    """log(1 + a + a**2 / (1 + sqrt(a**2 + 1))) for a = |x|; of large numbers log(2 a)."""
    a, is_large = abs(x), abs(x) > 2.0 ** BITS[x.dtype.itemsize]
    b = choose(is_large, constant(x.f, 0, x.dtype), a)
    high, low = total(b, b * b / (sqrt(fma(b, b, 1.0)) + 1.0))
    y = log_of_large_or_sum(a, is_large, high, low)
    y = choose(a < epsilon(x) ** 0.5 / 2, fma(a * a, a * (-1 / 6), a), y)
    return signed(choose(a <= largest(x), y, a), x)


def log_of_large_or_sum(a: Scalar, is_large: Scalar, high: Scalar, low: Scalar) -> Scalar:
    """log(2 a) of a large number, log(1 + high + low) of others."""
    steps = is_large.convert("zext", bits_of(a).dtype)
    return log_of_sum(choose(is_large, a, high), low, steps)


def acosh(x: Scalar) -> Scalar:
    """log(1 + t + sqrt(2 t + t**2)) for t = x - 1; of large numbers log(2 x)."""
    is_large = x > 2.0 ** BITS[x.dtype.itemsize]
    t = choose(is_large, constant(x.f, 1, x.dtype), x) - 1.0
    root = sqrt(fma(t, t, t * 2.0))
    high = choose(t > root, t, root)
    low = choose(t > root, root, t)
    result = log_of_large_or_sum(x, is_large, *total(high, low))
    result = choose(equal(x, 1.0), constant(x.f, 0, x.dtype), result)
    result = choose(x > largest(x), x, result)
    return choose(x >= 1.0, result, math.nan)


def atanh(x: Scalar) -> Scalar:
    """Half of log(1 + 2 a / (1 - a)) for a = |x|."""
    a, zero = abs(x), constant(x.f, 0, x.dtype)
    y = log_of_sum(*quotient((a * 2.0, zero), total(constant(x.f, 1, x.dtype), -a))) * 0.5
    y = choose(a < epsilon(x) ** 0.5 / 2, fma(a * a, a * (1 / 3), a), y)
    y = choose(equal(a, 1.0), constant(x.f, math.inf, x.dtype), y)
    return choose(a <= 1.0, signed(y, x), math.nan)
