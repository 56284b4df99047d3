"""Tails of the gamma distribution: known digits, and the quantiles that they move."""

import numpy as np
import pytest

from gradops.kernels.elementwise import incomplete as K

POINTS = [(a, p) for a in (0.03, 0.7, 1, 3, 19.5, 20.5, 300.0) for p in (0.01, 0.4, 0.9, 0.999)]


@pytest.mark.parametrize(("a", "p"), POINTS)
def test_slope_is_how_a_quantile_moves(a, p):
    special = pytest.importorskip("scipy.special")
    quantile = lambda a: np.log(special.gammaincinv(a, p))
    h = 1e-3 * a
    d = [(quantile(a + k * h) - quantile(a - k * h)) / (2 * k * h) for k in (1, 2, 3)]
    slope = (15 * d[0] - 6 * d[1] + d[2]) / 10  # exact to order 6 in h
    np.testing.assert_allclose(K.gamma_slope(a, quantile(a)), slope, rtol=1e-8)


@pytest.mark.parametrize("a", [1e-8, 0.2, 1.0, 5.0, 19.0, 21.0, 400.0])
def test_moment_0_is_the_share_that_scipy_finds(a):
    special = pytest.importorskip("scipy.special")
    x = a * np.array([1e-3, 0.3, 0.97, 1.05, 1.5]) + np.array([0, 0, 0, 0.1, 3])
    lower = K.is_lower(a, x)
    share = np.where(lower, special.gammainc(a, x), special.gammaincc(a, x))
    density = np.exp(a * np.log(x) - x - special.gammaln(a))
    np.testing.assert_allclose(
        K.gamma_tail(a, x) * density, share, rtol=1e-12
    )  # a log(x) in the density


def test_both_ways_to_the_moments_agree():
    a = np.linspace(3.0, 20.0, 50)
    x = a * np.linspace(0.2, 0.98, 50)
    series = K.by_series(a, x, 3)
    points = K.by_quadrature(a, x, np.full_like(x, -1.0), 3)
    for one, other in zip(series, points, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


def test_dtype_and_shape_are_those_of_the_operands():
    a, x = np.ones((3, 1), np.float32), np.ones(4, np.float32)
    y = K.gamma_tail(a, x, 1)
    assert (y.shape, y.dtype) == ((3, 4), np.float32)
    assert K.gamma_slope(1, 0).dtype == np.float64
    assert K.gamma_slope(np.ones((0, 2)), 0.0).shape == (0, 2)


@pytest.mark.peers
def test_slope_is_jaxs():
    jax = pytest.importorskip("jax")
    a = np.geomspace(1e-3, 1e4, 500)
    x = np.random.default_rng(0).gamma(a) + 1e-30
    with jax.enable_x64(True) if hasattr(jax, "enable_x64") else jax.experimental.enable_x64():
        want = np.asarray(jax.lax.random_gamma_grad(a, x))
    np.testing.assert_allclose(x * K.gamma_slope(a, np.log(x)), want, rtol=1e-9)
