"""Norms of matrices, condition numbers, and equations by way of factors."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import gradops as G
from gradops import linalg

rng = np.random.default_rng(0)
ORDERS = ["fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf]
every_order = pytest.mark.parametrize("ord", ORDERS)


@every_order
@pytest.mark.parametrize("keepdims", [False, True])
def test_norms_of_matrices_are_numpys(ord, keepdims):
    for x in (rng.normal(size=(2, 3, 4)), rng.normal(size=(3, 3)) + 1j * rng.normal(size=(3, 3))):
        got = linalg.matrix_norm(x, keepdims, ord)
        want = np.linalg.matrix_norm(x, keepdims=keepdims, ord=ord)
        assert_allclose(got, want, rtol=1e-13)
        assert np.shape(got) == np.shape(want)


@pytest.mark.parametrize("keepdims", [False, True])
def test_norms_are_numpys(keepdims):
    x = rng.normal(size=(2, 3, 4))
    for kw in ({}, {"axis": 1}, {"axis": (2, 0)}, {"ord": 1, "axis": -1}, {"ord": 3, "axis": 0},
               {"ord": "nuc", "axis": (0, 2)}, {"ord": np.inf, "axis": (-1, 1)}):  # fmt: skip
        got, want = (f(x, keepdims=keepdims, **kw) for f in (linalg.norm, np.linalg.norm))
        assert_allclose(got, want, rtol=1e-13)
        assert np.shape(got) == np.shape(want)
    for y in (x[0, 0], x[0]):
        for ord in (None, 1, 2, np.inf):
            assert_allclose(linalg.norm(y, ord), np.linalg.norm(y, ord), rtol=1e-13)


@every_order
def test_the_gradient_is_a_direction_in_which_the_norm_grows_as_fast_as_the_matrix(ord, gradient):
    x = rng.normal(size=(3, 3))
    (g,) = gradient(lambda x: linalg.matrix_norm(x, ord=ord), x)
    assert_allclose(np.sum(g * x), np.linalg.norm(x, ord), rtol=1e-12)  # Euler's theorem


def test_the_norm_of_zeros_has_the_gradient_zero(gradient):
    for ord in ("fro", 1, np.inf):
        (g,) = gradient(lambda x, ord=ord: linalg.matrix_norm(x, ord=ord), np.zeros((2, 2)))
        assert_array_equal(g, np.zeros((2, 2)))


@pytest.mark.parametrize("p", [None, *ORDERS])
def test_condition_numbers_are_numpys(p):
    x = rng.normal(size=(2, 3, 3))
    assert_allclose(linalg.cond(x, p), np.linalg.cond(x, p), rtol=1e-12)
    x[1] = np.diag([1, 0, 0])
    with np.errstate(divide="ignore"):
        assert_allclose(linalg.cond(x, p)[1], 0 if p == -2 else np.inf)


def test_the_size_of_nothing_but_matrices_and_vectors_is_a_norm():
    with pytest.raises(G.ShapeError, match="one or two axes, not 3"):
        linalg.norm(np.ones((2, 2, 2)), 1)
    with pytest.raises(G.OptionError, match="no norm 3 of matrices"):
        linalg.matrix_norm(np.eye(2), ord=3)
    with pytest.raises(G.ShapeError, match="two axes or more, not 1"):
        linalg.matrix_norm(np.ones(2))
    with pytest.raises(G.ShapeError, match="not square"):
        linalg.cond(np.ones((2, 3)), 1)


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("kind", ["real", "complex"])
def test_equations_are_solved_by_way_of_a_factor(upper, kind):
    x = rng.normal(size=(2, 3, 3)) + (1j * rng.normal(size=(2, 3, 3)) if kind == "complex" else 0)
    a = x @ x.conj().swapaxes(-1, -2) + np.eye(3)
    b, factor = rng.normal(size=(3, 2)), linalg.cholesky(a, upper)
    assert_allclose(a @ linalg.cholesky_solve(b, factor, upper), np.broadcast_to(b, (2, 3, 2)))
    assert_allclose(linalg.cholesky_inverse(factor, upper), np.linalg.inv(a), rtol=1e-9)


def test_equations_of_tensors_are_numpys():
    a = rng.normal(size=(2, 3, 6))
    b = rng.normal(size=(2, 3))
    assert_allclose(linalg.tensorsolve(a, b), np.linalg.tensorsolve(a, b), rtol=1e-12)
    a = np.moveaxis(a, -1, 0)
    assert_allclose(linalg.tensorsolve(a, b, (0,)), np.linalg.tensorsolve(a, b, (0,)), rtol=1e-12)
    assert_allclose(linalg.tensorinv(a, 1), np.linalg.tensorinv(a, 1), rtol=1e-12)
    with pytest.raises(G.ShapeError, match="2 axes have 12 entries, the others 3"):
        linalg.tensorinv(a, 2)
    with pytest.raises(G.ShapeError, match="not 2 equations for 2 unknowns"):
        linalg.tensorsolve(np.ones((3, 2)), np.ones(3))
