"""Activation functions far out, at their kinks, and beside other ways of writing them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import gradops as G

FAR = 1e4
ACTIVATIONS = {
    "sigmoid": (G.sigmoid, [0, 1], [0, 0]),
    "softplus": (G.softplus, [0, FAR], [0, 1]),
    "relu": (G.relu, [0, FAR], [0, 1]),
    "silu": (G.silu, [0, FAR], [0, 1]),
    "gelu": (G.gelu, [0, FAR], [0, 1]),
    "gelu_tanh": (lambda x: G.gelu(x, approximate="tanh"), [0, FAR], [0, 1]),
    "tanh": (G.tanh, [-1, 1], [0, 0]),
    "softmax": (G.softmax, [0, 1], [0, 0]),
    "log_softmax": (G.log_softmax, [-2 * FAR, 0], [1, -1]),
    "logsumexp": (G.logsumexp, FAR, [0, 1]),
}
both_dtypes = pytest.mark.parametrize("dtype", [np.float32, np.float64])


@both_dtypes
@pytest.mark.parametrize("name", ACTIVATIONS)
def test_far_out_value_and_gradient_are_exact_and_silent(name, dtype, gradient):
    f, value, slope = ACTIVATIONS[name]
    x = np.array([-FAR, FAR], dtype)
    with np.errstate(all="raise", under="ignore"):
        y, (g,) = f(x), gradient(f, x)
    assert y.dtype == g.dtype == dtype
    assert_array_equal(y, np.asarray(value, dtype))
    assert_array_equal(g, np.asarray(slope, dtype))


@both_dtypes
@pytest.mark.parametrize("n", [3, 1000])  # small arrays take another way
def test_softplus_and_sigmoid_keep_their_relative_accuracy_in_the_tail(n, dtype):
    x = np.linspace(-80, -40, n).astype(dtype)
    for f in (G.softplus, G.sigmoid, lambda x: G.silu(x) / x):
        assert_allclose(f(x), np.exp(x), rtol=10 * np.finfo(dtype).eps)  # 1 + e is 1 here


def test_softplus_of_few_entries_agrees_with_that_of_many():
    x = np.linspace(-40, 40, 200)
    assert_allclose(G.softplus(x), [G.softplus(e) for e in x], rtol=1e-15)


def test_a_kernel_that_reuses_memory_leaves_its_operand_alone():
    x = np.linspace(-2, 2, 200).reshape(2, 100)
    before = x.copy()
    for f in (G.sigmoid, G.softplus, G.silu, G.softmax, G.log_softmax):
        f(x)
        assert_array_equal(x, before)


def test_relu_has_derivative_0_at_0(gradient):
    assert_array_equal(gradient(G.relu, [-1.0, 0.0, 2.0])[0], [0, 0, 1])


def test_relu_does_not_let_an_infinite_cotangent_through():
    g, x = np.array([np.inf, 1.0]), np.array([-1.0, 2.0])
    assert_array_equal(G.relu.vjp[0](g, G.relu(x), x), [0, 1])


def test_relu_keeps_a_nan():
    assert np.isnan(G.relu(np.array([np.nan]))[0])


def test_softmax_is_log_softmax_without_the_logarithm(gradient):
    x = np.random.default_rng(0).normal(size=(3, 5))
    assert_allclose(G.softmax(x, 0), np.exp(G.log_softmax(x, 0)), rtol=1e-14)
    assert_allclose(G.softmax(x).sum(-1), 1, rtol=1e-15)


def test_softmax_ignores_entries_that_are_minus_infinity(gradient):
    x = np.array([0.0, -np.inf, 0.0])
    assert_array_equal(G.softmax(x), [0.5, 0, 0.5])
    assert_array_equal(gradient(lambda x: G.softmax(x)[0], x)[0], [0.25, 0, -0.25])


def test_gelu_names_the_approximations_it_has():
    with pytest.raises(ValueError, match="'none' or 'tanh', not 'erf'"):
        G.gelu(np.ones(2), approximate="erf")


def test_gelu_is_x_times_the_normal_distribution():
    assert_allclose(G.gelu(np.array([1.0, -1.0])), [0.8413447460685429, -0.15865525393145707])
    assert_allclose(G.gelu(np.array(1.0), approximate="tanh"), 0.8411919906082768)


BY_PIECES = [
    G.relu, G.relu6, G.hardtanh, G.hardsigmoid, G.hardswish, G.hardshrink, G.softshrink, G.elu,
    G.selu, G.celu, G.leaky_relu, G.softsign, G.tanhshrink, G.mish, G.log_sigmoid,
    lambda x: G.threshold(x, 0.5, 2.0),
]  # fmt: skip


@pytest.mark.parametrize("f", BY_PIECES, ids=lambda f: f.__name__)
def test_no_piece_swallows_a_nan(f):
    with np.errstate(invalid="ignore"):  # NumPy's logaddexp finds a NaN invalid
        y = f(np.array([np.nan, 1.0]))
    assert_array_equal(np.isnan(y), [True, False])


@pytest.mark.parametrize("f", [G.hardswish, G.hardtanh, G.hardsigmoid, G.relu6, G.elu, G.selu])
def test_the_slope_of_a_piece_that_does_not_hold_is_masked_even_if_infinite(f, gradient):
    assert np.isfinite(gradient(f, np.array([-np.inf, np.inf]))[0]).all()


OF_INTEGERS = [
    G.sigmoid, G.softplus, G.silu, G.gelu, lambda x: G.gelu(x, approximate="tanh"), G.softmax,
    G.log_softmax, G.logsumexp,
]  # fmt: skip


@pytest.mark.parametrize("n", [4, 100])  # small arrays take another way
@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.uint64, np.bool])
@pytest.mark.parametrize("f", OF_INTEGERS, ids=lambda f: f.__name__)
def test_integers_become_floats_before_anything_wraps_around(f, dtype, n):
    x = np.resize(np.array([0, 1, 3, 250] if dtype != np.int8 else [0, 1, -128, 127], dtype), n)
    with np.errstate(over="ignore"):
        y, want = f(x), f(x.astype(np.float64))
    assert_allclose(y, want, rtol=1e-2, atol=1e-2)
    if isinstance(f, G.Op):
        assert G.type_of(y) == f.infer(G.type_of(x), **f.defaults)
