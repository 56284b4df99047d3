"""Reductions at ties, zeros, infinities and empty axes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import gradops as G

INF = np.inf


@pytest.mark.parametrize(("f", "best"), [(G.max, 2.0), (G.min, -2.0)])
def test_equal_extremes_share_the_cotangent(f, best, gradient):
    x = np.array([[best, 0, best], [1, best, 0]])
    assert_array_equal(gradient(lambda x: f(x, axis=1), x)[0], [[0.5, 0, 0.5], [0, 1, 0]])
    assert_allclose(gradient(f, x)[0], (x == best) / 3, rtol=1e-15)


def test_equal_extremes_share_the_tangent():
    y, t = G.jvp(G.max, [np.array([2.0, 1, 2])], [np.array([1.0, 10, 3])])
    assert (y, t) == (2, 2)


def test_a_nan_that_wins_takes_the_cotangent(gradient):
    assert_array_equal(gradient(G.max, [1.0, np.nan, 3.0])[0], [0, 1, 0])


@pytest.mark.parametrize(
    ("x", "gradient_of_prod"),
    [([2.0, 3, 4], [12, 8, 6]), ([2.0, 0, 4], [0, 8, 0]), ([0.0, 0, 4], [0, 0, 0])],
)
def test_the_gradient_of_prod_is_exact_at_zeros(x, gradient_of_prod, gradient):
    assert_array_equal(gradient(G.prod, x)[0], gradient_of_prod)


def test_the_hessian_of_prod_is_exact_at_zeros():
    x = np.array([0.0, 0, 4])

    def slope(x):
        return G.prod.vjp[0](np.array(1.0), G.prod(x), x, axis=None, keepdims=False)

    rows = [G.jvp(slope, [x], [e])[1] for e in np.eye(3)]
    assert_array_equal(rows, [[0, 4, 0], [4, 0, 0], [0, 0, 0]])


def test_the_third_derivative_of_a_product_of_three_zeros_is_one():
    def along(f, i):
        return lambda x: G.jvp(f, [x], [np.eye(3)[i]])[1]

    assert along(along(along(G.prod, 0), 1), 2)(np.zeros(3)) == 1


def test_prod_over_several_axes_puts_each_entry_where_it_was(gradient):
    x = np.random.default_rng(0).uniform(1, 2, (2, 3, 4))
    got = gradient(lambda x: G.prod(x, axis=(2, 0)), x)[0]
    assert_allclose(got, x.prod(axis=(0, 2), keepdims=True) / x, rtol=1e-14)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("x", "value", "shares"),
    [
        ([1e4, 1e4], 1e4 + np.log(2), [0.5, 0.5]),
        ([-1e4, -1e4], -1e4 + np.log(2), [0.5, 0.5]),
        ([-INF, 1.0], 1, [0, 1]),
        ([-INF, -INF], -INF, [0, 0]),
    ],
)
def test_logsumexp_is_stable(x, value, shares, dtype, gradient):
    x = np.array(x, dtype)
    with np.errstate(all="raise", under="ignore"):
        assert_allclose(G.logsumexp(x), dtype(value), rtol=1e-15)
        (got,) = gradient(G.logsumexp, x)
    # the exponent is a difference of numbers near 1e4, each rounded
    assert_allclose(got, shares, rtol=2e4 * np.finfo(dtype).eps)
    assert got.dtype == dtype


@pytest.mark.parametrize("shape", [(300, 5), (3, 40), (4, 6, 7)])
@pytest.mark.parametrize("axis", [0, 1, -1, None, (0, 1)])
def test_logsumexp_along_any_axis_is_exact_to_rounding(shape, axis):
    x = 30 * np.random.default_rng(0).normal(size=shape)
    x[0, 0], x[1, ..., 0] = -INF, -INF
    with np.errstate(divide="ignore"):  # a row of -inf has the result -inf
        want = np.log(np.exp(x.astype(np.longdouble)).sum(axis=axis))
    kept, out = G.logsumexp(x, axis=axis, keepdims=True), np.empty(want.shape)
    bound = 4 * np.finfo(float).eps * np.abs(x[np.isfinite(x)]).max()  # of top + log(sum)
    assert_allclose(G.logsumexp(x, axis=axis), want.astype(float), rtol=0, atol=bound)
    assert G.logsumexp.kernel(x, axis=axis, out=out) is out
    assert_array_equal(out, kept.reshape(out.shape))


def test_logsumexp_of_infinity_is_infinity():
    assert G.logsumexp(np.array([INF, 1e5])) == INF


def test_the_mean_of_integers_is_a_float():
    assert G.mean(np.array([1, 2])) == 1.5
    assert G.mean(np.ones((2, 3), np.float32), axis=0).dtype == np.float32


def test_the_gradient_of_a_mean_of_nothing_is_empty_and_silent():
    g, x = np.ones(()), np.ones((0, 2))
    with np.errstate(all="raise"):
        assert G.mean.vjp[0](g, None, x, axis=None, keepdims=False).shape == (0, 2)


def test_argmax_under_vmap_counts_within_the_example():
    x = np.random.default_rng(0).normal(size=(5, 2, 3))
    assert_array_equal(G.vmap(G.argmax)(x), [e.argmax() for e in x])


def test_sizes_that_are_not_known_are_carried_along():
    n = G.Dim("n")
    x = G.ArrayType((n, 3), np.float32)
    assert G.sum.infer(x, axis=1, keepdims=False) == G.ArrayType((n,), np.float32)
    assert G.max.infer(x, axis=0, keepdims=True) == G.ArrayType((1, 3), np.float32)
