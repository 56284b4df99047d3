"""Products and exponentials that are 0 where the formula has 0 times infinity."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import gradops as G
from gradops.kernels.elementwise.guards import FEW, exp_difference, has_nan, strong_product

INF, NAN = np.inf, np.nan


@pytest.mark.parametrize("copies", [1, FEW])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_a_zero_times_anything_is_zero_and_nothing_warns(dtype, copies):
    v = np.tile(np.array([0, -0.0, 0, 1, 2, NAN], dtype), copies)
    p = np.tile(np.array([INF, NAN, 3, INF, 1e30, 1], dtype), copies)
    with np.errstate(all="raise"):
        y = strong_product(v, p)
    assert_array_equal(y[:6], np.array([0, 0, 0, INF, 2e30, NAN], dtype))
    assert y.dtype == dtype


@pytest.mark.parametrize("copies", [1, FEW])
def test_a_share_in_a_sum_of_nothing_is_zero(copies):
    x = np.tile([-INF, -INF, 0.0, INF, NAN], copies)
    y = np.tile([-INF, 0.0, -INF, INF, -1.0], copies)
    with np.errstate(all="raise"):
        shares = exp_difference(x, y)
    assert_array_equal(shares[:5], [0, 0, INF, NAN, NAN])


def test_numbers_have_the_values_of_entries():
    assert exp_difference(np.float64(-INF), np.float64(-INF)) == 0
    assert strong_product(np.float64(0), np.float64(INF)) == 0
    assert strong_product(0.0, np.array([INF, 1.0])).tolist() == [0, 0]


@pytest.mark.parametrize("f", [strong_product, exp_difference])
def test_the_result_may_lie_in_the_memory_of_an_operand(f):
    a, b = np.array([0.0, -INF, 1.0]), np.array([INF, -INF, 2.0])
    want = f(a, b)
    for i in range(2):
        for view in (lambda x: x, lambda x: x[:]):
            operands = [a.copy(), b.copy()]
            out = view(operands[i])
            assert f(*operands, out=out) is out
            assert_array_equal(out, want)


def test_large_squares_are_no_nan():
    with np.errstate(all="ignore"):  # some processors' BLAS notes the overflow
        assert not has_nan(np.array([1e300, -1e300, INF, -INF]))
        assert has_nan(np.array([1j * NAN, 1]))
        assert not has_nan(np.ones((2, 0)))


def test_logsumexp_of_a_row_of_nothing_has_no_slope():
    x = np.array([[-INF, -INF], [0.0, 0.0], [INF, 0.0]])
    with np.errstate(invalid="ignore"):
        shares = G.vmap(lambda r: G.OPS["logsumexp"].vjp[0](1.0, G.logsumexp(r), r, axis=None,
                                                            keepdims=False))(x)  # fmt: skip
    assert_array_equal(shares, [[0, 0], [0.5, 0.5], [NAN, 0]])
