"""The functions exp, log, tanh, sin and the like in machine code, without a branch or a call.

They are written with scalars; in a loop LLVM computes several entries at once. Arguments are
reduced to a short range around zero by adding and multiplying exactly (Cody and Waite, Software
Manual for the Elementary Functions, 1980); there a polynomial of nearly the least largest error
stands for the function. Errors are at most 2 ULP.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np

from .scalars import BOOL, NOTING, Scalar, call_math, choose, constant
from .text import FunctionText, register_type

SINGLE, DOUBLE = np.dtype("f4"), np.dtype("f8")
INTS: dict[int, np.dtype] = {4: np.dtype("i4"), 8: np.dtype("i8")}

# (exp(r) - 1 - r) / r**2 for |r| <= log(2) / 2
EXP = {
    4: (0.5, 0.16666666719028936, 0.04166666671901226, 0.00833329846980059, 0.001388885403566671,
        0.00019899285575896282, 2.4859589834589056e-05),
    8: (0.5, 0.16666666666666666, 0.04166666666666668, 0.008333333333333333,
        0.0013888888888879073, 0.00019841269841263298, 2.4801587336442236e-05,
        2.755731924721873e-06, 2.75572632790885e-07, 2.505207109429355e-08,
        2.0918137737642736e-09, 1.608662795678037e-10),
}  # fmt: skip
# (2 atanh(s) / s - 2) / s**2 as a function of s**2, for 1 + f = (1 + s) / (1 - s) within sqrt(2)
LOG = {
    4: (0.6666666655445165, 0.40000121876972, 0.2855081659971155, 0.23330581938241893),
    8: (0.666666666666667, 0.39999999999899444, 0.2857142862600327, 0.22222211130259878,
        0.18182889455674947, 0.15331710618210773, 0.14616585424888623),
}  # fmt: skip
# (sin(r) - r) / r**3 and (cos(r) - 1 + r**2 / 2) / r**4 as functions of r**2, for |r| <= pi / 4
SIN = {
    4: (-0.16666666663853044, 0.008333331873837089, -0.00019840086263755443,
        2.7249864655139585e-06),
    8: (-0.16666666666666666, 0.008333333333333331, -0.0001984126984126506,
        2.7557319219335453e-06, -2.5052106231157904e-08, 1.605853141458901e-10,
        -7.586685070091267e-13),
}  # fmt: skip
COS = {
    4: (0.04166666666431933, -0.0013888887671288108, 2.480059998353171e-05,
        -2.7300908167996537e-07),
    8: (0.041666666666666664, -0.0013888888888888887, 2.4801587301584645e-05,
        -2.755731922140076e-07, 2.0876755790363397e-09, -1.1470460773969325e-11,
        4.7458652037874553e-14),
}  # fmt: skip
LN2 = {4: (0.693359375, -2.12194440e-4), 8: (0.6931471803691238, 1.9082149292705877e-10)}
HALF_PI = (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591833e-33)
MAGIC = {4: 1.5 * 2**23, 8: 1.5 * 2**52}  # added to a number, it leaves the nearest whole one
BIAS, BITS = {4: 127, 8: 1023}, {4: 23, 8: 52}
WIDEST = {4: 2.0**40, 8: 2.0**30}  # of arguments that are reduced by multiples of pi / 2
LARGEST = {4: 89.0, 8: 710.0}  # from there on exp is infinite
SMALLEST = {4: -104.0, 8: -746.0}  # up to there it is zero


def fma(a: Scalar, b: Scalar | float, c: Scalar | float) -> Scalar:
    """a * b + c, rounded once."""
    return call_math("fma", [a, a.match(b), a.match(c)])


def polynomial(x: Scalar, coefficients: Sequence[float]) -> Scalar:
    """Horner's rule."""
    result = constant(x.f, coefficients[-1], x.dtype)
    for c in coefficients[-2::-1]:
        result = fma(result, x, c)
    return result


def bits_of(x: Scalar) -> Scalar:
    """The bits of a float as an integer."""
    dtype = INTS[x.dtype.itemsize]
    return x.then(f"bitcast {x.typed} to {register_type(dtype)}", dtype)


def from_bits(n: Scalar) -> Scalar:
    """The float with these bits."""
    dtype = SINGLE if n.dtype.itemsize == 4 else DOUBLE
    return n.then(f"bitcast {n.typed} to {register_type(dtype)}", dtype)


def shift(n: Scalar, count: int, how: str) -> Scalar:
    """Bits moved to the left (shl) or right (lshr, ashr)."""
    return n.then(f"{how} {n.typed}, {count}")


