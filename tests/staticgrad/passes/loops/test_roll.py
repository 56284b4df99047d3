"""Unrolled loops become loops that give the same bits."""

import numpy as np
import pytest

import gradops as ops
import staticgrad as sg
from staticgrad.passes import RollRepeats

RNG = np.random.default_rng(0)
STEPS = 20
roll = RollRepeats(least=60)


def oscillator(x, series):
    """Numbers as state, entries of an array, and all states as results."""
    p, q = x[0], x[1]
    results = []
    for i in range(STEPS):
        p, q = p + 0.1 * q - 0.01 * p * series[i, 0], q - 0.1 * ops.sin(p) * x[2]
        results.append(p * q)
    return [p, q, ops.stack(results)]


def small_vectors(x, series):
    """Vectors as state, and rows of an array."""
    s = x * 2
    for i in range(STEPS):
        s = ops.tanh(s * 0.5 + series[i]) + ops.sum(s * x) * 0.1 - s[::-1] * 0.2
    return [s]


def backwards(x, series):
    """Rows from the last to the first."""
    s, total = x, ops.sum(x)
    for i in reversed(range(STEPS)):
        s = ops.sin(s) + series[i] * ops.cos(s) - x
        total = total + ops.sum(s)
    return [s, total]


def without_state(x, series):
    """The same of each row."""
    rows = [ops.sum(ops.exp(ops.sin(series[i]) * x) + x * 2) for i in range(STEPS)]
    return [ops.stack(rows), rows[3]]


def constants(x, series):
    """Numbers that differ from step to step."""
    s = x
    for i in range(STEPS):
        s = ops.sin(s * (0.1 * i + 0.5)) + x * np.float64(i) - s * 0.5
    return [s]


def two_in_turn(x, series):
    """A loop on the results of another, and one in the opposite direction."""
    s, states = x[0], []
    for i in range(STEPS):
        s = ops.sin(s) * x[1] + series[i, 0] * 0.5 - 0.1
        states.append(s)
    t = x[2]
    for v in states:
        t = ops.cos(t) * v + x[0] * 0.25 - t * 0.125
    u = x[1]
    for v in states[::-1]:
        u = ops.exp(-u * u) * v - x[0] + u * 0.0625
    return [s, t, u]


def ends_differ(x, series):
    """Other ops in some steps."""
    s = x
    for i in range(3 * STEPS):
        s = ops.tanh(s * 0.5 + x) - ops.sin(s) * 0.25
        if i in (1, 25):
            s = ops.exp(-s)
    return [s]


def matrices(x, series):
    """Products, whose operands are views."""
    a = ops.reshape(series[:3], shape=(3, 3))
    s = a
    for _ in range(STEPS):
        s = ops.tanh(a.T @ s * 0.3 + s.T) @ a - s * 0.5
    return [s, ops.sum(s, axis=0)]


PROGRAMS = [
    oscillator, small_vectors, backwards, without_state, constants, two_in_turn, ends_differ,
    matrices,
]  # fmt: skip


def graph_of(program, order):
    """The graph of a program, with the derivatives up to an order of a number made of it."""
    with sg.Graph().as_default():
        x = sg.placeholder("float64", [3], name="x")
        series = sg.placeholder("float64", [STEPS, 3], name="series")
        ys = list(program(x, series))
        wanted = [x, series]
        results, last = [*ys], ys
        for _ in range(order):
            total = sum(ops.sum(y * y) for y in last)
            last = sg.gradients(total, wanted, unconnected="zero")
            results += last
        return sg.freeze(results, wanted)


def loops_in(graph):
    return [e for e in graph if e.what == "loop"]


@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_a_rolled_program_gives_the_same_bits(program, order):
    graph = graph_of(program, order)
    rolled = roll(graph)
    feeds = [RNG.normal(size=e.shape) for e in graph.inputs]
    sg.verify(rolled)
    expected = [np.asarray(y).tobytes() for y in sg.interpret(graph, feeds)]
    assert [np.asarray(y).tobytes() for y in sg.interpret(rolled, feeds)] == expected
    for level in (0, 1):
        run = sg.compile(rolled, optimize=level)
        assert [np.asarray(y).tobytes() for y in run(*feeds)] == expected


