"""Tails of the normal distribution and their inverses: accuracy, extremes, arrays."""

from fractions import Fraction

import numpy as np
import pytest

from gradops.kernels.elementwise import gaussian as K

# x and f(x) to 22 digits, by mpmath.
KNOWN = {
    K.erfc: [
        (-3.5, "1.999999256901627658587"), (-0.25, "1.276326390168236932985"),
        (1e-09, "0.9999999988716208329045"), (0.5, "0.4795001221869534623173"),
        (1.0, "0.1572992070502851306588"), (2.75, "0.0001006219221196368369044"),
        (5.5, "7.357847917974398063068e-15"), (11.3, "1.74421484799671890296e-57"),
        (20.1, "9.735977140428878158972e-178"), (26.5, "2.210907664263734275929e-307"),
    ],
    K.erfcx: [
        (-2.3, "396.4601092565944761981"), (-1e-08, "1.000000011283791770955"),
        (0.3, "0.7345993345676551499198"), (1.0, "0.4275835761558070044108"),
        (3.7, "0.1474349975371850724704"), (12.0, "0.04685422101489376261959"),
        (1e3, "0.0005641893014533876541997"), (1e12, "5.641895835477562869481e-13"),
    ],
    K.ndtr: [
        (-37.0, "5.725571222524576822683e-300"), (-20.3, "6.429244467698346338571e-92"),
        (-5.1, "1.698267407147601461587e-7"), (-0.7, "0.2419636522230730286162"),
        (0.0, "0.5"), (0.9, "0.8159398746532405173541"), (3.3, "0.9995165758576162224929"),
    ],
    K.log_ndtr: [
        (-1e4, "-50000010.12927891518086"), (-37.0, "-689.0305855768905936009"),
        (-5.1, "-15.58848709187146566515"), (-0.7, "-1.418967761531531579334"),
        (0.0, "-0.6931471805599453094172"), (0.9, "-0.203414609755746896941"),
        (3.3, "-0.0004835410295067199973535"), (9.0, "-1.128588405953840647799e-19"),
    ],
}  # fmt: skip
EVERY = [*KNOWN, K.erfinv, K.ndtri]
INF, NAN = np.inf, np.nan
EXTREMES = {
    K.erfc: [(INF, 0), (-INF, 2), (1e200, 0), (-1e200, 2), (0, 1)],
    K.erfcx: [(INF, 0), (-INF, INF), (1e200, 5.641895835477563e-201), (-1e200, INF), (0, 1)],
    K.ndtr: [(INF, 1), (-INF, 0), (1e200, 1), (-1e200, 0)],
    K.log_ndtr: [(INF, 0), (-INF, -INF), (1e300, 0), (-1e200, -INF)],
    K.erfinv: [(0, 0), (1, INF), (-1, -INF), (2, NAN), (-1.5, NAN), (5e-324, 5e-324)],
    K.ndtri: [(0, -INF), (1, INF), (0.5, 0), (2, NAN), (-1, NAN), (5e-324, -38.467405617144344)],
    K.logit: [(0, -INF), (1, INF), (0.5, 0), (2, NAN), (-1, NAN)],
}
every_kernel = pytest.mark.parametrize("kernel", EVERY, ids=lambda f: f.__name__)


def ulps(found, expected):
    """How far `found` is from `expected`, in units of its last place."""
    return np.max(np.abs(found - expected) / np.spacing(np.abs(found)))


@pytest.mark.parametrize(
    ("kernel", "x", "digits"),
    [(f, x, digits) for f, rows in KNOWN.items() for x, digits in rows],
    ids=lambda v: getattr(v, "__name__", v),
)
def test_is_within_four_ulps_of_the_known_digits(kernel, x, digits):
    y = kernel(np.float64(x))
    assert abs(Fraction(float(y)) - Fraction(digits)) <= 4 * Fraction(float(np.spacing(abs(y))))


