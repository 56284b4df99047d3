"""The interpreter, the reference for generated code."""

import numpy as np
import pytest

import staticgrad as sg
from gradops import FeedError, ShapeError


@pytest.fixture
def x():
    return sg.placeholder("float64", ["n"], name="x")


def test_every_expression_is_watched_once_in_order(x):
    y = sg.exp(x)
    frozen = sg.freeze([y + y * 2], [x])
    seen = []
    sg.interpret(frozen, [[0.0]], watch=lambda e, value: seen.append((e, np.array(value))))
    assert [e for e, _ in seen] == list(frozen)
    assert [v.tolist() for e, v in seen if e.what in ("exp", "add")] == [[1.0], [3.0]]


def test_feeds_are_as_many_as_inputs(x):
    frozen = sg.freeze([x * 2], [x])
    with pytest.raises(FeedError, match=r"0 of 1 inputs were fed; missing:\n  x: float64\[n\]"):
        sg.interpret(frozen, [])
    with pytest.raises(FeedError, match=r"2 values were given for 1 input\(s\): x"):
        sg.interpret(frozen, [[1.0], [2.0]])


def test_results_share_no_memory_with_feeds_constants_or_each_other(x):
    c = sg.constant(np.zeros(3))
    frozen = sg.freeze([x, x[::-1], c, x], [x])
    feed = np.arange(3.0)
    found = sg.interpret(frozen, [feed])
    for i, a in enumerate(found):
        assert not any(np.shares_memory(a, b) for b in (feed, *found[:i]))
        a += 1
    assert sg.interpret(frozen, [feed])[2].tolist() == [0, 0, 0]


def test_numbers_come_as_numpy_scalars(x):
    (total,) = sg.interpret(sg.freeze([sg.reduce_sum(x)], [x]), [[1.0, 2.0]])
    assert type(total) is np.float64


def test_a_failure_names_the_expression_and_its_line(x):
    y = sg.placeholder("float64", ["m"], name="y")
    frozen = sg.freeze([x + y], [x, y])
    with pytest.raises(ShapeError, match="2 against 3") as caught:
        sg.interpret(frozen, [[1, 2], [1, 2, 3]])
    assert "in add: float64[broadcast(n, m)], made at test_interpreter.py" in str(
        caught.value.__notes__
    )


def test_unknown_sizes_reach_attributes_and_values(x):
    y = sg.reshape(sg.broadcast_to(x, shape=(2, x.shape[0])), shape=(-1,)) * x.shape[0]
    (found,) = sg.interpret(sg.freeze([y], [x]), [[1.0, 2.0]])
    assert found.tolist() == [2, 4, 2, 4]


def test_a_graph_with_variables_takes_their_values_after_the_feeds(x):
    v = sg.Variable([1.0, 2.0], dtype="float64", name="v")
    frozen = sg.freeze([v.assign(v + x[0])], [x])
    new, update = sg.interpret(frozen, [[10.0], [1.0, 2.0]])
    assert new.tolist() == update.tolist() == [11, 12]
