"""SciPy's continuous distributions: values of every method, and derivatives in every argument."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import dynamicgrad as dg
import staticgrad as sg
from gradops.core.errors import OptionError
from gradops.scipy import stats
from gradops.scipy.stats.families import Continuous

from .parameters import usual

scipy_stats = pytest.importorskip("scipy.stats")

METHODS = ["logpdf", "pdf", "cdf", "sf", "logcdf", "logsf"]
NAMES = [n for n in stats.__all__ if isinstance(getattr(stats, n), Continuous)]
SHAPES = {0: [()], 1: [(0.5,), (1.0,), (3.3,), (200.0,), (-1.0,), (0.0,)],
          2: [(0.5, 0.5), (1.0, 1.0), (1.0, 3.0), (2.5, 40.0), (-1.0, 2.0)]}  # fmt: skip
SCALES = [(0.0, 1.0), (0.3, 2.5), (0.0, -1.0), (0.0, 0.0)]
POINTS = np.array([
    -1e3, -40, -9, -1, -1e-8, 0, 1e-300, 1e-8, 0.3, 0.5, 0.9999, 1, 1.5, 7, 40, 300, np.nan,
])  # fmt: skip
FAR = np.array([-np.inf, -1e300, -1e3, -1.0, 0.0, 1e-300, 0.3, 1.0, 7.0, 1e3, 1e300, np.inf])
EXTREME = [(0.0, 1.0), (0.3, np.inf), (0.3, 1e300), (0.3, 1e-300), (np.inf, 1.0), (np.nan, 1.0)]
NEAR = dict.fromkeys(
    [
        "burr",
        "burr12",
        "exponnorm",
        "dgamma",
        "exponpow",
        "exponweib",
        "fisk",
        "gennorm",
        "gompertz",
        "invgauss",
        "lomax",
        "semicircular",
        "t",
        "triang",
        "truncnorm",
        "vonmises",
        "wald",
    ],
    1e-6,
) | dict.fromkeys(["foldnorm", "invweibull", "loglaplace", "pareto"], 1e-3)
"""Where SciPy takes 1 - cdf, logarithms of subnormal numbers, or powers that lose digits."""
UNKNOWN = {
    "exponpow",
    "invweibull",
    "weibull_max",
    "weibull_min",
}  # have NaN in SciPy far from the middle
POINTS_INSIDE = {
    "loguniform": 2.7, "pareto": 2.7, "reciprocal": 2.7, "truncnorm": 2.7, "weibull_max": -0.7,
    "genextreme": 0.3,
}  # fmt: skip
LOC, SCALE = 0.1, 1.3

CALLS = [
    (n, m, i) for n in NAMES for m in METHODS for i in range(3 + len(getattr(stats, n).shapes))
]  # fmt: skip


def arguments(name):
    """A point inside the support, shapes, loc and scale."""
    return [POINTS_INSIDE.get(name, 0.7), *usual(name), LOC, SCALE]


def with_one(method, name, i):
    """A method as a function of its argument `i`."""
    call, fixed = getattr(getattr(stats, name), method), arguments(name)
    return lambda v: call(*fixed[:i], v, *fixed[i + 1 :])


def by_extrapolation(f, x):
    """The derivative of f at x by Richardson's extrapolation of central differences."""
    d = [(f(x + h) - f(x - h)) / (2 * h) for h in (4e-3, 2e-3, 1e-3)]
    return (64 * d[2] - 20 * d[1] + d[0]) / 45


def in_graph(f, x):
    """The derivative of f at x in a graph, by exact passes only."""
    v = sg.placeholder("float64", ())
    (g,) = sg.gradients(f(v), [v])
    return sg.compile([g], [v], optimize=1)(np.asarray(x))[0]


def close(name, y, expected):
    """Raise unless values are SciPy's, where those are finite, or ours are not.

    SciPy's logarithms of what is too small for a number are -inf or NaN, where ours are finite.
    """
    held = np.isfinite(expected) | ~np.isfinite(y)
    if name == "powerlaw":  # whose density at 0 SciPy has wrong
        held &= np.isfinite(y)
    if name == "skewcauchy":  # whose far tails SciPy subtracts from a half
        held &= (expected > -36) & (abs(expected) > 1e-15)
    if name in UNKNOWN:
        held &= expected == expected
    tiny = 1e-16 if name == "exponpow" else 1e-30 if NEAR.get(name) else 1e-150
    assert_allclose(y[held], expected[held], rtol=NEAR.get(name, 1e-11), atol=tiny)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", NAMES)
