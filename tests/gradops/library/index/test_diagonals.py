"""Diagonals and triangles as NumPy has them."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import gradops as G
from gradops import ArrayType, Dim
from gradops.core.dims import UNKNOWN
from gradops.transforms.saved_operands import Probe

X = np.arange(24.0).reshape(2, 3, 4)
N, M = Dim("n"), Dim("m")


def probe(*shape):
    """An operand of which only the type is known."""
    return Probe(ArrayType(shape, np.float64), set())


@pytest.mark.parametrize("k", [-5, -2, 0, 1, 3, 9])
def test_diagonals_are_those_of_numpy(k):
    for axes in ((0, 1), (2, 1), (-1, 0)):
        assert_array_equal(G.diagonal(X, k, *axes), np.diagonal(X, k, *axes))
    for v in (X[0], X[0, 0], X[0, :0]):
        assert_array_equal(G.diag(v, k), np.diag(v, k))
    assert_array_equal(G.diagflat(X, k), np.diagflat(X, k))
    assert_array_equal(G.tril(X, k), np.tril(X, k))
    assert_array_equal(G.triu(X, k), np.triu(X, k))


def test_triangles_do_not_let_through_what_they_leave_out():
    assert_array_equal(G.tril(np.array([[1, np.nan], [2, 3]])), [[1, 0], [2, 3]])


def test_a_diagonal_is_a_view_that_can_be_written_to():
    x = np.zeros((2, 2))
    G.diagonal(x)[...] = 1
    assert_array_equal(x, np.eye(2))
    x.flags.writeable = False
    assert not G.diagonal(x).flags.writeable


def test_vectors_become_diagonals_of_matrices_at_any_axes():
    x = X[:, 0]
    for offset, axes in ((0, (-2, -1)), (1, (0, 2)), (-2, (-1, 0))):
        y = G.diag_embed(x, offset, *axes)
        assert_array_equal(G.diagonal(y, offset, *axes), x)
        assert y.sum() == x.sum()


def test_a_diagonal_has_a_size_where_the_difference_of_both_is_known():
    assert G.diagonal(probe(N, N)).shape == (N,)
    assert G.diagonal(probe(N, N), 1).shape == (N - 1,)
    assert G.diagonal(probe(N, N), -2).shape == (N - 2,)
    assert G.diagonal(probe(N + 2, N), -1).shape == (N,)
    assert G.diagonal(probe(N, M)).shape == (UNKNOWN,)
    assert G.diag(probe(N), 1).shape == (N + 1, N + 1)
    assert G.tril(probe(N, M)).shape == (N, M)


@pytest.mark.parametrize(
    ("call", "says"),
    [(lambda: G.diag(X), "a vector or a matrix"), (lambda: G.diag_embed(1.0), "no axes"),
     (lambda: G.diag_embed(X, 0, 1, 1), "named twice"), (lambda: G.tril(X[0, 0]), "two axes")],
)  # fmt: skip
def test_what_does_not_fit_is_an_error(call, says):
    with pytest.raises(G.ShapeError, match=says):
        call()
