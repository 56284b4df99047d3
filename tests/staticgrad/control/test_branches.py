"""Branches: which one runs, what they give, and how they are refused."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import gradops as ops
import staticgrad as sg
from gradops import CheckError, DTypeError, GraphError, OptionError, ShapeError


def scalar(name="x", dtype="float64"):
    return sg.placeholder(dtype, [], name=name)


def test_only_the_branch_that_is_taken_runs(capsys):
    x = scalar()

    def failing():
        with sg.control_dependencies([sg.Assert(x > 0, [x], "no root")]):
            return sg.Print(ops.sqrt(x), message="root ")

    run = sg.compile(sg.cond(x > -1, failing, lambda: sg.Print(x * 0, message="zero ")), [x])
    assert (run(4.0), run(-2.0)) == (2, 0)
    assert capsys.readouterr().err == "root 2.\nzero -0.\n"
    with pytest.raises(CheckError, match="no root"):
        run(-0.5)


def test_the_gradient_runs_only_that_branch(capsys):
    x = scalar()
    y = sg.cond(x > 0, lambda: ops.log(x), lambda: sg.Print(x, message="minus ") * 2)
    run = sg.compile(sg.gradients(y, x), [x])
    assert run(4.0) == [0.25]
    assert capsys.readouterr().err == ""
    assert run(-4.0) == [2]


def test_what_is_known_now_is_chosen_now():
    calls = []
    assert sg.cond(True, lambda: 1, lambda: calls.append(2)) == 1
    assert not calls


def test_one_of_several_by_number_or_else_the_last():
    i = scalar("i", "int64")
    run = sg.compile(sg.switch(i, {3: lambda: sg.constant(30), 1: lambda: sg.constant(10)}), [i])
    assert [run(k) for k in (1, 3, 0, 9, -5)] == [10, 30, 30, 30, 30]


def test_a_case_without_a_default_needs_one_that_holds():
    x = scalar()
    run = sg.compile(sg.case([(x < 0, lambda: -x), (x < 1, lambda: x)]), [x])
    assert run(-3.0) == 3
    with pytest.raises(CheckError, match="no condition of a case holds"):
        run(2.0)


def test_an_exclusive_case_has_one_that_holds():
    x = scalar()
    y = sg.case([(x < 2, lambda: -x), (x < 1, lambda: x)], default=lambda: x, exclusive=True)
    run = sg.compile(y, [x])
    assert run(1.5) == -1.5
    with pytest.raises(CheckError, match="several conditions"):
        run(0.0)


@pytest.mark.parametrize(("call", "error", "words"), [
    (lambda x, p: sg.cond(x, lambda: x, lambda: x), ShapeError, "one truth value"),
    (lambda x, p: sg.cond(p, lambda: [x], lambda: x), GraphError, "different structures"),
    (lambda x, p: sg.cond(p, lambda: {"a": x}, lambda: {"b": x}), GraphError, "structures"),
    (lambda x, p: sg.cond(p, lambda: None, lambda: x), GraphError, "different structures"),
    (lambda x, p: sg.cond(p, lambda: x, lambda: ops.astype(x, dtype="float32")), DTypeError,
     "types as result 0(?s:.*)made at(?s:.*)made at"),
    (lambda x, p: sg.cond(p, lambda: ops.stack([x, x]), lambda: ops.stack([x])), ShapeError,
     "cond.*types as result 0"),
    (lambda x, p: sg.switch(x, [lambda: x]), ShapeError, "one integer"),
    (lambda x, p: sg.switch(x, []), OptionError, "no function"),
    (lambda x, p: sg.case([]), OptionError, "no function"),
])  # fmt: skip
def test_branches_are_refused_in_words(call, error, words):
    with pytest.raises(error, match=words):
        call(scalar(), scalar("p", "bool"))


def test_branches_may_give_arrays_of_sizes_that_only_a_run_tells():
    x, p = sg.placeholder("float64", [None], name="x"), scalar("p", "bool")
    y = sg.cond(p, lambda: x[x > 0], lambda: x[1:])
    run = sg.compile([y, *sg.gradients(ops.sum(y * y), x)], [x, p])
    feed = np.array([1.0, -2.0, 3.0])
    assert [a.tolist() for a in run(feed, True)] == [[1, 3], [2, 0, 6]]
    assert [a.tolist() for a in run(feed, False)] == [[-2, 3], [0, -4, 6]]


def test_a_thousand_branches_one_after_the_other():
    x = y = scalar()
    for _ in range(1000):
        y = sg.cond(y > 0, lambda y=y: y - 0.1, lambda y=y: y * -0.5)
    run = sg.compile([y, *sg.gradients(y, x)], [x], optimize=0)
    wanted, slope = 3.0, 1.0
    for _ in range(1000):
        wanted, slope = (wanted - 0.1, slope) if wanted > 0 else (wanted * -0.5, slope * -0.5)
    assert_allclose(run(3.0), [wanted, slope])


def test_a_function_that_fails_while_it_is_called_is_named():
    def failing():
        raise KeyError("mine")

    x = sg.placeholder("float64", [3], name="x")
    with pytest.raises(KeyError, match="mine") as error:
        sg.cond(x[0] > 0, lambda: sg.map(lambda e: failing(), x), lambda: x)
    first, second = error.value.__notes__
    assert first.startswith("  in the function of map, called at ")
    assert second.startswith("  in the function 1 of cond, called at ")
