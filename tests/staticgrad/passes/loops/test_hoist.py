"""Code that all steps of a loop have in common runs before it, where that cannot be noticed."""

import numpy as np
import pytest

import gradops as ops
import staticgrad as sg
from staticgrad.passes import HoistInvariants


def body_of(graph):
    (loop,) = [e for e in graph if e.what == "loop"]
    return [e.what for e in loop.attrs["body"]]


@pytest.fixture
def x():
    with sg.Graph().as_default():
        yield sg.placeholder("float64", [3], name="x")


def hoisted(y, *xs):
    graph = HoistInvariants()(sg.freeze(y, list(xs)))
    sg.verify(graph)
    return graph


def test_what_depends_on_captured_values_alone_is_computed_once(x):
    graph = hoisted(sg.fori(0, 4, lambda i, s: s + ops.exp(ops.sin(x) * 2), x), x)
    assert "exp" not in body_of(graph)
    assert [e.what for e in graph].count("exp") == 1


def test_what_no_step_changes_leaves_all_loops_it_is_in(x):
    inner = lambda s: sg.fori(0, 2, lambda j, v: v * ops.exp(x), s)
    graph = sg.freeze(sg.fori(0, 3, lambda i, s: inner(s), x), [x])
    changed = sg.passes.Pipeline([HoistInvariants()])(graph)
    assert "exp" in [e.what for e in changed]


def test_the_condition_of_a_loop_keeps_only_what_changes(x):
    y = sg.while_loop(lambda s: ops.sum(s) < ops.sum(x) * 8, lambda s: s * 2, [x])
    graph = hoisted(y, x)
    (loop,) = [e for e in graph if e.what == "loop"]
    assert [e.what for e in loop.attrs["cond"]].count("sum") == 2
    data = np.array([1.0, 2.0, 3.0])
    assert np.array_equal(sg.compile(graph, optimize=0)(data)[0], data * 8)


def test_what_may_fail_stays_in_a_loop_that_may_make_no_step():
    a, n = sg.placeholder("float64", [2, 2], name="a"), sg.placeholder("int64", [], name="n")
    body = lambda i, s: s + ops.linalg.cholesky(a)
    graph = hoisted(sg.fori(0, n, body, a), a, n)
    assert "cholesky" in body_of(graph)
    assert np.array_equal(sg.compile(graph)(-np.eye(2), 0)[0], -np.eye(2))
    assert "cholesky" not in body_of(hoisted(sg.fori(0, 3, body, a), a))


def test_what_may_fail_stays_behind_effects(x, capsys):
    a = sg.placeholder("float64", [2, 2], name="a")
    body = lambda i, s: sg.Print(s, [i], "step ") + ops.linalg.cholesky(a)
    run = sg.compile(hoisted(sg.fori(0, 3, body, a), a))
    with pytest.raises(np.linalg.LinAlgError):
        run(-np.eye(2))
    assert capsys.readouterr().err == "step 0\n"


def test_a_value_of_more_bytes_than_its_operands_stays():
    x = sg.placeholder("float64", [300], name="x")
    y = sg.fori(0, 4, lambda i, s: s + ops.exp(x[:, None] * x) @ s, x)
    assert "mul" in body_of(hoisted(y, x))
    assert "mul" not in body_of(HoistInvariants(limit=1 << 20)(sg.freeze(y, [x])))


def test_random_numbers_are_drawn_in_each_step():
    with sg.Graph().as_default():
        draw = lambda s, i: s * 0 + sg.random_uniform([], dtype="float64", seed=1)
        numbers = sg.scan(draw, sg.constant(np.arange(9)), sg.constant(np.float64(0)))
        assert np.unique(sg.Session().run(numbers)).size == 9
