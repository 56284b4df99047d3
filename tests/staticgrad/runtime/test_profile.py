"""Profiles of runs."""

import json

import numpy as np
import pytest

import staticgrad as sg
from gradops import FeedError
from gradops.core.errors import OptionError


def rows_by_op(profile):
    return {row.op: row for row in profile.rows}


def test_rows_have_calls_operations_and_bytes():
    a = sg.placeholder("float64", [3, 4], name="a")
    b = sg.placeholder("float64", [4, 5], name="b")
    rows = rows_by_op(sg.compile(sg.exp(a @ b), [a, b]).profile([np.ones((3, 4)), np.ones((4, 5))]))
    assert (rows["matmul"].flops, rows["matmul"].bytes) == (120, 8 * (12 + 20 + 15))
    assert (rows["exp"].flops, rows["exp"].bytes, rows["exp"].count) == (15, 8 * 30, 1)
    assert rows["exp"].line.startswith("test_profile.py:")


def test_times_add_up_and_come_in_order():
    x = sg.placeholder("float64", [100], name="x")
    profile = sg.compile(sg.reduce_sum(sg.exp(sg.sin(x))), [x]).profile(np.ones(100), repeat=3)
    seconds = [row.seconds for row in profile.rows]
    assert seconds == sorted(seconds, reverse=True)
    assert profile.seconds == sum(seconds)
    assert abs(sum(row.share for row in profile.rows) - 1) < 1e-9
    assert profile.run_seconds > 0
    for by in ("op", "scope", "line", "function"):
        assert np.isclose(sum(row.seconds for row in profile.by(by)), profile.seconds)


@pytest.mark.parametrize("sizes", [[4], ["n"]])
def test_loops_and_branches_are_counted_inside(sizes):
    x = sg.placeholder("float64", sizes, name="x")
    n = sg.placeholder("int64", [], name="n")
    step = lambda i, s: sg.cond(i < 2, lambda: sg.sin(s), lambda: sg.exp(s * 2))
    y = sg.while_loop(lambda i, s: i < n, lambda i, s: (i + 1, step(i, s)), [0, x])[1]
    rows = rows_by_op(sg.compile(y, [x, n]).profile({"n": 5, x: np.zeros(4)}))
    assert (rows["sin"].count, rows["sin"].flops) == (2, 8)
    assert (rows["exp"].count, rows["exp"].flops) == (3, 12)
    assert rows["sin"].bytes == 2 * 2 * 32
    assert rows["loop"].count == 1


def test_scopes_are_summed():
    x = sg.placeholder("float64", [4], name="x")
    with sg.name_scope("layer"):
        y = sg.exp(sg.sin(x))
    scopes = {row.name: row for row in sg.compile(y * 3, [x]).profile(np.ones(4)).by("scope")}
    assert scopes["layer"].count == 2
    assert scopes["layer"].flops == 8


def test_the_table_has_totals_and_is_cut():
    x = sg.placeholder("float64", [4], name="x")
    profile = sg.compile(sg.exp(sg.sin(sg.cos(x))), [x]).profile(np.ones(4))
    lines = profile.table(limit=1).split("\n")
    assert lines[0].split()[:4] == ["time", "share", "calls", "flop"]
    assert "more" in lines[2]
    assert lines[3].endswith("total")
    assert "100.0%" in lines[3]
    assert "without clocks" in lines[4]
    assert str(profile) == profile.table()
    assert "nodes" in repr(profile)


def test_json_has_all_rows():
    x = sg.placeholder("float64", [4], name="x")
    profile = sg.compile(sg.sin(x), [x]).profile(np.ones(4))
    loaded = json.loads(profile.to_json())
    assert loaded["seconds"] == profile.seconds
    assert {row["name"] for row in loaded["rows"]} == {row.name for row in profile.rows}


def test_a_session_profiles_with_its_variables_and_changes_none():
    w = sg.Variable(np.ones(3), name="w")
    x = sg.placeholder("float64", [3], name="x")
    session = sg.Session()
    session.run(w.assign(np.full(3, 2.0)))
    profile = session.profile(w.assign_add(sg.sin(x) * w), {"x": np.ones(3)}, repeat=2)
    assert rows_by_op(profile)["sin"].count == 1
    np.testing.assert_array_equal(session.run(w), [2.0, 2.0, 2.0])


def test_feeds_in_another_layout_and_lists_are_profiled():
    x = sg.placeholder("float64", [2, 3], name="x")
    f = sg.compile(sg.reduce_sum(x, axis=0), [x])
    assert f.profile([np.ones((3, 2)).T]).rows
    assert f.profile([[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]).rows


def test_wrong_arguments_are_refused_in_words():
    x = sg.placeholder("float64", [4], name="x")
    f = sg.compile(sg.sin(x), [x])
    with pytest.raises(FeedError):
        f.profile()
    with pytest.raises(FeedError, match="nothing is called 'z'"):
        f.profile({"z": np.ones(4)})
    with pytest.raises(OptionError, match="at least 1"):
        f.profile(np.ones(4), repeat=0)
    with pytest.raises(OptionError, match="'place'"):
        f.profile(np.ones(4)).by("place")


def test_where_floats_raise_the_code_for_arrays_is_profiled():
    x = sg.placeholder("float64", [], name="x")
    with np.errstate(all="ignore"):
        profile = sg.compile(sg.exp(x) * 0.0, [x]).profile(1e4)
    assert rows_by_op(profile)["exp"].count == 1
