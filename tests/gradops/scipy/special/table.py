"""Functions of `gradops.scipy.special`: operands for values, and what they are for derivatives."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mpmath as mp
import numpy as np


@dataclass(frozen=True)
class Case:
    """Grids of operands, which are combined, and points at which `true` has derivatives."""

    grids: tuple[Any, ...]
    points: tuple[Any, ...]
    true: Callable[..., Any]
    within: float = 1e-12  # of SciPy's values, which are not exact
    near: float = 1e-307  # the absolute error of values near a zero
    without: tuple[int, ...] = ()  # operands that have no derivative


REAL = np.array([-1e300, -700, -38, -9.3, -1, -1e-9, -0.0, 0, 1e-300, 1e-9, 0.3, 1, 2.5, 20, 720])
REAL = np.append(REAL, [1e300, np.inf, -np.inf, np.nan])
SHARE = np.array([0, 1e-300, 1e-9, 0.2, 0.5, 0.7, 1 - 1e-9, 1, -1, 2, np.nan])
POSITIVE = REAL[REAL > 0]
FINITE = REAL[np.isfinite(REAL)]  # at infinity SciPy's functions are NaN
MIDDLE = REAL[(np.abs(REAL) < 1e9) & (np.abs(REAL) != 1e-300)]  # SciPy's overflow beyond
MODEST = np.array([-30.5, -3.3, -0.7, 0.0, 1e-9, 0.4, 1.0, 2.0, 7.7, 40.0])
SMALL = np.array([-2.5, -0.3, 0.0, 1e-12, 0.02, 0.5, 2.0])
COUNTS = np.array([0.0, 1, 2, 3, 7, 0.5, 4.5, -1, -2.5])

ndtr = lambda x: mp.erfc(-x / mp.sqrt(2)) / 2
xlog = lambda x, y: x * mp.log(y)


def boxcox(x, a):
    return (x**a - 1) / a if a else mp.log(x)


def inv_boxcox(y, a):
    return (1 + y * a) ** (1 / a) if a else mp.exp(y)


def pseudo_huber(d, r):
    return d * d * (mp.sqrt(1 + (r / d) ** 2) - 1)


def diric(x, n):
    return mp.sin(n * x / 2) / (n * mp.sin(x / 2))


def huber(d, r):
    return r * r / 2 if abs(r) < d else d * (abs(r) - d / 2)


def kl_div(x, y):
    return xlog(x, x / y) - x + y


def owens_t(h, a):
    f = lambda t: mp.exp(-h * h * (1 + t * t) / 2) / (1 + t * t)
    return mp.quad(f, [0, a]) / (2 * mp.pi)


def erfcinv(y):
    start = mp.erfinv(1 - y) if y > 1e-10 else mp.sqrt(-mp.log(y))
    return mp.findroot(lambda x: mp.erfc(x) / y - 1, start)


def faddeeva(z):
    return mp.exp(-z * z) * mp.erfc(-1j * z)


def voigt_profile(x, s, g):
    return mp.re(faddeeva((x + 1j * g) / (s * mp.sqrt(2)))) / (s * mp.sqrt(2 * mp.pi))


def dawsn(x):
    return mp.sqrt(mp.pi) / 2 * mp.exp(-x * x) * mp.erfi(x)


def log_beta(a, b):
    return mp.log(abs(mp.beta(a, b)))


UNARY = {
    "cbrt": Case((REAL,), (0.3, -5.0), lambda x: mp.sign(x) * mp.cbrt(abs(x))),
    "dawsn": Case((REAL,), (0.3, -5.0, 40.0), dawsn),
    "digamma": Case((MODEST,), (0.3, 5.0, -2.3, 1e5), mp.digamma),
    "entr": Case((REAL,), (0.3, 5.0), lambda x: -x * mp.log(x)),
    "erf": Case((REAL,), (0.0, 0.3, -5.0), mp.erf),
    "erfc": Case((REAL,), (0.0, 0.3, 20.0), mp.erfc),
    "erfcinv": Case((SHARE,), (1e-9, 0.2, 1.7), erfcinv),
    "erfcx": Case((REAL,), (0.3, -5.0, 7.0), lambda x: mp.exp(x * x) * mp.erfc(x)),
    "erfi": Case((REAL,), (0.0, 0.3, -5.0), mp.erfi),
    "erfinv": Case((np.append(SHARE, -SHARE),), (1e-9, 0.2, -0.7), mp.erfinv),
    "exp10": Case((REAL,), (0.3, -5.0), lambda x: mp.mpf(10) ** x),
    "exp2": Case((REAL,), (0.3, -5.0), lambda x: mp.mpf(2) ** x),
    "expit": Case((REAL,), (0.3, -50.0), lambda x: 1 / (1 + mp.exp(-x))),
    "expm1": Case((REAL,), (0.3, -5.0), mp.expm1),
    "exprel": Case((REAL,), (0.0, 1e-9, 0.3, -5.0, 40.0), lambda x: mp.expm1(x) / x if x else 1),
    "factorial": Case((COUNTS,), (0.0, 3.0, 4.5), lambda n: mp.gamma(n + 1)),
    "gamma": Case((MODEST,), (0.3, 5.0, -2.3), mp.gamma),
    "gammaln": Case((MODEST,), (0.3, 5.0, -2.3, 1e5), lambda x: mp.log(abs(mp.gamma(x)))),
    "i0": Case((FINITE,), (0.0, 0.3, -9.0), lambda x: mp.besseli(0, x)),
    "i0e": Case((REAL,), (0.3, -9.0), lambda x: mp.besseli(0, x) * mp.exp(-abs(x))),
    "i1": Case((FINITE,), (0.0, 0.3, -9.0), lambda x: mp.besseli(1, x)),
    "i1e": Case((REAL,), (0.3, -9.0), lambda x: mp.besseli(1, x) * mp.exp(-abs(x))),
    "log1p": Case((REAL[REAL > -1],), (0.3, 1e-9), mp.log1p),
    "log_expit": Case((REAL,), (0.3, -50.0), lambda x: -mp.log1p(mp.exp(-x))),
    "log_ndtr": Case((REAL,), (0.3, -50.0, 5.0), lambda x: mp.log(ndtr(x))),
    "logit": Case((SHARE,), (0.3, 1e-9), lambda x: mp.log(x / (1 - x))),
    "ndtr": Case((REAL,), (0.3, -5.0), ndtr),
    "ndtri": Case((SHARE,), (0.3, 1e-9), lambda p: -mp.sqrt(2) * erfcinv(2 * p)),
    "rgamma": Case((MODEST,), (0.0, -3.0, 0.3, 5.0, -2.3), mp.rgamma),
    "sinc": Case((MODEST,), (0.0, 0.3, -2.5), mp.sincpi),
    "softplus": Case((REAL,), (0.3, -50.0), lambda x: mp.log1p(mp.exp(x))),
}
BINARY = {
    "beta": Case((MODEST, MODEST[4:]), ((0.3, 2.0), (-0.7, 1.2)), mp.beta),
    "betaln": Case(
        (MODEST, POSITIVE[:-2]), ((0.3, 2.0), (1e6, 2.0), (30.0, 40.0)), log_beta, near=1e-13
    ),
    "binom": Case((COUNTS, COUNTS), ((3.0, 5.0), (7.5, 2.2)), mp.binomial),
    "boxcox": Case((POSITIVE[:-3], SMALL), ((0.3, 0.0), (2.0, 1e-9), (5.0, -0.7)), boxcox),
    "boxcox1p": Case(
        (POSITIVE[:-3], SMALL), ((0.3, 0.0), (2.0, 0.7)), lambda x, a: boxcox(1 + x, a)
    ),
    "comb": Case((COUNTS, COUNTS), ((7.5, 2.2), (5.0, 2.0)), mp.binomial),
    "diric": Case((MODEST, [1, 2, 3, 8]), ((0.3, 3.0), (7.0, 4.0)), diric, without=(1,)),
    "huber": Case((REAL[:-3], REAL[:-3]), ((1.0, 0.3), (1.0, -3.0)), huber),
    "inv_boxcox": Case((SMALL, SMALL), ((0.3, 0.0), (2.0, 1e-9), (0.5, -0.7)), inv_boxcox),
    "inv_boxcox1p": Case(
        (SMALL, SMALL), ((0.3, 0.0), (2.0, 0.7)), lambda x, a: inv_boxcox(x, a) - 1
    ),
    "kl_div": Case((MIDDLE, MIDDLE), ((0.3, 2.0), (3.0, 3.1)), kl_div),
    "owens_t": Case((MODEST, MODEST), ((0.3, 2.0), (-1.0, 0.5)), owens_t),
    "perm": Case((COUNTS, COUNTS), ((7.5, 2.2), (5.0, 2.0)), lambda n, k: mp.rf(n - k + 1, k)),
    "poch": Case((MODEST, MODEST), ((0.3, 2.2), (-2.0, 3.5), (1e5, 3.5)), mp.rf),
    "polygamma": Case(([0, 1, 2, 5], MODEST), (), None),
    "pseudo_huber": Case((MIDDLE, MIDDLE), ((1.0, 1e-5), (3.0, -3.0)), pseudo_huber),
    "rel_entr": Case((REAL[:-3], REAL[:-3]), ((0.3, 2.0), (3.0, 3.1)), lambda x, y: xlog(x, x / y)),
    "xlog1py": Case((MODEST, MODEST[2:]), ((0.3, 2.0),), lambda x, y: xlog(x, 1 + y)),
    "xlogy": Case((MODEST, MODEST[3:]), ((0.3, 2.0),), xlog),
}
TABLE = UNARY | BINARY
