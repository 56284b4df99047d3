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
    "agm": Case((MODEST[4:], MODEST[5:]), ((0.3, 2.0), (2.0, 2.0)), mp.agm),
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
ORDERS = np.array([0, 1, 2, 7, 0.5, 3.3])
WHOLE = np.array([0, 1, 2, 7])
ABOVE = POSITIVE[2:-3]  # up to 720


def of_order(f, within=1e-11, grid=ABOVE, orders=ORDERS, points=((2.0, 1.3), (0.5, 5.0))):
    """A case of a function of an order, in which there is no derivative."""
    return Case((orders, grid), points, f, within, near=1e-290, without=(0,))


def of_parameters(f, *grids, points, within=1e-11):
    """A case of a function that has derivatives in the last operand alone."""
    return Case(grids, points, f, within, near=1e-290, without=tuple(range(len(grids) - 1)))


def spherical(f, sign=1):
    """A spherical function of a Bessel function."""
    return lambda n, z: sign * mp.sqrt(mp.pi / (2 * z)) * f(n + mp.mpf(1) / 2, z)


def unary(f, *points, grid=REAL, within=1e-11, near=1e-290):
    return Case((grid,), points, f, within, near)


degrees = lambda f: lambda x: f(x * mp.pi / 180)
NEAR_1 = np.array([-40.0, -3, -0.3, 0.0, 1e-9, 0.2, 0.5])

BESSEL = {
    "jv": of_order(mp.besselj),
    "yv": of_order(mp.bessely),
    "iv": of_order(mp.besseli),
    "kv": of_order(mp.besselk),
    "ive": of_order(lambda v, z: mp.besseli(v, z) * mp.exp(-z)),
    "kve": of_order(lambda v, z: mp.besselk(v, z) * mp.exp(z)),
    "spherical_jn": of_order(
        spherical(mp.besselj), orders=[0, 1, 2, 7], points=((2, 1.3), (0, 5.0))
    ),
    "spherical_yn": of_order(
        spherical(mp.bessely), orders=[0, 1, 2, 7], points=((2, 1.3), (0, 5.0))
    ),
    "spherical_in": of_order(
        spherical(mp.besseli), orders=[0, 1, 2, 7], points=((2, 1.3), (0, 5.0))
    ),
    "spherical_kn": of_order(
        spherical(mp.besselk), orders=[0, 1, 2, 7], points=((2, 1.3), (0, 5.0))
    ),
    "struve": of_order(mp.struveh, grid=ABOVE[ABOVE < 100]),
    "modstruve": of_order(mp.struvel, grid=ABOVE[ABOVE < 100]),
    "j0": unary(lambda x: mp.besselj(0, x), 0.0, 1.3, -30.0),
    "j1": unary(lambda x: mp.besselj(1, x), 0.0, 1.3, -30.0),
    "y0": unary(lambda x: mp.bessely(0, x), 0.01, 1.3, 30.0),
    "y1": unary(lambda x: mp.bessely(1, x), 0.01, 1.3, 30.0),
    "k0": unary(lambda x: mp.besselk(0, x), 0.01, 1.3, 30.0),
    "k1": unary(lambda x: mp.besselk(1, x), 0.01, 1.3, 30.0),
    "k0e": unary(lambda x: mp.besselk(0, x) * mp.exp(x), 0.01, 1.3, 30.0),
    "k1e": unary(lambda x: mp.besselk(1, x) * mp.exp(x), 0.01, 1.3, 30.0),
    "ber": unary(lambda x: mp.ber(0, x), 0.01, 1.3, 5.0),
    "bei": unary(lambda x: mp.bei(0, x), 0.01, 1.3, 5.0),
    "ker": unary(lambda x: mp.ker(0, x), 0.01, 1.3, 5.0),
    "kei": unary(lambda x: mp.kei(0, x), 0.01, 1.3, 5.0),
}
INTEGRALS = {
    "exp1": unary(mp.e1, 0.01, 1.3, 30.0),
    "expi": unary(mp.ei, 0.01, 1.3, -3.0),
    "expn": of_order(mp.expint, orders=WHOLE, points=((2, 1.3), (0, 2.0))),
    "spence": unary(lambda z: mp.polylog(2, 1 - z).real, 0.01, 0.7, 1.0, 30.0),
    "wrightomega": unary(lambda z: mp.lambertw(mp.exp(z)), 0.01, 1.3, -30.0),
    "cosm1": unary(lambda x: mp.cos(x) - 1, 1e-9, 1.3, grid=MODEST),
    "sindg": unary(degrees(mp.sin), 30.0, 1.3, grid=MODEST),
    "cosdg": unary(degrees(mp.cos), 30.0, 1.3, grid=MODEST),
    "tandg": unary(degrees(mp.tan), 30.0, 1.3, grid=MODEST),
    "cotdg": unary(degrees(mp.cot), 30.0, 1.3, grid=MODEST),
    "powm1": Case((ABOVE[:-1], SMALL), ((0.3, 1e-9), (2.0, 0.7)), lambda x, y: x**y - 1),
}
HYPERGEOMETRIC = {
    "hyp0f1": of_parameters(mp.hyp0f1, [0.5, 1, 2, 7.3], MODEST, points=((2.5, 1.3), (1.0, -9.0))),
    "hyp1f1": of_parameters(
        mp.hyp1f1, [-2, 0.5, 1, 2.3], [0.5, 1, 7.3], MODEST,
        points=((2.5, 1.2, 1.3), (1.0, 2, -9.0)),
    ),
    "hyp2f1": of_parameters(
        mp.hyp2f1, [-2, 0.5, 1], [0.5, 2.3], [0.7, 3.1], NEAR_1,
        points=((2.5, 1.2, 1.3, 0.3), (1.0, 2, 0.7, -9.0)),
    ),
    "hyperu": of_parameters(
        mp.hyperu, [0.5, 1, 2.3], [0.5, 1, 2.3], ABOVE[4:], points=((2.5, 1.2, 1.3), (1.0, 2, 9.0))
    ),
}  # fmt: skip
DEGREES = [0, 1, 2, 5]
UNIT = np.array([-0.9, -0.3, 0.0, 0.2, 1.0])


