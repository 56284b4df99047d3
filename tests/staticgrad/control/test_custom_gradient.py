"""Gradients that users define: to second order, in loops and branches, and gone when frozen."""

import io
import re

import numpy as np
import pytest

import staticgrad as sg
from gradops import FeedError, GraphError, ShapeError

from ..beside import Programs

X = np.random.default_rng(0).normal(size=(2, 3))


def tripled(t):
    """A function whose gradient is three times the true one, and whose second one is true to it."""

    @t.custom_gradient
    def f(x):
        e = t.exp(x)
        return e * x, lambda dy: 3.0 * dy * (e * x + e)

    return f


programs = Programs()


@programs.given(x=X)
def one_result(t, x):
    return tripled(t)(x)


@programs.given(x=X)
def used_twice(t, x):
    f = tripled(t)
    return f(x) * t.sin(f(x * x))


@programs.given(x=X, a=X[0], b=X[1])
def several_operands_and_results(t, x, a, b):
    @t.custom_gradient
    def f(a, b):
        s = t.sin(a) * b

        def grad(dp, dq):
            return dp * s + dq, dq * b * b - dp

        return (s, a - b), grad

    p, q = f(a, b)
    return p * q * x


@programs.given(x=X)
def a_result_that_nothing_uses(t, x):
    @t.custom_gradient
    def f(x):
        return (x * 2.0, x * 3.0), lambda d1, d2: d1 * x + d2

    return f(x)[0] ** 2


@programs.given(x=X)
def the_result_is_the_operand(t, x):
    f = t.custom_gradient(lambda x: (t.identity(x), lambda dy: dy * t.cos(x)))
    return f(x) ** 2


@programs.given(x=X, order=1)
def a_straight_through_rounding(t, x):
    f = t.custom_gradient(lambda x: (t.floor(x), lambda dy: dy))
    return f(x * 3.0) * x


@programs.given(x=X, y=2 * X)
def the_gradient_reads_from_outside(t, x, y):
    z = t.tanh(y)
    f = t.custom_gradient(lambda x: (x * x, lambda dy: dy * z))
    return f(x) * y


@programs.given(x=X, p=True)
@programs.given(x=X, p=False)
def in_a_branch(t, x, p):
    f = tripled(t)
    return t.cond(p, lambda: f(x), lambda: x * f(x + 1.0))


@programs.given(x=X / 4)
def in_a_loop(t, x):
    f = tripled(t)
    start = [t.constant(0), x]
    return t.while_loop(lambda i, y: i < 3, lambda i, y: [i + 1, f(y) + x], start)[1]


@programs.given(x=X)
def for_each_row(t, x):
    return t.map_fn(tripled(t), x)


test_a_defined_gradient_is_tensorflows_to_second_order = programs.derivatives_test()


def test_a_gradient_and_the_one_after_it():
    x = sg.placeholder("float64", [3])
    y = tripled(sg)(x)
    (g,) = sg.gradients(y, x)
    (h,) = sg.gradients(g, x)
    data = X[0]
    got = sg.compile([y, g, h], [x])(data)
    e = np.exp(data)
    for found, want in zip(got, [e * data, 3 * e * (data + 1), 3 * e * (data + 2)]):
        np.testing.assert_allclose(found, want, rtol=1e-14)


def test_it_says_nothing_without_being_asked():
    x = sg.placeholder("float64", [3])
    plain = sg.exp(x) * x
    assert sg.freeze(tripled(sg)(x), [x]) == sg.freeze(plain, [x])


@pytest.mark.parametrize("optimize", [0, 1])
def test_forward_mode_is_the_transpose(optimize):
    x, t = sg.placeholder("float64", [3]), np.array([1.0, -2.0, 0.5])
    y = sg.sin(tripled(sg)(x)) * x
    u = np.array([0.3, 0.7, -1.1])
    (along,), (back,) = sg.jvp(y, x, t), sg.vjp(y, x, u)
    forward, reverse = sg.compile([along, back], [x], optimize=optimize)(X[0])
    np.testing.assert_allclose(forward @ u, reverse @ t, rtol=1e-12)


def test_hessians_and_their_products_agree():
    x = sg.placeholder("float64", [3])
    f = tripled(sg)
    for z in (f(x), sg.fori(0, 3, lambda i, y: f(y) / 4.0, x)):
        y = sg.reduce_sum(z**2)
        t = np.array([1.0, -2.0, 0.5])
        full, product = sg.compile([sg.hessian(y, x), sg.hvp(y, x, t)[0]], [x])(X[0] / 3)
        np.testing.assert_allclose(full @ t, product, rtol=1e-12)


def test_a_loop_with_one_can_be_saved():
    x = sg.placeholder("float64", [3], name="x")
    y = sg.fori(0, 3, lambda i, y: tripled(sg)(y) / 4.0, x)
    (g,) = sg.gradients(y, x)
    frozen, file = sg.freeze([y, g], [x]), io.BytesIO()
    sg.verify(frozen)
    sg.save(frozen, file)
    file.seek(0)
    again = sg.load(file)
    assert again == frozen
    for got, want in zip(sg.compile(again)(X[0]), sg.interpret(frozen, [X[0]])):
        np.testing.assert_array_equal(got, want)


