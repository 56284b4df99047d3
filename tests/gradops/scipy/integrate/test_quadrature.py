"""Integrals of functions: SciPy's values, and derivatives of two orders by what they depend on."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import dynamicgrad as dg
import gradops
import staticgrad as sg
from gradops.core.errors import ConvergenceWarning, OptionError
from gradops.scipy import integrate
from gradops.testing.finite_differences import derivative

of_scipy = pytest.importorskip("scipy.integrate")

TIGHT = {"epsabs": 1e-11, "epsrel": 1e-11}
quad = lambda *args, **given: integrate.quad(*args, **TIGHT, **given)
bell = lambda x, a, b: np.exp(-a * x * x - b * x)
INTEGRALS = {
    "limits": lambda v: quad(lambda x, k: np.sin(k * x) + x, v[0], v[1], (v[2],)),
    "infinite": lambda v: quad(lambda x: bell(x, v[0], v[1]), v[2], np.inf),
    "all": lambda v: quad(lambda x: bell(x, v[0], -v[1]), -np.inf, np.inf),
    "down": lambda v: quad(lambda x: x**2 * v[1], v[1], -v[2]),
    "double": lambda v: integrate.dblquad(
        lambda y, x: np.exp(-x * y * v[0]), 0.1, v[1], 0.0, lambda x: v[2] * x
    ),
    "points": lambda v: quad(lambda x: np.sqrt(v[0] + x) * v[1], 0, 2, points=[0.5]),
}
V, D = np.array([0.7, 1.3, 0.4]), np.array([0.3, -0.5, 0.8])


@pytest.mark.parametrize("name", INTEGRALS)
def test_derivatives_of_two_orders(name):
    f = lambda v: INTEGRALS[name](v)[0]
    t = dg.tensor(V, requires_grad=True)
    y = f(t)
    assert_allclose(y.detach().numpy(), f(V), rtol=1e-12)
    (grad,) = dg.autograd.grad(y, t, create_graph=True)
    slope = (grad * D).sum()
    want, _ = derivative(lambda h: f(V + h.real * D))
    assert_allclose(slope.detach().numpy(), want, rtol=1e-8)
    assert_allclose(gradops.jvp(f, [V], [D])[1], want, rtol=1e-8)
    (second,) = dg.autograd.grad(slope, t)
    more, _ = derivative(lambda h: gradops.jvp(f, [V + h.real * D], [D])[1])
    assert_allclose((second.numpy() * D).sum(), more, rtol=1e-7)
    twice = gradops.jvp(lambda v: gradops.jvp(f, [v], [D])[1], [V], [D])[1]
    assert_allclose(twice, more, rtol=1e-7)


@pytest.mark.parametrize("name", INTEGRALS)
def test_graph_and_tape_agree(name):
    f = lambda v: INTEGRALS[name](v)[0]
    t = dg.tensor(V, requires_grad=True)
    (grad,) = dg.autograd.grad(f(t), t, create_graph=True)
    (second,) = dg.autograd.grad((grad * D).sum(), t)
    with sg.Graph().as_default():
        p = sg.placeholder(np.float64, (3,))
        (g,) = sg.gradients(f(p), p)
        run = sg.compile([f(p), g, *sg.gradients(sg.reduce_sum(g * D), p)], [p])
    y, g, h = run(V)
    assert_allclose(y, f(V), rtol=1e-11)
    assert_allclose(g, grad.detach().numpy(), rtol=1e-9)
    assert_allclose(h, second.numpy(), rtol=1e-8)


def test_arrays_have_scipys_result():
    args = (lambda x, a: np.exp(-a * x), 0, np.inf, (2.0,))
    assert integrate.quad(*args) == of_scipy.quad(*args)
    weighted = (np.cos, 0, 1)
    assert integrate.quad(*weighted, weight="sin", wvar=3) == of_scipy.quad(
        *weighted, weight="sin", wvar=3
    )
    three = (lambda z, y, x: x + y * z, 0, 1, 0, lambda x: x, 0, lambda x, y: x + y)
    assert_allclose(integrate.tplquad(*three)[0], of_scipy.tplquad(*three)[0], rtol=1e-12)
    fixed = (lambda x: x**8, 0.0, 2.0)
    assert_allclose(integrate.fixed_quad(*fixed, n=4)[0], of_scipy.fixed_quad(*fixed, n=4)[0])


def test_fixed_points_have_derivatives():
    t = dg.tensor(V, requires_grad=True)
    f = lambda v: integrate.fixed_quad(lambda x, k: np.exp(-k * x), v[0], v[1], (v[2],))[0]
    (grad,) = dg.autograd.grad(f(t), t)
    want, _ = derivative(lambda h: f(V + h.real * D))
    assert_allclose((grad.numpy() * D).sum(), want, rtol=1e-9)


def test_a_function_that_is_not_finite_at_a_limit():
    a = dg.tensor(2.0, requires_grad=True, dtype=dg.float64)
    y, _ = integrate.quad(lambda x: a / np.sqrt(x), 0, 1)
    y.backward()
    assert_allclose(y.item(), 4.0, rtol=1e-9)
    assert_allclose(a.grad.numpy(), 2.0, rtol=1e-9)


def test_what_does_not_converge_warns():
    a = dg.tensor(1.0, requires_grad=True, dtype=dg.float64)
    with pytest.warns(ConvergenceWarning, match="not as exact as asked for"):
        integrate.quad(lambda x: a / x, 0, 1)


def test_errors_say_what_is_wrong():
    a = dg.tensor(1.0, requires_grad=True)
    with pytest.raises(OptionError, match="without a weight"):
        integrate.quad(lambda x: a * x, 0, a, weight="cos", wvar=1)
    with pytest.raises(OptionError, match="limits are finite"):
        integrate.fixed_quad(np.exp, 0, np.inf)