def both(a: Scalar, b: Scalar, how: str = "and") -> Scalar:
    """The bits, or the truth, of two values together."""
    return a.then(f"{how} {a.typed}, {b.name}")


def masked(n: Scalar, bits: int) -> Scalar:
    """Some of the bits."""
    return both(n, n.match(bits))


def power_of_two(n: Scalar) -> Scalar:
    """2 to the power of an integer within the range of normal numbers."""
    size = n.dtype.itemsize
    return from_bits(shift(n + BIAS[size], BITS[size], "shl"))


def nearest(x: Scalar) -> tuple[Scalar, Scalar]:
    """The nearest whole number, as a float and an integer; of NaN any integer."""
    size = x.dtype.itemsize
    moved = x + MAGIC[size]
    n = bits_of(moved) - bits_of(constant(x.f, MAGIC[size], x.dtype))
    return moved - MAGIC[size], n


def reduced(x: Scalar) -> tuple[Scalar, Scalar]:
    """r and n with x = r + n log(2)."""
    high, low = LN2[x.dtype.itemsize]
    whole, n = nearest(x * (1 / math.log(2)))
    return fma(-whole, low, fma(-whole, high, x)), n


def clipped(x: Scalar) -> Scalar:
    """An argument of exp within the range in which that is neither zero nor infinite."""
    low, high = SMALLEST[x.dtype.itemsize], LARGEST[x.dtype.itemsize]
    x = choose(x > high, constant(x.f, high, x.dtype), x)
    return choose(x < low, constant(x.f, low, x.dtype), x)


def exp(x: Scalar) -> Scalar:
    r, n = reduced(clipped(x))
    y = fma(r * r, polynomial(r, EXP[x.dtype.itemsize]), r) + 1.0
    half = shift(n, 1, "ashr")  # 2**n itself may be no normal number
    return y * power_of_two(half) * power_of_two(n - half)


def expm1(x: Scalar) -> Scalar:
    """Where the scale may be infinite, exp(x) - 1, and a tiny x as it is, with the sign of zero."""
    clip = clipped(x)
    result = choose(abs(x) > 30.0, exp(x) - 1.0, expm1_within(clip))
    return choose(abs(x) < 1e-20, x, result)


def expm1_within(x: Scalar) -> Scalar:
    """exp(x) - 1 for |x| up to 44, where the rounding of r and of the sum is made good."""
    high, low = LN2[x.dtype.itemsize]
    whole, n = nearest(x * (1 / math.log(2)))
    before = fma(-whole, high, x)
    r = fma(-whole, low, before)
    lost = fma(-whole, low, before - r)
    tail = fma(r * r, polynomial(r, EXP[x.dtype.itemsize]), lost)
    scale = power_of_two(n)
    start = scale - 1.0
    total = fma(scale, r, start)
    return total + fma(scale, tail, fma(scale, r, start - total))


def log_of_parts(x: Scalar) -> tuple[Scalar, Scalar]:
    """f and k with x = (1 + f) * 2**k, sqrt(1/2) <= 1 + f < sqrt(2), for a normal number x."""
    size = x.dtype.itemsize
    bits = bits_of(x)
    offset = bits - bits_of(constant(x.f, math.sqrt(0.5), x.dtype))
    k = shift(offset, BITS[size], "ashr")
    f = from_bits(bits - shift(k, BITS[size], "shl")) - 1.0
    return f, k.then(f"sitofp {k.typed} to {register_type(x.dtype)}", x.dtype)


def log_of_normal(x: Scalar, more: Scalar | float = 0.0) -> Scalar:
    """log(x) + more, for a small `more`."""
    size = x.dtype.itemsize
    high, low = LN2[size]
    f, k = log_of_parts(x)
    s = f / (f + 2.0)
    z = s * s
    half = f * f * 0.5
    rest = fma(s, fma(z, polynomial(z, LOG[size]), half), k * low + more)
    return fma(k, high, f - (half - rest))


def log(x: Scalar) -> Scalar:
    size = x.dtype.itemsize
    tiny = float(np.finfo(x.dtype).tiny)
    is_small = x < tiny
    scale, power = 2.0 ** (BITS[size] + 2), -(BITS[size] + 2) * math.log(2)
    normal = choose(is_small, x * scale, x)
    result = log_of_normal(normal, choose(is_small, constant(x.f, power, x.dtype), 0.0))
    return at_ends_of_log(x, result)


def at_ends_of_log(x: Scalar, result: Scalar) -> Scalar:
    """The logarithm where it is infinite or NaN."""
    result = choose(x > largest(x), x, result)
    result = choose(equal(x, 0.0), constant(x.f, -math.inf, x.dtype), result)
    good = x.then(f"fcmp oge {x.typed}, {constant(x.f, 0.0, x.dtype).name}", BOOL)
    return choose(good, result, math.nan)