def polynomial(f, *parameters):
    """A case of an orthogonal polynomial."""
    grids = (DEGREES, *([0.5, 1.0, 2.3] for _ in parameters), UNIT)
    points = ((4, *parameters, 0.3), (1, *parameters, -0.2), (0, *parameters, 0.2))
    return Case(grids, points, f, 1e-12, near=1e-14, without=tuple(range(len(grids) - 1)))


POLYNOMIALS = {
    "eval_legendre": polynomial(mp.legendre),
    "eval_chebyt": polynomial(mp.chebyt),
    "eval_chebyu": polynomial(mp.chebyu),
    "eval_chebyc": polynomial(lambda n, x: 2 * mp.chebyt(n, x / 2)),
    "eval_chebys": polynomial(lambda n, x: mp.chebyu(n, x / 2)),
    "eval_hermite": polynomial(mp.hermite),
    "eval_hermitenorm": polynomial(
        lambda n, x: 2 ** (-mp.mpf(n) / 2) * mp.hermite(n, x / mp.sqrt(2))
    ),
    "eval_laguerre": polynomial(lambda n, x: mp.laguerre(n, 0, x)),
    "eval_genlaguerre": polynomial(mp.laguerre, 1.5),
    "eval_gegenbauer": polynomial(mp.gegenbauer, 1.5),
    "eval_jacobi": polynomial(mp.jacobi, 1.5, 0.7),
    "eval_sh_legendre": polynomial(lambda n, x: mp.legendre(n, 2 * x - 1)),
    "eval_sh_chebyt": polynomial(lambda n, x: mp.chebyt(n, 2 * x - 1)),
    "eval_sh_chebyu": polynomial(lambda n, x: mp.chebyu(n, 2 * x - 1)),
}
MODULI = np.array([-1e300, -1e9, -3.0, -1e-9, 0.0, 1e-300, 1e-9, 0.3, 0.5, 0.9, 1 - 1e-9, 1.0, 2.0])
ANGLES = np.array([-7.0, -1.2, 0.0, 1e-9, 0.3, 1.5])
ELLIPTIC = {
    "ellipk": unary(mp.ellipk, 0.0, 1e-9, 0.3, 0.8, -0.4, -9.0, grid=MODULI),
    "ellipe": unary(mp.ellipe, 0.0, 1e-9, 0.3, 0.8, -0.4, -9.0, grid=MODULI),
    "ellipkm1": unary(lambda p: mp.ellipk(1 - p), 1e-9, 0.3, 0.8, 1.2, grid=MODULI[5:]),
    "ellipkinc": Case((ANGLES, MODULI[2:-3]), ((0.7, 0.3), (2.5, 1e-9), (1.2, -3.0)), mp.ellipf),
    "ellipeinc": Case((ANGLES, MODULI[2:-3]), ((0.7, 0.3), (2.5, 1e-9), (1.2, -3.0)), mp.ellipe),
    "elliprc": Case((ABOVE, ABOVE), ((0.7, 1.3), (5.0, 0.2), (2.0, 2.0)), mp.elliprc),
    "elliprd": Case((ABOVE, ABOVE, ABOVE), ((0.7, 1.3, 2.2),), mp.elliprd),
    "elliprf": Case((ABOVE, ABOVE, ABOVE), ((0.7, 1.3, 2.2),), mp.elliprf),
}
lower = lambda a, x: mp.gammainc(a, 0, x, regularized=True)
upper = lambda a, x: mp.gammainc(a, x, regularized=True)
beta = lambda a, b, x: mp.betainc(a, b, 0, x, regularized=True)
CHANCE = np.array([1e-9, 0.2, 0.5, 0.9, 1.0, -1.0, 2.0, np.nan])
SHAPES = np.array([0.3, 1.0, 2.5, 40.0])
TRIALS, COUNTED = [5, 8], [-1, 0, 1, 2, 5]