def test_values_are_scipys(name, method):
    ours, theirs = getattr(stats, name), getattr(scipy_stats, name)
    for shapes in SHAPES[len(ours.shapes)]:
        if name.startswith("vonmises") and shapes > (50.0,):  # where SciPy has three digits
            continue
        for loc, scale in SCALES:
            with np.errstate(all="ignore"):
                expected = getattr(theirs, method)(POINTS, *shapes, loc, scale)
                y = getattr(ours, method)(POINTS, *shapes, loc, scale)
            close(name, y, expected)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", NAMES)
def test_values_of_extreme_points_and_parameters_are_scipys_where_that_has_some(name, method):
    ours, theirs = getattr(stats, name), getattr(scipy_stats, name)
    own = usual(name)
    extreme = [] if ours.finite else [(value, *own[1:]) for value in (np.inf, 1e300) if own]
    for shapes in [own, *extreme]:
        for loc, scale in EXTREME:
            with np.errstate(all="ignore"):
                expected = getattr(theirs, method)(FAR, *shapes, loc, scale)
                y = getattr(ours, method)(FAR, *shapes, loc, scale)
            held = expected == expected
            close(name, y[held], expected[held])


@pytest.mark.parametrize("name", [n for n in NAMES if getattr(stats, n).finite])
def test_infinite_shapes_have_no_values_where_shapes_are_finite(name):
    shapes = (np.inf, *usual(name)[1:])
    for method in METHODS:
        assert np.isnan(getattr(getattr(stats, name), method)(0.5, *shapes))


@pytest.mark.parametrize(("name", "method", "i"), CALLS)
def test_derivatives_are_those_of_differences_in_both_modes(name, method, i):
    f, x = with_one(method, name, i), arguments(name)[i]
    eager = dg.grad(f)(x)
    assert_allclose(eager, by_extrapolation(f, x), rtol=1e-8, atol=1e-10)
    assert in_graph(f, x) == eager
    assert_allclose(dg.func.jvp(f, (x,), (1.0,))[1], eager, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("name", NAMES)
def test_gradients_outside_the_support_are_zero(name):
    d = getattr(stats, name)
    x = np.array([-5.0, 5.0])
    shapes = usual(name)
    low, high = d.of_shapes(d.bounds, shapes)
    beside = x[(x < low) | (x > high)]
    for method in METHODS:
        g = dg.grad(lambda x, m=method: getattr(d, m)(x, *shapes).sum())(beside)
        assert_allclose(g, np.zeros_like(beside), atol=0)


def test_log_densities_are_finite_where_densities_underflow():
    assert stats.norm.logpdf(1e5) < -4e9
    assert_allclose(stats.norm.logsf(1e3), scipy_stats.norm.logsf(1e3), rtol=1e-14)
    assert_allclose(stats.laplace.logpdf(1e4), -1e4 - np.log(2))


@pytest.mark.parametrize("method", ["cdf", "sf", "logcdf", "logsf"])
@pytest.mark.parametrize("b", [0.7, 1.7, 2.0])
def test_a_generalised_normal_has_its_slope_in_the_middle(method, b):
    f = lambda x: getattr(stats.gennorm, method)(x, b)
    sign = -1 if "sf" in method else 1
    want = sign * stats.gennorm.pdf(0.0, b) * (2 if "log" in method else 1)
    assert_allclose(dg.grad(f)(0.0), want, rtol=1e-12)


def test_complements_keep_their_digits():
    assert_allclose(stats.f.sf(1e-12, 0.4, 0.6), 0.99763116311, rtol=1e-10)
    assert_allclose(stats.powerlaw.sf(1 - 1e-9, 2.0), 2e-9, rtol=1e-6)


def test_a_frozen_distribution_holds_its_parameters():
    assert stats.gamma(2.0, scale=3.0).sf(1.0) == stats.gamma.sf(1.0, 2.0, scale=3.0)
    g = dg.grad(lambda m: stats.norm(m, 2.0).logpdf(1.0))(0.5)
    assert_allclose(g, 0.125)


@pytest.mark.parametrize("call", [
    lambda: stats.norm.pdf(0.0, 1, 2, 3), lambda: stats.gamma.pdf(0.0),
    lambda: stats.norm.pdf(0.0, mean=1), lambda: stats.norm(0.0, loc=1.0),
])  # fmt: skip
def test_parameters_that_do_not_fit_are_refused(call):
    with pytest.raises(OptionError, match="the parameters are"):
        call()


def test_the_log_posterior_of_a_regression_has_its_gradient():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 3)), rng.normal(size=20)

    def log_posterior(w, precision, stats=stats):
        likelihood = stats.norm.logpdf(y, loc=X @ w, scale=precision**-0.5).sum()
        prior = stats.norm.logpdf(w, scale=2.0).sum()
        return likelihood + prior + stats.gamma.logpdf(precision, 2.0, scale=0.5)

    w, p = rng.normal(size=3), 0.8
    assert_allclose(log_posterior(w, p), log_posterior(w, p, scipy_stats), rtol=1e-13)
    r = y - X @ w
    gw, gp = dg.grad(log_posterior, argnums=(0, 1))(w, p)
    assert_allclose(gw, p * X.T @ r - w / 4, rtol=1e-12)
    assert_allclose(gp, 10 / p - r @ r / 2 + 1 / p - 2, rtol=1e-12)


