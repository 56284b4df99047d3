"""Derivatives of Cholesky's factorization, of tiny matrices and of others."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import dynamicgrad as dg
import gradops as G
from gradops import linalg

rng = np.random.default_rng(0)
cotangent = G.OPS["cholesky_cotangent"]


def definite(n, dtype="float64"):
    x = rng.normal(size=(n, n))
    return (x @ x.T + np.eye(n)).astype(dtype)


def loss(x, upper=False):
    factor = linalg.cholesky(x, upper)
    return (factor**3 + factor).sum()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("n", range(1, 7))
def test_the_gradient_of_a_matrix_is_that_of_a_stack_of_one(n, upper, dtype):
    x = dg.tensor(definite(n, dtype), requires_grad=True)
    one = dg.autograd.grad(loss(x, upper), x)[0].numpy()
    stack = dg.autograd.grad(loss(x[None], upper), x)[0].numpy()
    assert one.dtype == stack.dtype
    bounds = {"rtol": 1e-4, "atol": 1e-5} if dtype == "float32" else {"rtol": 1e-11, "atol": 1e-12}
    assert_allclose(one, one.T, **bounds)
    assert_allclose(one, stack, **bounds)


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("n", range(1, 6))
def test_the_hessian_of_a_matrix_is_that_of_a_stack_of_one(n, upper):
    x = dg.tensor(definite(n))
    one = dg.autograd.functional.hessian(lambda x: loss(x, upper), x).numpy()
    stack = dg.autograd.functional.hessian(lambda x: loss(x[None], upper), x).numpy()
    assert_allclose(one, stack, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("n", range(1, 5))
def test_lower_triangles_are_read(n):
    l, g = np.linalg.cholesky(definite(n)), rng.normal(size=(n, n))
    junk = np.triu(np.full((n, n), np.nan), 1)
    want = cotangent(l, g)
    assert_array_equal(cotangent(l + junk, g + junk), want)
    assert_allclose(cotangent((l + junk)[None], (g + junk)[None])[0], want, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("n", range(1, 5))
def test_a_singular_factor_gives_what_it_gives_in_a_stack(n):
    l, g = np.linalg.cholesky(definite(n)), rng.normal(size=(n, n))
    l[-1, -1] = 0
    with np.errstate(all="ignore"):
        assert_array_equal(cotangent(l, g), cotangent(l[None], g[None])[0])
        assert_array_equal(cotangent(l, 0 * g), np.zeros((n, n)))


@pytest.mark.parametrize("n", [2, 4, 5])
def test_batches_are_stacks(n):
    xs = np.stack([definite(n) for _ in range(3)])
    got = dg.vmap(dg.func.grad(loss))(dg.tensor(xs)).numpy()
    for x, g in zip(xs, got, strict=True):
        assert_allclose(dg.func.grad(loss)(dg.tensor(x)).numpy(), g, rtol=1e-10, atol=1e-12)


def test_cotangents_of_other_shapes_are_refused():
    with pytest.raises(G.ShapeError, match="not square"):
        cotangent(np.eye(2), np.ones((2, 3)))
