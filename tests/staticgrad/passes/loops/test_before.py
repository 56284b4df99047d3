"""Products of list entries with weights are one product before the loop."""

import numpy as np
import pytest

import gradops as ops
import staticgrad as sg
from staticgrad.passes import Pipeline, ProjectionsBeforeLoop

RNG = np.random.default_rng(0)
before = Pipeline([ProjectionsBeforeLoop()])


def recurrent(steps, batch, cell):
    with sg.Graph().as_default():
        x = sg.placeholder("float64", [steps, batch, 3] if batch else [steps, 3], name="x")
        u, b = sg.placeholder("float64", [3, 3], name="u"), sg.placeholder("float64", [3], name="b")
        first = sg.zeros((batch, 3), "float64") if batch else sg.zeros((3,), "float64")
        return sg.freeze([sg.scan(lambda h, v: cell(h, v, u, b), x, first)], [x, u, b])


def body_of(graph):
    (loop,) = [e for e in graph if e.what == "loop"]
    return [e.what for e in loop.attrs["body"] if e.op is not None]


@pytest.mark.parametrize("steps", [0, 1, 5])
@pytest.mark.parametrize("batch", [2, None], ids=["rows", "vectors"])
def test_products_and_what_follows_leave_the_loop(steps, batch):
    graph = recurrent(steps, batch, lambda h, v, u, b: ops.tanh(v @ u + b + h))
    changed = before(graph)
    sg.verify(changed)
    assert body_of(changed) == ["add", "tanh"]
    feeds = [RNG.normal(size=e.shape) for e in graph.inputs]
    expected = sg.interpret(graph, feeds)[0]
    for run in (sg.compile(changed, optimize=0), sg.compile(graph)):
        np.testing.assert_allclose(run(*feeds)[0], expected, rtol=1e-13, atol=1e-13)


def test_lines_of_the_user_stay_with_what_leaves():
    changed = before(recurrent(5, 2, lambda h, v, u, b: ops.tanh(v @ u + h)))
    (product,) = [e for e in changed if e.what == "matmul"]
    assert product.line.startswith("test_before.py:")
    assert product.shape == (5, 2, 3)


def test_large_elementwise_ops_stay():
    with sg.Graph().as_default():
        x = sg.placeholder("float64", [5, 1000], name="x")
        small = sg.placeholder("float64", [5, 10], name="x")
        scans = [sg.scan(lambda h, v: h + ops.exp(v), y, y[0]) for y in (x, small)]
        graph = before(sg.freeze(scans, [x, small]))
    bodies = [[e.what for e in each.attrs["body"]] for each in graph if each.what == "loop"]
    assert ["exp" in body for body in bodies] == [True, False]


def test_results_take_no_more_memory_than_the_lists():
    with sg.Graph().as_default():
        x = sg.placeholder("float64", [5, 2, 3], name="x")
        u = sg.placeholder("float64", [3, 2000], name="u")
        y, _ = sg.map_accumulate(lambda s, v: (s + v @ u, ()), sg.zeros((2, 2000), "float64"), x)
        graph = sg.freeze(y, [x, u])
    assert before(graph) is graph


def test_triangles_of_entries_are_solved_and_cut_before_the_loop():
    with sg.Graph().as_default():
        factors = sg.placeholder("float64", [5, 3, 3], name="factors")
        more = sg.placeholder("float64", [5, 3, 9], name="more")  # or results were too many bytes
        start = sg.placeholder("float64", [3, 9], name="start")

        def step(s, entries):
            lower = ops.OPS["tril"](entries[0], k=0)
            one = sg.eye(3, dtype="float64")
            inverse = ops.OPS["solve_triangular"](lower, one, lower=True, checked=False)
            return inverse @ s + lower @ entries[1]

        graph = sg.freeze([sg.foldl(step, (factors, more), start)], [factors, more, start])
    changed = before(graph)
    sg.verify(changed)
    assert not {"tril", "solve_triangular"} & set(body_of(changed))
    feeds = [RNG.normal(size=e.shape) for e in graph.inputs]
    feeds[0] += 3 * np.eye(3)
    [got], [want] = sg.interpret(changed, feeds), sg.interpret(graph, feeds)
    np.testing.assert_allclose(got, want, rtol=1e-12)
