"""Jacobians and Hessians as graphs."""

import numpy as np
import pytest

import dynamicgrad as dg
import gradops
import staticgrad as sg
from gradops import ShapeError

AT = np.array([[0.1, -0.2, 0.3], [0.5, 0.7, -1.1]])
FUNCTIONS = {
    "elementwise": lambda x: gradops.sin(x) * x,
    "softmax": lambda x: gradops.softmax(x, axis=1),
    "matmul": lambda x: gradops.matmul(x, gradops.transpose(x)),
    "sum": lambda x: gradops.sum(x * x), "parts": lambda x: x[:, 1:] * x[:, :2],
    "reshape": lambda x: gradops.reshape(x, shape=(3, 2)) ** 2,
    "maximum": lambda x: gradops.maximum(x, 0.2),
}  # fmt: skip


@pytest.mark.parametrize("f", FUNCTIONS.values(), ids=FUNCTIONS)
def test_a_jacobian_is_that_of_eager_mode(f):
    x = sg.placeholder("float64", AT.shape)
    y = f(x)
    found = sg.compile(sg.jacobian(y, x), [x])(AT)
    assert found.shape == (*y.shape, *x.shape)
    np.testing.assert_allclose(found, dg.func.jacrev(f)(dg.tensor(AT)).numpy(), atol=1e-15)


def test_one_for_each_of_several_xs():
    x, z = sg.placeholder("float64", [2]), sg.placeholder("float64", [])
    a, b, c = sg.compile(sg.jacobian(x * z, [x, z, x * 0 + 1]), [x, z])([3.0, 4.0], 2.0)
    np.testing.assert_array_equal(a, 2 * np.eye(2))
    np.testing.assert_array_equal(b, [3, 4])
    np.testing.assert_array_equal(c, np.zeros((2, 2)))


def test_a_hessian_is_that_of_eager_mode():
    f = lambda x: gradops.sum(gradops.exp(gradops.sin(x)) * x[::-1])
    x = sg.placeholder("float64", AT.shape)
    found = sg.compile(sg.hessian(f(x), x), [x])(AT)
    np.testing.assert_allclose(found, dg.func.hessian(f)(dg.tensor(AT)).numpy(), atol=1e-14)


def test_an_unknown_size_is_refused_for_rows_and_served_for_columns():
    x = sg.placeholder("float64", ["n"])
    with pytest.raises(ShapeError, match="the number of rows"):
        sg.jacobian(x * 2, x)
    y = sg.stack([sg.reduce_sum(x * x), sg.reduce_mean(x)])
    found = sg.compile(sg.jacobian(y, x), [x])([1.0, 2.0])
    np.testing.assert_allclose(found, [[2, 4], [0.5, 0.5]])
