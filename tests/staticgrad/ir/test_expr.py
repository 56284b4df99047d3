"""Expressions: what they show, what they refuse to tell, and what they keep alive."""

import copy
import gc
import pickle
import sys
import weakref

import numpy as np
import pytest

import gradops
import staticgrad as sg
from gradops import (
    DTypeError,
    GradError,
    GraphError,
    MixedOperandsError,
    ShapeError,
    ValueUnknownError,
)


@pytest.fixture
def x():
    return sg.placeholder("float32", ["n", 3], name="x")


def test_an_expression_shows_what_it_is_its_name_and_its_type(x):
    assert repr(x) == "<placeholder x: float32[n, 3]>"
    assert repr(sg.exp(x, name="y")) == "<exp y: float32[n, 3]>"
    assert (x.ndim, x.dtype, x.shape[1]) == (2, np.float32, 3)


@pytest.mark.parametrize("ask", [
    bool, float, int, complex, len, list, tuple, iter, np.array, np.asarray, range, sorted, sum,
    lambda x: 1.0 in x, lambda x: [10, 20][x], lambda x: 1 if x > 0 else 2,
    lambda x: max(x, 0), lambda x: 0 < x < 1, lambda x: not x, lambda x: np.array([x, x]),
    lambda x: f"{x:.2f}", sg.constant, sg.Variable, lambda x: np.ones(x.shape[0]),
])  # fmt: skip
def test_python_is_not_told_a_value(ask, x):
    with pytest.raises(TypeError):  # of which ValueUnknownError is one
        ask(x)


def test_the_error_for_it_names_the_line_and_a_way_out(x):
    with pytest.raises(ValueUnknownError) as caught:
        float(x)
    assert "the value of x: float32[n, 3] is known only when the graph runs" in str(caught.value)
    assert "made at test_expr.py" in str(caught.value)
    assert "hint: fetch it" in str(caught.value)


def test_a_known_length_is_told_and_iterated_over():
    x = sg.placeholder("float32", [2, 3], name="x")
    assert len(x) == 2
    assert [row.shape for row in x] == [(3,), (3,)]
    with pytest.raises(TypeError, match="has no axes"):
        len(sg.placeholder("float32", name="s"))


@pytest.mark.parametrize(("call", "error", "says"), [
    (lambda a, b: a + b, ShapeError, "add(float32[3], float32[4]): the shapes do not broadcast"),
    (lambda a, b: sg.matmul(a, b), ShapeError, "the inner dimensions 3 and 4 differ"),
    (lambda a, b: sg.concat([a, b], 1), ShapeError, "axis 1 is out of range"),
    (lambda a, b: sg.astype(a, "U3"), DTypeError, "U3 is not a numeric dtype"),
])  # fmt: skip
def test_an_error_while_building_names_the_lines_of_the_operands(call, error, says):
    a = sg.placeholder("float32", [3], name="a")
    b = sg.placeholder("float32", [4], name="b")
    with pytest.raises(error) as caught:
        call(a, b)
    assert says in str(caught.value)
    (note,) = caught.value.__notes__
    assert "a: float32[3], made at test_expr.py" in note
    if not isinstance(caught.value, DTypeError):
        assert "b: float32[4], made at test_expr.py" in note


def test_a_failed_call_builds_nothing(graph, x):
    before = [e.name for e in graph.get_operations()]
    with pytest.raises(ShapeError):
        sg.reshape(x[0], shape=(2, 2))
    with pytest.raises(ShapeError):
        sg.placeholder("float32", [-1], name="y")
    assert sg.placeholder("float32", [1], name="y").name == "y"
    assert [e.name for e in graph.get_operations() if e.what != "slice"] == [*before, "y"]


def test_errors_can_be_pickled(x):
    for call in (lambda: x[0] + np.ones(4), lambda: float(x), lambda: sg.compile(x, [])):
        with pytest.raises(GradError) as caught:
            call()
        again = pickle.loads(pickle.dumps(caught.value))
        assert (type(again), str(again)) == (type(caught.value), str(caught.value))


