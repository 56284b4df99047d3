"""Variables that are updated in the same way share a block, and nobody notices."""

from collections import Counter

import numpy as np
import pytest

import gradops
import staticgrad as sg
from gradops.core.errors import NotFiniteError
from gradops.nn import optimizer_updates
from staticgrad.runtime import blocks
from staticgrad.runtime.session import Snapshot

SHAPES = [(3, 2), (2,), (2, 3), (1,), (2, 1, 2), (4,)]
OPTIMIZERS = {
    "sgd": lambda: sg.train.GradientDescentOptimizer(0.1),
    "momentum": lambda: sg.train.MomentumOptimizer(0.1, 0.9),
    "nesterov": lambda: sg.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
    "adam": lambda: sg.train.AdamOptimizer(0.1),
    "adam of PyTorch": lambda: sg.train.AdamOptimizer(0.1, epsilon_hat=False),
    "adamw": lambda: sg.train.AdamWOptimizer(0.1),
    "adagrad": lambda: sg.train.AdagradOptimizer(0.1),
    "rmsprop": lambda: sg.train.RMSPropOptimizer(0.1, momentum=0.5, centered=True),
    "rule": lambda: sg.train.Optimizer(optimizer_updates.rmsprop, 0.1),
}


def problem(optimizer, optimize=1, shapes=SHAPES, dtype="float32", order="C"):
    """A session, a training step, its feed, and the variables of a sum of squares."""
    rng = np.random.default_rng(0)
    with sg.Graph().as_default() as graph:
        x = sg.placeholder(dtype, [], name="x")
        variables = [
            sg.Variable(np.asarray(rng.normal(size=s).astype(dtype), order=order), name=f"w{i}")
            for i, s in enumerate(shapes)
        ]
        loss = sg.add_n([sg.reduce_sum(sg.sin(w * x)) for w in variables])
        train = optimizer().minimize(loss)
        return sg.Session(graph, optimize=optimize), train, x, variables


def blocks_in(session):
    return [b for plan in session.plans.values() for b in plan.blocks]


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_updates_in_blocks_have_the_bits_of_updates_one_by_one(name, dtype):
    values = []
    for optimize in (0, 1):
        session, train, x, _ = problem(OPTIMIZERS[name], optimize, dtype=dtype)
        for i in range(4):
            session.run(train, {x: np.asarray(i + 0.5, dtype)})
        assert bool(blocks_in(session)) == bool(optimize)
        values.append(session.snapshot().values)
    assert values[0].keys() == values[1].keys()
    for a, b in zip(values[0].values(), values[1].values(), strict=True):
        assert a.tobytes() == b.tobytes()
        assert (a.shape, a.dtype) == (b.shape, b.dtype)


def test_an_update_is_a_few_calls_whatever_the_number_of_variables():
    def calls(count):
        session, train, x, _ = problem(OPTIMIZERS["adam"], shapes=[(3,)] * count)
        session.run(train, {x: 1.0})
        (plan,) = session.plans.values()
        names = Counter(e.op.name for e in plan.executable.graph if e.op is not None)
        return names["sqrt"] + names["div"]

    assert calls(4) == calls(40)


