"""`fsolve` and `leastsq`: SciPy's results, with derivatives."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import dynamicgrad as dg
import staticgrad as sg
from gradops import OptionError
from gradops.scipy import optimize

of_scipy = pytest.importorskip("scipy.optimize")

A, T = np.array([4.0, 9.0]), np.linspace(0, 1, 6)
DATA = 2 * np.exp(-1.5 * T) + 0.05 * np.cos(9 * T)


def squares(x, a):
    return x * x + 0.1 * x[::-1] - a


def decay(p, y):
    return p[0] * np.exp(-p[1] * T) - y


def by_differences(f, x, h=1e-4):
    """The Jacobian of f, by differences of the fourth order."""
    steps = h * np.eye(len(x))
    return np.stack([(8 * (f(x + s) - f(x - s)) - f(x + 2 * s) + f(x - 2 * s)) / (12 * h)
                     for s in steps], axis=-1)  # fmt: skip


def test_roots_are_scipys_and_have_derivatives():
    f = lambda a: optimize.fsolve(squares, np.ones(2), (a,), xtol=1e-13)
    want = of_scipy.fsolve(squares, np.ones(2), (A,), xtol=1e-13)
    assert_allclose(f(A), want, rtol=1e-12)
    assert_allclose(dg.func.jacrev(f)(dg.tensor(A)), by_differences(f, A), rtol=1e-7)
    fed = sg.placeholder("float64", [2])
    y = f(fed)
    (grad,) = sg.compile(sg.gradients(np.sum(y), [fed]), [fed])(A)
    assert_allclose(grad, by_differences(f, A).sum(axis=0), rtol=1e-7)
    x, info, flag, message = optimize.fsolve(squares, np.ones(2), (A,), full_output=1)
    their = of_scipy.fsolve(squares, np.ones(2), (A,), full_output=1)
    assert (flag, message) == their[2:]
    assert_allclose(info["fvec"], squares(x, A))


def test_least_squares_are_scipys_and_have_derivatives():
    f = lambda y: optimize.leastsq(decay, np.ones(2), (y,), ftol=1e-14, xtol=1e-14)[0]
    assert_allclose(f(DATA), of_scipy.leastsq(decay, np.ones(2), (DATA,))[0], rtol=1e-6)
    assert_allclose(dg.func.jacrev(f)(dg.tensor(DATA)), by_differences(f, DATA, 0.01), rtol=1e-4)
    _, cov, info, message, flag = optimize.leastsq(decay, np.ones(2), (DATA,), full_output=True)
    want = of_scipy.leastsq(decay, np.ones(2), (DATA,), full_output=True)
    assert_allclose(cov, want[1], rtol=1e-5)
    assert_allclose(info["fvec"], want[2]["fvec"], atol=1e-7)
    assert flag in (1, 2, 3, 4)
    assert message


def test_what_does_not_converge_warns_as_scipys_does():
    with pytest.warns(RuntimeWarning):
        optimize.fsolve(lambda x: x * x + 1, np.ones(1))
    with pytest.raises(OptionError, match="along columns"):
        optimize.leastsq(decay, np.ones(2), (DATA,), col_deriv=True)