def student(df, t):
    x = df / (df + t * t)
    half = beta(df / 2, mp.mpf(1) / 2, x) / 2
    return half if t < 0 else 1 - half


DISTRIBUTIONS = {
    "betainc": Case((SHAPES, SHAPES, CHANCE[:5]), ((1.2, 2.3, 0.3), (40.0, 0.3, 0.9)), beta),
    "betaincc": Case((SHAPES, SHAPES, CHANCE[:5]), ((1.2, 2.3, 0.3), (200.0, 300.0, 0.41)),
                     lambda a, b, x: 1 - beta(a, b, x)),
    "bdtr": Case((COUNTED, TRIALS, CHANCE), ((2.0, 5, 0.3),),
                 lambda k, n, p: beta(n - k, k + 1, 1 - p), without=(0, 1)),
    "bdtrc": Case((COUNTED, TRIALS, CHANCE), ((2.0, 5, 0.3),),
                  lambda k, n, p: beta(k + 1, n - k, p), without=(0, 1)),
    "nbdtr": Case((COUNTED, TRIALS, CHANCE), ((2, 5, 0.3),), lambda k, n, p: beta(n, k + 1, p),
                  without=(0, 1)),
    "nbdtrc": Case((COUNTED, TRIALS, CHANCE), ((2, 5, 0.3),), lambda k, n, p: beta(k + 1, n, 1 - p),
                   without=(0, 1)),
    "fdtr": Case((SHAPES, SHAPES, ABOVE), ((3.2, 2.3, 1.3),),
                 lambda m, n, x: beta(m / 2, n / 2, m * x / (m * x + n))),
    "fdtrc": Case((SHAPES, SHAPES, ABOVE), ((3.2, 2.3, 1.3),),
                  lambda m, n, x: beta(n / 2, m / 2, n / (m * x + n))),
    "pdtr": Case((COUNTED, ABOVE), ((2.0, 1.3),), lambda k, m: upper(k + 1, m), without=(0,)),
    "pdtrc": Case((COUNTED, ABOVE), ((2.0, 1.3),), lambda k, m: lower(k + 1, m), without=(0,)),
    "chdtr": Case((SHAPES, ABOVE), ((3.2, 2.3),), lambda v, x: lower(v / 2, x / 2)),
    "chdtrc": Case((SHAPES, ABOVE), ((3.2, 2.3),), lambda v, x: upper(v / 2, x / 2)),
    "gdtr": Case((SHAPES, SHAPES, ABOVE), ((3.2, 2.3, 0.7),), lambda a, b, x: lower(b, a * x)),
    "gdtrc": Case((SHAPES, SHAPES, ABOVE), ((3.2, 2.3, 0.7),), lambda a, b, x: upper(b, a * x)),
    "stdtr": Case((SHAPES, MODEST), ((3.2, -2.3), (3.2, 1.3)), student, 1e-10),
}  # fmt: skip
TABLE = (
    UNARY | BINARY | BESSEL | INTEGRALS | HYPERGEOMETRIC | POLYNOMIALS | ELLIPTIC | DISTRIBUTIONS
)
