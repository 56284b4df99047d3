"""Findings: each pattern is found where it is, and not where it is not."""

import numpy as np
import pytest

import staticgrad as sg
from gradops.inspection.lint import lint
from staticgrad.export.view import graph_view


@pytest.fixture(autouse=True)
def graph():
    with sg.Graph().as_default():
        yield


def findings(y, *inputs):
    return [(f.kind, f.nodes) for f in lint(graph_view(sg.freeze([y], inputs)))]


def placeholder(shape=(3,), dtype="float32", name="x"):
    return sg.placeholder(dtype, shape, name=name)


@pytest.mark.parametrize(
    ("build", "kinds"),
    [
        (lambda x: sg.tanh(x), []),
        (lambda x: sg.log(sg.nn.softmax(x)), ["unstable"]),
        (lambda x: sg.log(sg.sigmoid(x)), ["unstable"]),
        (lambda x: sg.nn.log_softmax(x), []),
        (lambda x: sg.log(sg.reduce_sum(sg.exp(x))), ["unstable"]),
        (lambda x: sg.exp(x) / sg.reduce_sum(sg.exp(x)), ["unstable"]),
        (lambda x: sg.cast(x, "float64"), ["cast"]),
        (lambda x: sg.cast(x, "float16"), ["cast"]),
        (lambda x: sg.cast(x, "int32"), []),
        (lambda x: x * np.ones(3), ["precision"]),
        (lambda x: x * 2.0, []),
        (lambda x: x + np.array([1, np.nan, 2], np.float32), ["not finite"]),
        (lambda x: sg.maximum(x, np.array([1, -np.inf, 2], np.float32)), []),
    ],
)
def test_a_pattern_is_found(build, kinds):
    x = placeholder()
    assert [kind for kind, _ in findings(build(x), x)] == kinds


def test_an_input_that_nothing_reads_is_found():
    x, y = placeholder(name="x"), placeholder(name="y")
    assert findings(sg.exp(x), x, y) == [("unused", ("y",))]


def test_a_broadcast_to_many_times_the_operands_is_found():
    rows, columns = placeholder((1000, 1), name="a"), placeholder((1, 1000), name="b")
    assert findings(rows - columns, rows, columns) == [("broadcast", ("sub",))]
    few = placeholder((10, 1), name="c"), placeholder((1, 10), name="d")
    assert findings(few[0] - few[1], *few) == []
