"""Ops that one branch alone reads run in that branch."""

import numpy as np
import pytest

import gradops as ops
import staticgrad as sg
from staticgrad.passes import SinkIntoBranches


@pytest.fixture
def feeds():
    with sg.Graph().as_default():
        x = sg.placeholder("float64", ["n", 3], name="x")
        yield x, sg.placeholder("bool", [], name="p")


def sunk(y, feeds):
    graph = SinkIntoBranches()(sg.freeze(y, list(feeds)))
    sg.verify(graph)
    return graph


def ops_of(graph):
    return {e.what for e in graph if e.op is not None}


def test_ops_that_one_branch_reads_are_in_that_branch(feeds):
    x, p = feeds
    a, b, both = ops.exp(x) * 2, ops.tanh(x), ops.sin(x)
    y = sg.cond(p, lambda: ops.sum(a * both), lambda: ops.sum(b + both))
    graph = sunk(y, feeds)
    assert ops_of(graph) == {"sin", "case", "part"}
    (case,) = [e for e in graph if e.what == "case"]
    assert ["exp" in ops_of(branch) for branch in case.attrs["branches"]].count(True) == 1
    data = np.arange(6.0).reshape(2, 3)
    for flag in (True, False):
        old = sg.interpret(sg.freeze(y, [x, p]), [data, np.array(flag)])
        assert sg.compile(graph, optimize=0)(data, flag)[0] == old[0]


def test_ops_that_others_read_stay(feeds):
    x, p = feeds
    a = ops.exp(x)
    y = sg.cond(p, lambda: ops.sum(a), lambda: ops.sum(x))
    assert "exp" in ops_of(sunk([y, a], feeds))
    assert "exp" in ops_of(sunk([y, ops.sum(a)], feeds))
    assert "exp" not in ops_of(sunk([y], feeds))


def test_the_index_stays(feeds):
    x, _ = feeds
    index = ops.astype(ops.sum(x) > 0, dtype="int64")
    y = sg.switch_case(index, [lambda: x * 2, lambda: x * ops.astype(index, dtype="float64")])
    assert "sum" in ops_of(sunk(y, feeds))


def test_effects_run_whichever_branch_is_taken(feeds, capsys):
    x, p = feeds
    a = sg.Print(x, [], "seen") * 2
    y = sg.cond(p, lambda: ops.sum(a), lambda: ops.sum(x))
    run = sg.compile(sunk(y, feeds), optimize=0)
    for flag in (True, False):
        run(np.ones((1, 3)), flag)
    assert capsys.readouterr().err.count("seen") == 2


def test_what_is_not_needed_does_not_fail(feeds):
    x, p = feeds
    y = sg.cond(p, lambda: ops.sum(ops.linalg.inv(x.T @ x)), lambda: ops.sum(x))
    inverse = ops.linalg.inv(x.T @ x)
    z = sg.cond(p, lambda: ops.sum(inverse), lambda: ops.sum(x))
    for each in (y, z):
        assert sg.compile(sunk(each, feeds))(np.zeros((2, 3)), False)[0] == 0
