"""Notebooks show graphs, executables and sessions, and looking changes nothing."""

import numpy as np
import pytest

import staticgrad as sg


@pytest.fixture
def program():
    with sg.Graph().as_default() as graph:
        x = sg.placeholder("float32", ["n", 3], name="x")
        w = sg.Variable(np.ones((3, 1), np.float32), name="w")
        loss = sg.reduce_sum(sg.tanh(x @ w), name="energy")
        train = sg.train.GradientDescentOptimizer(0.5).minimize(loss)
    return graph, x, w, loss, train


def test_graphs_are_shown_as_pictures(program):
    graph, x, _, loss, _ = program
    for shown in (graph, sg.freeze([loss, *sg.gradients(loss, [x])], [x])):
        forms = shown._repr_mimebundle_()
        assert forms["text/plain"] == repr(shown)
        assert "<svg" in forms["text/html"]
        assert ">energy</text>" in forms["text/html"]


def test_executables_are_shown_as_written_and_as_compiled(program):
    with sg.Graph().as_default():
        x = sg.placeholder("float32", [3], name="x")
        forms = sg.compile(sg.exp(x) * sg.exp(x) * 1.0, [x])._repr_mimebundle_()
    assert "as written: " in forms["text/html"]
    assert "compiled: " in forms["text/html"]


def test_sessions_show_the_values_that_variables_have_now(program):
    graph, x, _, _, train = program
    session = sg.Session(graph)
    session.run(train, {x: np.zeros((2, 3), np.float32)})
    session.restore({"w": np.full((3, 1), 7.0, np.float32)})
    forms = session._repr_mimebundle_()
    assert forms["text/plain"] == repr(session)
    assert "<td>w</td><td>float32[3, 1]</td><td>12</td><td>7</td><td>0</td>" in forms["text/html"]


def test_a_large_graph_is_shown_as_a_table():
    with sg.Graph().as_default() as graph:
        y = sg.placeholder("float32", [3], name="x")
        for _ in range(300):
            y = sg.tanh(y)
    html = graph._repr_mimebundle_()["text/html"]
    assert "<svg" not in html
    assert "<td>tanh</td><td>forward</td><td>300</td>" in html


def test_an_empty_graph_is_shown():
    assert sg.Graph()._repr_mimebundle_()["text/plain"] == "<Graph 'graph' of 0 expressions>"
    assert sg.Session(sg.Graph())._repr_mimebundle_()["text/plain"]
