"""Passes over loops and branches keep what programs compute, with derivatives of two orders."""

import numpy as np
import pytest

import staticgrad as sg
from staticgrad.passes import LEVELS, Pipeline
from staticgrad.runtime.checking.verification import require_values

from ...control.programs import PROGRAMS, Program, graph_values
from ...control.test_random import computed, random_block

PASSES = [*dict.fromkeys(LEVELS[2])]
by_program = pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
by_pass = pytest.mark.parametrize("step", PASSES, ids=str)


def feeds_of(program, graph):
    return [
        np.asarray(x, e.dtype) for x, e in zip(program.data.values(), graph.inputs, strict=True)
    ]


@by_program
@by_pass
@pytest.mark.parametrize("known", [True, False], ids=["known", "unknown"])
def test_a_pass_keeps_values_and_derivatives(program, step, known):
    graph = graph_values(program, known)
    changed = Pipeline([step])(graph)
    if changed is not graph:
        sg.verify(changed)
        with np.errstate(all="ignore"):
            require_values(step, graph, changed, feeds_of(program, graph))


@pytest.mark.parametrize("seed", range(30))
def test_exact_passes_keep_the_bits_of_random_programs(seed):
    rng = np.random.default_rng(1000 + seed)
    block = random_block(rng, 3)
    data = {name: rng.normal(size=3) for name in "ab"}
    program = Program(lambda t, a, b: computed(t, block, [a, b]), data, "random")
    graph = graph_values(program, known=bool(seed % 2))
    changed = Pipeline([step for step in PASSES if not step.bound])(graph)
    feeds = feeds_of(program, graph)
    for x, y in zip(sg.interpret(graph, feeds), sg.interpret(changed, feeds), strict=True):
        assert np.asarray(x).tobytes() == np.asarray(y).tobytes()


@by_program
@pytest.mark.parametrize("known", [True, False], ids=["known", "unknown"])
def test_all_passes_together_keep_values_and_derivatives(program, known):
    graph = graph_values(program, known)
    feeds = feeds_of(program, graph)
    with np.errstate(all="ignore"):
        expected = sg.interpret(graph, feeds)
        run = sg.compile(graph, passes=[*LEVELS[2], *PASSES])
        for x, y in zip(expected, run(*feeds), strict=True):
            eps = np.finfo(x.dtype).eps if x.dtype.kind in "fc" else 0
            np.testing.assert_allclose(y, x, rtol=1e3 * eps, atol=1e3 * eps)