ROLLED = {
    oscillator: (1, 2), small_vectors: (1, 2), backwards: (1, 2), without_state: (1, 1),
    constants: (1, 2), two_in_turn: (2, 3), ends_differ: (2, 4), matrices: (1, 0),
}  # fmt: skip
"""The loops, at least, of a program, and of it with its gradient."""


@pytest.mark.parametrize("program", ROLLED, ids=lambda p: p.__name__)
def test_programs_and_gradients_are_loops(program):
    rolled = [roll(graph_of(program, order)) for order in (0, 1)]
    for graph, count in zip(rolled, ROLLED[program], strict=True):
        assert len(loops_in(graph)) >= count


def test_more_steps_make_no_larger_graph():
    sizes = []
    for steps in (50, 100, 200):
        with sg.Graph().as_default():
            x = sg.placeholder("float64", [], name="x")
            s = x
            for _ in range(steps):
                s = ops.sin(s) * x + ops.cos(s * 0.5) - s
            graph = sg.freeze([s, *sg.gradients(s, x)], [x])
        sizes.append(len(roll(graph)))
    assert sizes[0] == sizes[1] == sizes[2]


def test_errors_name_the_line_and_the_step():
    with sg.Graph().as_default():
        x = sg.placeholder("float64", [2, 2], name="x")
        s = x
        for _ in range(STEPS):
            s = s - ops.linalg.cholesky(s) * 0.5 + ops.sin(s) * 0.01
        run = sg.compile(roll(sg.freeze(s, [x])), optimize=0)
    with pytest.raises(np.linalg.LinAlgError) as caught:
        run(np.eye(2) * 0.1)
    notes = "\n".join(caught.value.__notes__)
    assert "made at test_roll.py:" in notes
    assert "of a loop" in notes


def test_effects_stay_as_they_are(capsys):
    with sg.Graph().as_default():
        x = sg.placeholder("float64", [], name="x")
        s = x
        for _ in range(STEPS):
            s = sg.Print(ops.sin(s) * x + s, [s], "at")
        graph = sg.freeze(s, [x])
    shown = []
    for each in (graph, roll(graph)):
        sg.compile(each, optimize=0)(0.5)
        shown.append(capsys.readouterr().err)
    assert shown[0] == shown[1]
    assert shown[0].count("at") == STEPS


def test_large_arrays_that_leave_steps_are_not_copied():
    with sg.Graph().as_default():
        x = sg.placeholder("float64", [1000], name="x")
        s, rows = x, []
        for _ in range(STEPS):
            s = ops.tanh(s * 0.5 + x) - ops.sin(s) * 0.25
            rows.append(ops.cos(s))
        assert not loops_in(roll(sg.freeze(rows, [x])))
        assert loops_in(roll(sg.freeze([s], [x])))


def test_short_repeats_stay():
    with sg.Graph().as_default():
        x = sg.placeholder("float64", [], name="x")
        s = x
        for _ in range(7):
            s = ops.sin(s) * x + s
        graph = sg.freeze(s, [x])
    assert RollRepeats(least=1)(graph) is graph


@pytest.mark.parametrize("optimize", [0, 1, 2])
def test_a_row_that_is_not_fed_stays_an_error(optimize):
    with sg.Graph().as_default():
        x = sg.placeholder("float64", [None], name="x")
        y = sg.constant(1.0, "float64")
        for i in range(300):
            y = sg.sin(y * x[i]) + sg.cos(y) * x[i] - sg.tanh(y)
        run = sg.compile(y, [x], optimize=optimize)
    data = np.linspace(0, 1, 300)
    assert run(np.append(data, 5.0)) == run(data)
    with pytest.raises(IndexError, match="out of range"):
        run(data[:200])