def test_variables_can_be_read_assigned_and_restored_between_steps():
    def history(optimize):
        session, train, x, (w, v, *_) = problem(OPTIMIZERS["adam"], optimize)
        with session.graph.as_default():
            double, reset = w.assign(w * 2), v.initializer
        seen, step = [], lambda: session.run(train, {x: 0.5})
        step()
        seen.append(session.run([w, v]))
        before = session.snapshot()
        session.run(double)
        step()
        seen.append(session.run(w))
        session.restore({"w1": [1.0, 2.0]})
        step()
        session.run(reset)
        step()
        seen.append(session.run([w, v]))
        session.restore(before)
        step()
        return [*seen, session.run([w, v]), *session.snapshot().values.values()]

    for a, b in zip(gradops.flatten(history(0))[0], gradops.flatten(history(1))[0], strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_snapshot_does_not_change_with_later_steps():
    session, train, x, _ = problem(OPTIMIZERS["momentum"])
    session.run(train, {x: 0.5})
    snapshot = session.snapshot()
    copies = {name: value.copy() for name, value in snapshot.values.items()}
    session.run(train, {x: 0.5})
    for name, value in snapshot.values.items():
        np.testing.assert_array_equal(value, copies[name])
        assert not value.flags.writeable


def test_results_share_no_memory_with_variables():
    session, train, x, variables = problem(OPTIMIZERS["momentum"])
    results = session.run([*variables, train], {x: 0.5})[:-1]
    for result in results:
        assert not any(np.shares_memory(result, v) for v in session.values.values())
        result[...] = np.nan
    assert all(np.isfinite(session.run(v)).all() for v in variables)


def test_several_optimizers_of_overlapping_variables_take_turns():
    def values(optimize):
        with sg.Graph().as_default() as graph:
            ws = [sg.Variable(np.full(3, i + 1.0), name=f"w{i}") for i in range(8)]
            loss = sg.add_n([sg.reduce_sum(sg.sin(w)) for w in ws])
            first = sg.train.MomentumOptimizer(0.1, 0.9).minimize(loss, var_list=ws[:6])
            second = sg.train.GradientDescentOptimizer(0.1).minimize(loss, var_list=ws[2:])
        session = sg.Session(graph, optimize=optimize)
        for train in (first, second, second, first):
            session.run(train)
        return session.run(ws)

    np.testing.assert_array_equal(values(0), values(1))


def test_values_in_another_layout_keep_it():
    def values(optimize):
        session, train, x, variables = problem(OPTIMIZERS["sgd"], optimize)
        session.run(train, {x: 0.5})
        taken = dict(session.snapshot().values)
        taken["w0"] = np.asfortranarray(taken["w0"])
        session.restore(Snapshot(taken))
        session.run(train, {x: 0.5})
        return session.run(variables)

    for a, b in zip(values(0), values(1), strict=True):
        np.testing.assert_array_equal(a, b)


def test_variables_that_begin_in_another_layout_are_not_in_blocks():
    session, train, x, _ = problem(OPTIMIZERS["sgd"], shapes=[(2, 3)] * 5, order="F")
    session.run(train, {x: 0.5})
    assert not blocks_in(session)


def test_a_run_that_fails_changes_no_variable():
    session, train, x, variables = problem(OPTIMIZERS["adam"])
    session.run(train, {x: 0.5})
    before = session.run(variables)
    with session.graph.as_default(), sg.control_dependencies([train]):
        failing = sg.Assert(x < 0, [x])
    with pytest.raises(gradops.GradError):
        session.run([train, failing], {x: 0.5})
    for a, b in zip(before, session.run(variables), strict=True):
        np.testing.assert_array_equal(a, b)


def test_checked_and_watched_runs_see_the_variables_themselves():
    session, train, x, variables = problem(OPTIMIZERS["adam"])
    seen = []
    session.run(train, {x: 0.5}, check_numerics=True)
    session.run(train, {x: 0.5}, debug=lambda e, value: seen.append(e.name))
    session.run(train, {x: 0.5})
    assert {"w0", "w0/Adam/m"} <= set(seen)
    again, train, x, same = problem(OPTIMIZERS["adam"], 0)
    for _ in range(3):
        again.run(train, {x: 0.5})
    for v, w in zip(variables, same, strict=True):
        np.testing.assert_array_equal(session.run(v), again.run(w))
    session.restore({"w3": [np.inf]})
    with pytest.raises(NotFiniteError, match="w3: float32"):
        session.run(session.graph.find("Adam"), {"x": 0.5}, check_numerics=True)


def test_a_run_with_blocks_has_a_profile():
    session, train, x, _ = problem(OPTIMIZERS["adam"])
    before = session.snapshot()
    assert session.profile(train, {x: 0.5}).by("op")
    for name, value in session.snapshot().values.items():
        np.testing.assert_array_equal(value, before.values[name])


def test_only_small_arrays_of_floats_with_equal_formulas_share_a_block():
    with sg.Graph().as_default() as graph:
        kinds = {
            "small": [np.ones((2, i + 1), np.float32) for i in range(4)],
            "large": [np.ones(10_000, np.float32)] * 4,
            "number": [np.float32(1)] * 4,
            "double": [np.ones(3)] * 4,
            "whole": [np.ones(3, np.int64)] * 4,
            "few": [np.ones(3, np.float16)] * 3,
        }
        made = {k: [sg.Variable(x, name=k) for x in xs] for k, xs in kinds.items()}
        changes = [v.assign(v * v.own(2)) for vs in made.values() for v in vs]
        other = [v.assign(v + v.own(2)) for v in
                 [sg.Variable(np.ones(3, np.float32), name="other") for _ in range(4)]]  # fmt: skip
    session = sg.Session(graph, optimize=1)
    session.run([*changes, *other])
    names = {frozenset(v.name.rstrip("_0123456789") for v in b.variables)
             for b in blocks_in(session)}  # fmt: skip
    assert names == {frozenset({"small"}), frozenset({"double"}), frozenset({"other"})}


def test_blocks_have_a_few_tiles_of_entries():
    shapes = [(blocks.SMALL,)] * 10
    session, train, x, _ = problem(OPTIMIZERS["sgd"], shapes=shapes)
    session.run(train, {x: 0.5})
    found = blocks_in(session)
    assert all(b.ends[-1] <= blocks.TILE for b in found)
    assert sum(len(b.variables) for b in found) == 8  # two are too few for a block


def test_a_graph_without_updates_has_no_blocks():
    with sg.Graph().as_default() as graph:
        ws = [sg.Variable(np.ones(3)) for _ in range(5)]
        session = sg.Session(graph, optimize=1)
        session.run(sg.add_n(ws))
    assert not blocks_in(session)
