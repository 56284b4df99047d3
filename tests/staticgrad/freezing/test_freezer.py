"""Freezing: equal expressions become one, the unneeded goes, what is missing is named."""

import numpy as np
import pytest

import staticgrad as sg
from gradops import FeedError, FetchError, GraphError, MixedOperandsError
from gradops.core.source_location import short


@pytest.fixture
def x():
    return sg.placeholder("float32", ["n", 3], name="x")


def test_equal_pure_expressions_become_one(x):
    frozen = sg.freeze([sg.exp(x) + 1, sg.exp(x) + 1.0], [x])
    assert len(frozen) == 4
    assert frozen.outputs[0] is frozen.outputs[1]


def test_an_expression_keeps_the_lines_of_all_that_it_stands_for(x):
    a = sg.exp(x)
    b = sg.exp(x)
    frozen = sg.freeze([a + 1, b * 2], [x])
    (e,) = [e for e in frozen if e.what == "exp"]
    assert frozen.places(e) == (a.place, b.place)
    first, second = map(short, frozen.places(e))
    assert frozen.lines(e) == f"{first}, {second}"
    assert f"exp(x)  # {first}, {second}" in str(frozen)
    compiled = sg.compile(frozen)
    assert f"  {first}, {second}" in compiled.source
    assert compiled.graph.places(compiled.graph.order[1]) == (a.place, b.place)
    assert sg.parse(str(frozen)) == frozen


def test_many_lines_of_one_expression_are_counted(x):
    many = [sg.exp(x),
            sg.exp(x),
            sg.exp(x),
            sg.exp(x),
            sg.exp(x)]  # fmt: skip
    frozen = sg.freeze(many, [x])
    assert len(frozen.places(frozen.outputs[0])) == 5
    assert frozen.lines(frozen.outputs[0]).endswith(" and 2 more")


def test_an_error_names_the_equal_expressions():
    n, x = sg.placeholder("int64", [], name="n"), sg.placeholder("float32", [3], name="x")
    first = x[n]
    second = x[n]
    frozen = sg.freeze([first, second], [x, n])
    for run in (sg.compile(frozen), lambda *feeds: sg.interpret(frozen, feeds)):
        with pytest.raises(IndexError) as caught:
            run([1.0, 2.0, 3.0], 7)
        (note,) = caught.value.__notes__
        assert f"equal expressions: {short(first.place)}, {short(second.place)}" in note


def test_expressions_with_other_attributes_stay_apart(x):
    frozen = sg.freeze([sg.reduce_sum(x, axis=0), sg.reduce_sum(x, axis=1)], [x])
    assert frozen.outputs[0] is not frozen.outputs[1]


def test_what_no_fetch_needs_is_left_out(x):
    sg.exp(x)
    assert [e.what for e in sg.freeze([sg.sin(x)], [x])] == ["placeholder", "sin"]


def test_placeholders_are_never_one(x):
    y = sg.placeholder("float32", ["n", 3], name="x")
    assert len(sg.freeze([x + y], [x, y])) == 3


def test_a_small_constant_is_compared_by_bits(x):
    frozen = sg.freeze([x * 0.0, x * -0.0, x * 0.0], [x])
    assert frozen.outputs[0] is frozen.outputs[2]
    assert frozen.outputs[0] is not frozen.outputs[1]


def test_graphs_that_compute_the_same_are_equal(x):
    one, other = (sg.freeze([sg.tanh(x) * 2], [x]) for _ in range(2))
    assert one == other
    assert hash(one) == hash(other)
    assert one != sg.freeze([sg.tanh(x) * 3], [x])


def test_a_feed_of_an_intermediate_cuts_the_graph(x):
    h = sg.exp(x)
    frozen = sg.freeze([h * 2], [h])
    assert [e.what for e in frozen] == ["placeholder", "constant", "mul"]


def test_all_missing_placeholders_are_named_with_their_lines(x):
    y = sg.placeholder("float32", [3], name="y")
    with pytest.raises(FeedError, match=r"2 placeholder") as caught:
        sg.freeze([x + y])
    assert "x: float32[n, 3], made at test_freezer.py" in str(caught.value)
    assert "y: float32[3], made at test_freezer.py" in str(caught.value)


def test_what_is_no_expression_cannot_be_fetched():
    with pytest.raises(FetchError, match=r"1.0 is not an expression"):
        sg.freeze([1.0])


def test_a_frozen_graph_cannot_be_built_on(x):
    (y,) = sg.freeze([sg.exp(x)], [x]).outputs
    with pytest.raises(GraphError, match="frozen graph"):
        y + 1


def test_one_expression_needs_no_list(x):
    assert sg.freeze(sg.exp(x), x) == sg.freeze([sg.exp(x)], [x])


def test_expressions_of_two_graphs_do_not_freeze_together(x):
    with sg.Graph("second").as_default():
        y = sg.placeholder("float32", ["n", 3], name="x")
    for fetches, feeds in (([x, y], [x, y]), ([x], [x, y]), ([y], [x])):
        with pytest.raises(MixedOperandsError, match=r"'graph'.*'second'|'second'.*'graph'"):
            sg.freeze(fetches, feeds)


def test_variables_are_kept_or_frozen_with_values():
    x, w = sg.placeholder("float32", [2], name="x"), sg.Variable([1.0, 2.0], name="w")
    y, change = sg.reduce_sum(x * w), w.assign_add(1.0)
    session = sg.Session()
    session.run(change)
    assert len(sg.freeze([y], [x]).inputs) == 2
    for values in (session.snapshot(), {"w": [2.0, 3.0]}, {w: np.array([2, 3], np.float32)}):
        graph = sg.freeze([y], [x], values=values)
        assert [e.name for e in graph.inputs] == ["x"]
        assert sg.compile(graph)([1.0, 10.0]) == (32,)


def test_a_frozen_value_has_the_variables_type_and_is_not_assigned():
    w = sg.Variable([1.0, 2.0], name="w")
    y, change = w * 2, w.assign_add(1.0)
    with pytest.raises(FeedError, match="to be frozen with"):
        sg.freeze([y], values={"w": [1.0, 2.0, 3.0]})
    with pytest.raises(GraphError, match="is assigned"):
        sg.freeze([y, change], values={"w": [1.0, 2.0]})


def test_a_value_for_no_variable_is_refused():
    w = sg.Variable(1.0, name="weights")
    with pytest.raises(FeedError, match="did you mean 'weights'"):
        sg.freeze([w * 2], values={"weight": 2.0})
