"""State that no step changes is shared by all steps."""

import numpy as np
import pytest

import staticgrad as sg
from staticgrad.passes import ShareUnchangedState


def loops_in(graph):
    return [e for e in graph.order if e.what == "loop"]


@pytest.fixture
def x():
    with sg.Graph().as_default():
        yield sg.placeholder("float64", [4], name="x")


def shared(fetches, x):
    graph = sg.freeze(fetches, [x])
    done = ShareUnchangedState()(graph)
    sg.verify(done)
    feeds = [np.array([0.5, -1.0, 2.0, 0.25])]
    for got, want in zip(sg.interpret(done, feeds), sg.interpret(graph, feeds), strict=True):
        np.testing.assert_array_equal(got, want)
    return graph, done


def test_the_cotangent_of_a_sum_is_carried_by_no_step(x):
    total = sg.foldl(lambda s, e: (s[0] * e, s[1] + s[0] * e), x, (1.0, 0.0))[1]
    graph, done = shared(sg.gradients(total, x), x)
    before, after = loops_in(graph)[-1], loops_in(done)[-1]
    assert after.attrs["carries"] < before.attrs["carries"]


@pytest.mark.parametrize("steps", [0, 3])
def test_unchanged_state_is_what_it_was_also_without_steps(x, steps):
    a, b, c = sg.fori(
        0, steps, lambda i, s: (s[0] * s[1], s[1], s[2] + s[1]), (x, sg.sin(x), sg.zeros_like(x))
    )
    _, done = shared([a, b, c], x)
    assert all(e.attrs["carries"] == 2 for e in loops_in(done))


def test_a_condition_reads_what_is_shared(x):
    limit = sg.reduce_max(x) * 4
    y, _ = sg.while_loop(lambda y, m: sg.reduce_max(y) < m, lambda y, m: (y * 2, m), [x, limit])
    _, done = shared([y], x)
    (loop,) = loops_in(done)
    assert loop.attrs["carries"] == 1


def test_state_that_changes_places_or_sizes_stays(x):
    a, b = sg.fori(0, 3, lambda i, s: (s[1], s[0]), (x, x * 2))
    graph = sg.freeze([a, b], [x])
    assert ShareUnchangedState()(graph) is graph


def test_what_depends_on_a_shared_constant_is_folded(x):
    one = sg.constant(1.0, "float64")
    y = sg.foldl(lambda s, e: (s[0] + s[1] * e, s[1]), x, (sg.constant(0.0, "float64"), one))[0]
    run = sg.compile(y, [x])
    (loop,) = loops_in(run.graph)
    assert "mul" not in [e.what for e in loop.attrs["body"].order]
    assert run([1.0, 2.0, 3.0, 4.0]) == 10.0
