"""Arrays as sets, as NumPy has them: in arrays, in graphs, and where gradients go."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import gradops as G

from .test_searching import in_a_graph

RNG = np.random.default_rng(0)
X = RNG.integers(-2, 3, (3, 4))
Y = np.array([2, 7, -2, 7])
EACH = [X, X * 0.5, X[:, :0], X > 0, np.array([np.nan, 1, np.nan, 1]), np.array(3.0)]


@pytest.mark.parametrize("x", EACH, ids=repr)
@pytest.mark.parametrize("equal_nan", [True, False])
def test_distinct_entries_are_those_of_numpy(x, equal_nan):
    want = np.unique(x, True, True, True, equal_nan=equal_nan)
    for got in (
        G.unique(x, True, True, True, equal_nan),
        in_a_graph(lambda x: G.unique(x, True, True, True, equal_nan), x),
    ):
        for one, other in zip(got, want, strict=True):
            assert_array_equal(one, other)
    assert_array_equal(G.unique(x, equal_nan=equal_nan), want[0])


@pytest.mark.parametrize("x", EACH, ids=repr)
def test_the_names_of_the_array_api_tell_every_nan_apart(x):
    want = np.unique_all(x)
    found = G.unique_all(x)
    assert found._fields == ("values", "indices", "inverse_indices", "counts")
    for got, part in zip(found, want, strict=True):
        assert_array_equal(got, part)
        assert got.shape == part.shape
    assert_array_equal(G.unique_values(x), want.values)
    assert_array_equal(G.unique_counts(x).counts, want.counts)
    assert_array_equal(G.unique_inverse(x).inverse_indices, want.inverse_indices)


@pytest.mark.parametrize("name", ["union1d", "intersect1d", "setdiff1d", "setxor1d"])
def test_sets_are_joined_and_met_as_in_numpy(name):
    for a, b in ((X, Y), (Y, X), (X[:0], Y), (Y, Y[:0])):
        assert_array_equal(getattr(G, name)(a, b), getattr(np, name)(a, b))
        assert_array_equal(in_a_graph(getattr(G, name), a, b)[0], getattr(np, name)(a, b))


def test_a_gradient_goes_to_the_first_of_equal_entries(gradient):
    x, w = np.array([3.0, 1.0, 3.0, 1.0]), np.array([1.0, 10.0])
    assert_array_equal(gradient(lambda x: G.unique(x) * w, x)[0], [10, 1, 0, 0])
    assert_array_equal(gradient(lambda x: G.unique_all(x).values * w, x)[0], [10, 1, 0, 0])
    assert_array_equal(gradient(lambda x: G.setdiff1d(x, [3.0]), x)[0], [0, 1, 0, 0])