def test_an_optimized_loop_runs_its_forward_alone():
    x = sg.placeholder("float64", [3])
    y = sg.fori(0, 3, lambda i, y: tripled(sg)(y) / 4.0, x)
    assert re.search(r"\bcustom_(?!gradient)", sg.compile(y, [x], optimize=0).source)
    assert not re.search(r"\bcustom_(?!gradient)", sg.compile(y, [x]).source)


def test_what_only_the_gradient_needs_need_not_be_fed():
    x, factor = sg.placeholder("float64", []), sg.placeholder("float64", [])
    y = sg.grad_scale(x, factor) * 2.0
    session, (g,) = sg.Session(), sg.gradients(y, x)
    assert session.run(y, {x: 3.0}) == 6.0
    assert session.run(g, {x: 3.0, factor: 5.0}) == 10.0
    with pytest.raises(FeedError, match="placeholder"):
        session.run(g, {x: 3.0})


def test_the_gradient_reads_a_variable_as_it_was_when_the_function_was_called():
    x, w = sg.placeholder("float64", []), sg.Variable(np.float64(2.0), trainable=False)
    y = sg.grad_scale(x * w, w)
    change = w.assign(w * 10.0)
    (g,) = sg.gradients(y, x)
    assert sg.Session().run([g, change], {x: 1.0}) == [4.0, 20.0]


def test_variables_are_operands_or_asked_for():
    w = sg.Variable(np.float64(3.0), name="w")
    x = sg.placeholder("float64", [])

    def given(x, w):
        return x * w, lambda dy: (dy * 10.0, dy * 20.0)

    def read(x):
        return x * w, lambda dy, variables: (dy * 10.0, [dy * 20.0 for _ in variables])

    for y in (sg.custom_gradient(given)(x, w), sg.custom_gradient(read)(x)):
        assert sg.compile(sg.gradients(y, [x, w]), [x])(1.0) == [10.0, 20.0]
    forgot = sg.custom_gradient(lambda x: (x * w, lambda dy: dy))
    with pytest.raises(GraphError, match=r"it reads w(.|\n)*variables="):
        forgot(x)


def test_arguments_that_are_no_expressions_are_passed_on():
    @sg.custom_gradient
    def f(x, n, *, plus=0.0):
        return x**n + plus, lambda dy: (dy * 5.0, None)

    x = sg.placeholder("float64", [])
    y = f(x, 2, plus=1.0)
    assert sg.compile([y, *sg.gradients(y, x)], [x])(3.0) == [10.0, 5.0]


def test_an_operand_may_have_no_gradient():
    f = sg.custom_gradient(lambda a, b: (a * b, lambda dy: (dy, None)))
    a, b = sg.placeholder("float64", []), sg.placeholder("float64", [])
    assert sg.gradients(f(a, b), [a, b])[1] is None


def test_scaling_and_clipping_leave_the_value():
    x = sg.placeholder("float64", [3])
    for f, want in (
        (lambda x: sg.grad_scale(x, -2.0), [-2.0, -2.0, -2.0]),
        (lambda x: sg.grad_clip(x, -1.5, 0.5), [0.5, -1.5, 0.0]),
        (lambda x: sg.grad_clip(x, high=0.5), [0.5, -3.0, 0.0]),
    ):
        y = f(x)
        weight = [1.0, 1.0, 1.0] if want[0] < 0 else [2.0, -3.0, 0.0]
        value, g = sg.compile([y, *sg.vjp(y, x, sg.constant(weight, "float64"))], [x])(X[0])
        assert value.tolist() == X[0].tolist()
        assert g.tolist() == want


def test_what_is_no_gradient_is_refused():
    x = sg.placeholder("float64", [3], name="x")
    with pytest.raises(GraphError, match=r"lambda.*returns \(y, grad_fn\)"):
        sg.custom_gradient(lambda x: x)(x)
    with pytest.raises(GraphError, match="gives 2 values for 1 arguments"):
        sg.custom_gradient(lambda x: (x * x, lambda dy: (dy, dy)))(x)
    with pytest.raises(ShapeError, match="shaped as its argument"):
        sg.custom_gradient(lambda x: (x * x, sg.reduce_sum))(x)
    with pytest.raises(GraphError, match="has effects"):
        sg.custom_gradient(lambda x: (x * x, lambda dy: sg.Print(dy)))(x)


def test_sizes_that_are_computed_may_be_those_of_the_operands():
    x = sg.placeholder("float64", ["n"], name="x")
    y = sg.custom_gradient(lambda a: (a, lambda d: d * 2))(x[::2] ** 2)
    (g,) = sg.gradients(sg.reduce_sum(y), [x])
    np.testing.assert_array_equal(sg.Session().run(g, {x: np.ones(3)}), [4.0, 0.0, 4.0])
