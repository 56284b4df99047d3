"""Arrangements that are made of other ops give what NumPy gives."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import gradops as G
from gradops import ArrayType, Dim
from gradops.transforms.saved_operands import Probe

X = np.arange(24.0).reshape(2, 3, 4)
N = Dim("n")

ALIKE = [
    ("ravel", X), ("ravel", np.float64(3)), ("ravel", np.ones((0, 2))), ("matrix_transpose", X),
    ("fliplr", X), ("flipud", X), ("rot90", X), ("rot90", X, 2), ("rot90", X, -1, (1, 2)),
    ("rot90", X, 4), ("rot90", X, 1, (2, 0)), ("atleast_1d", 3.0), ("atleast_2d", 3.0),
    ("atleast_3d", 3.0), ("atleast_2d", X[0, 0]), ("atleast_3d", X[0, 0]), ("atleast_3d", X[0]),
    ("atleast_3d", X), ("hstack", [X[0], X[1]]), ("hstack", [X[0, 0], 1.0]),
    ("vstack", [X[0], X[0, 0]]), ("dstack", [X[0], X[1]]), ("dstack", [X[0, 0], X[0, 0]]),
    ("column_stack", [X[0, :, 0], X[0]]), ("moveaxis", X, (0, 1), (-1, 0)), ("moveaxis", X, 0, 1),
]  # fmt: skip
SEVERAL = [
    ("array_split", X, 3, 2), ("array_split", X, 5, 1), ("array_split", X, [1, 3], -1),
    ("unstack", X), ("broadcast_arrays", X, X[0], 1.0), ("broadcast_arrays",),
    ("meshgrid", X[0, 0], X[0, :, 0]), ("meshgrid", X[0, 0], X[0, :, 0], X[:, 0, 0]),
    ("meshgrid", X[0, 0], 1.0), ("meshgrid",), ("meshgrid", X[0, 0]), ("atleast_1d", 1.0, X),
]  # fmt: skip


def probe(*shape):
    """An operand of which only the type is known."""
    return Probe(ArrayType(shape, np.float64), set())


@pytest.mark.parametrize(("name", "args"), [(name, args) for name, *args in ALIKE], ids=str)
def test_it_is_what_numpy_gives(name, args):
    got, want = getattr(G, name)(*args), getattr(np, name)(*args)
    assert_array_equal(got, want)
    assert got.shape == want.shape


@pytest.mark.parametrize(("name", "args"), [(name, args) for name, *args in SEVERAL], ids=str)
def test_they_are_what_numpy_gives(name, args):
    if not hasattr(np, name):
        pytest.skip("this NumPy is too early")
    got, want = getattr(G, name)(*args), getattr(np, name)(*args)
    for one, other in zip(got, want, strict=True):
        assert_array_equal(one, other)


def test_a_grid_may_be_indexed_by_the_operands_in_order():
    for got, want in zip(
        G.meshgrid(*X[:, 0, :2], indexing="ij"),
        np.meshgrid(*X[:, 0, :2], indexing="ij"),
        strict=True,
    ):
        assert_array_equal(got, want)


@pytest.mark.parametrize("indexing", ["xy", "ij"])
def test_derivatives_go_through_every_arrangement(gradient, indexing):
    def f(x):
        parts = G.unstack(x, axis=1)
        grid = G.meshgrid(parts[0], parts[1], indexing=indexing)
        turned = G.rot90(G.hstack([grid[0], grid[1] * 2]))
        return G.atleast_3d(G.column_stack([turned, turned]))

    assert_array_equal(gradient(f, X[:, :2, 0])[0], [[4, 8], [4, 8]])


def test_sizes_need_not_be_known():
    assert G.vstack([probe(N, 2), probe(2)]).shape == (N + 1, 2)
    assert [g.shape for g in G.meshgrid(probe(N), probe(3))] == [(3, N)] * 2
    assert G.rot90(probe(N, 3)).shape == (3, N)
    assert [x.shape for x in G.broadcast_arrays(probe(N, 1), probe(3))] == [(N, 3)] * 2


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: G.rot90(X, 1, (0, 0)), G.ShapeError, "named twice"),
        (lambda: G.rot90(X, 1, (0, 1, 2)), G.ShapeError, "two axes, not 3"),
        (lambda: G.matrix_transpose(X[0, 0]), G.ShapeError, "two axes"),
        (lambda: G.meshgrid(X), G.ShapeError, "more than one axis"),
        (lambda: G.meshgrid(X[0, 0], indexing="yx"), G.OptionError, "not 'yx'"),
        (lambda: G.unstack(probe(N, 2)), G.ShapeError, "axis 0 is not known"),
        (lambda: G.unstack(X, 3), G.ShapeError, "out of range"),
        (lambda: G.array_split(X, 0), G.OptionError, "less than one"),
        (lambda: G.broadcast_arrays(X, X[0, 0, :3]), G.ShapeError, "4 against 3"),
        (lambda: G.hstack([]), G.ShapeError, "it needs"),
        (lambda: G.moveaxis(X, (0, 1), (0,)), G.ShapeError, "2 axes to 1 places"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_an_error(call, error, says):
    with pytest.raises(error, match=says):
        call()
