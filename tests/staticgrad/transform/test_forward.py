"""Tangents as graphs: for every op they are those of forward mode, to the bit."""

import numpy as np
import pytest

import gradops
import staticgrad as sg
from gradops import DTypeError, GraphError, ShapeError
from gradops.core.types import is_inexact
from gradops.testing.cases import cases, noise


def has_derivative(case):
    return is_inexact(gradops.type_of(case(*case.operands)).dtype)


CASES = [
    pytest.param(case, id=f"{case.op}-{case.number}")
    for op in [*gradops.OPS.values()]
    for case in cases(op)
    if any(is_inexact(x.dtype) for x in case.operands) and has_derivative(case)
]
AT = np.array([1.0, 2.0, 3.0])


@pytest.fixture
def x():
    return sg.placeholder("float64", [3], name="x")


@pytest.mark.parametrize("case", CASES)
def test_an_op_has_the_tangent_of_forward_mode(case):
    moved = [i for i, a in enumerate(case.operands) if is_inexact(a.dtype)]
    directions = [noise(case.operands[i], i) for i in moved]
    xs = [sg.placeholder(a.dtype, a.shape) for a in case.operands]
    y = case.op(*xs, **case.attrs)
    found = sg.jvp(y, [xs[i] for i in moved], directions)

    def f(*values):
        operands = list(case.operands)
        for i, a in zip(moved, values, strict=True):
            operands[i] = a
        return case.op(*operands, **case.attrs)

    with np.errstate(all="ignore"):
        want = gradops.jvp(f, [case.operands[i] for i in moved], directions)[1]
    got = sg.compile(found, xs, optimize=0)(*case.operands)[0]
    np.testing.assert_array_equal(got, want)


def test_forward_and_reverse_are_transposes(x):
    y = sg.tanh(sg.matmul(np.arange(6.0).reshape(2, 3), x))
    t, v = np.array([1.0, 0.0, 2.0]), np.array([1.0, -2.0])
    pushed, pulled = sg.compile([sg.jvp(y, x, t)[0], sg.vjp(y, x, v)[0]], [x])(AT / 10)
    np.testing.assert_allclose(v @ pushed, pulled @ t)


def test_a_hessian_vector_product_is_that_of_the_hessian(x):
    y = sg.reduce_sum(sg.sin(x) * x * x[::-1])
    v = np.array([1.0, -1.0, 0.5])
    product, full = sg.compile([sg.hvp(y, x, v)[0], sg.hessian(y, x)], [x])(AT)
    np.testing.assert_allclose(product, full @ v)


def test_tangents_are_made_for_what_lies_between_only(x):
    y, other = x * 2, sg.exp(x)
    sg.jvp(y, x, AT)
    origins = [e.origin for e in sg.get_default_graph().get_operations()]
    assert any(o is y for o in origins)
    assert not any(o is other for o in origins)


def test_a_y_that_does_not_move_has_zeros_or_none(x):
    other = sg.placeholder("float64", [2])
    assert sg.jvp(other, x, AT, unconnected="none") == [None]
    assert sg.compile(sg.jvp(other, x, AT)[0], [other])([1.0, 2.0]).tolist() == [0, 0]


def test_several_xs_and_ys():
    a, b = sg.placeholder("float64", []), sg.placeholder("float64", [])
    found = sg.jvp([a * b, a - b], [a, b], [1.0, 10.0])
    assert sg.compile(found, [a, b])(2.0, 3.0) == [3 + 20, -9]


def test_a_tangent_that_does_not_fit_is_refused(x):
    with pytest.raises(ShapeError, match="a tangent has the shape of its x"):
        sg.jvp(x * 2, x, np.ones(2))
    with pytest.raises(GraphError, match="got 2 expressions and 1 vectors"):
        sg.jvp(x * 2, [x, x * 3], [AT])
    with pytest.raises(DTypeError, match="only floats"):
        sg.jvp(sg.argmax(x), x, AT)
