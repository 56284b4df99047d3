"""Runs that tell more than their results."""

import threading

import numpy as np
import pytest

import staticgrad as sg
from gradops import CheckError, NotFiniteError, UnreachedWarning


def test_the_first_value_that_is_not_finite_is_named_with_its_operands_and_line():
    x = sg.placeholder("float32", [3], name="x")
    y = sg.reduce_sum(sg.log(x) * 0.0)
    with pytest.raises(NotFiniteError) as caught:
        sg.Session().run(y, {x: [1.0, 0.0, 2.0]}, check_numerics=True)
    text = str(caught.value)
    assert "log: float32[3] is not finite: 1 of 3 entries, first -inf" in text
    assert "x: float32[3] = [1. 0. 2.]" in text
    assert "test_debugging.py" in text
    assert "sg.log(x)" in text


def test_a_value_that_is_not_finite_is_found_inside_loops_and_branches():
    x = sg.placeholder("float64", [], name="x")
    body = lambda i, y: (i + 1, sg.cond(y < 3, lambda: y - 1, lambda: sg.log(y - y)))
    y = sg.while_loop(lambda i, y: i < 5, body, [0, x])[1]
    for run in (
        lambda: sg.Session().run(y, {x: 3.0}, check_numerics=True),
        lambda: sg.compile(y, [x], check_numerics=True)(3.0),
    ):
        with pytest.raises(NotFiniteError, match=r"log: float64\[\] is not finite: -inf"):
            run()


def test_of_a_gradient_the_forward_line_is_named():
    x = sg.placeholder("float32", [], name="x")
    (g,) = sg.gradients(sg.sqrt(x), x)
    with pytest.raises(NotFiniteError, match="gradient of sqrt"):
        sg.Session().run(g, {x: 0.0}, check_numerics=True)


def test_a_fed_value_that_is_not_finite_is_named():
    x = sg.placeholder("float32", [2], name="x")
    with pytest.raises(NotFiniteError, match=r"x: float32\[2\] is not finite: 1 of 2"):
        sg.compile([x * 2], [x], check_numerics=True)([np.nan, 1.0])


def test_checked_runs_give_the_results_in_their_form():
    x = sg.placeholder("float32", ["n"], name="x")
    for outputs in (x * 2, [x * 2], {"a": x * 2}, (x * 2, x)):
        found = sg.compile(outputs, [x], check_numerics=True)([1.0, 2.0])
        want = sg.compile(outputs, [x])([1.0, 2.0])
        assert str(found) == str(want)


def test_debug_is_called_with_each_value_inside_loops_too():
    x = sg.placeholder("float64", [], name="x")
    y = sg.fori(0, 3, lambda i, s: s * x, 1.0 * x)
    seen = []
    found = sg.Session().run(y, {x: 2.0}, debug=lambda e, value: seen.append((e.what, value)))
    assert found == 16
    assert [value for what, value in seen if what == "mul"] == [2, 4, 8, 16]


def test_debug_true_prints_each_value_with_its_line(capsys):
    x = sg.placeholder("float32", [2], name="x")
    sg.Session().run(x * 2, {x: [1.0, 2.0]}, debug=True)
    shown = capsys.readouterr().err
    assert "mul: float32[2] = [2. 4.]  # test_debugging.py" in shown


def test_a_debug_run_changes_variables_like_any_other():
    w = sg.Variable(1.0)
    session = sg.Session()
    session.run(w.assign_add(1.0), debug=lambda e, value: None)
    assert session.run(w) == 2


def test_a_failed_checked_run_changes_nothing():
    w = sg.Variable(0.0)
    session, change = sg.Session(), w.assign(sg.log(w))
    with pytest.raises(NotFiniteError):
        session.run(change, check_numerics=True)
    assert session.run(w) == 0


def test_check_numerics_is_an_identity_that_may_fail():
    x = sg.placeholder("float32", [], name="x")
    y = sg.check_numerics(sg.log(x), "the logarithm")
    (g,) = sg.gradients(y, x)
    f = sg.compile([y, g], [x])
    assert f(1.0) == [0, 1]
    with pytest.raises(CheckError, match="the logarithm"):
        f(-1.0)


def test_a_check_that_nothing_runs_is_warned_of_once():
    x = sg.placeholder("float32", [], name="x")
    sg.Print(x, message="x is ")
    y, z = x * 2, x * 3
    session = sg.Session()
    with pytest.warns(UnreachedWarning, match=r"Print is not run.*\n.*test_debugging\.py") as w:
        session.run(y, {x: 1.0})
    assert w[0].filename == __file__
    session.run(z, {x: 1.0})


def test_a_check_that_is_run_or_looks_at_nothing_that_is_computed_is_not_warned_of():
    x, y = (sg.placeholder("float32", [], name=name) for name in "xy")
    check = sg.Assert(x > 0)
    other, looked_at = y * 2, x * 2
    sg.Session().run(other, {y: 1.0})
    sg.Session().run([looked_at, check], {x: 1.0})


def test_explain_names_operands_readers_and_lines():
    x = sg.placeholder("float32", [3], name="x")
    y = sg.reduce_sum(sg.tanh(x), name="y")
    (g,) = sg.gradients(y, x)
    text = sg.explain(y)
    assert "y: float32[] = sum(tanh)" in text
    assert "tanh: float32[3], a result of tanh" in text
    assert "read by" not in text
    assert "read by tanh" in sg.explain(x)
    assert "belongs to the gradient of tanh" in sg.explain(g)
    assert "sg.tanh(x)" in sg.explain(g)


def test_what_debugs_a_run_may_run_in_turn():
    v = sg.Variable(1.0)
    step, session, seen = v.assign_add(1.0), sg.Session(), []
    thread = threading.Thread(
        target=lambda: session.run(step, debug=lambda e, value: seen.append(session.run(v))),
        daemon=True,
    )
    thread.start()
    thread.join(30)
    assert not thread.is_alive()
    assert set(seen) == {1.0}
    assert session.run(v) == 2
