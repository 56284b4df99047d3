"""TensorFlow's names for ops."""

import numpy as np
import pytest

import gradops
import staticgrad as sg
from staticgrad.frontend.spelling import AS_IN_GRADOPS, FUNCTIONS, RENAMED

A = np.array([[1.0, 2.0], [3.0, 5.0]])


@pytest.mark.parametrize(("name", "source"), RENAMED.items())
def test_a_renamed_op_is_documented_and_exported_under_its_name(name, source):
    function = getattr(sg, name)
    assert function.__name__ == name
    assert function.__doc__.startswith(getattr(gradops, source).__doc__.split("\n")[0])
    assert name in sg.__all__


def test_every_spelling_stands_for_one_op():
    assert len(FUNCTIONS) == len(AS_IN_GRADOPS) + len(RENAMED)
    assert len(set(AS_IN_GRADOPS)) == len(AS_IN_GRADOPS)


@pytest.mark.parametrize(("name", "args", "expected"), [
    ("reduce_sum", [0], [4, 7]), ("reduce_mean", [1], [1.5, 4]), ("reduce_max", [0], [3, 5]),
    ("reduce_prod", [1], [2, 15]), ("cast", ["int64"], [[1, 2], [3, 5]]), ("pow", [2], A**2),
    ("clip_by_value", [2, 3], [[2, 2], [3, 3]]), ("gather", [[1, 0], 0], A[::-1]),
    ("subtract", [1], A - 1), ("divide", [2], A / 2), ("mod", [2], A % 2), ("identity", [], A),
])  # fmt: skip
def test_names_take_arguments_in_tensorflows_order(name, args, expected):
    x = sg.placeholder("float64", [2, 2], name="x")
    y = getattr(sg, name)(x, *args)
    np.testing.assert_array_equal(sg.compile(y, [x])(A), expected)
    np.testing.assert_array_equal(getattr(sg, name)(A, *args), expected)


def test_concat_takes_a_list_and_an_axis():
    x = sg.placeholder("float64", [2, 2], name="x")
    assert sg.concat([x, x, A], 1).shape == (2, 6)


def test_a_name_is_made_unique_in_its_scope(graph):
    x = sg.placeholder("float64", [2], name="x")
    with sg.name_scope("layer"):
        names = [sg.tanh(x, name="y").name for _ in range(2)]
    assert names == ["layer/y", "layer/y_1"]
    assert [e.name for e in graph.get_operations()] == ["x", *names]


def test_only_the_last_of_several_expressions_gets_the_name(graph):
    labels = sg.placeholder("int64", [2], name="labels")
    loss = sg.cross_entropy(sg.constant(A), labels, name="loss")
    assert graph.get_tensor_by_name("loss") is loss
    assert graph.get_tensor_by_name("labels") is labels


@pytest.mark.parametrize("call", [
    lambda: sg.exp(A, name="y"),
    lambda: sg.split(sg.constant([1.0, 2.0]), 2, name="y"),
])  # fmt: skip
def test_what_is_not_one_expression_has_no_name(call):
    with pytest.raises(TypeError, match="name='y' names an expression, not"):
        call()


def test_a_name_that_the_op_would_have_had_is_free():
    x = sg.placeholder("float32", [2])
    assert sg.tanh(x, name="tanh").name == "tanh"
    assert sg.exp(x, name="y").name == "y"
    assert sg.exp(x).name == "exp"
    names = [e.name for e in sg.get_default_graph().get_operations()]
    assert len(set(names)) == len(names)
