"""Schedules: their closed forms, and TensorFlow's numbers."""

import math

import numpy as np
import pytest

import staticgrad as sg
from gradops import OptionError

RATE, STEPS = np.float64(0.4), [0, 1, 3, 10, 11, 20, 25, 40]
KNOWN = {
    "exponential": (
        lambda t, rate, step: t.train.exponential_decay(rate, step, 10, 0.5),
        lambda n: 0.4 * 0.5 ** (n / 10),
    ),
    "exponential, in steps": (
        lambda t, rate, step: t.train.exponential_decay(rate, step, 10, 0.5, staircase=True),
        lambda n: 0.4 * 0.5 ** (n // 10),
    ),
    "natural": (
        lambda t, rate, step: t.train.natural_exp_decay(rate, step, 10, 0.5),
        lambda n: 0.4 * math.exp(-0.5 * n / 10),
    ),
    "inverse time": (
        lambda t, rate, step: t.train.inverse_time_decay(rate, step, 10, 0.5),
        lambda n: 0.4 / (1 + 0.5 * n / 10),
    ),
    "inverse time, in steps": (
        lambda t, rate, step: t.train.inverse_time_decay(rate, step, 10, 0.5, True),
        lambda n: 0.4 / (1 + 0.5 * (n // 10)),
    ),
    "polynomial": (
        lambda t, rate, step: t.train.polynomial_decay(rate, step, 20, 0.125, power=2.0),
        lambda n: 0.275 * (1 - min(n, 20) / 20) ** 2 + 0.125,
    ),
    "polynomial, again and again": (
        lambda t, rate, step: t.train.polynomial_decay(rate, step, 10, 0.125, cycle=True),
        lambda n: 0.275 * (1 - n / (10 * max(1, math.ceil(n / 10)))) + 0.125,
    ),
    "cosine": (
        lambda t, rate, step: t.train.cosine_decay(rate, step, 20, 0.25),
        lambda n: 0.4 * (0.75 * (1 + math.cos(math.pi * min(n, 20) / 20)) / 2 + 0.25),
    ),
    "piecewise": (
        lambda t, rate, step: t.train.piecewise_constant(step, [3, 11], [rate, rate / 2, rate / 4]),
        lambda n: 0.4 if n <= 3 else 0.2 if n <= 11 else 0.1,
    ),
}
every_schedule = pytest.mark.parametrize(("build", "closed"), KNOWN.values(), ids=KNOWN)


def values(t, build, rate):
    with t.Graph().as_default():
        step = t.placeholder("int64", [])
        rate = build(t, rate, step)
        session = t.Session()
        return [session.run(rate, {step: n}) for n in STEPS]


@every_schedule
def test_a_schedule_is_its_closed_form(build, closed):
    np.testing.assert_allclose(values(sg, build, RATE), [closed(n) for n in STEPS], rtol=1e-14)


@pytest.mark.peers
@every_schedule
def test_a_schedule_has_tensorflows_numbers(tensorflow, build, closed):
    rate = np.float32(RATE)  # of float64 rates TensorFlow builds half of the schedules
    ours, theirs = values(sg, build, rate), values(tensorflow, build, rate)
    assert [x.dtype for x in ours] == [x.dtype for x in theirs]
    np.testing.assert_allclose(ours, theirs, rtol=1e-6)


@every_schedule
def test_a_schedule_reads_the_step_before_it_is_counted_up(build, closed):
    step, w = sg.train.get_or_create_global_step(), sg.Variable(np.float64(0.0))
    rate = build(sg, RATE, step)
    train = sg.train.GradientDescentOptimizer(rate).minimize(-w, global_step=step)
    session = sg.Session()
    for _ in range(4):
        session.run(train)
    np.testing.assert_allclose(session.run(w), sum(map(closed, range(4))), rtol=1e-14)


def test_rates_that_are_numbers_give_the_default_dtype():
    step = sg.placeholder("int32", [])
    assert sg.train.exponential_decay(0.5, step, 10, 0.5).dtype == "float32"
    assert sg.train.piecewise_constant(step, [1.5], [0.5, 1.0]).dtype == "float32"


def test_values_have_one_boundary_less():
    with pytest.raises(OptionError, match="2 boundaries separate 3 values, not 2"):
        sg.train.piecewise_constant(sg.constant(1), [1, 2], [0.1, 0.2])


def test_a_rate_that_is_written_as_an_integer_is_a_float():
    step = sg.placeholder("int64", [])
    rate = sg.compile(sg.train.exponential_decay(1, step, 10, 0.25), [step])
    assert (rate(5), rate(5).dtype) == (0.5, np.float32)
    rate = sg.compile(sg.train.piecewise_constant(step, [-1.5], [0.5, 1]), [step])
    assert [rate(-2), rate(-1)] == [0.5, 1]