@pytest.mark.parametrize("kernel", EXTREMES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_extremes(kernel, dtype):
    for x, y in [*EXTREMES[kernel], (NAN, NAN)]:
        if dtype == np.float64 or np.isinf(x) or abs(x) in (0, 0.5, 1):
            np.testing.assert_allclose(kernel(dtype(x)), dtype(y), 1e-15)


def test_inverses_undo_what_they_invert():
    x = np.concatenate([np.linspace(-0.999, 0.999, 4001), np.geomspace(1e-300, 1e-3, 301)])
    assert ulps(K.erf(K.erfinv(x)), x) < 8
    p = np.concatenate([np.linspace(1e-3, 0.5, 4001), np.geomspace(1e-300, 1e-3, 1001)])
    y = K.ndtri(p)
    steepness = 1 + y * y  # an ulp of y is so many of ndtr(y)
    assert np.max(np.abs(K.ndtr(y) / p - 1) / steepness) < 8 * np.finfo(np.float64).eps
    inside = p[p > 1e-10]
    np.testing.assert_allclose(K.ndtri(1 - inside), -K.ndtri(1 - (1 - inside)), rtol=1e-14)


def test_logit_is_exact_also_near_its_zero():
    x = np.concatenate([[0.1, 0.3, 0.74, 0.76, 1 - 2.0**-53], 0.5 + 2.0 ** np.arange(-52, -2)])
    exact = [Fraction(float(v)) for v in x]
    excess = np.array([float((2 * v - 1) / (1 - v)) for v in exact])  # of the odds over 1
    near = np.abs(excess) < 1
    assert ulps(K.logit(x)[near], np.log1p(excess)[near]) <= 3
    assert ulps(K.logit(x)[~near], np.log1p(excess)[~near]) <= 3


@every_kernel
def test_float32_is_within_a_few_ulps(kernel):
    inside = np.linspace(1e-4, 1, 20_001, dtype=np.float32)[:-1]
    tails = np.linspace(-9, 9, 20_001, dtype=np.float32)
    x = inside if kernel in (K.erfinv, K.ndtri) else np.concatenate([inside, tails])
    found, expected = kernel(x), kernel(x.astype(np.float64))
    assert found.dtype == np.float32
    assert ulps(found, expected) < 6


@every_kernel
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (5,), (2, 3)])
def test_shape_and_dtype_are_those_of_the_operand(kernel, dtype, shape):
    y = kernel(np.full(shape, 0.25, dtype))
    assert (y.shape, y.dtype) == (shape, dtype)


@every_kernel
def test_integers_give_float64_and_complex_numbers_are_refused(kernel):
    assert kernel(0).dtype == kernel(np.zeros(2, np.int8)).dtype == np.float64
    with pytest.raises(TypeError):
        kernel(1j)


@every_kernel
def test_no_entry_signals_a_floating_point_error(kernel):
    with np.errstate(all="raise"):
        kernel(np.array([0.0, 5e-324, 1e300, -1e300, 0.5, 1, -1, np.inf, -np.inf, np.nan]))


@every_kernel
def test_an_entry_gives_the_same_in_any_array(kernel):
    x = np.random.default_rng(0).uniform(size=(100, 90))
    y = kernel(x)
    assert np.array_equal(kernel(x.T[::-2]), y.T[::-2])
    out = np.empty_like(x)
    assert kernel(x, out=out) is out
    assert np.array_equal(out, y)
    assert kernel(x, out=x) is x
    assert np.array_equal(x, y)


@pytest.mark.parametrize("name", ["erfc", "erfcx", "ndtr", "log_ndtr"])
def test_agrees_with_scipy(name):
    special = pytest.importorskip("scipy.special")
    x = np.concatenate([np.linspace(-6, 26, 20001), np.linspace(-37, -6, 2001)])
    if name == "erfcx":
        x = x[x > -26]
    found, expected = getattr(K, name)(x), getattr(special, name)(x)
    assert np.max(np.abs(found / expected - 1)) < 3e-13  # SciPy rounds squares in the tails


def test_erfcx_is_exact_over_the_whole_line():
    x = np.concatenate([4 / np.linspace(1e-5, 0.1, 5001) - 4, np.geomspace(1e-10, 1e3, 2001)])
    far = x > 50  # where the asymptotic series is exact
    u = 1 / (2 * x[far] ** 2)
    series = (1 - u * (1 - 3 * u * (1 - 5 * u * (1 - 7 * u)))) / (x[far] * np.sqrt(np.pi))
    np.testing.assert_allclose(K.erfcx(x)[far], series, rtol=1e-15)
    special = pytest.importorskip("scipy.special")
    np.testing.assert_allclose(K.erfcx(x), special.erfcx(x), rtol=2e-15)
