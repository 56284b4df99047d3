"""Taking along an axis as NumPy does, few entries and many, and adding them back."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import gradops as G
from gradops import ArrayType, Dim
from gradops.kernels.index import along_axis
from gradops.transforms.saved_operands import Probe

RNG = np.random.default_rng(0)
X = RNG.normal(size=(3, 4, 5))
N = Dim("n")


def probe(*shape, dtype=np.float64):
    """An operand of which only the type is known."""
    return Probe(ArrayType(shape, dtype), set())


@pytest.fixture(params=[0, 2000], ids=["many", "few"])
def small(request, monkeypatch):
    """How many entries count as few."""
    monkeypatch.setattr(along_axis, "SMALL", request.param)


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("dtype", [np.int64, np.int8, np.uint8])
def test_taking_and_adding_back_are_what_numpy_does(small, axis, dtype):
    n = X.shape[axis]
    shape = [3, 4, 5]
    shape[axis] = 7
    for sizes in (shape, [m if k == axis % 3 else 1 for k, m in enumerate(shape)]):
        i = RNG.integers(0 if dtype is np.uint8 else -n, n, sizes).astype(dtype)
        want = np.take_along_axis(X, i, axis)
        assert_array_equal(G.take_along_axis(X, i, axis), want)
        turned = X[:, ::-1].T
        assert_array_equal(
            G.take_along_axis(turned, i.T, 2 - axis % 3),
            np.take_along_axis(turned, i.T, 2 - axis % 3),
        )
        g = RNG.integers(1, 9, want.shape) * 1.0  # adds up exactly in any order
        back, key = np.zeros_like(X), [np.arange(m) for m in X.shape]
        key = list(np.ix_(*key))
        key[axis] = i
        np.add.at(back, tuple(key), g)
        assert_array_equal(G.add_along_axis(g, i, axis=axis, shape=X.shape), back)


def test_nothing_is_taken_from_nothing(small):
    none = np.zeros((3, 0), int)
    assert G.take_along_axis(X[:, 0, :0], none, 1).shape == (3, 0)
    assert G.take_along_axis(X[:, 0], none, 1).shape == (3, 0)
    assert G.take_along_axis(X[:0, 0], none[:0], 1).shape == (0, 0)


@pytest.mark.parametrize("index", [4, -5])
def test_an_index_out_of_range_is_an_error_that_shows_it(small, index):
    with pytest.raises(G.IndexingError, match=f"index {index} is out of range for axis 1"):
        G.take_along_axis(X, np.full((3, 1, 5), index), 1)


def test_sizes_need_not_be_known():
    i = probe(N, 2, dtype=np.int64)
    assert G.take_along_axis(probe(N, 4), i, 1).shape == (N, 2)
    assert G.take_along_axis(probe(4, 2), i, 0).shape == (N, 2)
