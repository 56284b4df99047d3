"""Plain NumPy programs have right gradients in both modes, of the same bits, and Hessians."""

import numpy as np
import pytest

import dynamicgrad as dg
import staticgrad as sg

from .numpy_programs import PROGRAMS

every_program = pytest.mark.parametrize(
    ("f", "x"), [pytest.param(f, x, id=f.__name__) for f, x in PROGRAMS.items()]
)


@every_program
def test_the_gradient_is_what_quotients_say(f, x, capsys):
    assert dg.check(f, x) < 1e-8
    assert sg.check(f, x) < 1e-8


@every_program
def test_values_and_derivatives_of_both_modes_agree(f, x):
    problem = sg.scipy(f, x, hess=True)
    value, gradient = problem["fun"](x.ravel())
    assert value == pytest.approx(f(x), rel=1e-13)
    np.testing.assert_allclose(gradient, dg.grad(f)(x).ravel(), rtol=1e-12, atol=1e-13)
    with sg.Graph().as_default():
        feed = sg.placeholder(x.dtype, x.shape)
        [exact] = sg.compile(sg.gradients(f(feed), [feed]), [feed], optimize=1)(x)
    assert exact.tobytes() == dg.grad(f)(x).tobytes()
    hessian, by_tape = problem["hess"](x.ravel()), dg.hessian(f)(x)
    assert type(by_tape) is np.ndarray
    by_tape = by_tape.reshape(hessian.shape)
    np.testing.assert_allclose(hessian, by_tape, rtol=1e-9, atol=1e-10)  # sums in another order
    np.testing.assert_allclose(hessian, hessian.T, rtol=1e-9, atol=1e-10)
