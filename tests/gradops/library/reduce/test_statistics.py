"""Variances of few and of equal entries, and norms at 0, where size and direction meet."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import dynamicgrad as dg
import gradops as G
import staticgrad as sg


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.complex64, np.int8])
@pytest.mark.parametrize("kwargs", [{}, {"axis": 0}, {"axis": (0, 1), "keepdims": True}])
@pytest.mark.parametrize("correction", [0, 1, 0.5])
def test_variances_are_those_of_numpy(dtype, kwargs, correction):
    x = np.random.default_rng(0).normal(size=(5, 4)) * 10
    x = (x * (1 + 1j) if np.dtype(dtype).kind == "c" else x).astype(dtype)
    for f, numpys in ((G.var, np.var), (G.std, np.std)):
        got, want = f(x, correction=correction, **kwargs), numpys(x, ddof=correction, **kwargs)
        assert got.dtype == want.dtype
        assert_allclose(got, want, rtol=1e-3 if dtype == np.float16 else 1e-6)


def test_variances_keep_their_digits_far_from_zero(gradient):
    x = 1e9 + np.array([4.0, 7, 13, 16])
    assert G.var(x, correction=1) == 30
    assert_array_equal(gradient(lambda x: G.var(x, correction=1), x)[0], [-4, -2, 2, 4])


def test_equal_entries_have_a_spread_without_a_derivative(gradient):
    x = np.array([[2.0, 2, 2], [1, 2, 3]])
    assert_allclose(gradient(lambda x: G.std(x, axis=1), x)[0][0], 0)
    y, t = G.jvp(lambda x: G.std(x, axis=1), [x], [np.array([[1.0, 2, 4], [0, 0, 0]])])
    assert (y[0], t[0]) == (0, 0)


@pytest.mark.parametrize("f", [G.var, G.std])
def test_too_few_entries_have_no_spread_but_masked_they_do_no_harm(f, gradient):
    x = np.array([[3.0], [5.0]])
    with np.errstate(invalid="ignore", divide="ignore"):
        assert np.isnan(f(x, axis=1, correction=1)).all()
        assert np.isnan(f(np.ones((0,)))).all()
        masked = lambda x: G.where(np.array([False, False]), f(x, axis=1, correction=1), 0)
        assert_array_equal(gradient(masked, x)[0], [[0], [0]])


def test_a_fraction_of_freedom_is_lost_where_sizes_are_not_known():
    x = np.random.default_rng(0).normal(size=5)
    want = dg.tensor(x, requires_grad=True)
    G.var(want, correction=0.5).backward()
    with sg.Graph().as_default():
        p = sg.placeholder("float64", ["n"])
        run = sg.compile(sg.gradients(G.var(p, correction=0.5), p), [p])
    assert_array_equal(run(x)[0], want.grad.numpy())


@pytest.mark.parametrize("ord", [0, 1, 2, 3, 0.5, -1, np.inf, -np.inf])
def test_norms_are_those_of_numpy(ord):
    x = np.random.default_rng(0).normal(size=(3, 4))
    for kwargs in ({}, {"axis": 0}, {"axis": 1, "keepdims": True}):
        want = np.linalg.vector_norm(x, ord=ord, **kwargs)
        assert_allclose(G.vector_norm(x, ord=ord, **kwargs), want, rtol=1e-14)
    assert_allclose(G.vector_norm(x.astype(int), ord=2), np.linalg.norm(x.astype(int)))


@pytest.mark.parametrize(("ord", "slope"), [
    (2, [0, 0]), (1, [0, 0]), (3, [0, 0]), (0.5, [0, 0]), (0, [0, 0]), (-1, [0, 0]),
    (np.inf, [0, 0]),
])  # fmt: skip
def test_norms_have_no_slope_at_zero(ord, slope, gradient):
    with np.errstate(divide="ignore"):
        assert_array_equal(gradient(lambda x: G.vector_norm(x, ord=ord), np.zeros(2))[0], slope)


@pytest.mark.parametrize(("ord", "slope"), [
    (2, [0, 0.6, -0.8]), (1, [0, 1, -1]), (np.inf, [0, 0, -1]), (-np.inf, [0, 0, 0]),
])  # fmt: skip
def test_a_zero_beside_other_entries_has_no_slope(ord, slope, gradient):
    x = np.array([0, 3.0, -4.0])
    assert_allclose(gradient(lambda x: G.vector_norm(x, ord=ord), x)[0], slope)


def test_equal_extremes_share_the_slope_of_a_norm(gradient):
    x = np.array([2.0, -2.0, 1.0])
    assert_array_equal(gradient(lambda x: G.vector_norm(x, ord=np.inf), x)[0], [0.5, -0.5, 0])


def test_the_second_derivative_of_a_norm_at_zero_is_not_nan():
    slope = lambda x: G.jvp(G.vector_norm, [x], [np.array([1.0, 0])])[1]
    assert G.jvp(slope, [np.zeros(2)], [np.ones(2)])[1] == 0


def test_numpys_names_reach_these_ops():
    x = dg.tensor([[2.0, 2.0], [1.0, 3.0]], requires_grad=True)
    np.std(x, axis=1).sum().backward()
    assert x.grad.tolist() == [[0, 0], [-0.5, 0.5]]
    assert np.count_nonzero(x).item() == 4
    assert np.cumprod(x).tolist() == [2, 4, 4, 12]


def test_covariances_are_of_rows():
    with pytest.raises(G.ShapeError, match="the rows of a matrix"):
        dg.cov(dg.ones(2, 2, 2))