def test_a_copy_is_the_expression_itself_and_a_pickle_is_refused(x):
    y = x * 2
    assert copy.copy(y) is copy.deepcopy(y) is y
    with pytest.raises(GraphError, match=r"mul: float32\[n, 3\] cannot be pickled by itself"):
        pickle.dumps(y)


def test_two_equal_calls_are_two_expressions(x):
    one, other = sg.exp(x), sg.exp(x)
    assert one is not other
    assert {one: 1, other: 2}[other] == 2
    assert (one.name, other.name) == ("exp", "exp_1")


def test_an_array_becomes_a_constant_that_does_not_follow_it(x):
    a = np.ones(3, np.float32)
    y = x * a
    a[:] = 5
    assert sg.compile(y, [x])([[1, 1, 1]]).tolist() == [[1, 1, 1]]


def test_what_is_no_number_is_no_operand(x):
    for other in ("a", None, {}, object(), [x]):
        with pytest.raises((TypeError, GraphError)):
            x + other


def test_expressions_are_freed_by_reference_counting():
    gc.disable()
    try:
        with sg.Graph().as_default() as graph:
            x = sg.placeholder("float32", [3], name="x")
            y = sg.reduce_sum(sg.tanh(x) * 2)
            (g,) = sg.gradients(y, x)
        refs = [weakref.ref(o) for o in (graph, x, y, g)]
        del graph
        assert refs[0]() is None, "expressions keep their graph alive"
        del x, y
        assert refs[2]() is not None, "a gradient knows the expression that caused it"
        del g
        assert [r() for r in refs] == [None] * 4
    finally:
        gc.enable()


def test_a_number_that_the_dtype_does_not_hold_is_refused():
    small = sg.placeholder("int8", [], name="small")
    with pytest.raises(DTypeError, match="300 does not fit in int8"):
        small + 300


def test_a_size_by_itself_is_no_operand(x):
    with pytest.raises(MixedOperandsError, match="n is a size, which an op takes beside"):
        sg.exp(x.shape[0])
    assert sg.compile(sg.reduce_sum(x) * x.shape[0], x)(np.ones((2, 3), np.float32)) == 12


@pytest.mark.parametrize("call", [
    sg.verify, sg.import_graph,
    lambda x: sg.save(x, "none.sg"), lambda x: sg.extract(x, "x"), lambda x: sg.replace(x, {}),
    lambda x: sg.wrap(x, {}), lambda x: sg.interpret(x, []), lambda x: sg.replay(x, []),
])  # fmt: skip
def test_what_is_for_frozen_graphs_takes_no_expressions(call, x):
    with pytest.raises(GraphError, match=r"(?s)takes a frozen graph, not <placeholder.*hint"):
        call(x)


def test_what_is_for_expressions_takes_nothing_else(x):
    for call in (sg.explain, lambda e: sg.why_none(x, e), lambda e: sg.gradients(x, e)):
        with pytest.raises(GradError, match="expressions"):
            call("x")


@pytest.mark.parametrize("f", [gradops.less, gradops.not_equal, gradops.logical_and])
def test_a_number_beyond_a_dtype_can_be_asked_about_and_nothing_else(f):
    x = np.array([0, 7], np.uint8)
    p = sg.placeholder("uint8", [2])
    assert sg.compile([f(p, 300)], [p])(x)[0].tolist() == f(x, 300).tolist()
    with pytest.raises(gradops.DTypeError, match=r"add\(uint8\[\]\): 300 does not fit in uint8"):
        p + 300


def test_addresses_of_expressions_spread_in_sets():
    """An even number of 16 bytes would leave every second slot of a set unused: 50 times slower."""
    assert -(-sys.getsizeof(sg.placeholder("float32")) // 16) % 2 == 1
