"""Graphs for operands of known sizes: the values are those of the graph for any sizes."""

import numpy as np
import pytest

import staticgrad as sg
from gradops import Dim, ShapeError, type_of
from staticgrad.ir.graph import all_expressions
from staticgrad.ir.sizes import names_in
from staticgrad.transform.sizing import is_sized, sized


def rows(x):
    """Values of a size as a number, and of an axis of several sizes."""
    n = sg.shape(x)[0]
    flat = sg.reshape(sg.concat([x, x], 0), [-1])
    return sg.cast(n, "float64") * sg.reduce_sum(flat * flat), sg.zeros_like(x) + 1.0


def recurrence(x):
    """A loop over the rows, with a call and a branch in it."""
    scaled = sg.function(lambda v: v * sg.cast(sg.size(v), "float64"))

    def step(h, row):
        return sg.cond(sg.reduce_sum(row) > 0.0, lambda: sg.tanh(h + row), lambda: scaled(h - row))

    return sg.scan(step, x, sg.zeros_like(x[0]))


def countdown(x):
    """A loop with a condition, and its gradient."""
    y = sg.while_loop(lambda v: sg.reduce_sum(v * v) > 1.0, lambda v: (v * 0.5,), [x])
    return sg.gradients(sg.reduce_sum(y), [x])


@pytest.mark.parametrize("program", [rows, recurrence, countdown])
@pytest.mark.parametrize("shape", [(5, 3), (1, 3), (2, 1)])
def test_values_are_kept(program, shape):
    x = sg.placeholder("float64", ["n", "m"], name="x")
    result = program(x)
    graph = sg.freeze(list(result) if isinstance(result, list | tuple) else [result], [x])
    value = np.random.default_rng(0).normal(size=shape)
    new = sized(graph, [type_of(value)])
    sg.verify(new)
    assert is_sized(new)
    assert not is_sized(graph)
    for got, want in zip(sg.interpret(new, [value]), sg.interpret(graph, [value]), strict=True):
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("program", [rows, recurrence])
def test_all_sizes_are_known(program):
    x = sg.placeholder("float64", ["n", "m"], name="x")
    result = program(x)
    graph = sg.freeze(list(result) if isinstance(result, tuple) else [result], [x])
    new = sized(graph, [type_of(np.zeros((5, 3)))])
    assert not names_in(e.shape for e in all_expressions(new))


def test_axes_of_arithmetic_determine_sizes():
    x = sg.placeholder("float64", [2 * Dim("n") + 1], name="x")
    graph = sg.freeze([x[: Dim("n")] * 2.0], [x])
    assert sized(graph, [type_of(np.zeros(7))]).outputs[0].shape == (3,)


def test_a_state_that_grows_is_refused():
    x = sg.placeholder("float64", ["n"], name="x")
    grows = sg.while_loop(
        lambda v: sg.size(v) < 9, lambda v: (sg.concat([v, v], 0),), [x],
        shape_invariants=[(None,)],
    )  # fmt: skip
    graph = sg.freeze([grows], [x])
    with pytest.raises(ShapeError, match="state"):
        sized(graph, [type_of(np.zeros(2))])
