"""Random numbers: reproducible by seeds, whatever else is run, and new in each run and step."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import gradops
import staticgrad as sg

DRAWS = {
    "random_normal": lambda seed=None: sg.random_normal([3], seed=seed),
    "truncated_normal": lambda seed=None: sg.truncated_normal([3], 1.0, 2.0, seed=seed),
    "random_uniform": lambda seed=None: sg.random_uniform([3], 2.0, 3.0, seed=seed),
    "integers": lambda seed=None: sg.random_uniform([3], 0, 1000, "int64", seed=seed),
    "random_bernoulli": lambda seed=None: sg.random_bernoulli([64], seed=seed),
    "random_shuffle": lambda seed=None: sg.random_shuffle(np.arange(20), seed=seed),
}
every_draw = pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)


def drawn(build, seed=1, runs=2):
    """What a graph of its own draws in a new session's first runs."""
    with sg.Graph().as_default():
        sg.set_random_seed(seed)
        x = build()
        session = sg.Session()
        return [session.run(x) for _ in range(runs)]


@every_draw
def test_sessions_with_one_seed_draw_the_same_and_each_run_something_else(draw):
    first, second = drawn(draw), drawn(draw)
    assert_array_equal(first, second)
    assert not np.array_equal(first[0], first[1])
    assert not np.array_equal(first, drawn(draw, seed=2))


@every_draw
def test_an_op_seed_makes_numbers_independent_of_the_name(draw):
    def two():
        return [draw(seed=7), draw(seed=7), draw(seed=8), draw()]

    a, b, c, d = drawn(two, runs=1)[0]
    assert_array_equal(a, b)
    assert not np.array_equal(a, c)
    assert not np.array_equal(a, d)


def test_numbers_do_not_depend_on_what_else_is_built_or_run():
    def alone():
        return sg.random_normal([3], name="x")

    def among():
        sg.random_uniform([2])
        with sg.name_scope("other"):
            y = sg.random_normal([3])
        x = sg.random_normal([3], name="x")
        with sg.control_dependencies([sg.group(y)]):
            return sg.identity(x)

    assert_array_equal(drawn(alone), drawn(among))


def test_numbers_are_those_that_the_key_gives_to_plain_arrays_and_tensors():
    sg.set_random_seed(1)
    key = sg.random_key(seed=4)
    x = gradops.random_normal(key, shape=(3,), dtype="float32")
    k, found = sg.Session().run([key, x])
    assert_array_equal(found, gradops.random_normal(k, shape=(3,), dtype="float32"))


def test_without_a_seed_graphs_differ():
    assert not np.array_equal(*(drawn(DRAWS["random_normal"], seed=None, runs=1) for _ in range(2)))


def test_each_step_of_loops_within_loops_draws_anew():
    def nested():
        row = sg.constant(np.zeros((4, 3), "float32"))
        return sg.map(lambda r: sg.map(lambda x: x + sg.random_uniform([]), r), row)

    found = drawn(nested, runs=3)
    assert len(np.unique(found)) == 36
    assert_array_equal(found, drawn(nested, runs=3))


def test_a_branch_in_a_loop_draws_anew_each_time_it_is_taken():
    def build():
        def step(i):
            return sg.cond(i % 2 < 1, lambda: sg.random_uniform([]), lambda: sg.constant(-1.0))

        return sg.map(step, np.arange(6))

    (found,) = drawn(build, runs=1)
    assert_array_equal(found[1::2], -1.0)
    assert len(set(found[::2])) == 3


def test_gradients_pass_to_the_mean_and_the_deviation():
    m, s = sg.Variable(1.0), sg.Variable(2.0)
    x = sg.random_normal([5], m, s, seed=1)
    gm, gs = sg.gradients(sg.reduce_sum(x), [m, s])
    gm, gs, x = sg.Session().run([gm, gs, x])
    assert gm == 5
    np.testing.assert_allclose(gs, np.sum((x - 1) / 2), rtol=1e-5)


def test_recomputed_steps_draw_what_they_drew():
    w = sg.placeholder("float64", [], name="w")

    def loss(residuals):
        step = lambda c, x: c * (w + sg.random_uniform([], dtype="float64", seed=3)) + x
        return sg.foldl(step, np.ones(4), np.float64(1), residuals=residuals)

    ys = [loss("stack"), loss("recompute")]
    grads = [sg.gradients(y, w)[0] for y in ys]
    a, b, ga, gb = sg.Session().run([*ys, *grads], {w: 0.5})
    assert a == b
    np.testing.assert_allclose(ga, gb, rtol=1e-14)


def test_a_restored_session_draws_again_what_it_drew():
    sg.set_random_seed(1)
    x = sg.random_normal([3])
    session = sg.Session()
    session.run(x)
    before = dict(session.values)
    found = session.run(x)
    session.values.update(before)
    assert_array_equal(session.run(x), found)


def test_threads_draw_each_number_once():
    sg.set_random_seed(1)
    x = sg.random_uniform([], dtype="float64")
    session = sg.Session()
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: float(session.run(x)), range(64)))
    alone = sg.Session()
    assert sorted(found) == sorted(float(alone.run(x)) for _ in range(64))


def test_another_process_draws_the_same():
    program = (
        "import staticgrad as sg; sg.set_random_seed(1); x = sg.random_normal([3], name='x');"
        "print(sg.Session().run(x).tolist())"
    )
    results = {
        subprocess.check_output(
            [sys.executable, "-c", program], env={**os.environ, "PYTHONHASHSEED": seed}
        )
        for seed in "12"
    }
    assert len(results) == 1


def test_integers_need_a_bound():
    with pytest.raises(gradops.core.errors.OptionError, match="maxval"):
        sg.random_uniform([2], dtype="int32")


def test_an_assignment_of_any_name_is_no_count_of_steps():
    v = sg.Variable(1.0)

    def step(i):
        v.assign(v * 2, name="random_step_size")
        return i + sg.random_uniform([], seed=1)

    y = sg.map(step, np.zeros(3, np.float32))
    assert len(set(sg.Session().run(y))) == 3


@pytest.mark.parametrize("seed", ["1", 1.5, [1]])
def test_a_seed_is_an_integer(seed):
    for call in (sg.set_random_seed, lambda seed: sg.random_normal([2], seed=seed)):
        with pytest.raises(gradops.OptionError, match="a seed is an integer"):
            call(seed)


def test_limits_of_random_numbers_may_be_sequences():
    low, high = sg.Session().run(sg.random_uniform([2], [0.0, 10.0], [1.0, 11.0]))
    assert 0 <= low < 1 <= 10 <= high < 11


@pytest.mark.parametrize("given", [{"rate": 2.0}, {"keep_prob": -0.5}, {"rate": np.nan}])
def test_what_is_dropped_is_dropped_with_a_probability(given):
    with pytest.raises(gradops.OptionError, match="is not a probability"):
        sg.nn.dropout(sg.ones([2]), **given)