def test_results_have_scipys_dtype_and_tensors_keep_theirs():
    assert type(stats.norm.logpdf(1)) is np.float64
    assert stats.norm.cdf(np.ones(2, np.float32)).dtype == np.float64
    x = dg.tensor(np.ones(2, np.float32))
    for name in NAMES:
        d = getattr(stats, name)
        y = d.logpdf(x, *usual(name), 0.1, 2.0)
        assert np.asarray(y.numpy()).dtype == np.float32, name


@pytest.mark.parametrize("kappa", [0.0, 0.5, 3.0, 60.0, 2000.0])
def test_angles_have_their_digits_in_the_tail_and_the_derivative_by_their_concentration(kappa):
    mpmath = pytest.importorskip("mpmath")
    mpmath.mp.dps = 30

    def upper(z, k):
        total = 2 * mpmath.pi * mpmath.besseli(0, k) * mpmath.exp(-k)
        density = lambda t: mpmath.exp(k * (mpmath.cos(t) - 1)) / total
        return mpmath.quad(density, mpmath.linspace(z, mpmath.pi, 80))

    for z in (-2.5, -0.3, 1e-3, 0.2, 3.0):
        want = float(upper(z, kappa))
        if want > 1e-300:
            assert_allclose(stats.vonmises_line.sf(z, kappa), want, rtol=2e-13)
            assert_allclose(stats.vonmises.cdf(2 * np.pi - z, kappa), 1 + want, rtol=1e-14)
        if kappa:
            slope = float(mpmath.diff(lambda k, z=z: upper(z, k), kappa, h=kappa * 1e-8))
            found = dg.grad(lambda k, z=z: stats.vonmises_line.sf(z, k))(kappa)
            assert_allclose(found, slope, rtol=1e-9, atol=1e-15)


SPREAD = np.concatenate([-np.logspace(4, -8, 13), [0.0], np.logspace(-8, 4, 13)])


def spread_inside(name, shapes=None):
    """Points all over the support."""
    d = getattr(stats, name)
    low, high = map(float, d.of_shapes(d.bounds, shapes or usual(name)))
    x = np.concatenate([SPREAD, np.linspace(max(low, -40), min(high, 40), 40)])
    return x[(x > low) & (x < high)]


SHAPED = [
    (name, shapes)
    for name in NAMES
    for shapes in {usual(name), (1.0,) * len(usual(name)), (2.0, 3.0)[: len(usual(name))]}
    if not np.isnan(getattr(stats, name).logpdf(0.7, *shapes))
]
"""Each distribution with general shapes, and with the whole ones at which many have a corner."""


@pytest.mark.parametrize(("name", "shapes"), SHAPED)
def test_derivatives_by_the_point_are_the_density_everywhere(name, shapes):
    d, x = getattr(stats, name), spread_inside(name, shapes)
    with np.errstate(all="ignore"):
        log_density, density = d.logpdf(x, *shapes), d.pdf(x, *shapes)
        for method, sign in (("cdf", 1), ("sf", -1)):
            slope = dg.grad(lambda v, m=method: getattr(d, m)(v, *shapes).sum())(x)
            assert_allclose(slope, sign * density, rtol=1e-7, atol=1e-14)
            log = getattr(d, f"log{method}")(x, *shapes)
            want = sign * np.exp(log_density - log)
            slope = dg.grad(lambda v, m=method: getattr(d, f"log{m}")(v, *shapes).sum())(x)
            held = np.isfinite(want) & (log > -600) & (abs(log_density) < 1e8)
            assert_allclose(slope[held], want[held], rtol=1e-6, atol=1e-14)
        slope = dg.grad(lambda v: d.logpdf(v, *shapes).sum())(x)
        assert not np.isnan(slope[np.isfinite(log_density)]).any()


@pytest.mark.parametrize("name", NAMES)
def test_derivatives_by_parameters_are_numbers_where_values_are(name):
    d, given, x = getattr(stats, name), (*usual(name), 0.0, 1.0), spread_inside(name)
    for method in METHODS:
        f = lambda *p, m=method: getattr(d, m)(x, *p)
        with np.errstate(all="ignore"):
            y = f(*given)
            for i in range(len(given)):
                seed = tuple(float(i == k) for k in range(len(given)))
                wrong = np.isnan(dg.func.jvp(f, given, seed)[1]) & np.isfinite(y)
                assert not wrong.any(), (method, i, x[wrong])
