"""Rolling, tiling and repeating as NumPy does."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import gradops as G
from gradops import ArrayType, Dim
from gradops.core.dims import UNKNOWN
from gradops.transforms.saved_operands import Probe

X = np.arange(24.0).reshape(2, 3, 4)
N = Dim("n")


def probe(*shape, dtype=np.float64):
    """An operand of which only the type is known."""
    return Probe(ArrayType(shape, dtype), set())


@pytest.mark.parametrize(
    ("shift", "axis"),
    [(1, None), (-30, None), (1, 0), (5, -1), ((1, 2), (0, 1)), ((1, 2), 1), (2, (0, 2)),
     ((1, -1), (2, 2)), ([1, 2], [0, 1]), ((), ()), (np.int64(1), np.int64(1))],
)  # fmt: skip
def test_roll_gives_what_numpy_gives(shift, axis):
    assert_array_equal(G.roll(X, shift, axis), np.roll(X, shift, axis))


@pytest.mark.parametrize("reps", [2, (2,), (2, 1, 3), (3, 1, 1, 2), (0, 1, 1), [2, 2], ()], ids=str)
def test_tile_gives_what_numpy_gives(reps):
    for x in (X, X[0, 0], np.float64(2.0), np.ones((0, 2))):
        got, want = G.tile(x, reps), np.tile(x, reps)
        assert_array_equal(got, want)
        assert got.shape == want.shape


@pytest.mark.parametrize(
    ("repeats", "axis"),
    [(2, None), (3, 1), (0, 0), ([1, 2], 0), ([2, 0, 1], -2), ([3], 1), (np.arange(24), None)],
    ids=str,
)
def test_repeat_gives_what_numpy_gives(repeats, axis):
    got, want = G.repeat(X, repeats, axis), np.repeat(X, repeats, axis)
    assert_array_equal(got, want)
    assert got.shape == want.shape


def test_a_number_is_repeated_as_a_row_of_one():
    assert_array_equal(G.repeat(2.5, 3), [2.5] * 3)


def test_a_gradient_of_repeats_adds_up(gradient):
    x = gradient(lambda x: G.repeat(x, [2, 0, 1]) * np.array([1.0, 2, 3]), np.ones(3))[0]
    assert_array_equal(x, [3, 0, 3])


def test_sizes_need_not_be_known():
    assert G.tile(probe(N, 2), (3, 2)).shape == (3 * N, 4)
    assert G.tile(probe(3), (N,)).shape == (3 * N,)
    assert G.repeat(probe(N, 2), 3).shape == (6 * N,)
    assert G.repeat(probe(N), probe(N, dtype=np.int64)).shape == (UNKNOWN,)
    assert G.roll(probe(N, 2), N // 2, 0).shape == (N, 2)


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: G.repeat(X, [1, -1], 0), G.ShapeError, "-1 is negative"),
        (lambda: G.repeat(X, [1, 1, 1], 0), G.ShapeError, "3 counts for 2 entries along axis 0"),
        (lambda: G.repeat(X, 1.5, 0), G.OptionError, "not 1.5"),
        (lambda: G.repeat(X, [0.5, 1], 0), G.ShapeError, "not a row of integers"),
        (lambda: G.repeat(X, 1, 3), G.ShapeError, "out of range"),
        (lambda: G.tile(X, (1, -2)), G.ShapeError, "negative"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_an_error(call, error, says):
    with pytest.raises(error, match=says):
        call()
