"""Complex numbers are computed with, but not differentiated: nothing drops out in silence."""

import numpy as np
import pytest

import dynamicgrad as dg
import gradops
import staticgrad as sg

X = np.array([1.0, 2.0], np.float32)
WAYS = {
    "by a number": lambda x: x * 1j,
    "by an array": lambda x: gradops.mul(x, np.array([1j, 2.0])),
    "by dtype": lambda x: gradops.astype(x, dtype="complex64"),
}
each_way = pytest.mark.parametrize("f", WAYS.values(), ids=WAYS)


@each_way
def test_a_tensor_that_requires_grad_refuses_to_become_complex(f):
    with pytest.raises(gradops.DTypeError, match=r"(mul|astype)\(.*complex.* not differentiated"):
        f(dg.tensor(X, requires_grad=True))


@each_way
def test_constants_may_be_complex(f):
    x = dg.tensor(X, requires_grad=True)
    np.testing.assert_array_equal(f(x.detach()).value, f(X))
    with dg.no_grad():
        assert not f(x).requires_grad
    with dg.inference_mode():
        assert not f(x).requires_grad


@each_way
def test_a_tangent_refuses_to_become_complex(f):
    with pytest.raises(gradops.DTypeError, match="not differentiated"):
        gradops.jvp(f, [X], [X])


@each_way
def test_a_graph_computes_with_complex_numbers_but_has_no_gradient_through_them(f):
    with sg.Graph().as_default():
        x = sg.placeholder("float32", (2,), name="x")
        z = f(x)
        y = gradops.abs(z)
        np.testing.assert_array_equal(sg.compile(y, [x])(X), abs(f(X)))
        with pytest.raises(gradops.DTypeError, match=r"complex.* not differentiated[^$]*made at"):
            sg.gradients(y, x)
        (g,) = sg.gradients(y * x, x, stop_gradients=z)
        np.testing.assert_array_equal(sg.compile(g, [x])(X), abs(f(X)))
        assert sg.gradients(gradops.stop_gradient(y) + x, x)
