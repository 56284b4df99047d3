"""Forward mode, nested, and over structures."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import gradops as G


def along(f):
    """The derivative of a function of one number."""
    return lambda x: G.jvp(f, [x], [np.ones_like(x)])[1]


def test_nested_derivatives_do_not_confuse_their_perturbations():
    x = np.array(1.0)
    assert along(lambda x: x * along(lambda y: x + y)(x))(x) == 1
    assert along(lambda x: x * along(lambda y: x * y)(np.array(2.0)))(x) == 2


@pytest.mark.parametrize(("order", "want"), [(1, np.cos), (2, lambda x: -np.sin(x)), (4, np.sin)])
def test_derivatives_of_any_order(order, want):
    f = G.sin
    for _ in range(order):
        f = along(f)
    assert_allclose(f(np.array(0.7)), want(0.7), rtol=1e-15)


def test_a_tangent_is_that_of_the_whole_operand():
    x, t = np.array([1.0, 2.0]), np.array([1.0, -1.0])
    y, ty = G.jvp(lambda x: G.sum(x * x * np.ones((3, 1))), [x], [t])
    assert (y, ty) == (15, -6)


def test_an_output_that_does_not_depend_on_the_operands_has_tangent_zero():
    _, t = G.jvp(lambda x: {"a": x, "b": np.ones(2)}, [np.array(1.0)], [np.array(5.0)])
    assert t["a"] == 5
    assert_array_equal(t["b"], [0, 0])


def test_discrete_ops_stop_tangents():
    y, t = G.jvp(lambda x: G.floor(x) + G.stop_gradient(x), [np.array(1.5)], [np.array(1.0)])
    assert (y, t) == (2.5, 0)


def test_the_tangent_has_the_dtype_and_shape_of_the_output():
    x = np.ones((2, 1), np.float32)
    y, t = G.jvp(lambda x: G.add(x, np.ones(3, np.float32)), [x], [x])
    assert (y.shape, y.dtype) == (t.shape, t.dtype) == ((2, 3), np.float32)


def test_primals_and_tangents_pair_up():
    with pytest.raises(ValueError, match="zip"):
        G.jvp(G.add, [np.ones(2), np.ones(2)], [np.ones(2)])


def test_a_tangent_passes_through_vmap():
    x = np.array([0.5, 1.0, 2.0])
    inside = G.vmap(along(G.log))(x)
    outside = G.jvp(G.vmap(G.log), [x], [np.ones(3)])[1]
    assert_allclose(inside, 1 / x, rtol=1e-15)
    assert_allclose(outside, 1 / x, rtol=1e-15)
