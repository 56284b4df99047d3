"""Groups, checks and prints: they run with what depends on them, in program order."""

import numpy as np
import pytest

import staticgrad as sg
from gradops import CheckError, GraphError


def scalar(name="x"):
    return sg.placeholder("float64", [], name=name)


def test_prints_come_in_program_order_through_loops_and_branches(capsys):
    x = scalar()
    a = sg.Print(x, message="a ")
    y = sg.fori(0, 2, lambda i, y: sg.Print(y + 1, [i], "step "), a)
    z = sg.cond(y > 2, lambda: sg.Print(y, message="big "), lambda: sg.Print(y, message="small "))
    b = sg.Print(x, message="b ")
    assert sg.Session().run([b, z], {x: 0.5}) == [0.5, 2.5]
    assert capsys.readouterr().err == "a 0.5\nstep 0\nstep 1\nbig 2.5\nb 0.5\n"


def test_what_is_not_needed_does_not_print(capsys):
    x = scalar()
    sg.Print(x)
    y = x * 2
    with pytest.warns(sg.UnreachedWarning):
        sg.Session().run(y, {x: 1.0})
    assert capsys.readouterr().err == ""


def test_a_print_in_a_loop_prints_once_for_each_step_though_gradients_are_run(capsys):
    x = scalar()
    y = sg.fori(0, 2, lambda i, y: sg.Print(y * x, [i], "step "), x)
    g = sg.gradients(y, x)[0]
    sg.Session().run([y, g, *sg.gradients(g, x)], {x: 2.0})
    assert capsys.readouterr().err == "step 0\nstep 1\n"


def test_a_check_shows_the_values():
    x = sg.placeholder("float64", [2], name="x")
    with sg.control_dependencies([sg.Assert(x > 0, [x, x[0]], "lengths")]):
        y = x * 2
    run = sg.compile(y, [x])
    assert run([1.0, 2.0]).tolist() == [2, 4]
    with pytest.raises(CheckError, match=r"lengths\n  \[-1\.  2\.\]\n  -1\."):
        run([-1.0, 2.0])


def test_a_group_runs_all_and_gives_nothing():
    v, w, session = sg.Variable(1.0), sg.Variable(2.0), sg.Session()
    both = sg.group(v.assign_add(1.0), w.assign_add(1.0))
    assert session.run([both, v]) == [None, 2]
    assert session.run([v, w]) == [2, 3]
    assert session.run(sg.no_op()) is None


def test_dependencies_run_before_what_is_built_in_their_block():
    v = sg.Variable(1.0)
    change = v.assign(5.0)
    with sg.control_dependencies([change]):
        inside = v.read_value()
        with sg.control_dependencies(None):
            free = sg.constant(1.0) + 0
    assert sg.Session().run(inside) == 5
    session = sg.Session()
    session.run(free)
    assert session.run(v) == 1


def test_a_gradient_of_what_depends_on_an_effect_has_it_no_second_time():
    v, x = sg.Variable(1.0), scalar()
    with sg.control_dependencies([v.assign_add(1.0)]):
        y = sg.fori(0, 2, lambda i, y: y * x, x)
    session = sg.Session()
    assert session.run([y, *sg.gradients(y, x)], {x: 2.0}) == [8, 12]
    assert session.run(v) == 2


def test_a_gradient_that_is_asked_for_in_a_block_takes_nothing_of_it_elsewhere():
    v, x, session = sg.Variable(1.0), scalar(), sg.Session()
    y = sg.fori(0, 2, lambda i, y: y * x, x)
    with sg.control_dependencies([v.assign_add(1.0)]):
        sg.gradients(y, x)
    assert session.run(sg.gradients(y, x), {x: 2.0}) == [np.float64(12)]
    assert session.run(v) == 1


def test_dependencies_are_expressions():
    with pytest.raises(GraphError, match="no expression"), sg.control_dependencies([3]):
        pass
