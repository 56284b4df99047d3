"""Constants that bodies capture: numbers inside again when a graph is compiled, unless fed."""

import numpy as np
import pytest

import gradops as ops
import staticgrad as sg
from staticgrad.passes import LEVELS, Pipeline, PropagateConstants

exact = Pipeline(LEVELS[1])

X = np.array([0.5, -1.0])

BODIES = {
    "loop": lambda x, c: sg.fori(0, 3, lambda i, y: y * c, x),
    "while": lambda x, c: sg.while_loop(lambda y: ops.sum(y) < c, lambda y: y + c, [x]),
    "case": lambda x, c: sg.cond(ops.sum(x) < 0, lambda: x * c, lambda: x + c),
    "call": lambda x, c: sg.function(lambda y: y * c)(x),
    "nested": lambda x, c: sg.fori(
        0,
        3,
        lambda i, y: sg.cond(ops.sum(y) < 9, lambda: sg.function(lambda z: z * c)(y), lambda: y),
        x,
    ),
}


def operands(graph):
    """How many operands loops, branches and calls have, in the graph and inside it."""
    found, stack = 0, [graph]
    while stack:
        for e in stack.pop():
            if e.what in ("loop", "case", "call"):
                found += len(e.inputs)
                stack += [g for v in e.attrs.values() for g in (v if type(v) is tuple else (v,))
                          if isinstance(g, sg.FrozenGraph)]  # fmt: skip
    return found


@pytest.mark.parametrize("kind", BODIES)
def test_a_constant_is_put_inside_unless_it_is_fed(kind):
    x, c = sg.placeholder("float64", [2], name="x"), sg.constant(3.0, "float64")
    y = BODIES[kind](x, c)
    free, fed = sg.freeze(y, [x]), sg.freeze(y, [x, c])
    assert operands(exact(free)) < operands(exact(fed)) == operands(fed)
    inside = PropagateConstants()(free)
    sg.verify(inside)
    wanted = sg.interpret(free, [X])[0]
    for graph in (inside, exact(free)):
        assert np.array_equal(sg.compile(graph, optimize=0)(X)[0], wanted)
    assert np.array_equal(sg.compile(fed)(X, 3.0)[0], wanted)


@pytest.mark.parametrize("other", [3.0, 4.0])
def test_calls_that_give_different_constants_go_on_sharing_one_graph(other):
    f = sg.function(lambda x, c: x * c)
    x, a, b = (
        sg.placeholder("float64", [2]),
        sg.constant(3.0, "float64"),
        sg.constant(other, "float64"),
    )
    graph = exact(sg.freeze(f(x, a) + f(x, b), [x]))
    assert {len(e.inputs) for e in graph if e.what == "call"} == {1 if other == 3.0 else 2}
    assert np.array_equal(sg.compile(graph)(X)[0], X * 3.0 + X * other)


def test_a_body_without_constants_stays_as_it_is():
    x = sg.placeholder("float64", [2])
    graph = sg.freeze(sg.fori(0, 3, lambda i, y: y * x, x), [x])
    assert PropagateConstants()(graph) is graph
