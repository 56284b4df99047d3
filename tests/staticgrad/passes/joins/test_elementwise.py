"""Concatenated elementwise expressions are computed as one, with the same bits."""

from collections import Counter

import numpy as np
import pytest

import staticgrad as sg
from staticgrad.passes import JoinElementwise


def frozen(build, count=4, size=5, dtype="float32"):
    """The graph of a function of several rows, and feeds with infinities, NaN and both zeros."""
    with sg.Graph().as_default(), np.errstate(all="ignore"):
        rows = [sg.placeholder(dtype, [size], name=f"x{i}") for i in range(count)]
        graph = sg.freeze(build(rows), rows)
    feeds = np.random.default_rng(0).normal(size=(count, size)).astype(dtype)
    feeds[1] = np.resize([np.inf, -np.inf, np.nan, 0.0, -0.0], size)
    return graph, list(feeds)


def calls(graph):
    return Counter(e.op.name for e in graph if e.op is not None)


def assert_same_bits(graph, joined, feeds):
    with np.errstate(all="ignore"):
        for x, y in zip(sg.interpret(graph, feeds), sg.interpret(joined, feeds), strict=True):
            np.testing.assert_array_equal(x, y)
            np.testing.assert_array_equal(np.signbit(x), np.signbit(y))


UNARY = [sg.negative, sg.abs, sg.square, sg.sqrt, sg.reciprocal]
BINARY = [sg.add, sg.subtract, sg.multiply, sg.divide, sg.maximum, sg.minimum]


@pytest.mark.parametrize("f", [*UNARY, *[lambda x, g=g: g(x, 0.3) for g in BINARY],
                               lambda x: sg.where(x > 0.5, x, -x)])  # fmt: skip
def test_one_call_replaces_several(f):
    graph, feeds = frozen(lambda xs: sg.concat([f(x) for x in xs], 0))
    joined = JoinElementwise()(graph)
    assert len([e for e in joined if e.op]) < len([e for e in graph if e.op])
    assert calls(joined)["concatenate"] == 1
    assert_same_bits(graph, joined, feeds)


def test_a_chain_of_two_operands_is_joined():
    def build(xs):
        pairs = zip(xs[:4], xs[4:], strict=True)
        return sg.concat([sg.sqrt(x * x + 0.5 * y) - y for x, y in pairs], 0)

    graph, feeds = frozen(build, 8)
    joined = JoinElementwise()(graph)
    assert calls(joined) == {"concatenate": 2, "mul": 2, "add": 1, "sqrt": 1, "sub": 1}
    assert_same_bits(graph, joined, feeds)


def test_slices_of_one_array_need_no_concatenation():
    with sg.Graph().as_default():
        x = sg.placeholder("float32", [12], name="x")
        parts = [sg.reshape(x[i : i + 4], (2, 2)) for i in (0, 4, 8)]
        graph = sg.freeze([sg.concat([sg.reshape(p * p, (-1,)) for p in parts], 0)], [x])
    joined = JoinElementwise()(graph)
    assert calls(joined) == {"mul": 1}
    assert_same_bits(graph, joined, [np.arange(12, dtype="f4")])


def test_slices_in_another_order_are_concatenated():
    with sg.Graph().as_default():
        x = sg.placeholder("float32", [12], name="x")
        parts = [x[i : i + 4] for i in (4, 0, 8)]
        graph = sg.freeze([sg.concat([-p * 2.0 for p in parts], 0)], [x])
    joined = JoinElementwise()(graph)
    assert calls(joined)["neg"] == 1
    assert_same_bits(graph, joined, [np.arange(12, dtype="f4")])


@pytest.mark.parametrize(
    "build",
    [
        lambda xs: [sg.concat([-x for x in xs], 0), -xs[0]],  # read elsewhere
        lambda xs: sg.concat([sg.exp(x) for x in xs], 0),  # not to the bit everywhere
        lambda xs: sg.concat([-xs[0], sg.abs(xs[1]), -xs[2]], 0),  # several ops
        lambda xs: sg.concat([x * float(i) for i, x in enumerate(xs)], 0),  # several numbers
        lambda xs: sg.concat([-xs[0], -xs[0], -xs[0]], 0),  # one expression
        lambda xs: sg.concat([xs[0] * xs[1], xs[2] * xs[3]], 0),  # saves no call
        lambda xs: sg.concat([x * xs[0][:1] for x in xs], 0),  # a broadcast array
    ],
)
def test_what_cannot_be_joined_or_saves_nothing_stays(build):
    graph, _ = frozen(build)
    assert JoinElementwise()(graph) is graph


def test_large_arrays_stay():
    graph, _ = frozen(lambda xs: sg.concat([-x for x in xs], 0), size=20)
    assert JoinElementwise(small=20)(graph) is not graph
    assert JoinElementwise(small=19)(graph) is graph
