"""Placeholders, constants and variables."""

import numpy as np
import pytest

import staticgrad as sg
from gradops import Dim, DTypeError, ShapeError


@pytest.fixture(autouse=True)
def graph():
    with sg.Graph().as_default() as graph:
        yield graph


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
