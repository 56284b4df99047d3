"""exp, expm1, exp2, and what is computed from them: sinh, cosh, tanh, the logistic function."""

import math

from ..ir.scalars import Scalar, choose, constant
from .floats import (
    Pair,
    between,
    epsilon,
    fma,
    nearest,
    polynomial,
    power_of_two,
    quotient,
    scaled,
    signed,
    total,
)

EXP = {
    4: (0.5, 0.16666666718997508, 0.041666666718980845, 0.008333298483754886,
        0.001388885404961483, 0.0001989927395864936, 2.485957822261934e-05),
    8: (0.5, 0.16666666666666666, 0.04166666666666668, 0.008333333333333333,
        0.0013888888888879082, 0.00019841269841263304, 2.480158733642132e-05,
        2.755731924720479e-06, 2.755726330147475e-07, 2.5052071109214447e-08,
        2.0918129454967065e-09, 1.6086622436215554e-10),
}  # fmt: skip
"""(exp(r) - 1 - r) / r**2 for |r| <= log(2) / 2."""
EXP2 = {
    4: (0.6931471805599453, 0.24022650922288757, 0.055504108839096185, 0.009618056678524637,
        0.0013333502386162776, 0.0001546144469856913, 1.529732376069967e-05),
    8: (0.6931471805599453, 0.24022650695910097, 0.0555041086648216, 0.009618129107606888,
        0.001333355814641698, 0.0001540353044173605, 1.525273382979676e-05,
        1.321544258792169e-06, 1.0178062461589257e-07, 7.072585949269223e-09,
        4.4549583082251567e-10),
}  # fmt: skip
"""(2**r - 1) / r for |r| <= 1 / 2."""
SINH = {
    4: (0.16666666681614256, 0.008333310934448869, 0.00019890980869750327),
    8: (0.16666666666666669, 0.008333333333330065, 0.00019841269863040545,
        2.7557268480310024e-06, 2.5100375832561234e-08),
}  # fmt: skip
"""(sinh(r) - r) / r**3 as a function of r**2, for |r| <= log(2) / 2."""
COSH = {
    4: (0.04166662187976372, 0.0013918713697253012),
    8: (0.041666666666663264, 0.0013888888897944966, 2.4801549607706326e-05,
        2.760751626492711e-07),
}  # fmt: skip
"""(cosh(r) - 1 - r**2 / 2) / r**4 as a function of r**2, for |r| <= log(2) / 2."""
LN2 = {4: (0.693359375, -2.12194440e-4), 8: (0.6931471803691238, 1.9082149292705877e-10)}
EXP_RANGE = {4: (-104.0, 89.0), 8: (-746.0, 710.0)}  # outside exp is zero, and infinite
EXP2_RANGE = {4: (-151.0, 129.0), 8: (-1076.0, 1025.0)}
SINH_RANGE = {4: 89.6, 8: 710.8}  # outside sinh is infinite


def reduced(x: Scalar) -> tuple[Scalar, Scalar, Scalar, Scalar]:
    """r, what its rounding lost, and n as a float and an integer, with x = r + n log(2)."""
    high, low = LN2[x.dtype.itemsize]
    whole, n = nearest(x * (1 / math.log(2)))
    before = fma(-whole, high, x)
    r = fma(-whole, low, before)
    return r, fma(-whole, low, before - r), whole, n


def exp_scaled(x: Scalar) -> Scalar:
    """exp(x) of an argument within the range."""
    r, _, _, n = reduced(x)
    return scaled(fma(r * r, polynomial(r, EXP), r) + 1.0, n)


def exp_pair(x: Scalar, more: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """exp(x + more) as a pair times 2**n, of an argument within the range, and a small one."""
    r, lost, _, n = reduced(x)
    r, rest = total(r, more)
    tail = fma(r * r, polynomial(r, EXP), lost + rest)
    return *total(constant(x.f, 1, x.dtype), r + tail), n


def exp(x: Scalar) -> Scalar:
    return exp_scaled(between(x, *EXP_RANGE[x.dtype.itemsize]))


def exp2(x: Scalar) -> Scalar:
    x = between(x, *EXP2_RANGE[x.dtype.itemsize])
    whole, n = nearest(x)
    r = x - whole
    return scaled(fma(r, polynomial(r, EXP2), 1.0), n)


def expm1(x: Scalar) -> Scalar:
    """Where the scale may be infinite, exp(x) - 1, and a tiny x as it is, with the sign of zero."""
    clip = between(x, *EXP_RANGE[x.dtype.itemsize])
    result = choose(abs(x) > 30.0, exp_scaled(clip) - 1.0, expm1_within(clip))
    return choose(abs(x) < epsilon(x) / 4, x, result)


def expm1_within(x: Scalar) -> Scalar:
    """exp(x) - 1 for |x| up to 44, where the rounding of r and of the sum is made good."""
    r, lost, _, n = reduced(x)
    tail = fma(r * r, polynomial(r, EXP), lost)
    scale = power_of_two(n)
    start = scale - 1.0
    total = fma(scale, r, start)
    return total + fma(scale, tail, fma(scale, r, start - total))


def tanh(x: Scalar) -> Scalar:
    a = abs(x)
    t = expm1_within(choose(a > 22.0, constant(x.f, 22.0, x.dtype), a) * 2.0)
    below = t + 2.0
    y, more = quotient(
        (t, constant(x.f, 0, x.dtype)),
        (below, choose(t > 2.0, 2.0 - (below - t), t - (below - 2.0))),
    )
    return signed(choose(a < epsilon(x), a, y + more), x)


def half_waves(x: Scalar) -> tuple[Scalar, Scalar, Scalar, Pair]:
    """Quarters of 2**n - 2**-n and 2**n + 2**-n, cosh(r) - 1 and sinh(r), for x = r + n log(2).

    From these, sinh(x) and cosh(x) follow as those of a sum; quarters, as 2**n may be infinite.
    """
    limit = SINH_RANGE[x.dtype.itemsize]
    r, lost, whole, n = reduced(between(x, -limit, limit))
    up, down = (
        power_of_two(n - 2),
        choose(whole > 60.0, constant(x.f, 0, x.dtype), power_of_two(-n - 2)),
    )
    z = r * r
    even = fma(z * z, polynomial(z, COSH), z * 0.5) + r * lost
    odd = total(r, fma(z * r, polynomial(z, SINH), lost))
    return up - down, up + down, even, odd


def sinh(x: Scalar) -> Scalar:
    minus, plus, even, (odd, low) = half_waves(abs(x))
    y = fma(plus, odd, minus)
    low = fma(minus, even, fma(plus, low, fma(plus, odd, minus - y)))
    return signed((y + low) * 2.0, x)


def cosh(x: Scalar) -> Scalar:
    minus, plus, even, (odd, _) = half_waves(abs(x))
    return (plus + fma(plus, even, minus * odd)) * 2.0


def sigmoid(x: Scalar) -> Scalar:
    """1 / (1 + exp(-x)), with the exponential of a negative number, as a pair."""
    one, zero = constant(x.f, 1, x.dtype), constant(x.f, 0, x.dtype)
    e, low, n = exp_pair(between(-abs(x), *EXP_RANGE[x.dtype.itemsize]), zero)
    e, low = scaled(e, n), scaled(low, n)
    below, rest = total(one, e)
    above = choose(x >= 0, one, e), choose(x >= 0, zero, low)
    y, more = quotient(above, (below, rest + low))
    return y + more
