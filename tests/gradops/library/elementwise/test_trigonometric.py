"""What the generated tests do not reach: near and at 0, and far out."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import gradops as G
from gradops import OPS


def test_sinc_has_all_its_derivatives_at_0():
    x, one = np.array(0.0), np.array(1.0)
    first = lambda x: G.jvp(G.sinc, [x], [one])[1]
    second = lambda x: G.jvp(first, [x], [one])[1]
    third = lambda x: G.jvp(second, [x], [one])[1]
    fourth = G.jvp(third, [x], [one])[1]
    assert [first(x), third(x)] == [0, 0]
    assert_allclose([second(x), fourth], [-(math.pi**2) / 3, math.pi**4 / 5])


@pytest.mark.parametrize("x", [1e-8, 1e-3, 0.0795, 0.0797, 0.5, 7.3])
def test_the_slope_of_sinc_is_exact_near_and_far_of_0(x):
    terms = [(-1) ** k * 2 * k * (math.pi * x) ** (2 * k - 1) for k in range(1, 60)]
    series = math.pi * math.fsum(t / math.factorial(2 * k + 1) for k, t in enumerate(terms, 1))
    want = series if x < 1 else (math.cos(math.pi * x) - np.sinc(x)) / x
    assert_allclose(G.jvp(G.sinc, [np.array(x)], [np.array(1.0)])[1], want, rtol=1e-13)


def test_sinc_keeps_half_precision():
    y = G.sinc(np.array([0.0, 0.5], np.float16))
    assert y.dtype == np.float16
    assert_allclose(y, [1, 2 / math.pi], rtol=1e-3)


def test_a_masked_second_derivative_of_sinc_is_finite_far_out():
    first = lambda x: G.jvp(G.sinc, [x], [np.ones(1)])[1]
    assert np.isfinite(G.jvp(first, [np.array([1e60])], [np.ones(1)])[1]).all()


def test_the_derivative_of_an_angle_does_not_overflow_or_vanish(gradient):
    for scale in (1e-200, 1e200):
        assert_allclose(gradient(G.atan2, scale, scale), [0.5 / scale, -0.5 / scale])
        assert_allclose(gradient(G.hypot, 3 * scale, 4 * scale), [0.6, 0.8])


def test_angles_of_the_four_corners():
    zeros, signs = np.array([0.0, -0.0, 0.0, -0.0]), np.array([1.0, 1.0, -1.0, -1.0])
    assert_array_equal(G.atan2(zeros, signs), [0.0, -0.0, math.pi, -math.pi])


BENDS = {
    "asin": lambda x: x * (1 - x * x) ** -1.5,
    "acos": lambda x: -x * (1 - x * x) ** -1.5,
    "atanh": lambda x: 2 * x * (1 - x * x) ** -2.0,
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", BENDS)
def test_second_derivatives_of_inverses_are_exact_near_0(name, dtype):
    x = np.array([0, 1e-30, 1e-8, -1e-6, 1e-4, 0.01, -0.3, 0.9], dtype)
    first = lambda x: G.jvp(OPS[name], [x], [np.ones_like(x)])[1]
    second = G.jvp(first, [x], [np.ones_like(x)])[1]
    eps = np.finfo(dtype).eps
    assert_allclose(second, BENDS[name](x.astype("float64")), rtol=100 * eps)
    ends = np.array([-1, 1], dtype)
    with np.errstate(all="ignore"):
        assert np.isinf(G.jvp(first, [ends], [np.ones_like(ends)])[1]).all()
