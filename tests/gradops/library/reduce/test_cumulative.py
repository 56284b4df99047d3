"""Running results at zeros, infinities and ties, of empty and of single axes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import gradops as G
from gradops.library.reduce.cumulative import ROOMY, linear_recurrence

INF = np.inf


def test_the_derivative_of_a_running_product_is_exact_at_zeros(gradient):
    x = np.array([2.0, 0, 3, 0, 5])
    jacobian = [gradient(lambda x, j=j: G.cumprod(x)[j], x)[0] for j in range(5)]
    want = [
        [np.prod(np.delete(x[: j + 1], i)) if i <= j else 0 for i in range(5)] for j in range(5)
    ]
    assert_array_equal(jacobian, want)


def test_the_third_derivative_of_a_running_product_of_three_zeros_is_one():
    def along(f, i):
        return lambda x: G.jvp(f, [x], [np.eye(3)[i]])[1]

    assert_array_equal(along(along(along(G.cumprod, 0), 1), 2)(np.zeros(3)), [0, 0, 1])


def test_a_running_sum_of_exponentials_overflows_neither_forwards_nor_backwards(gradient):
    x = np.array([-2000.0, 900, -900, 900, 2000])
    assert_allclose(G.logcumsumexp(x, axis=0), [-2000, 900, 900, 900 + np.log(2), 2000])
    (g,) = gradient(lambda x: G.logcumsumexp(x, axis=0)[3], x)
    assert_allclose(g, [0, 0.5, 0, 0.5, 0])


def test_nothing_to_add_up_has_no_derivative(gradient):
    x = np.array([-INF, -INF, 1.0, -INF])
    assert_array_equal(G.logcumsumexp(x, axis=0), [-INF, -INF, 1, 1])
    with np.errstate(invalid="ignore"):
        assert_array_equal(gradient(lambda x: G.logcumsumexp(x, axis=0), x)[0], [0, 0, 2, 0])


def test_the_last_of_equal_extremes_takes_the_cotangent(gradient):
    x = [1.0, 3.0, 2.0, 3.0, 3.0, 1.0]
    assert_array_equal(gradient(lambda x: G.cummax(x, axis=0), x)[0], [1, 2, 0, 1, 2, 0])
    assert_array_equal(gradient(lambda x: G.cummin(-x, axis=0), x)[0], [-1, -2, 0, -1, -2, 0])


def test_a_nan_takes_what_follows_it(gradient):
    x = np.array([1.0, np.nan, 3.0])
    assert_array_equal(G.cummax(x, axis=0), [1, np.nan, np.nan])
    assert_array_equal(gradient(lambda x: G.cummax(x, axis=0), x)[0], [1, 2, 0])


@pytest.mark.parametrize("shape", [(100,), (100, 3), (7, ROOMY + 1), (1,), (2, 0)])
def test_a_recurrence_is_its_definition_however_it_is_computed(shape):
    rng = np.random.default_rng(0)
    a, b = rng.uniform(-1.5, 1.5, shape), rng.normal(size=shape)
    want = b.copy()
    for i in range(1, len(b)):
        want[i] += a[i] * want[i - 1]
    assert_allclose(linear_recurrence(a, b, axis=0), want, rtol=1e-9, atol=1e-12)


def test_factors_that_overflow_do_not_reach_entries_that_do_not_need_them():
    a, b = np.array([1.0, 1e200, 1e200, 1e200, 0.0]), np.array([0.0, 0, 0, 1, 1])
    assert_array_equal(linear_recurrence(a, b, axis=0), [0, 0, 0, 1, 1])


def test_a_zero_stops_what_is_not_finite():
    a, b = np.array([1.0, 1, 0, 2]), np.array([1.0, np.inf, 3, 1])
    assert_array_equal(linear_recurrence(a, b, axis=0), [1, np.inf, 3, 7])
    (g,) = [G.cummax.vjp[0](b, G.cummax(b, axis=0), b, axis=0)]
    assert_array_equal(g, [1, np.inf, 0, 0])


def test_running_results_of_all_entries_are_those_of_one_row():
    x = np.arange(1, 7).reshape(2, 3)
    assert_array_equal(G.cumsum(x), np.cumsum(x))
    assert_array_equal(G.cumprod(x, dtype=np.float32), np.cumprod(x))
    assert G.cumprod(x, dtype=np.float32).dtype == np.float32


@pytest.mark.parametrize("name", ["cumulative_sum", "cumulative_prod"])
def test_running_results_of_the_standard_may_begin_at_nothing(name):
    if not hasattr(np, name):
        pytest.skip("this NumPy is too early")
    f, numpys = getattr(G, name), getattr(np, name)
    x = np.random.default_rng(0).normal(size=(2, 3))
    for axis in (0, -1):
        want = numpys(x, axis=axis, include_initial=True)
        assert_array_equal(f(x, axis=axis, include_initial=True), want)
    assert_array_equal(f(x[0], include_initial=True), numpys(x[0], include_initial=True))
    assert f(np.ones((0, 2)), axis=0, include_initial=True).shape == (1, 2)
    assert f(np.ones((0, 2)), axis=0).shape == (0, 2)
    for wrong in (x, x[0, 0]):
        with pytest.raises(G.ShapeError, match=r"cum\w+\(float64.*\): which of \d axes"):
            f(wrong)


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_differences_are_those_of_numpy(n):
    x = np.random.default_rng(0).normal(size=(3, 4))
    for axis in (0, -1):
        assert_array_equal(G.diff(x, n, axis), np.diff(x, n, axis))
    assert_array_equal(G.diff(x > 0, n), np.diff(x > 0, n))
    assert_array_equal(G.diff(x, n, prepend=1, append=x), np.diff(x, n, prepend=1, append=x))


def test_differences_that_are_not_there_are_refused():
    with pytest.raises(G.OptionError, match=r"diff\(float64\[3\]\): there are no -1 differences"):
        G.diff(np.ones(3), -1)
    with pytest.raises(G.AxisError, match="axis 1 is out of range"):
        G.diff(np.ones(3), axis=1)
