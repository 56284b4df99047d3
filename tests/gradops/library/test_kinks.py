"""One table of conventions at kinks and singular points; where PyTorch has one, it is ours."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import gradops as G

KINKS = {
    "abs at 0": (G.abs, [0.0], [0]),
    "sign at 0": (G.sign, [0.0], [0]),
    "relu at 0": (G.relu, [0.0], [0]),
    "sqrt at 0": (G.sqrt, [0.0], [np.inf]),
    "maximum of equals": (G.maximum, [1.0, 1.0], [0.5, 0.5]),
    "minimum of equals": (G.minimum, [1.0, 1.0], [0.5, 0.5]),
    "clip at the lower bound": (lambda x: G.clip(x, 0, 1), [0.0], [1]),
    "clip at the upper bound": (lambda x: G.clip(x, 0, 1), [1.0], [1]),
    "clip outside": (lambda x: G.clip(x, 0, 1), [2.0], [0]),
    "clip with one bound": (lambda x: G.clip(x, max=1), [-2.0], [1]),
    "x**0 at 0": (lambda x: x**0, [0.0], [0]),
    "x**0.0 at 0": (lambda x: x**0.0, [0.0], [0]),
    "x**1 at 0": (lambda x: x**1, [0.0], [1]),
    "x**2 at 0": (lambda x: x**2, [0.0], [0]),
    "x**3 below 0": (lambda x: x**3, [-2.0], [12]),
    "0**y at 0": (lambda y: 0.0**y, [0.0], [0]),
    "0**y above 0": (lambda y: 0.0**y, [2.0], [0]),
    "atan2 far out": (G.atan2, [0.0, 2.0**1000], [2.0**-1000, 0]),
    "copysign beside -0": (G.copysign, [2.0, -0.0], [-1, 0]),
    "heaviside at 0": (G.heaviside, [0.0, 0.5], [0, 1]),
    "heaviside above 0": (G.heaviside, [1.0, 0.5], [0, 0]),
    "fmax of NaN and 1": (G.fmax, [np.nan, 1.0], [0, 1]),
    "fmin of 1 and NaN": (G.fmin, [1.0, np.nan], [1, 0]),
    "nan_to_num of NaN": (G.nan_to_num, [np.nan], [0]),
    "cbrt at 0": (G.cbrt, [0.0], [np.inf]),
    "max of equals": (lambda x: G.max(G.reshape(x, (1,)) * np.ones(2)), [3.0], [1]),
}


@pytest.mark.filterwarnings("ignore:divide by zero")
@pytest.mark.parametrize("name", KINKS)
def test_derivative(name, gradient):
    f, xs, want = KINKS[name]
    assert_array_equal(gradient(f, *xs), want)


MASKED = {
    "sqrt": (G.sqrt, [-1.0, 0.0]),
    "log": (G.log, [-1.0, 0.0]),
    "log1p": (lambda x: G.log1p(x - 1), [-1.0, 0.0]),
    "reciprocal": (lambda x: 1 / x, [0.0]),
    "power": (lambda x: x**0.5, [-1.0, 0.0]),
    "power of a negative exponent": (lambda x: x**-2, [0.0]),
    "remainder": (lambda x: G.remainder(1.0, x), [0.0]),
    "cbrt": (G.cbrt, [0.0]),
    "float_power": (lambda x: G.float_power(x, 0.5), [-1.0, 0.0]),
    "chain": (lambda x: G.sqrt(G.log(x)), [-1.0, 0.0]),
}


@pytest.mark.parametrize("name", MASKED)
def test_masked_nan_never_leaks(name, gradient):
    f, bad = MASKED[name]
    x = np.array([*bad, 4.0])
    with np.errstate(all="ignore"):
        masked = gradient(lambda x: G.where(x > 0, f(x), 0), x)[0]
        (alone,) = gradient(f, x[-1:])
        tangent = G.jvp(lambda x: G.where(x > 0, f(x), 0), [x], [np.ones_like(x)])[1]
    assert_array_equal(masked, [*(0 for _ in bad), alone[0]])
    assert_array_equal(tangent, masked)
