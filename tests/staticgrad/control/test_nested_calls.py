"""Functions that call functions: one derivative of each, at any depth, with the true numbers."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import gradops as ops
import staticgrad as sg

X = np.array([0.3, -0.7, 0.9])
CLOSE = {"rtol": 1e-9, "atol": 1e-12}  # third derivatives of sines of sines, added in another order


def twice(f):
    """A function that calls another one twice."""
    return lambda x: f(f(x))


def product(f):
    """One that keeps values of its own beside those of the functions that it calls."""
    return lambda x: f(x) * sg.sin(x) + f(x * 0.5)


def chosen(f):
    """One that calls another in a branch, and otherwise not."""
    return lambda x: sg.cond(sg.reduce_sum(x) > 0, lambda: f(x) * x, lambda: sg.sin(x))


def stepped(f):
    """One that calls another in each step of a loop."""
    return lambda x: sg.fori(0, 2, lambda i, y: f(y) * x, x)


def gathered(f):
    """One that calls another on a number of values that only a run tells."""
    return lambda x: x * sg.reduce_sum(f(x[x > 0]))


def mapped(f):
    """One that calls another on each entry."""
    return lambda x: sg.map(lambda e: e * sg.reduce_sum(f(x * e)), x)


WAYS = {f.__name__: f for f in (twice, product, chosen, stepped, gathered, mapped)}


def leaf(x):
    """The innermost function."""
    return sg.sin(x * 1.3) * x


def nested(ways, wrap):
    """Functions within functions, each made by one of the ways, the innermost first."""
    f = wrap(leaf)
    for way in ways:
        f = wrap(way(f))
    return f


def derivatives(f, x):
    """The value, and derivatives to second order both ways."""
    y = sg.reduce_sum(f(x))
    (g,) = sg.gradients(y, x)
    (h,) = sg.gradients(sg.reduce_sum(sg.sin(g)), x)
    return [y, g, h, *sg.jvp([y, g, h], x, sg.cos(x))]


@pytest.mark.parametrize("sizes", [[3], [None]], ids=["known", "unknown"])
@pytest.mark.parametrize("outer", WAYS)
@pytest.mark.parametrize("inner", WAYS)
def test_functions_in_functions_have_the_derivatives_of_the_program_without(inner, outer, sizes):
    x = sg.placeholder("float64", sizes, name="x")
    found, wanted = (
        derivatives(nested([WAYS[inner], WAYS[outer]], wrap), x)
        for wrap in (sg.function, lambda f: f)
    )
    graph = sg.freeze([*found, *wanted], [x])
    run, n = sg.compile(graph), len(found)
    for data in (X, -X):
        values = run(data)
        for a, b in zip(values[:n], values[n:], strict=True):
            assert_allclose(a, b, **CLOSE)
    for a, b in zip(sg.compile(graph, optimize=0)(X), sg.interpret(graph, [X]), strict=True):
        assert_array_equal(a, b)


@pytest.mark.parametrize("outer", [w for w in WAYS if w != "gathered"])
@pytest.mark.parametrize("inner", [w for w in WAYS if w != "gathered"])
def test_functions_in_functions_take_batches(inner, outer):
    x, xs = sg.placeholder("float64", [3]), sg.placeholder("float64", [2, 3], name="xs")
    graph = sg.freeze(derivatives(nested([WAYS[inner], WAYS[outer]], sg.function), x), [x])
    found = ops.vmap(lambda x: graph(x))(xs)
    alone, rows = sg.compile(graph), np.stack([X, -X])
    for column, *row in zip(sg.compile(list(found), [xs])(rows), *map(alone, rows), strict=True):
        assert_allclose(column, np.stack(row), **CLOSE)


def sizes_of_text(programs):
    """How long the texts of first and second derivatives of programs are."""
    found = []
    for f in programs:
        with sg.Graph().as_default():
            x = sg.placeholder("float32", [], name="x")
            (g,) = sg.gradients(f(x), x)
            (h,) = sg.gradients(g, x)
            (t,) = sg.jvp(h, x, 1.0)
            found.append([len(sg.to_text(sg.freeze(y, [x]), lines=False)) for y in (g, h, t)])
    return np.array(found)


@pytest.mark.parametrize("way", ["twice", "product", "stepped"])
def test_the_text_of_derivatives_is_linear_in_the_depth(way):
    depths = [nested([WAYS[way]] * n, sg.function) for n in (2, 4, 6, 8)]
    steps = np.diff(sizes_of_text(depths), axis=0)
    assert np.all(steps[1:] < 1.3 * steps[:-1])  # names get longer, by a number or two


def test_the_text_of_derivatives_is_linear_in_the_number_of_calls():
    def repeated(n):
        f = sg.function(leaf)

        def program(x):
            for _ in range(n):
                x = f(x)
            return x

        return program

    steps = np.diff(sizes_of_text(map(repeated, (10, 20, 30, 40))), axis=0)
    assert np.all(steps[1:] < 1.1 * steps[:-1])


@pytest.mark.parametrize("way", ["twice", "product"])
def test_thirty_functions_within_one_another_are_differentiated_and_compiled(way):
    x = sg.placeholder("float64", [], name="x")
    y = nested([WAYS[way]] * 30, sg.function)(x)
    (g,) = sg.gradients(y, x)
    (h,) = sg.gradients(g, x)
    graph = sg.freeze([y, g, h], [x])
    xs = sg.placeholder("float64", [2], name="xs")
    rows = ops.vmap(lambda x: graph(x))(xs)
    assert len(sg.compile([y, g, h, *rows], [x, xs]).source) < 1_000_000


def test_what_a_call_keeps_is_written_as_text_and_read_again():
    x = sg.placeholder("float32", ["n"], name="x")
    (g,) = sg.gradients(nested([product, stepped, chosen], sg.function)(x), x)
    graph = sg.freeze(sg.gradients(g, x), [x])
    assert sg.parse(str(graph)) == graph
    assert "unpack(residuals" in str(graph)
