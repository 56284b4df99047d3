"""TensorFlow's functions that arrange entries anew."""

import numpy as np
import pytest

import gradops
import staticgrad as sg

X = np.arange(12.0).reshape(3, 4)


def test_the_diagonal_of_what_has_several_axes_is_that_of_pairs_of_indices():
    y = sg.diag(X)
    assert y.shape == (3, 4, 3, 4)
    assert all(y[i, j, i, j] == X[i, j] for i in range(3) for j in range(4))
    np.testing.assert_array_equal(sg.diag_part(y), X)
    with pytest.raises(gradops.ShapeError, match="second half"):
        sg.diag_part(X)


def test_a_band_is_what_is_near_the_diagonal():
    np.testing.assert_array_equal(sg.matrix_band_part(X, -1, 1), np.tril(X, 1))
    np.testing.assert_array_equal(sg.matrix_band_part(X, 1, -1), np.triu(X, -1))
    np.testing.assert_array_equal(sg.matrix_band_part(X, 0, 0), np.triu(np.tril(X)))


def test_a_mask_of_lengths_that_a_graph_computes_has_a_width():
    n = sg.placeholder("int64", [None], name="n")
    assert sg.sequence_mask(n, 4).shape[1] == 4
    assert sg.sequence_mask(np.array([1, 3])).shape == (2, 3)
    with pytest.raises(gradops.ValueUnknownError, match="hint: give it: maxlen="):
        sg.sequence_mask(n)


def test_counts_of_repetitions_may_be_fed():
    x, n = sg.placeholder("float64", ["n"], name="x"), sg.placeholder("int64", ["n"], name="n")
    (g,) = sg.gradients(sg.reduce_sum(sg.repeat(x, n) ** 2), x)
    (got,) = sg.compile([g], [x, n])(np.array([1.0, 2.0, 3.0]), np.array([2, 0, 1]))
    np.testing.assert_array_equal(got, [4, 0, 6])


def test_windows_that_are_fetched_are_memory_of_their_own():
    x = sg.placeholder("float64", [5], name="x")
    (got,) = sg.compile([sg.sliding_window_view(x * 2, 3)], [x])(np.arange(5.0))
    got[0, 1] = 7
    assert got[1, 0] == 2


def test_a_result_that_is_the_operand_itself_is_named_apart():
    x = sg.placeholder("float64", [5], name="x")
    assert sg.ravel(x, name="y").name == "y"
    assert x.name == "x"
    assert [part.name for part in sg.unstack(x, name="part")][:2] == ["part", "part_1"]
