"""Closed functions: captures as operands, and derivatives by them, in every mode and order."""

import gc
import io
import threading
import weakref

import numpy as np
import pytest
from numpy.testing import assert_allclose

import dynamicgrad as dg
import gradops
import staticgrad as sg
from gradops.library.solvers.implicit import solution, solver
from gradops.transforms.closing import close
from gradops.transforms.layers import constant
from staticgrad.text.parser import parse

pytest.importorskip("scipy")

A = np.array([2.0, 10.0])
X = np.array([1.0, 2.0])  # the roots of x**3 + x = A
FIRST = 1 / (3 * X**2 + 1)
SECOND = -6 * X * FIRST**3
THIRD = (-6 * FIRST**3 + 108 * X**2 * FIRST**4) * FIRST


def root_of(f, *args):
    """A root of f, as `gradops.scipy.optimize.root` finds it."""
    closed = close(f, (np.ones(2), *args))
    body = closed.body
    constants = map(constant, closed.operands)
    solved = solver(*constants, functions=(body, body.jacobian()), how="root")
    x = solution(solved, *closed.operands[1:], function=body, by="matrix")
    return closed.alike(x)


def given(a):
    """The root by an argument of the function."""
    return root_of(lambda x, a: x**3 + x - a, a)


def captured(a):
    """The root by what the function captures."""
    return root_of(lambda x: x**3 + x - a)


def computed(a):
    """The root by what the function captures, after operations inside and outside of it."""
    b = a * 2
    return root_of(lambda x: x**3 + x - b / 2)


class Holder:
    """An object by whose attribute a function reads."""

    def __init__(self, a):
        self.a = a

    def equations(self, x):
        return x**3 + x - self.a


def read_by_attribute(a):
    """The root by an attribute of an object whose method the function is."""
    return root_of(Holder(a).equations)


def both(a):
    """The root by what is an argument, and captured as well."""
    return root_of(lambda x, b: x**3 + x - (3 * b - a) / 2, a)


def nested(a):
    """The root of a function with a solver in it; x**3 + x = a x / x."""

    def f(x):
        return root_of(lambda y: y**3 + y - a) - root_of(lambda y: y - x)

    return root_of(f)


every_way = pytest.mark.parametrize(
    "solve", [given, captured, computed, read_by_attribute, both, nested]
)


def test_a_body_of_arrays_runs_as_the_function_does():
    closed = close(lambda x, a: np.sin(x) * a, (np.zeros(2), 3.0))
    assert_allclose(closed.body(np.ones(2), 3.0)[0], np.sin(1) * 3)
    assert_allclose(closed.body.pullback([1])(np.ones(2), 3.0, np.ones(2))[0], 2 * np.sin(1))
    assert_allclose(closed.body.tangents([0])(np.ones(2), 3.0, np.ones(2))[0], 3 * np.cos(1))
    assert_allclose(closed.body.jacobian()(np.ones(2), 3.0)[0], np.eye(2) * 3 * np.cos(1))


def test_only_floats_and_arrays_among_arguments_are_operands():
    closed = close(lambda x, n, way: x**n, (np.ones(2), 3, "up"))
    assert len(closed.operands) == 1


@every_way
def test_reverse_mode_to_third_order(solve):
    a = dg.tensor(A, requires_grad=True)
    x = solve(a)
    (first,) = dg.autograd.grad(x.sum(), a, create_graph=True)
    (second,) = dg.autograd.grad(first.sum(), a, create_graph=True)
    (third,) = dg.autograd.grad(second.sum(), a)
    for got, want in [(x, X), (first, FIRST), (second, SECOND), (third, THIRD)]:
        assert_allclose(got.detach().numpy(), want, rtol=1e-10)


@every_way
def test_forward_mode_nests_in_itself_and_in_reverse_mode(solve):
    a, one = dg.tensor(A), dg.ones(2, dtype=dg.float64)
    tangent = lambda a: dg.func.jvp(solve, (a,), (one,))[1]
    gradient = dg.func.grad(lambda a: solve(a).sum())
    assert_allclose(tangent(a).numpy(), FIRST, rtol=1e-10)
    assert_allclose(dg.func.jvp(tangent, (a,), (one,))[1].numpy(), SECOND, rtol=1e-10)
    assert_allclose(dg.func.jvp(gradient, (a,), (one,))[1].numpy(), SECOND, rtol=1e-10)
    over = dg.func.grad(lambda a: tangent(a).sum())
    assert_allclose(over(a).numpy(), SECOND, rtol=1e-10)
    assert_allclose(gradops.jvp(solve, [A], [np.ones(2)])[1], FIRST, rtol=1e-10)


@every_way
def test_graph_agrees_in_both_directions_and_orders(solve):
    a = sg.placeholder("float64", [2], name="a")
    x = solve(a)
    (first,) = sg.gradients(x, a)
    (second,) = sg.gradients(first, a)
    (third,) = sg.gradients(second, a)
    (tangent,) = sg.jvp(x, a, np.ones(2))
    (twice,) = sg.jvp(tangent, a, np.ones(2))
    (mixed,) = sg.gradients(tangent, a)
    graph = sg.freeze([x, first, second, third, tangent, twice, mixed], [a])
    want = X, FIRST, SECOND, THIRD, FIRST, SECOND, SECOND
    for level in (0, 2):
        assert_allclose(sg.compile(graph, optimize=level)(A), want, rtol=1e-9)
    assert_allclose(sg.interpret(graph, [A]), want, rtol=1e-9)


