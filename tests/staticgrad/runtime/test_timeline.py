"""Timelines of graphs are those of the plan: their peak is the report's lower bound."""

import numpy as np
import pytest

import staticgrad as sg
from gradops.inspection.timeline.memory import Keeps


def network(batch):
    x = sg.placeholder("float32", [batch, 64], name="x")
    h = x
    for i in range(3):
        with sg.name_scope(f"layer{i}"):
            w = sg.Variable(np.ones((64, 64), np.float32), name="w")
            h = sg.tanh(h @ w + sg.Variable(np.zeros(64, np.float32), name="b"))
    loss = sg.reduce_mean(h * h)
    return x, [loss, *sg.gradients(loss, sg.trainable_variables())]


def loop(batch):
    x = sg.placeholder("float32", [batch, 64], name="x")
    y = sg.reduce_sum(sg.fori(0, 5, lambda i, h: sg.tanh(h * 2), x))
    return x, [y, *sg.gradients(y, x)]


@pytest.mark.parametrize("program", [network, loop])
@pytest.mark.parametrize("batch", [512, "n"])
@pytest.mark.parametrize("optimize", [0, 2])
def test_the_peak_is_the_lower_bound_of_the_report(program, batch, optimize):
    x, fetches = program(batch)
    variables = sg.trainable_variables()
    executable = sg.compile(fetches, [x, *variables], optimize=optimize)
    feeds = [np.ones((512, 64), np.float32), *(v.value for v in variables)]
    executable(*feeds)
    t = executable.timeline(feeds)
    assert t.peak == executable.report.lower_bound == executable.timeline().peak
    assert t.held == executable.report.arena
    assert t.steps[-1].name == "return"
    assert all(0 <= a.first <= a.last < len(t.steps) for a in t.allocations)


def test_results_live_to_the_end_and_saved_values_into_the_backward():
    x, fetches = network(512)
    t = sg.Session().timeline(fetches, {x: np.ones((512, 64), np.float32)})
    for a in t.allocations:
        if a.keeps is Keeps.RESULT:
            assert a.last == len(t.steps) - 1
        if a.keeps is Keeps.SAVED:
            assert a.first < t.backward_step <= a.last + 1  # its last reader may overwrite it
    assert {Keeps.RESULT, Keeps.SAVED, Keeps.BACKWARD} <= {a.keeps for a in t.allocations}


def test_sizes_come_from_the_feeds():
    x, fetches = network("n")
    session = sg.Session()
    small, large = (
        session.timeline(fetches, {x: np.ones((n, 64), np.float32)}).peak for n in (1000, 8000)
    )
    assert 7 < large / small < 8.5


def test_the_gradient_of_a_bias_does_not_keep_what_it_is_the_sum_of():
    """Also if the number of rows is unknown: a sum of rows is new memory even of a single one."""
    x, fetches = network("n")
    t = sg.Session().timeline(fetches, {x: np.ones((4096, 64), np.float32)})
    rows = 4096 * 64 * 4
    assert not [a for a in t.allocations if a.keeps is Keeps.RESULT and a.nbytes >= rows]


def test_machine_code_has_the_timeline_of_numpy():
    pytest.importorskip("llvmlite", reason="machine code comes with the extra `native`")
    x, fetches = loop(8)
    native = sg.compile(fetches, [x], backend="native")
    assert native.timeline([np.ones((8, 64), np.float32)]).peak > 0
