"""The coefficients of gradops/native/transcendental: polynomials through Chebyshev's nodes.

`python -m tests.gradops.native.coefficients` prints all of them as the modules have them.
"""

from collections.abc import Mapping

from mpmath import (  # fmt: skip
    asin,
    atan,
    atanh,
    cos,
    cosh,
    erf,
    erfc,
    exp,
    expm1,
    log,
    mp,
    mpf,
    pi,
    sin,
    sinh,
    sqrt,
)

DIGITS = 60
TINY = 1e-20  # functions have limits at zero, of which these digits are right


def polynomial(f, degree, low, high):
    """Coefficients of the polynomial that is `f` at Chebyshev's nodes between two bounds."""
    n, middle, radius = degree + 1, (low + high) / 2, (high - low) / 2
    xs = [middle + radius * cos(pi * (2 * k + 1) / (2 * n)) for k in range(n)]
    c = [f(x if abs(x) > TINY else mpf(TINY)) for x in xs]
    for j in range(1, n):  # Newton's divided differences
        for i in range(n - 1, j - 1, -1):
            c[i] = (c[i] - c[i - 1]) / (xs[i] - xs[i - j])
    result = [c[-1]]
    for x, start in zip(xs[-2::-1], c[-2::-1], strict=True):
        result = [a - x * b for a, b in zip([0, *result], [*result, 0], strict=True)]
        result[0] += start
    return result


def even(f):
    """A function of z = x**2, from one of x."""
    return lambda z: f(sqrt(z))


def complement(middle):
    """(1 + 2 x) exp(x**2) erfc(x) as a function of t = (x - middle) / (x + middle)."""

    def f(t):
        x = middle * (1 + t) / (1 - t)
        return (1 + 2 * x) * exp(x * x) * erfc(x)

    return f


def moved(middle, x):
    """(x - middle) / (x + middle)."""
    return (x - middle) / (x + middle)


def coefficients(table, size):
    """The coefficients of a table for floats of some bytes, as floats."""
    with mp.workdps(DIGITS):
        f, low, high, degrees = TABLES()[table]
        if isinstance(f, Mapping):
            f, low, high = f[size], low[size], high[size]
        return tuple([float(c) for c in polynomial(f, degrees[size], low, high)])


def TABLES():
    """The functions, ranges, and degrees for both sizes of floats, by the names of tables."""
    third, half_log, eighth = mpf(1) / 3, log(2) / 2, (pi / 4) ** 2
    logs, near = (3 - 2 * sqrt(2)) ** 2, mpf("2.4")
    return {
        "EXP": (lambda r: (exp(r) - 1 - r) / r**2, -half_log, half_log, {4: 6, 8: 11}),
        "EXP2": (lambda r: expm1(r * log(2)) / r, mpf(-0.5), mpf(0.5), {4: 6, 8: 10}),
        "SINH": (even(lambda r: (sinh(r) - r) / r**3), 0, half_log**2, {4: 2, 8: 4}),
        "COSH": (even(lambda r: (cosh(r) - 1 - r**2 / 2) / r**4), 0, half_log**2, {4: 1, 8: 3}),
        "LOG": (even(lambda s: (2 * atanh(s) / s - 2) / s**2), 0, logs, {4: 3, 8: 6}),
        "LOG_SLOPE": (lambda f: (log(1 + f) / f - 1) / f, sqrt(mpf(0.5)) - 1, sqrt(2) - 1, {4: 8}),
        "LOG2": (
            even(lambda s: ((2 * atanh(s) / s - 2) / s**2 - 2 * third) / s**2 / log(2)),
            0, logs, {4: 2, 8: 6},
        ),
        "ATANH": (even(lambda s: (atanh(s) / s - 1) / s**2), 0, third**2, {4: 4, 8: 9}),
        "ROOT": (lambda m: m**-third, sqrt(mpf(0.5)), sqrt(mpf(2)), {4: 4, 8: 4}),
        "SIN": (even(lambda r: (sin(r) - r) / r**3), 0, eighth, {4: 3, 8: 6}),
        "COS": (even(lambda r: (cos(r) - 1 + r**2 / 2) / r**4), 0, eighth, {4: 3, 8: 6}),
        "ASIN": (even(lambda t: (asin(t) / t - 1) / t**2), 0, mpf(0.25), {4: 5, 8: 12}),
        "ATAN": (even(lambda t: (atan(t) / t - 1) / t**2), 0, (sqrt(2) - 1) ** 2, {4: 4, 8: 10}),
        "ERF": (even(lambda x: erf(x) / x - 1), 0, mpf(1), {4: 6, 8: 11}),
        "NEAR": (
            {n: complement(near) for n in (4, 8)}, {n: moved(near, 1) for n in (4, 8)},
            {4: moved(near, 4), 8: moved(near, 6)}, {4: 6, 8: 15},
        ),
        "FAR": (
            {4: complement(3), 8: complement(4)}, {4: mpf(-1), 8: mpf(-1)},
            {4: moved(3, mpf("10.1")), 8: moved(4, mpf("27.3"))}, {4: 10, 8: 22},
        ),
    }  # fmt: skip


if __name__ == "__main__":
    for name, (*_, degrees) in TABLES().items():
        for size in degrees:
            print(name, size, coefficients(name, size))
