"""The schedule: a valid order, never a worse peak, and sizes are known before their use."""

import numpy as np
import pytest

import staticgrad as sg
from staticgrad.codegen.memory.schedule import (
    best_order,
    most_freed_first,
    most_needed_last,
    problem,
    schedule,
    simulated_peak,
)

from .. import random_graphs


def wide(branches, size=1 << 16):
    """A sum of branches of which each needs much memory and gives little, built breadth first."""
    x = sg.placeholder("float64", [size], name="x")
    large = [sg.exp(x * float(i)) for i in range(branches)]
    parts = [sg.reduce_sum(sg.tanh(y), keepdims=True) for y in large]
    return x, sg.reduce_sum(sg.concat(parts, 0))


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("candidate", [most_freed_first, most_needed_last])
def test_every_expression_comes_once_and_after_its_operands(seed, candidate):
    rng = np.random.default_rng(seed)
    xs, results = random_graphs.program(rng, 2000)
    graph = sg.freeze(results, xs)
    order = [graph.order[i] for i in candidate(problem(graph))]
    assert len(set(order)) == len(order) == len(graph)
    seen = set()
    for e in order:
        assert seen.issuperset(e.inputs)
        seen.add(e)


@pytest.mark.parametrize("seed", range(20))
def test_the_peak_is_never_above_that_of_the_program(seed):
    rng = np.random.default_rng(seed)
    graph = sg.freeze(*reversed(random_graphs.program(rng, 2000)))
    p, number = problem(graph), {e: i for i, e in enumerate(graph.order)}
    order = [number[e] for e in schedule(graph)]
    assert simulated_peak(p, order) <= simulated_peak(p, range(len(p)))


def test_branches_are_computed_one_after_another():
    x, y = wide(20)
    graph = sg.freeze([y], [x])
    p, number = problem(graph), {e: i for i, e in enumerate(graph.order)}
    one = (1 << 16) * 8
    assert simulated_peak(p, range(len(p))) >= 20 * one
    assert simulated_peak(p, [number[e] for e in best_order(graph)]) <= 3 * one


def test_what_fits_in_the_cache_keeps_the_order_of_the_program():
    x, y = wide(20, size=100)
    graph = sg.freeze([y], [x])
    assert schedule(graph) is graph.order


def test_a_size_that_data_determine_is_known_before_its_use():
    x = sg.placeholder("float64", ["n", 4000], name="x")
    mask = sg.placeholder("bool", ["n"], name="mask")
    large = [sg.exp(x * float(i)) for i in range(6)]
    chosen = sg.boolean_mask(x, mask)
    ones = sg.ones(sg.shape(chosen))
    y = sg.add_n([sg.reduce_sum(v) for v in large]) + sg.reduce_sum(ones * chosen)
    f = sg.compile([y, sg.shape(chosen)], [x, mask], optimize=1)
    feeds = [np.ones((5, 4000)), np.array([True, False, True, True, False])]
    assert np.array_equal(f(*feeds)[1], [3, 4000])
    assert f(*feeds)[0] == sg.interpret(sg.freeze([y], [x, mask]), feeds)[0]


def test_prints_keep_their_order(capsys):
    x = sg.placeholder("float64", [1 << 16], name="x")
    values = [sg.exp(x * float(i)) for i in range(5)]
    shown = [
        sg.Print(sg.reduce_sum(v), [sg.constant(i)], f"number {i}:")
        for i, v in enumerate(reversed(values))
    ]
    sg.Session().run(sg.add_n(shown), {x: np.zeros(1 << 16)})
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 5
    assert lines == sorted(lines)
