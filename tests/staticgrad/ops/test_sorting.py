"""TensorFlow's functions that sort, search and take arrays for sets."""

import numpy as np
import pytest

import gradops
import staticgrad as sg

X = np.array([3.0, 1.0, 3.0, 2.0, 1.0])


def run(f, *xs):
    """What `f` gives in a graph."""
    feeds = [sg.placeholder(np.asarray(x).dtype, [None] * np.ndim(x)) for x in xs]
    found = f(*feeds)
    return sg.compile([*found] if isinstance(found, tuple) else [found], feeds)(*xs)


def test_distinct_entries_come_in_the_order_in_which_they_are_first():
    y, idx, count = run(sg.unique_with_counts, X)
    assert (y.tolist(), idx.tolist(), count.tolist()) == ([3, 1, 2], [0, 1, 0, 2, 1], [2, 2, 1])
    assert y[idx].tolist() == X.tolist()
    found = sg.unique(X, out_idx="int32")
    assert (found.y.tolist(), found.idx.dtype) == ([3, 1, 2], np.int32)
    with pytest.raises(gradops.ShapeError, match="it takes a row"):
        sg.unique(np.ones((2, 2)))


def test_what_is_not_among_others_keeps_its_order():
    out, idx = run(sg.setdiff1d, X, np.array([1.0]))
    assert (out.tolist(), idx.tolist()) == ([3, 3, 2], [0, 2, 3])


def test_the_largest_are_sorted_and_have_gradients():
    x = sg.placeholder("float64", [None, 3], name="x")
    values, indices = sg.nn.top_k(x, 2, name="best")
    assert (values.name, indices.name) == ("best", "best_1")
    (g,) = sg.gradients(values, x)
    found = sg.compile([values, indices, g], [x])(np.array([[1.0, 3.0, 2.0]]))
    assert [f.tolist() for f in found] == [[[3, 2]], [[1, 2]], [[0, 1, 1]]]


def test_a_target_is_in_the_top_where_few_are_larger():
    p = np.array([[0.1, 0.5, 0.5], [0.2, 0.7, np.inf]])
    assert sg.nn.in_top_k(p, np.array([1, 0]), 1).tolist() == [True, False]
    assert sg.nn.in_top_k(p, np.array([0, 2]), 3).tolist() == [True, False]


def test_a_condition_alone_gives_places():
    assert run(lambda x: sg.where(x > 1), X)[0].tolist() == [[0], [2], [3]]
    assert run(lambda x: sg.count_nonzero(x, axis=[0], dtype="int32"), X)[0] == 5


def test_a_direction_is_a_word():
    assert run(lambda x: sg.sort(x, direction="DESCENDING"), X)[0].tolist() == [3, 3, 2, 1, 1]
    assert run(lambda x: sg.argsort(x, stable=True), X)[0].tolist() == [1, 4, 3, 0, 2]
    with pytest.raises(gradops.OptionError, match="not UP"):
        sg.sort(X, direction="UP")


def test_rows_are_searched_and_permutations_inverted():
    found = run(lambda a, v: sg.searchsorted(a, v, side="right", out_type="int32"), np.sort(X), X)
    assert (found[0].tolist(), found[0].dtype) == ([5, 2, 5, 3, 2], np.int32)
    assert run(sg.invert_permutation, np.array([2, 0, 1]))[0].tolist() == [1, 2, 0]


def test_a_condition_of_one_axis_chooses_rows_as_in_tensorflow_1():
    c = sg.placeholder("bool", [None])
    x, y = sg.constant([[1.0, 2.0], [3.0, 4.0]]), sg.constant([[5.0, 6.0], [7.0, 8.0]])
    f = sg.compile([sg.where(c, x, y), sg.where(c, x[0], y[0])], [c])
    rows, entries = f([True, False])
    assert rows.tolist() == [[1, 2], [7, 8]]
    assert entries.tolist() == [1, 6]
    with pytest.raises(gradops.ShapeError, match="there are 2 rows, not 3") as wrong:
        sg.where(sg.placeholder("bool", [3]), np.ones((2, 3)), np.zeros((2, 3)))
    assert "np.where" in str(wrong.value)


@pytest.mark.parametrize(("x", "y", "dtype"), [
    (1.0, 2, "float32"), (0, 0.5, "float32"), (1, 2, "int64"), (1.0, np.float64(2), "float64"),
])  # fmt: skip
def test_numbers_to_choose_from_have_the_default_dtype(x, y, dtype):
    assert sg.where(sg.placeholder("bool", []), x, y).dtype == dtype
    assert sg.one_hot(sg.constant([1]), 2, on_value=x, off_value=y).dtype == dtype
