"""Snapshots of variables, and runs with some feeds fixed."""

import numpy as np
import pytest

import staticgrad as sg
from gradops import FeedError, FetchError


@pytest.fixture
def v():
    return sg.Variable([1.0, 2.0], name="v")


@pytest.fixture
def w():
    return sg.Variable(3, name="w")


def values(session, *variables):
    return [np.asarray(x).tolist() for x in session.run(list(variables))]


def test_a_snapshot_has_all_variables_and_does_not_follow_them(v, w):
    session = sg.Session()
    step = [v.assign(v * 2), w.assign_add(1)]
    session.run(step)
    taken = session.snapshot()
    session.run(step)
    assert {name: a.tolist() for name, a in taken.values.items()} == {"v": [2, 4], "w": 4}
    session.restore(taken)
    assert values(session, v, w) == [[2, 4], 4]
    session.run(step)
    assert taken.values["v"].tolist() == [2, 4]


def test_a_snapshot_copies_nothing_and_cannot_be_changed(v):
    session = sg.Session()
    session.run(v.assign(v * 2))
    taken = session.snapshot()
    assert np.shares_memory(taken.values["v"], session.values[v])
    with pytest.raises(ValueError, match="read-only"):
        taken.values["v"][0] = 9
    with pytest.raises(TypeError):
        taken.values["v"] = np.zeros(2)
    assert repr(taken) == "<Snapshot of 1 variables>"


def test_a_snapshot_may_be_restored_in_another_session_or_graph(v):
    session, other = sg.Session(), sg.Session()
    session.run(v.assign(v * 2))
    other.restore(session.snapshot())
    other.run(v.assign(v + 1))
    assert values(session, v) + values(other, v) == [[2, 4], [3, 5]]
    with sg.Graph().as_default():
        same = sg.Variable([0.0, 0.0], name="v")
        third = sg.Session()
        third.restore(session.snapshot())
        assert values(third, same) == [[2, 4]]


def test_a_mapping_restores_what_it_names_by_names_or_variables(v, w):
    session = sg.Session()
    mine = np.array([7.0, 8.0], np.float32)
    session.restore({"v": mine, w: 9})
    mine[:] = 0
    assert values(session, v, w) == [[7, 8], 9]
    session.restore({"v": [0.5, 0.5]})
    assert values(session, v, w) == [[0.5, 0.5], 9]


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"v": np.zeros(3, np.float32)}, r"v: float32\[2\] was fed an array of shape \(3,\)"),
        ({"v": np.zeros(2)}, r"v: float32\[2\] was fed float64\[2\]"),
        ({"w": 2.5}, r"w: int64\[\] was fed float64"),
        ({"vv": [0.0, 0.0]}, r"no variable called 'vv'; did you mean 'v'\?"),
        ({"v:0": [0.0, 0.0], "v": [0.0, 0.0]}, "'v' is given twice"),
        ({"constant": 1.0}, "no variable called 'constant'"),
        ([1.0], "a snapshot or a mapping, not a list"),
    ],
)
def test_restoring_is_all_or_nothing(v, w, wrong, says):
    sg.constant(1.0)
    session = sg.Session()
    first = {"w": 100} if isinstance(wrong, dict) and "w" not in wrong else {}
    with pytest.raises(FeedError, match=says):
        session.restore(first | wrong if isinstance(wrong, dict) else wrong)
    assert values(session, v, w) == [[1, 2], 3]


def test_a_restored_value_in_another_layout_is_computed_with_all_the_same():
    v = sg.Variable(np.zeros((2, 3)), name="v")
    session = sg.Session()
    session.restore({v: np.asfortranarray(np.arange(6.0).reshape(2, 3))})
    assert session.values[v].flags.c_contiguous
    assert session.run(v + 1).tolist() == [[1, 2, 3], [4, 5, 6]]


def test_a_partial_run_takes_the_other_feeds_by_name_or_mapping():
    x, y = (sg.placeholder("float32", ["n"], name=name) for name in ("x", "in/y"))
    run = sg.Session().partial({"sum": x + y, "x": x}, {"x": [1.0, 2.0]})
    for feeds in ({y: [10.0, 20.0]}, {"in/y": [10.0, 20.0]}, {"in/y:0": [10.0, 20.0]}):
        assert run(feeds)["sum"].tolist() == [11, 22]
    assert run({y: [0.0]}, x=[5.0])["sum"].tolist() == [5]
    assert run({y: [0.0, 0.0]})["x"].tolist() == [1, 2]


def test_a_partial_run_changes_variables_as_a_run_does(w):
    n = sg.placeholder("int64", [], name="n")
    add = sg.Session().partial(w.assign_add(n))
    assert [add(n=1), add(n=10), add({n: 100})] == [4, 14, 114]


def test_a_partial_run_refuses_what_a_run_refuses(v):
    x = sg.placeholder("float32", ["n"], name="x")
    session = sg.Session()
    with pytest.raises(FeedError, match=r"x: float32\[n\] was fed float64"):
        session.partial(x, {x: np.zeros(2)})
    with pytest.raises(FetchError, match="neither an expression nor the name"):
        session.partial(3.0)
    run = session.partial(x * v)
    with pytest.raises(FeedError, match=r"no value is fed for 1 placeholder:\n  x: float32"):
        run()
    with pytest.raises(FeedError, match=r"nothing is called 'xx' to be fed; did you mean 'x'\?"):
        run(xx=[1.0])
    with pytest.raises(FeedError, match="'x' is fed twice"):
        run({x: [1.0]}, x=[1.0])
    with pytest.raises(FeedError, match="feed_dict maps"):
        run([1.0])


def test_a_partial_run_compiles_once_per_set_of_feeds():
    x, y = (sg.placeholder("float32", [], name=name) for name in "xy")
    session = sg.Session()
    run = session.partial(x + y, {x: 1.0})
    assert [run(y=i) for i in range(5)] == [1, 2, 3, 4, 5]
    assert len(session.plans) == 1


def test_a_graph_with_random_numbers_has_a_snapshot_before_its_first_run():
    u = sg.random_uniform([2], seed=1)
    session = sg.Session()
    before = session.snapshot()
    first = session.run(u)
    assert session.run(u).tolist() != first.tolist()
    session.restore(before)
    assert session.run(u).tolist() == first.tolist()
