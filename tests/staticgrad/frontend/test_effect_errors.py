"""Groups, dependencies, checks and prints: what they take, and what they refuse."""

import numpy as np
import pytest

import staticgrad as sg
from gradops import CheckError, DTypeError, GraphError


@pytest.fixture
def x():
    return sg.placeholder("float32", [], name="x")


def test_texts_among_the_data_join_the_message(x, capsys):
    sg.Session().run(sg.Print(x, ["x is", x]), {x: 3.0})
    assert capsys.readouterr().err == "x is 3.\n"
    check = sg.Assert(x > 0, ["x is a length, not", x], "no")
    with pytest.raises(CheckError, match=r"no x is a length, not\s+-1"):
        sg.Session().run(check, {x: -1.0})


def test_one_thing_stands_for_a_list_of_it(x):
    v, w = sg.Variable(0.0), sg.Variable(0.0)
    both = sg.group([v.assign(1.0), (w.assign(2.0),)])
    with sg.control_dependencies(both):
        y = x + 1
    session = sg.Session()
    session.run(y, {x: 1.0})
    assert session.run([v, w]) == [1, 2]
    session.run(sg.variables_initializer(v))
    assert session.run([v, w]) == [0, 2]
    with pytest.raises(CheckError, match=r"-1"):
        session.run(sg.Assert(x > 0, x), {x: -1.0})


def test_what_cannot_be_run_is_refused(x):
    for call in (lambda: sg.group(3), lambda: sg.group([x, "x"])):
        with pytest.raises(GraphError, match="is not an expression that something could depend on"):
            call()
    with pytest.raises(GraphError, match=r"x: float32\[\] is not a variable"):
        sg.variables_initializer([x])


@pytest.mark.parametrize(
    "use",
    [sg.exp, sg.negative, lambda g: sg.reshape(g, [1]), lambda g: sg.stack([g, g]), lambda g: -g],
)
def test_what_has_no_value_is_no_operand(use):
    with pytest.raises(DTypeError, match=r"step is run and has no value"):
        use(sg.group(name="step"))


def test_an_op_that_numpy_does_not_have_for_a_dtype_is_refused_while_building():
    b = sg.Variable(np.array([True]), name="b")
    for use in (lambda: -b, lambda: b.assign_sub(True), lambda: sg.floor(sg.cast(b, "complex64"))):
        with pytest.raises(DTypeError, match="NumPy does not compute it for these dtypes"):
            use()
