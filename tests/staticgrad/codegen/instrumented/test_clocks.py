"""Generated source with clocks between its lines."""

import itertools

import numpy as np
import pytest

import staticgrad as sg
from staticgrad.codegen.instrumented.clocks import Cost, times, with_clocks
from staticgrad.codegen.load import load
from staticgrad.runtime.profile import scoped


def programs():
    """Graphs with every form of generated code, and feeds."""
    x = sg.placeholder("float64", ["n"], name="x")
    yield sg.reduce_sum(sg.exp(x) * 2), x
    yield sg.fori(0, 3, lambda i, s: sg.cond(i > 1, lambda: s * 2, lambda: sg.sin(s)), x), x
    yield sg.reshape(x[x > 0], (-1,)), x
    clock_now = sg.placeholder("float64", [3], name="clock_now")
    yield clock_now + 1, clock_now


def clocked(y, x, clock):
    executable = sg.compile(y, [x], optimize=1)
    source, meter, cost = with_clocks(scoped(executable), clock)
    return executable, load(source), meter, cost


@pytest.mark.parametrize("number", range(4))
def test_clocks_change_no_bits_and_count_calls(number):
    y, x = list(programs())[number]
    executable, run, meter, _ = clocked(y, x, itertools.count().__next__)
    value = np.linspace(-1, 1, 3)
    np.testing.assert_array_equal(run(value), executable(value))
    assert meter.counts["run"] == 1
    if number == 1:
        assert meter.counts["body"] == 3
        assert sorted(meter.counts.values()) == [1, 1, 2, 3]


@pytest.mark.parametrize("number", range(4))
def test_what_the_clock_costs_is_subtracted(number):
    y, x = list(programs())[number]
    _, run, meter, cost = clocked(y, x, itertools.count().__next__)  # each read takes a tick
    run(np.linspace(-1, 1, 3))
    assert cost == Cost(1, 1, 1)
    assert not any(times(meter, cost))


def test_time_inside_a_loop_is_that_of_its_body_alone():
    now = [0]

    def clock():
        return now[0]

    def advance(*operands):
        now[0] += 100
        return np.sin(*operands)

    x = sg.placeholder("float64", [3], name="x")
    executable = sg.compile(sg.fori(0, 4, lambda i, s: sg.sin(s), x), [x], optimize=1)
    source, meter, _ = with_clocks(scoped(executable), clock)
    source.lines[:] = [line.replace("np.sin", "advance") for line in source.lines]
    source.scope["advance"] = advance
    load(source)(np.ones(3))
    spent = {i.e.op.name: t for i, t in zip(meter.intervals, meter.spent) if i.e is not None and t}
    assert spent == {"sin": 400}


def test_a_long_function_in_parts_is_measured_too():
    x = sg.placeholder("float64", [2], name="x")
    y = x
    for _ in range(1500):
        y = sg.sin(y) + x
    executable, run, meter, _ = clocked(y, x, itertools.count().__next__)
    assert len(meter.counts) > 2
    np.testing.assert_array_equal(run(np.ones(2)), executable(np.ones(2)))
    assert sum(i.e is not None for i in meter.intervals) >= 3000
