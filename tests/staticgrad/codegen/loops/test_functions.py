"""Functions of loops, with the lines of the body in a statement, give what calls of the body do."""

import re

import numpy as np
import pytest

import gradops as ops
import staticgrad as sg
from staticgrad.codegen.load import load
from staticgrad.codegen.loops.rows import SHORT
from staticgrad.runtime.generated import source_of

from ...control.programs import PROGRAMS, graph_values


@pytest.mark.parametrize("known", [True, False], ids=["known", "unknown"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_both_forms_of_a_loop_give_the_same_bits(program, known):
    graph = graph_values(program, known)
    values = [np.asarray(x, e.dtype) for x, e in zip(program.data.values(), graph.inputs)]
    with np.errstate(all="ignore"):
        results = []
        for has_loops in (True, False):
            run = load(source_of(graph, "{},", any_layout=True, has_loops=has_loops))
            results.append([np.asarray(y).tobytes() for _ in range(2) for y in run(*values)])
    assert results[0] == results[1]


@pytest.fixture
def x():
    with sg.Graph().as_default():
        yield sg.placeholder("float64", ["n"], name="x")


def heads(source):
    return re.findall(r"^def (\w+)", source, re.M)


def test_a_long_body_is_called(x):
    def longer(a, e):
        for _ in range(SHORT + 1):
            a = ops.sin(a) + e
        return a

    source = sg.compile(sg.scan(longer, x, 0.5), [x], optimize=0).source
    assert heads(source) == ["body", "run"]
    source = sg.compile(sg.scan(lambda a, e: ops.sin(a) + e, x, 0.5), [x], optimize=0).source
    assert heads(source) == ["loop_1", "run"]


def test_state_that_changes_places_is_assigned_at_once(x):
    turn = lambda s, e: ((s[1], s[0] + e), ())
    (a, b), _ = sg.map_accumulate(turn, (ops.sum(x), ops.sum(x) * 2), x)
    a, b = sg.compile([a, b], [x])(np.array([1.0, 2.0, 4.0]))
    assert (a, b) == (14 + 2, 7 + 1 + 4)


def test_a_loop_without_results_or_changes_is_run(x):
    i = sg.while_loop(lambda i: ops.less(i, 0), lambda i: i, [3])
    assert sg.compile(i, [])() == 3


@pytest.mark.parametrize("keeps", [True, False], ids=["lists", "state"])
def test_an_error_names_the_step(x, keeps):
    matrix = lambda e: ops.reshape(e, shape=(1, 1))
    turn = lambda s, e: (s + ops.linalg.cholesky(matrix(e)), s if keeps else ())
    last, rows = sg.map_accumulate(turn, matrix(x[0]), x)
    run = sg.compile([last, rows] if keeps else last, [x])
    with pytest.raises(np.linalg.LinAlgError) as caught:
        run(np.array([1.0, 2.0, -1.0, 3.0]))
    notes = "\n".join(caught.value.__notes__)
    assert "in step 2 of a loop" in notes
    assert "made at test_functions.py:" in notes


def test_an_error_names_the_step_of_a_while_loop(x):
    body = lambda i, s: (i + 1, s - ops.linalg.cholesky(s))
    last = sg.while_loop(lambda i, s: i < 9, body, [0, ops.reshape(x, shape=(1, 1))])
    with pytest.raises(np.linalg.LinAlgError) as caught:
        sg.compile(last, [x])(np.array([4.0]))
    assert any("in step 3 of a loop" in note for note in caught.value.__notes__)


def test_buffers_are_taken_once_where_sizes_are_known():
    x = sg.placeholder("float64", [4, 600], name="x")
    source = sg.compile(
        sg.foldl(lambda a, e: a + ops.sum(ops.tanh(a * e)), x), [x], optimize=0
    ).source
    before, _, after = source.partition("        for ")
    assert "pool = " in before
    assert "\n    pool.append(arena)" in after


def test_buffers_depend_on_sizes_that_change():
    x = sg.placeholder("float64", [3], name="x")
    grow = lambda i, s: (i + 1, ops.tanh(ops.concatenate([s, s]) * 0.5) + ops.sum(s * 2))
    shapes = [[], [None]]
    last = sg.while_loop(lambda i, s: i < 12, grow, [0, x], shape_invariants=shapes)[1]
    graph = sg.freeze(last, [x])
    data = np.array([0.1, 0.2, 0.3])
    assert np.array_equal(sg.compile(graph)(data)[0], sg.interpret(graph, [data])[0])
