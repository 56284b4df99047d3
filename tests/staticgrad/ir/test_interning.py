"""Keys of attributes: equal for equal ones, and seldom compared with others."""

import numpy as np
import pytest

import staticgrad as sg
from staticgrad.ir.interning import GraphAttributes


def graph(value):
    """A graph that holds a number."""
    with sg.Graph().as_default():
        x = sg.placeholder("float64", [], name="x")
        return sg.freeze([x * value], [x])


SAME = [
    lambda: {"index": 3}, lambda: {"axis": (0, 1), "keepdims": True}, lambda: {"body": graph(2.0)},
    lambda: {"branches": (graph(2.0), graph(3.0)), "count": 2}, lambda: {"dtype": np.dtype("f4")},
    lambda: {"table": [1, 2]}, lambda: {"name": None, "scale": 0.5},
]  # fmt: skip


@pytest.mark.parametrize("make", SAME)
def test_equal_attributes_have_equal_keys(make):
    a, b = GraphAttributes(make()), GraphAttributes(make())
    assert a == b
    assert hash(a) == hash(b)


@pytest.mark.parametrize(("a", "b"), [
    ({"k": 0.0}, {"k": -0.0}), ({"k": 1}, {"k": True}), ({"k": 1}, {"k": 2}), ({"k": 1}, {"j": 1}),
    ({"k": (1, 2)}, {"k": (2, 1)}),
])  # fmt: skip
def test_other_attributes_have_other_keys(a, b):
    assert GraphAttributes(a) != GraphAttributes(b)


def test_parts_of_a_loop_have_hashes_of_their_own():
    """Or each would be compared with all others, which takes minutes for a thousand of them."""
    keys = [GraphAttributes({"index": i}) for i in range(1000)]
    assert len({hash(key) for key in keys}) == len(keys)
