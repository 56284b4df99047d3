"""Sorting and ranking as NumPy does it, and what happens to equal entries and NaN."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import gradops as G
from gradops import ArrayType, Dim
from gradops.transforms.saved_operands import Probe

RNG = np.random.default_rng(0)
X = RNG.permutation(60).astype(float).reshape(3, 4, 5)
TIES = RNG.integers(0, 3, (4, 30))
NANS = np.array([2.0, np.nan, 1.0, np.nan, 3.0])
N = Dim("n")


def probe(*shape):
    """An operand of which only the type is known."""
    return Probe(ArrayType(shape, np.float64), set())


@pytest.mark.parametrize("axis", [None, 0, 1, -1])
@pytest.mark.parametrize("stable", [False, True])
def test_sorting_gives_what_numpy_gives(axis, stable):
    for x in (X, TIES, X.astype(np.float32), X > 30, X * 1j):
        got, want = G.sort(x, min(axis or 0, x.ndim - 1), stable=stable), np.sort(x, axis or 0)
        assert_array_equal(got, want)
        assert got.dtype == want.dtype
    assert_array_equal(G.sort(X, axis), np.sort(X, axis))
    assert_array_equal(G.argsort(X, axis), np.argsort(X, axis))
    assert_array_equal(G.argsort(TIES, 0, stable=True), np.argsort(TIES, 0, stable=True))


def test_equal_entries_keep_their_order_in_both_directions():
    order = G.argsort(TIES, descending=True, stable=True)
    ranked = np.take_along_axis(TIES, order, -1)
    assert (np.diff(ranked) <= 0).all()
    assert (np.diff(order)[np.diff(ranked) == 0] > 0).all()
    zeros = np.array([0.0, -0.0, 0.0])
    for descending in (False, True):
        kept = G.sort(zeros, -1, descending, stable=True)
        assert_array_equal(np.signbit(kept), [False, True, False])


def test_nan_is_larger_than_all_else():
    assert_array_equal(G.sort(NANS), np.sort(NANS))
    assert_array_equal(G.sort(NANS, descending=True), np.sort(NANS)[::-1])
    assert_array_equal(G.topk(NANS, 3).indices, [1, 3, 4])
    assert_array_equal(G.topk(np.tile(NANS, 10), 3).indices, [1, 3, 6])
    assert G.kthvalue(NANS, 3).values == 3


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("k", [0, 1, 3, 5, 30])
def test_the_best_are_the_first_of_a_stable_sort(largest, k):
    for x in (TIES, RNG.permutation(120).astype(float).reshape(4, 30), TIES * 1.0):
        values, indices = G.topk(x, k, largest=largest)
        want = G.argsort(x, descending=largest, stable=True)[:, :k]
        assert_array_equal(indices, want)
        assert_array_equal(values, np.take_along_axis(x, want, -1))
        assert_array_equal(G.topk(x.T, k, axis=0, largest=largest).indices, want.T)


def test_an_entry_is_chosen_by_its_rank():
    for k in (1, 3, 5):
        values, indices = G.kthvalue(X, k)
        assert_array_equal(values, np.sort(X)[..., k - 1])
        assert_array_equal(np.take_along_axis(X, indices[..., None], -1)[..., 0], values)
    assert G.kthvalue(X, 2, axis=0, keepdims=True).values.shape == (1, 4, 5)


def test_the_most_frequent_entry_is_found():
    values, indices = G.mode(np.array([[1, 3, 3, 1, 2], [5, 4, 4, 5, 5]]))
    assert_array_equal(values, [1, 5])
    assert_array_equal(indices, [3, 4])
    assert G.mode(TIES, axis=0, keepdims=True).values.shape == (1, 30)


def test_a_gradient_goes_back_to_where_an_entry_came_from(gradient):
    w = np.arange(5.0)
    x = np.array([3.0, 1.0, 1.0, 0.0, 2.0])
    assert_array_equal(gradient(lambda x: G.sort(x) * w, x)[0], [4, 1, 2, 0, 3])
    assert_array_equal(gradient(lambda x: G.sort(x, stable=True) * w, x)[0], [4, 1, 2, 0, 3])
    assert_array_equal(gradient(lambda x: G.topk(x, 2).values * w[1:3], x)[0], [1, 0, 0, 0, 2])
    assert_array_equal(gradient(lambda x: G.kthvalue(x, 4).values, x)[0], [0, 0, 0, 0, 1])


def test_sizes_need_not_be_known():
    assert G.sort(probe(N, 3), 0).shape == (N, 3)
    assert G.topk(probe(N, 3), 2, axis=0).values.shape == (2, 3)
    assert G.sort(probe(N, 3), None).shape == (3 * N,)


@pytest.mark.parametrize(
    ("call", "says"),
    [(lambda: G.sort(X, 3), "axis 3 is out of range"), (lambda: G.sort(1.0), "out of range"),
     (lambda: G.topk(X, 6), "k=6 is not from 0 to 5"), (lambda: G.topk(X, -1), "k=-1"),
     (lambda: G.kthvalue(X, 0), "k=0 is not from 1 to 5"), (lambda: G.mode(X[..., :0]), "empty")],
)  # fmt: skip
def test_what_does_not_fit_is_an_error(call, says):
    with pytest.raises(G.ShapeError, match=says):
        call()


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("axis", [0, 1])
def test_among_many_floats_equal_ones_keep_their_order(axis, descending):
    x = RNG.normal(size=(60, 70))
    x[3, 50], x[40, 7:9], x[20] = x[3, 1], np.nan, x[21]
    want = np.argsort(x, axis, stable=True)
    if descending:
        want = (
            69 - 10 * (axis == 0) - np.flip(np.argsort(np.flip(x, axis), axis, stable=True), axis)
        )
    assert_array_equal(G.argsort(x, axis, descending, stable=True), want)
    assert_array_equal(
        G.argsort(np.round(x), 1, stable=True), np.argsort(np.round(x), 1, stable=True)
    )
