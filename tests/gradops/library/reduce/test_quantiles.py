"""Medians and quantiles beside NumPy's, with NaN, infinities and ties, and of nothing."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import dynamicgrad as dg
import gradops as G
import staticgrad as sg
from gradops.library.reduce.quantiles import METHODS

INF, NAN = np.inf, np.nan
rng = np.random.default_rng(0)


@pytest.mark.parametrize("n", [1, 2, 5, 10])
@pytest.mark.parametrize("axis", [None, 1, -1, (0, 2)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_medians_are_those_of_numpy(n, axis, keepdims):
    x = rng.normal(size=(3, n, 2))
    want = np.median(x, axis=axis, keepdims=keepdims)
    assert_allclose(G.median(x, axis, keepdims), want, rtol=1e-15)
    assert_allclose(G.nanmedian(x, axis, keepdims), want, rtol=1e-15, atol=1e-15)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("q", [0.3, 0, 1, [0, 0.25, 0.5, 0.5, 1], [[0.1, 0.9]]], ids=str)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
def test_quantiles_are_those_of_numpy(method, q, dtype):
    x = (rng.normal(size=(4, 5)) * 9).astype(dtype)
    for kwargs in ({}, {"axis": 0}, {"axis": (1, 0), "keepdims": True}):
        want = np.quantile(x, q, method=method, **kwargs)
        for f in (G.quantile, G.nanquantile):
            assert_allclose(f(x, q, method=method, **kwargs), want, rtol=1e-6, atol=1e-6)
    assert_allclose(G.percentile(x, 30, method=method), np.percentile(x, 30, method=method), 1e-6)


def test_a_nan_makes_those_of_its_row_nan_or_is_passed_over():
    x = np.array([[1.0, NAN, 3.0, 2.0], [4.0, 1.0, 3.0, 2.0], [NAN] * 4])
    assert_array_equal(G.median(x, axis=1), [NAN, 2.5, NAN])
    assert_array_equal(G.nanmedian(x, axis=1), [2, 2.5, NAN])
    assert_array_equal(G.nanquantile(x, [0, 1], axis=1), [[1, 1, NAN], [3, 4, NAN]])
    assert_array_equal(G.nanpercentile(x, 50, axis=1), [2, 2.5, NAN])


def test_infinite_entries_are_quantiles_like_others():
    x = np.array([-INF, 1.0, 2.0, INF])
    assert_array_equal(G.quantile(x, [0, 1 / 3, 1]), [-INF, 1, INF])


def test_equal_entries_share_the_derivative(gradient):
    assert_allclose(gradient(G.median, [1.0, 1, 2, 1])[0], [1 / 3, 1 / 3, 0, 1 / 3])
    assert_allclose(gradient(lambda x: G.quantile(x, 0.25), [1.0, 3, 2, 4])[0], [0.25, 0, 0.75, 0])


def test_masked_rows_do_no_harm(gradient):
    x = np.array([[NAN, 1.0, INF], [1.0, 2.0, 4.0]])
    first = np.array([True, False])
    for f in (G.median, G.nanmedian, lambda x, axis: G.quantile(x, 0.3, axis=axis)):
        masked = lambda x, f=f: G.where(first, 0, f(x, axis=1))
        with np.errstate(invalid="ignore"):
            assert_array_equal(gradient(masked, x)[0][0], [0, 0, 0])


def test_what_has_no_quantile_is_refused():
    with pytest.raises(G.ShapeError, match=r"median\(float64\[0, 2\]\): axis 0 is empty"):
        G.median(np.ones((0, 2)), axis=0)
    with pytest.raises(G.OptionError, match=r"a fraction is from 0 to 1, not 1\.5"):
        G.quantile(np.ones(3), 1.5)
    with pytest.raises(G.OptionError, match=r"method is one of \['higher'.*not 'cubic'"):
        G.quantile(np.ones(3), 0.5, method="cubic")
    with pytest.raises(G.AxisError, match="axis 2 is out of range"):
        G.quantile(np.ones(3), 0.5, axis=2)
    with pytest.raises(G.AxisError, match=r"median\(float32\[2, 0\]\): there are no entries"):
        dg.median(dg.zeros(2, 0), 1)
    assert np.isnan(dg.median(dg.zeros(0)).item())  # as in PyTorch


def test_a_size_that_is_not_known_is_asked_for():
    with sg.Graph().as_default():
        p = sg.placeholder("float64", ["n", 3])
        with pytest.raises(G.ShapeError, match=r"the size n is not known(?s:.*)use nanmedian"):
            sg.median(p, axis=0)
        run = sg.compile([sg.median(p, axis=1), sg.nanmedian(p, axis=0)], [p])
    x = rng.normal(size=(4, 3))
    for got, want in zip(run(x), [np.median(x, axis=1), np.median(x, axis=0)], strict=True):
        assert_allclose(got, want, rtol=1e-15)


def test_numpys_names_reach_these_functions():
    x = dg.tensor([3.0, 1.0, 2.0, 10.0], requires_grad=True)
    (np.median(x) + np.percentile(x, 100) + np.nanmedian(x)).backward()
    assert x.grad.tolist() == [1, 0, 1, 1]


def test_the_places_of_medians_are_given():
    x = dg.tensor([[3.0, 1.0, 2.0], [5.0, float("nan"), 4.0]])
    assert dg.median(x, 1).indices.tolist() == [2, 1]
    assert dg.nanmedian(x, 1).indices.tolist() == [2, 2]
    assert dg.nanmedian(x, 1).values.tolist() == [2, 4]


@pytest.mark.parametrize("f", [G.quantile, G.nanquantile])
def test_complex_numbers_have_no_quantiles(f):
    with pytest.raises(G.DTypeError, match="complex numbers have no part below them"):
        f(np.ones(2, complex), 0.5)
    with pytest.raises(G.OptionError, match="no fraction is asked for"):
        f(np.ones(2), [])
