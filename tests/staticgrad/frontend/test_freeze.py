"""Freezing: equal expressions become one, the unneeded goes, what is missing is named."""

import pytest

import staticgrad as sg
from gradops import FeedError, FetchError, GraphError, MixedOperandsError


@pytest.fixture
def x():
    return sg.placeholder("float32", ["n", 3], name="x")


def test_equal_pure_expressions_become_one(x):
    frozen = sg.freeze([sg.exp(x) + 1, sg.exp(x) + 1.0], [x])
    assert len(frozen) == 4
    assert frozen.outputs[0] is frozen.outputs[1]


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
    assert "x: float32[n, 3], made at test_freeze.py" in str(caught.value)
    assert "y: float32[3], made at test_freeze.py" in str(caught.value)


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
