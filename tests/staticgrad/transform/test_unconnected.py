"""What is said of a gradient that is None."""

import pytest

import staticgrad as sg
from gradops import MixedOperandsError


@pytest.fixture
def x():
    return sg.placeholder("float32", [3], name="x")


def test_what_cuts_the_path_is_named_with_its_line(x):
    y = sg.cast(sg.argmax(x), "float32") * 2  # here
    assert sg.gradients(y, x) == [None]
    text = sg.why_none(y, x)
    assert text.startswith("mul is computed from x, but no derivative passes")
    assert "argmax: int64[], made at test_unconnected.py" in text
    assert "# here" in text


def test_what_is_not_computed_from_it(x):
    other = sg.placeholder("float32", [2], name="other")
    assert sg.why_none(other * 2, x) == "mul is not computed from x"


def test_assignments_are_mentioned(x):
    w = sg.Variable([1.0, 2.0, 3.0], name="w")
    w.assign(x)
    assert "assignments to variables (w) pass no derivative on" in sg.why_none(w * 2, x)


def test_a_stop_is_a_cut(x):
    y = sg.stop_gradient(x * 2) + 1
    assert "stop_gradient" in sg.why_none(y, x)


def test_a_gradient_that_is_not_none(x):
    y = x * 2
    assert sg.why_none(y, x) == "the gradient of mul by x is not None"


def test_another_graph_is_refused(x):
    with sg.Graph().as_default():
        other = sg.placeholder("float32", [3])
    with pytest.raises(MixedOperandsError):
        sg.why_none(x * 1, other)
