"""Functions called while a graph is built: one graph, one derivative, many calls."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import staticgrad as sg
from gradops.core.errors import MixedOperandsError, ValueUnknownError


@sg.function
def layer(x, w):
    return sg.tanh(x @ w)


def operands():
    rng = np.random.default_rng(0)
    return rng.normal(size=(4, 3)), rng.normal(size=(3, 3))


def functions(graph):
    """The different graphs that calls in a frozen graph apply."""
    return {g for e in graph for g in e.attrs.values() if isinstance(g, sg.FrozenGraph)}


def test_calls_compute_what_the_function_computes_to_second_order():
    x, w = (sg.placeholder("float64", np.shape(a), name=n) for a, n in zip(operands(), "xw"))
    found = []
    for f in (layer, layer.fn):
        y = sg.reduce_sum(f(f(x, w), w))
        g = sg.gradients(y, [x, w])
        h = sg.gradients(sum(sg.reduce_sum(sg.sin(a)) for a in g), [x, w])
        t = sg.jvp(g, w, operands()[1])
        found.append(sg.compile([y, *g, *h, *t], [x, w])(*operands()))
    for a, b in zip(*found):
        assert_allclose(a, b, rtol=1e-12, atol=1e-14)


def test_all_calls_share_one_graph_and_one_backward():
    x, w = (sg.placeholder("float64", np.shape(a), name=n) for a, n in zip(operands(), "xw"))
    y = x
    for _ in range(10):
        y = layer(y, w)
    g = sg.gradients(sg.reduce_sum(y), [x, w])
    graph = sg.freeze(g, [x, w])
    assert len(functions(graph)) == 2  # what also gives what the backward reads, and the backward


def test_another_kind_of_argument_makes_another_graph():
    for dtype in ("float32", "float64"):
        x, w = (sg.placeholder(dtype, np.shape(a)) for a in operands())
        assert layer(x, w).dtype == dtype


def test_structures_options_and_captures():
    scale = sg.Variable(2.0, name="scale")

    @sg.function
    def f(pair, power=2, *, mode="up"):
        a, b = pair["a"], pair["b"]
        return {"sum": (a + b) * scale, "power": a**power, "mode": mode}

    x = sg.placeholder("float32", [2], name="x")
    first, second = f({"a": x, "b": x}), f({"a": x, "b": x * 2}, 3, mode="down")
    assert (first["mode"], second["mode"]) == ("up", "down")
    found = sg.Session().run([first["sum"], second["power"]], {x: [1.0, 2.0]})
    assert_array_equal(found, [[4, 8], [1, 8]])


def test_a_function_that_assigns_keeps_program_order():
    v = sg.Variable(1.0, name="v")

    @sg.function
    def bump(x):
        v.assign(v + x)
        return v * 10

    one = sg.constant(1.0)
    a = bump(one)
    between = v.read_value()
    b = bump(one)
    session = sg.Session()
    assert session.run([a, between, b, v]) == [20, 2, 30, 3]
    assert session.run(v) == 3


def test_arrays_among_the_arguments_are_operands():
    x = sg.placeholder("float64", (4, 3), name="x")
    rows, w = operands()
    y = layer(x, w)
    assert_allclose(sg.compile(y, [x])(rows), np.tanh(rows @ w))


def test_a_call_round_trips_through_text(tmp_path):
    x, w = (sg.placeholder("float64", np.shape(a), name=n) for a, n in zip(operands(), "xw"))
    graph = sg.freeze([layer(layer(x, w), w)], [x, w])
    assert sg.parse(str(graph)) == graph
    sg.save(graph, tmp_path / "f.sg")
    found = sg.compile(sg.load(tmp_path / "f.sg"))(*operands())
    assert_array_equal(found, sg.compile(graph)(*operands()))


def test_graphs_are_not_mixed():
    x = sg.placeholder("float64", (3, 3))
    with sg.Graph().as_default():
        w = sg.placeholder("float64", (3, 3))
        with pytest.raises(MixedOperandsError):
            layer(x, w)


def test_python_conditions_on_a_value_say_what_to_use():
    @sg.function
    def f(x):
        return x if x > 0 else -x

    with pytest.raises(ValueUnknownError, match="cond"):
        f(sg.placeholder("float32", []))


def test_checks_that_a_function_returns_can_be_run():
    @sg.function
    def f(x):
        return {"y": x * 2, "check": sg.Assert(x > 0, [x], "not positive")}

    x = sg.placeholder("float32", [], name="x")
    found, session = f(x), sg.Session()
    assert session.run(found, {x: 1.0}) == {"y": 2, "check": None}
    with pytest.raises(AssertionError, match="not positive"):
        session.run(found["check"], {x: -1.0})
    alone = sg.function(lambda x: sg.Assert(x > 0))(x)
    assert session.run(alone, {x: 1.0}) is None
    with pytest.raises(AssertionError):
        session.run(alone, {x: -1.0})
