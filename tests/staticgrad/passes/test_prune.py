"""Pruning: loops, branches and calls compute only what is read, and the same bits."""

import numpy as np
import pytest

import gradops as ops
import staticgrad as sg
from gradops import CheckError
from staticgrad.passes.prune import prune


def inner(graph, what):
    (found,) = [e for e in graph if e.what == what]
    return found


def test_state_that_nothing_needs_is_dropped():
    x = sg.placeholder("float64", [3], name="x")
    body = lambda i, a, b, c: (i + 1, a * x, ops.sin(b) + a, c + 1.0)
    _, a, _, _ = sg.while_loop(lambda i, *rest: i < 3, body, [0, x, x * 2, x * 3])
    graph = sg.freeze(a, [x])
    pruned = prune(graph)
    sg.verify(pruned)
    assert inner(graph, "loop").attrs["carries"] == 4
    loop = inner(pruned, "loop")
    assert loop.attrs["carries"] == 2
    assert len(loop.attrs["body"].outputs) == 2
    assert not any(e.what == "sin" for e in loop.attrs["body"])
    data = np.array([0.5, 1.0, 2.0])
    assert np.array_equal(*[sg.compile(g, optimize=0)(data)[0] for g in (graph, pruned)])


def test_lists_that_nothing_reads_are_dropped_but_one_says_how_many_steps_there_are():
    x = sg.placeholder("float64", ["n"], name="x")
    last, rows = sg.map_accumulate(lambda s, e: (s * 2, (s, e["a"])), 1.0, {"a": x, "b": x * 2})
    graph = prune(sg.freeze(last, [x]))
    loop = inner(graph, "loop")
    assert (loop.attrs["lists"], loop.attrs["gives"]) == (1, 0)
    assert sg.compile(graph)(np.ones(4))[0] == 16
    graph = prune(sg.freeze(rows[1], [x]))
    assert inner(graph, "loop").attrs["carries"] == 0


def test_results_of_branches_that_nothing_reads_are_dropped():
    x, p = sg.placeholder("float64", [], name="x"), sg.placeholder("bool", [], name="p")
    y = ops.exp(x)
    a, _ = sg.cond(p, lambda: (x * 2, ops.sin(y)), lambda: (x * 3, ops.cos(y)))
    graph = prune(sg.freeze(a, [x, p]))
    assert {e.what for e in graph} == {"placeholder", "case", "part"}
    assert sg.compile(graph)(1.0, True) == (2,)


def test_loops_in_loops_are_pruned_too():
    x = sg.placeholder("float64", [3], name="x")
    pair = lambda s: sg.fori(0, 2, lambda i, v: (v[0] * x, v[1] + v[0]), (s, s))
    y = sg.fori(0, 2, lambda i, s: pair(s)[0], x)
    graph = prune(sg.freeze(y, [x]))
    (body,) = [e.attrs["body"] for e in graph if e.what == "loop"]
    assert inner(body, "loop").attrs["carries"] == 1


def test_a_graph_with_nothing_to_prune_stays_itself():
    x = sg.placeholder("float64", [3], name="x")
    graph = sg.freeze(sg.fori(0, 2, lambda i, s: s * x, x), [x])
    assert prune(graph) is graph


def test_effects_are_kept(capsys):
    x, v, session = sg.placeholder("float64", [], name="x"), sg.Variable(0.0), sg.Session()
    body = lambda i, k: (v.assign_add(1.0), (i + 1, sg.Print(k, [i], "at ")))[1]
    i, _ = sg.while_loop(lambda i, k: i < 2, body, [0, x])
    session.run(i, {x: 1.0})
    assert session.run(v) == 2
    assert capsys.readouterr().err == "at 0\nat 1\n"


def checked(s):
    with sg.control_dependencies([sg.Assert(sg.reduce_all(s < 5.0), [s])]):
        return sg.identity(s) * 2.0


CHECKED = {
    "loop": lambda x: sg.while_loop(
        lambda k, s: k < 2, lambda k, s: (k + 1, checked(s) * s), [sg.constant(0), x]
    )[1],
    "scan": lambda x: sg.scan(lambda s, _: checked(s) * s, np.arange(2.0), x),
    "branch": lambda x: sg.cond(x[0] > 0, lambda: checked(x) * x, lambda: x),
    "branch in a loop": lambda x: sg.while_loop(
        lambda k, s: k < 2,
        lambda k, s: (k + 1, sg.cond(s[0] > 0, lambda: checked(s) * s, lambda: s)),
        [sg.constant(0), x],
    )[1],
}


@pytest.mark.parametrize("optimize", [0, 1, 2])
@pytest.mark.parametrize("name", CHECKED)
def test_checks_of_what_a_gradient_needs_are_made(name, optimize):
    x = sg.placeholder("float64", [3], name="x")
    y = CHECKED[name](x)
    run = sg.compile(sg.gradients(sg.reduce_sum(y), [x]), [x], optimize=optimize)
    run(np.array([0.1, 0.2, 0.3]))
    with pytest.raises(CheckError, match="a check failed"):
        run(np.array([1.0, 2.0, 30.0]))