@every_way
def test_vmap_solves_for_each_example(solve):
    stack = np.stack([A, A + 1])
    rows = np.stack([solve(A), solve(A + 1)])
    assert_allclose(gradops.vmap(solve)(stack), rows, rtol=1e-10)
    assert_allclose(dg.func.vmap(solve)(dg.tensor(stack)).numpy(), rows, rtol=1e-10)
    each = dg.func.vmap(dg.func.grad(lambda a: solve(a).sum()))(dg.tensor(stack))
    assert_allclose(each.numpy(), 1 / (3 * rows**2 + 1), rtol=1e-9)
    a = sg.placeholder("float64", [2, 2], name="a")
    y = gradops.vmap(solve)(a)
    got = sg.compile([y, *sg.gradients(y, a)], [a])(stack)
    assert_allclose(got, [rows, 1 / (3 * rows**2 + 1)], rtol=1e-9)


@every_way
def test_graph_is_saved_and_parsed(solve):
    a = sg.placeholder("float64", [2], name="a")
    x = solve(a)
    graph = sg.freeze([x, *sg.gradients(x, a)], [a])
    file = io.BytesIO()
    sg.save(graph, file)
    file.seek(0)
    assert_allclose(sg.compile(sg.load(file))(A), [X, FIRST], rtol=1e-10)
    assert parse(sg.to_text(graph)) == graph


@every_way
def test_traced_program_of_tensors(solve):
    def loss(a):
        return dg.autograd.grad(solve(a).sum(), a)[0]

    a = dg.tensor(A, requires_grad=True)
    assert_allclose(sg.function(loss)(a).numpy(), FIRST, rtol=1e-10)
    x = sg.function(solve)(a)
    (first,) = dg.autograd.grad(x.sum(), a)
    assert_allclose(first.numpy(), FIRST, rtol=1e-10)


def test_unknown_sizes():
    a = sg.placeholder("float64", ["n"], name="a")
    closed = close(lambda x, a: x**3 + x - a, (a, a))
    body = closed.body
    solved = solver(*closed.operands, functions=(body, body.jacobian()), how="root")
    x = solution(solved, closed.operands[1], function=body, by="matrix")
    f = sg.compile([x, *sg.gradients(x, a)], [a])
    assert_allclose(f(A), [X, FIRST], rtol=1e-10)
    assert_allclose(f(np.array([2.0, 10.0, 30.0]))[0], [1.0, 2.0, 3.0])


def test_solver_in_a_loop():
    def through(a):
        return sg.while_loop(lambda i, z: i < 3, lambda i, z: (i + 1, captured(z)), [0, a])[1]

    a = sg.placeholder("float64", [2], name="a")
    z = through(a)
    t = dg.tensor(A, requires_grad=True)
    want = captured(captured(captured(t)))
    (gradient,) = dg.autograd.grad(want.sum(), t)
    got = sg.compile([z, *sg.gradients(z, a)], [a])(A)
    assert_allclose(got, [want.detach().numpy(), gradient.numpy()], rtol=1e-9)


def test_loop_in_a_body():
    a = sg.placeholder("float64", [2], name="a")
    power = lambda x: sg.fori(0, 2, lambda i, p: p * x, x)
    x = root_of(lambda x: power(x) + x - a)
    (first,) = sg.gradients(x, a)
    (second,) = sg.gradients(first, a)
    assert_allclose(sg.compile([x, first, second], [a])(A), [X, FIRST, SECOND], rtol=1e-9)


def test_captured_tensor_that_is_written_to_is_an_error():
    a = dg.tensor(A, requires_grad=True)
    x = captured(a)
    with dg.no_grad():
        a += 1
    with pytest.raises(gradops.TapeError, match="modified by an inplace"):
        x.sum().backward()


def test_effects_in_a_body_are_refused():
    a = sg.placeholder("float64", [2], name="a")
    v = sg.Variable(np.zeros(2), name="v")

    def f(x):
        v.assign(x)
        return x - a

    with pytest.raises(gradops.GraphError, match="assigns or prints"):
        root_of(f)


def test_dropping_a_solution_frees_all_at_once():
    gc.disable()
    try:
        a = dg.tensor(A, requires_grad=True)
        captured(a).sum().backward()
        (first,) = dg.autograd.grad(captured(a).sum(), a, create_graph=True)
        first.sum().backward()
        kept = weakref.ref(a), weakref.ref(first)
        del a, first
        assert [ref() for ref in kept] == [None, None]
    finally:
        gc.enable()


def test_threads_share_what_is_captured():
    a = dg.tensor(A, requires_grad=True)
    found = []

    def run():
        for _ in range(5):
            found.append(dg.autograd.grad(captured(a).sum(), a)[0].numpy())

    threads = [threading.Thread(target=run) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(found) == 20
    assert_allclose(found, [FIRST] * 20, rtol=1e-10)
