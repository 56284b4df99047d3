"""Integrals of points: SciPy's values, on all operands."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose

import dynamicgrad as dg
import gradops
import staticgrad as sg
from gradops.core.errors import OptionError, ShapeError
from gradops.scipy import integrate

of_scipy = pytest.importorskip("scipy.integrate")

rng = np.random.default_rng(0)
RULES = ["trapezoid", "cumulative_trapezoid", "simpson", "cumulative_simpson"]


@pytest.mark.parametrize(("name", "n"), [*itertools.product(RULES, [2, 3, 4, 5, 8])])
@pytest.mark.parametrize("shape", ["", "rows", "columns"])
@pytest.mark.parametrize("spaced", [True, False])
def test_values_and_gradients(name, n, shape, spaced):
    size = {"": (n,), "rows": (2, n), "columns": (n, 2)}[shape]
    y, axis = rng.normal(size=size), 0 if shape == "columns" else -1
    given = {"dx": 0.3} if spaced else {"x": np.cumsum(rng.uniform(0.1, 1, n))}
    ours, theirs = (getattr(m, name) for m in (integrate, of_scipy))
    assert_allclose(
        ours(y, axis=axis, **given), theirs(y, axis=axis, **given), rtol=1e-12, atol=1e-14
    )
    total = lambda v: gradops.sum(ours(v, axis=axis, **given))
    t = dg.tensor(y, requires_grad=True)
    (grad,) = dg.autograd.grad(total(t), t)
    weights = [theirs(e.reshape(size), axis=axis, **given).sum() for e in np.eye(y.size)]
    assert_allclose(np.ravel(grad.numpy()), weights, rtol=1e-11, atol=1e-13)
    with sg.Graph().as_default():
        p = sg.placeholder(np.float64, size)
        found = sg.compile(sg.gradients(total(p), p), [p])(y)
    assert_allclose(found[0], grad.numpy(), rtol=1e-13, atol=1e-14)


def test_points_are_traced_too():
    x, y = np.cumsum(rng.uniform(0.1, 1, 6)), rng.normal(size=6)
    for name in RULES:
        f = lambda v, name=name: gradops.sum(getattr(integrate, name)(y, x=v))
        t = dg.tensor(x, requires_grad=True)
        (grad,) = dg.autograd.grad(f(t), t)
        along = [(f(x + 1e-6 * e) - f(x - 1e-6 * e)) / 2e-6 for e in np.eye(6)]
        assert_allclose(grad.numpy(), along, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("n", [3, 5, 17])
def test_romberg(n):
    y = rng.normal(size=(2, n))
    assert_allclose(integrate.romb(y, dx=0.1), of_scipy.romb(y, dx=0.1), rtol=1e-12)


@pytest.mark.parametrize("initial", [0, None])
@pytest.mark.parametrize("name", ["cumulative_trapezoid", "cumulative_simpson"])
def test_what_stands_before(name, initial):
    y = rng.normal(size=7)
    ours, theirs = (getattr(m, name)(y, initial=initial) for m in (integrate, of_scipy))
    assert_allclose(ours, theirs, rtol=1e-12, atol=1e-15)


def test_errors_say_what_is_wrong():
    with pytest.raises(ShapeError, match="has not 3 points"):
        integrate.simpson(np.ones(3), x=np.ones(4))
    with pytest.raises(OptionError, match=r"2\*\*k \+ 1 points, not 4"):
        integrate.romb(np.ones(4))
    with sg.Graph().as_default(), pytest.raises(ShapeError, match="is not known"):
        integrate.simpson(sg.placeholder(np.float64, (None,)))
