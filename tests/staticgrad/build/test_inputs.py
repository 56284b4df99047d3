"""Placeholders, constants and variables."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import dynamicgrad as dg
import staticgrad as sg
from gradops import Dim, DTypeError, GraphError, ShapeError


def test_a_placeholder_has_sizes_that_are_numbers_names_or_unknown():
    x = sg.placeholder("float32", ["batch", 3, None, 2 * Dim("n")], name="x")
    assert x.shape == (Dim("batch"), 3, Dim("x.2"), 2 * Dim("n"))
    assert str(x.type) == "float32[batch, 3, x.2, 2*n]"


def test_python_floats_are_float32_and_arrays_keep_their_dtype():
    values = [1.0, 1, True, np.float64(1), np.zeros(2), np.int8([1])]
    dtypes = [sg.constant(v).dtype.name for v in values]
    assert dtypes == ["float32", "int64", "bool", "float64", "float64", "int8"]


def test_numbers_take_the_dtype_of_what_they_meet():
    x = sg.placeholder("float32", [2])
    assert [(x + 1).dtype, (x * 0.5).dtype, (2**x).dtype] == [np.float32] * 3
    assert (sg.placeholder("int64", [2]) * 0.5).dtype == np.float64


def test_a_constant_does_not_follow_the_array_it_was_made_of():
    a = np.zeros(2)
    c = sg.constant(a)
    a[:] = 1
    assert sg.compile(c, [])().tolist() == [0, 0]


def test_text_is_no_constant():
    with pytest.raises(DTypeError, match="not a numeric dtype"):
        sg.constant("a")


def test_an_assignment_takes_effect_for_what_is_built_after_it():
    v = sg.Variable(1.0, name="v")
    before = v * 10
    change = v.assign(v + 1)
    after = v * 10
    session = sg.Session()
    assert session.run([before, change, after, v]) == [10, 2, 20, 2]
    assert session.run(after) == 20
    assert session.run([change, change]) == [3, 3]


def test_a_gradient_reads_what_its_forward_expression_read():
    v = sg.Variable(2.0, name="v")
    loss = v * v
    change = v.assign(v * 100)
    (g,) = sg.gradients(loss, v)
    assert sg.Session().run([change, g]) == [200, 4]


def test_assign_add_and_assign_sub():
    v = sg.Variable([1.0, 2.0])
    session = sg.Session()
    assert session.run(v.assign_add(1.0)).tolist() == [2, 3]
    assert session.run(v.assign_sub([1.0, 0.0])).tolist() == [1, 3]


def test_a_value_is_broadcast_to_the_variable():
    v = sg.Variable(np.zeros((2, 2)))
    assert sg.Session().run(v.assign(np.float64(3))).tolist() == [[3, 3], [3, 3]]


def test_a_variable_keeps_its_shape_and_dtype():
    v = sg.Variable([1.0, 2.0], name="v")
    with pytest.raises(ShapeError, match="v keeps its shape"):
        v.assign(np.zeros((3, 2), np.float32))
    with pytest.raises(DTypeError, match="v keeps its dtype"):
        v.assign(sg.placeholder("float64", [2]))


@pytest.mark.parametrize(("dtype", "shape", "error", "says"), [
    ("float32", [-1], ShapeError, "a size is negative"),
    ("float32", [2.5], TypeError, "a size is an integer"),
    ("U3", [2], DTypeError, "not a numeric dtype"),
    ("object", [], DTypeError, "not a numeric dtype"),
])  # fmt: skip
def test_a_placeholder_that_cannot_be_fed_is_refused(dtype, shape, error, says):
    with pytest.raises(error, match=says):
        sg.placeholder(dtype, shape)


def test_one_size_needs_no_list():
    shapes = [sg.placeholder("float32", size, name="x").shape for size in (3, "batch", Dim("n"))]
    assert shapes == [(3,), (Dim("batch"),), (Dim("n"),)]


def test_the_order_of_bytes_is_the_machines():
    dtype = np.dtype("f4").newbyteorder()
    x = sg.placeholder(dtype, [2])
    found = [
        x,
        sg.constant(np.ones(2, dtype)),
        sg.Variable(np.ones(2, dtype)),
        x * np.ones(2, dtype),
    ]
    assert all(e.dtype.isnative for e in found)


def test_the_default_dtype_is_one_of_floats():
    with pytest.raises(DTypeError, match="one of floats"):
        sg.set_default_dtype("int32")
    sg.set_default_dtype("float64")
    try:
        assert (sg.constant(1.0).dtype, sg.Variable([1.0]).dtype) == (np.float64, np.float64)
    finally:
        sg.set_default_dtype("float32")


def test_a_placeholder_with_default_is_what_is_fed_or_else_its_default():
    x = sg.placeholder_with_default([1.0, 2.0], ["n"], name="x")
    y = sg.reduce_sum(x * x)
    (g,) = sg.gradients(y, x)
    session = sg.Session()
    assert x.name == "x"
    assert_array_equal(session.run(g), [2, 4])
    assert_array_equal(session.run(g, {x: [1.0, 2.0, 3.0]}), [2, 4, 6])
    assert_array_equal(session.run(g, {"x": [5.0]}), [10])


def test_a_default_may_be_computed_and_passes_gradients_on():
    w = sg.placeholder("float32", [3], name="w")
    x = sg.placeholder_with_default(w * 2, [None])
    (g,) = sg.gradients(sg.reduce_sum(x * x), w)
    assert_array_equal(sg.Session().run(g, {w: [1.0, 2.0, 3.0]}), [8, 16, 24])


def test_a_default_has_the_rank_and_known_sizes_of_the_placeholder():
    for shape in ([None, 2], [3]):
        with pytest.raises(ShapeError, match="placeholder_with_default"):
            sg.placeholder_with_default([1.0, 2.0], shape)


def test_a_variable_begins_with_the_value_of_an_expression_or_function():
    w = sg.Variable([1.0, 2.0])
    assert_array_equal(sg.Variable(w * 2).value, [2, 4])
    assert_array_equal(sg.Variable(lambda: np.arange(3)).value, [0, 1, 2])
    assert sg.Variable(sg.random_normal([3, 2])).shape == (3, 2)


def test_collections_have_the_variables_and_what_is_put_in_them(graph):
    a, b = sg.Variable(1.0), sg.Variable(2.0, trainable=False)
    sg.add_to_collection("mine", a)
    sg.random_normal([2])
    assert sg.global_variables() == [a, b]
    assert sg.trainable_variables() == [a]
    assert graph.get_collection("mine") == sg.get_collection("mine") == [a]
    assert graph.get_collection("nothing") == []


def test_an_assignment_that_would_lose_something_is_refused():
    count = sg.Variable(1)
    for change in (count.assign, count.assign_add):
        with pytest.raises(DTypeError, match="keeps its dtype"):
            change(2.7)
    assert sg.Session().run(count.assign(2)) == 2


def test_a_tensor_is_no_operand_of_a_branch():
    with pytest.raises(GraphError, match="choose with where"):
        sg.cond(dg.tensor(True), lambda: sg.constant(1.0), lambda: sg.constant(2.0))


def test_a_name_is_a_string():
    with pytest.raises(TypeError, match="trainable="):
        sg.Variable(1.0, True)


@pytest.mark.parametrize(("value", "dtype"), [
    (300, "int8"), (-1, "uint8"), (1.5, "int32"), (np.nan, "int64"), (1j, "float32"), (2, "bool"),
    ([1, 2**40], "int32"),
])  # fmt: skip
def test_numbers_are_not_converted_to_a_dtype_that_does_not_hold_them(value, dtype):
    for make in (sg.constant, lambda v, dtype: sg.Variable(v, dtype=dtype)):
        with pytest.raises(
            DTypeError,
            match=rf"cannot be converted to {dtype} without loss\n  hint: .*astype\('{dtype}'\)",
        ):
            make(value, dtype)
    variable = sg.Variable(np.zeros(np.shape(value), dtype))
    for assign in (variable.assign, variable.assign_add, variable.assign_sub):
        with pytest.raises(DTypeError, match=f"keeps its dtype, and .* does not fit in {dtype}"):
            assign(value)


def test_numbers_are_assigned_to_what_holds_them():
    small, rounded = sg.Variable(0, dtype="uint8"), sg.Variable(0.0, dtype="complex64")
    found = sg.Session().run([small.assign(200), rounded.assign(1j)])
    assert (found, found[0].dtype) == ([200, 1j], np.uint8)


def test_what_is_no_array_and_what_is_no_dtype_are_refused():
    with pytest.raises(GraphError, match=r"the value is not an array: .*inhomogeneous"):
        sg.constant([[1], [1, 2]])
    for dtype in ("real", 7, [1], "S3"):
        for make in (lambda d: sg.constant(1, d), sg.placeholder, lambda d: sg.ones(2, d)):
            with pytest.raises(DTypeError, match="dtype"):
                make(dtype)
    with pytest.raises(DTypeError, match="no such dtype"):
        sg.cast(sg.constant(1), "real")


def test_a_variable_begins_with_a_value():
    with pytest.raises(GraphError, match="has no value for a variable to begin with"):
        sg.Variable(sg.no_op)


def test_a_constant_fills_a_shape():
    found = sg.constant(0.5, shape=[2, 3]), sg.constant(range(6), "int32", (3, 2))
    half, six = sg.Session().run(list(found))
    np.testing.assert_array_equal(half, np.full((2, 3), 0.5, np.float32))
    np.testing.assert_array_equal(six, np.arange(6).reshape(3, 2))
    with pytest.raises(ShapeError, match=r"4 entries do not fill the shape \(3,\)"):
        sg.constant([1, 2, 3, 4], shape=[3])


def test_an_initializer_shares_the_initial_value_and_a_session_does_not():
    w = sg.Variable(np.arange(3.0), name="w")
    init = w.initializer
    (constants,) = [[x for x in e.inputs if x is not w] for e in [init]]
    assert all(np.shares_memory(e.value, w.value) for e in constants)
    session = sg.Session()
    session.run(init)
    value = session.run(w)
    value += 1
    assert session.run(w).tolist() == w.value.tolist() == [0, 1, 2]
