"""TensorFlow's names for ops and their parameters."""

import numpy as np
import pytest

import gradops
import staticgrad as sg
from gradops import OptionError
from staticgrad.ops.spelling import NAMESPACES, parameters
from staticgrad.ops.tensorflow_names import FORMERLY, TABLE

A = np.array([[1.0, 2.0], [3.0, 5.0]])
# What builds expressions also of arrays.
ALWAYS_BUILDS = {"ensure_shape", "eye", "fill", "linspace", "ones", "range", "zeros"}


NAMES = [(name, row) for row in TABLE for name in row.names.split()]


@pytest.mark.parametrize(("name", "row"), NAMES, ids=[name for name, _ in NAMES])
def test_a_function_is_documented_and_exported_under_its_name(name, row):
    space, _, bare = name.rpartition(".")
    function = NAMESPACES[space][bare]
    assert getattr(getattr(sg, space) if space else sg, bare) is function
    assert function.__name__ == row.names.split()[0].rpartition(".")[2]
    assert function.__doc__.startswith(row.function.__doc__.split("\n")[0])
    assert bare in (getattr(sg, space) if space else sg).__all__
    assert len(row.keywords.split()) <= len(parameters(row.function))


def test_every_name_is_in_one_row():
    assert len({name for name, _ in NAMES}) == len(NAMES)
    for space in ("nn", "linalg", "signal"):
        assert list(getattr(sg, space).__all__) == sorted(NAMESPACES[space])
    assert sg.relu is sg.nn.relu


def test_an_op_without_a_row_is_reached_in_gradops_only():
    assert not hasattr(sg, "gamma")
    x = sg.placeholder("float32", ["n"], name="x")
    assert isinstance(gradops.gamma(x), sg.Expr)


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


def test_parameters_have_tensorflows_names_their_former_ones_and_ours():
    for words in ({"keepdims": True}, {"keep_dims": True}):
        for axis in ("axis", "reduction_indices"):
            assert sg.reduce_sum(input_tensor=A, **{axis: 0}, **words).tolist() == [[4, 7]]
    assert sg.subtract(y=1.0, x=A).tolist() == sg.subtract(A, y=1.0).tolist() == (A - 1).tolist()
    assert sg.transpose(a=A, perm=[1, 0]).tolist() == sg.transpose(A, axes=(1, 0)).tolist()
    assert sg.argmax(A, dimension=1).tolist() == [1, 1]
    assert sg.expand_dims(A, dim=0).shape == sg.expand_dims(input=A, axis=0).shape
    assert sg.concat(values=[A, A], axis=1).shape == (2, 4)


def test_a_parameter_that_is_not_there_is_refused_as_by_the_op():
    with pytest.raises(TypeError, match=r"sum\(x, axis=None, keepdims=False\) has no attribute n"):
        sg.reduce_sum(A, n=1)
    with pytest.raises(TypeError, match="was given 0 arguments"):
        sg.reduce_sum(axis=1)
    assert set(FORMERLY.values()) <= {word for row in TABLE for word in parameters(row.function)}


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
    lambda: sg.sort(np.ones(2), name="y"),
])  # fmt: skip
def test_what_is_no_expression_has_no_name(call):
    with pytest.raises(TypeError, match="name='y' names an expression, not"):
        call()


def test_a_name_that_the_op_would_have_had_is_free():
    x = sg.placeholder("float32", [2])
    assert sg.tanh(x, name="tanh").name == "tanh"
    assert sg.exp(x, name="y").name == "y"
    assert sg.exp(x).name == "exp"
    names = [e.name for e in sg.get_default_graph().get_operations()]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(("call", "error", "message"), [
    (lambda x: sg.tile(x, [2]), gradops.ShapeError, "1 multiples for 2 axes"),
    (lambda x: sg.unstack(x), gradops.ShapeError, "the size of axis 0 is not known"),
    (lambda x: sg.split(x, [1, 1], axis=1), gradops.ShapeError, "do not add up to 3"),
    (lambda x: sg.split(x, [4, -1], axis=1), gradops.ShapeError, "do not add up to 3"),
    (lambda x: sg.boolean_mask(x, [1, 0]), gradops.OptionError, "a mask is of truth values"),
    (lambda x: sg.tensordot(x, x, [[0, 1], [0]]), gradops.ShapeError, "are not pairs"),
    (lambda x: sg.norm(x, ord=3, axis=[0, 1]), gradops.OptionError, "no norm 3 of matrices"),
    (lambda x: sg.assign(x, 1.0), gradops.GraphError, "x: .* is not a variable"),
    (lambda x: sg.nn.bias_add(x, x), gradops.ShapeError, "a bias is a vector"),
    (lambda x: sg.nn.dropout(x), gradops.OptionError, "either rate or keep_prob"),
    (lambda x: sg.range(sg.reduce_sum(x)), gradops.ValueUnknownError, "a size is made of shape"),
    (lambda x: sg.reshape(x, sg.cast(x[0], "int64")), gradops.ValueUnknownError, "of shape"),
    (lambda x: sg.zeros(sg.cast(sg.shape(x), "float64")), gradops.ValueUnknownError, "of shape"),
])  # fmt: skip
def test_what_does_not_fit_is_refused_with_the_reason(call, error, message):
    with pytest.raises(error, match=message):
        call(sg.placeholder("float64", [None, 3], name="x"))


def test_sizes_that_sum_up_are_checked_where_they_are_known_only():
    x = sg.placeholder("float64", [None], name="x")
    a, b = sg.split(x, [2, -1])
    assert sg.Session().run([a, b], {x: [1.0, 2.0, 3.0]})[1].tolist() == [3.0]


def test_dropout_scales_what_it_keeps_and_is_another_one_in_each_run():
    x = sg.nn.dropout(np.ones((100, 2)), rate=0.5, noise_shape=[100, 1], seed=1)
    session = sg.Session()
    first, second = session.run(x), session.run(x)
    assert set(np.unique(first)) == {0.0, 2.0}
    assert (first[:, 0] == first[:, 1]).all()
    assert (first != second).any()


@pytest.mark.parametrize("name", sorted(ALWAYS_BUILDS))
def test_what_makes_values_makes_expressions(name):
    args = {"ensure_shape": ([1.0], [1]), "fill": ([2], 1.0), "linspace": (0, 1, 3)}
    assert isinstance(getattr(sg, name)(*args.get(name, (3,))), sg.Expr)


def test_the_sum_of_one_operand_can_be_named_and_leaves_the_operand_its_name():
    x = sg.placeholder("float32", [2], name="x")
    y = sg.add_n([x], name="y")
    assert (x.name, y.name) == ("x", "y")
    assert sg.compile(sg.add_n(iter([x, x])), x)([1.0, 2.0]).tolist() == [2, 4]
    with pytest.raises(OptionError, match="nothing to add"):
        sg.add_n([])