def largest(x: Scalar) -> float:
    """The largest finite number of the dtype."""
    return float(np.finfo(x.dtype).max)


def equal(x: Scalar, value: float) -> Scalar:
    """True where a value is equal to a number."""
    return x.then(f"fcmp oeq {x.typed}, {constant(x.f, value, x.dtype).name}", BOOL)


def log1p(x: Scalar) -> Scalar:
    """log(u) + (x - (u - 1)) / u with u = 1 + x: the second term mends the rounding of u."""
    u = x + 1.0
    lost = choose(abs(x) < 1.0, x - (u - 1.0), 1.0 - (u - x))
    result = log_of_normal(u, lost / u)
    result = choose(abs(x) < float(np.finfo(x.dtype).eps) / 4, x, result)
    result = choose(x > largest(x), x, result)
    result = choose(equal(x, -1.0), constant(x.f, -math.inf, x.dtype), result)
    return choose(x >= -1.0, result, math.nan)


def tanh(x: Scalar) -> Scalar:
    a = abs(x)
    t = expm1_within(choose(a > 22.0, constant(x.f, 22.0, x.dtype), a) * 2.0)
    y = choose(a >= 0.55, 1.0 - 2.0 / (t + 2.0), t / (t + 2.0))
    return call_math("copysign", [y, x])


def quadrant(x: Scalar) -> tuple[Scalar, Scalar]:
    """r and n with x = r + n pi / 2, in double precision."""
    wide = x if x.dtype == DOUBLE else x.then(f"fpext {x.typed} to double", DOUBLE)
    whole, n = nearest(wide * (2 / math.pi))
    r = wide
    for part in HALF_PI:
        r = fma(-whole, part, r)
    if x.dtype == DOUBLE:
        return r, n
    return (r.then(f"fptrunc {r.typed} to float", SINGLE),
            n.then(f"trunc {n.typed} to i32", INTS[4]))  # fmt: skip


def sine(r: Scalar) -> Scalar:
    """sin(r) for |r| <= pi / 4."""
    z = r * r
    return fma(z * r, polynomial(z, SIN[r.dtype.itemsize]), r)


def cosine(r: Scalar) -> Scalar:
    """cos(r) for |r| <= pi / 4."""
    z = r * r
    half = z * 0.5
    w = 1.0 - half
    return w + ((1.0 - w) - half + z * z * polynomial(z, COS[r.dtype.itemsize]))


def wave(x: Scalar, turn: int) -> Scalar:
    """sin(x + turn pi / 2); of large arguments, and infinities, it is left to NumPy."""
    x.f.note((abs(x) > WIDEST[x.dtype.itemsize]).name)
    r, n = quadrant(x)
    n = n + turn
    y = choose(odd(n), cosine(r), sine(r))
    return choose(odd(shift(n, 1, "lshr")), -y, y)


def odd(n: Scalar) -> Scalar:
    """True for odd integers."""
    return n.then(f"trunc {n.typed} to i1", BOOL)


def sin(x: Scalar) -> Scalar:
    return choose(equal(x, 0.0), x, wave(x, 0))


def cos(x: Scalar) -> Scalar:
    return wave(x, 1)


FUNCTIONS: dict[str, Callable[[Scalar], Scalar]] = {
    "exp": exp, "expm1": expm1, "log": log, "log1p": log1p, "tanh": tanh, "sin": sin, "cos": cos,
}  # fmt: skip


def definition(name: str, size: int) -> FunctionText:
    """A function of one argument, of floats of this size."""
    dtype = SINGLE if size == 4 else DOUBLE
    kind = register_type(dtype)
    given = f"{kind} %x, ptr %noted" if name in NOTING else f"{kind} %x"
    f = FunctionText(
        f"define internal {kind} @own.{name}.f{8 * size}({given}) alwaysinline nounwind"
    )
    y = FUNCTIONS[name](Scalar(f, "%x", dtype))
    f.do(f"ret {y.typed}")
    return f


def declarations(used: Sequence[str]) -> tuple[list[str], list[FunctionText]]:
    """The declarations and definitions of functions that are called, as `float expf/1`."""
    lines: dict[str, None] = {}
    done: dict[str, FunctionText] = {}
    todo = list(used)
    while todo:
        typed, arity = todo.pop().split("/")
        kind, name = typed.split()
        if not name.startswith("own."):
            lines[f"declare {kind} @{name}({', '.join([kind] * int(arity))})"] = None
        elif name not in done:
            done[name] = definition(name.split(".")[1], 4 if kind == "float" else 8)
            todo += done[name].used
    return list(lines), list(done.values())
