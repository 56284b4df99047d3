"""Tracing a function into a graph."""

import numpy as np
import pytest

import staticgrad as sg
from gradops import ArrayType, ValueUnknownError


def test_placeholders_have_the_names_of_the_parameters():
    graph = sg.trace(lambda data, weight: data @ weight, [np.ones((2, 3)), np.ones(3)])
    assert [e.label for e in graph.inputs] == ["data: float64[2, 3]", "weight: float64[3]"]


def test_sizes_may_be_names():
    graph = sg.trace(lambda x: sg.reduce_mean(x, axis=0), [ArrayType(("n", 2), "float32")])
    assert sg.compile(graph)(np.float32([[1, 2], [3, 4]]))[0].tolist() == [2, 3]


def test_results_come_in_order_and_constants_are_allowed():
    graph = sg.trace(lambda x: {"a": x, "b": [2.0, x + 1]}, [1.0])
    assert [float(v) for v in sg.interpret(graph, [1.0])] == [1, 2, 2]


def test_python_that_asks_for_a_value_is_told_its_line():
    with pytest.raises(ValueUnknownError, match=r"the truth of greater(?s:.*)test_tracing\.py"):
        sg.trace(lambda x: x if x > 0 else -x, [1.0])


@pytest.mark.parametrize(
    "ask", [float, int, len, list, np.array, lambda x: [0][x], lambda x: range(x)]
)
def test_an_expression_has_no_value_yet(ask):
    with pytest.raises((ValueUnknownError, TypeError)):
        sg.trace(ask, [ArrayType(("n",), "float32")])


def test_numpy_functions_build():
    def f(x):
        return np.sum(np.tanh(x) * np.float32(2)) + np.ones(3, np.float32) @ x

    graph = sg.trace(f, [np.ones(3, np.float32)])
    x = np.float32([0.1, 0.2, 0.3])
    np.testing.assert_allclose(sg.interpret(graph, [x])[0], f(x), rtol=1e-6)  # sums in any order
