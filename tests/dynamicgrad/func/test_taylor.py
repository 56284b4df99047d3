"""`jet`: derivatives of high order of functions of tensors, also inside other transforms."""

import numpy as np
import pytest

import dynamicgrad as dg
from gradops import MissingRuleError, TransformError

jet = dg.func.jet


def test_the_derivatives_of_a_cube():
    y, ds = jet(lambda x: x**3, (dg.tensor(2.0),), [[1.0, 0.0, 0.0]])
    assert (y.item(), [d.item() for d in ds]) == (8, [12, 12, 6])


def test_derivatives_can_be_differentiated():
    w = dg.tensor(0.5, dtype="float64", requires_grad=True)
    x = dg.tensor(1.0, dtype="float64")
    _, (_, second) = jet(lambda x: dg.sin(w * x), (x,), [[1.0, 0.0]])
    (g,) = dg.autograd.grad(second, w)
    assert g.item() == pytest.approx(-2 * 0.5 * np.sin(0.5) - 0.25 * np.cos(0.5))


def test_it_nests_in_vmap():
    xs = dg.tensor([0.0, 0.5, 1.0], dtype="float64")
    third = lambda x: jet(dg.tanh, (x,), [[1.0, 0.0, 0.0]])[1][2]
    np.testing.assert_allclose(dg.vmap(third)(xs).numpy(), [third(x).item() for x in xs])


def test_a_network_has_its_laplacian_by_second_orders():
    w = dg.tensor(np.random.default_rng(0).normal(size=(4, 3)))
    f = lambda x: dg.tanh(w @ x).sum()
    x = dg.tensor([0.1, -0.4, 0.7], dtype="float64")
    units = dg.eye(3, dtype="float64")
    laplacian = sum(jet(f, (x,), [[e, 0.0]])[1][1].item() for e in units)
    assert laplacian == pytest.approx(float(np.trace(dg.func.hessian(f)(x).numpy())))


def test_arrays_in_arrays_out():
    y, (d,) = jet(np.sin, (np.array(0.0),), [[1.0]])
    assert type(y) is type(d) is np.float64


def test_a_derivative_of_another_shape_is_refused():
    with pytest.raises(TransformError, match="has its shape"):
        jet(dg.sin, (dg.ones(2),), [[dg.ones(3)]])


class Hundredfold(dg.autograd.Function):
    """A square whose backward is not that of its forward."""

    @staticmethod
    def forward(ctx, x):
        return x * x

    @staticmethod
    def backward(ctx, g):
        return 100 * g


def test_a_custom_function_is_refused_whose_backward_would_be_passed_over():
    with pytest.raises(MissingRuleError, match="Hundredfold has no jet rule"):
        dg.func.jet(Hundredfold.apply, [dg.tensor(3.0)], [[1.0, 0.0]])
