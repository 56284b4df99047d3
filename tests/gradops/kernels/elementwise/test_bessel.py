"""The modified Bessel functions: identities, extremes, and what SciPy gives."""

import numpy as np
import pytest

from gradops.kernels.elementwise import bessel as K

X = np.concatenate([np.linspace(0, 80, 8001), np.geomspace(1e-300, 1e8, 2001)])
INF = np.inf


@pytest.mark.parametrize("name", ["i0", "i1", "i0e", "i1e"])
def test_agrees_with_scipy(name):
    special = pytest.importorskip("scipy.special")
    x = X if name.endswith("e") else X[X < 700]
    for sign in (1, -1):
        found, expected = getattr(K, name)(sign * x), getattr(special, name)(sign * x)
        np.testing.assert_allclose(found, expected, rtol=3e-15)


def test_the_functions_are_scaled_by_exponentials():
    x = np.linspace(-700, 700, 1401)
    np.testing.assert_allclose(K.i0e(x), K.i0(x) * np.exp(-np.abs(x)), rtol=2e-15)
    np.testing.assert_allclose(K.i1e(x), K.i1(x) * np.exp(-np.abs(x)), rtol=2e-15)
    assert np.isfinite(K.i0(712.0))  # where exp overflows, and i0 does not


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_extremes(dtype):
    x = np.array([0, INF, -INF, np.nan], dtype)
    np.testing.assert_array_equal(K.i0(x), [1, INF, INF, np.nan])
    np.testing.assert_array_equal(K.i1(x), [0, INF, -INF, np.nan])
    np.testing.assert_array_equal(K.i0e(x), [1, 0, 0, np.nan])
    np.testing.assert_array_equal(K.i1e(x), [0, 0, 0, np.nan])
    assert K.i0(x).dtype == dtype


@pytest.mark.parametrize("name", ["i0", "i1", "i0e", "i1e"])
def test_float32_is_within_a_few_ulps(name):
    x, f = np.linspace(-80, 80, 40_001, dtype=np.float32), getattr(K, name)
    found, expected = f(x), f(x.astype(np.float64))
    assert np.max(np.abs(found - expected) / np.spacing(np.abs(found))) < 8


def test_each_table_joins_its_neighbours():
    edges = 1 / (np.arange(1, K.CELLS) / K.CELLS) - 1
    for f in (K.i0e, K.i1e):
        below, above = f(np.nextafter(edges, 0)), f(np.nextafter(edges, INF))
        np.testing.assert_allclose(below, above, rtol=3e-15)
