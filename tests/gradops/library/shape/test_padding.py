"""Padding as NumPy does, and where it does not."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import gradops as G
from gradops import ArrayType, Dim
from gradops.transforms.saved_operands import Probe

X = np.arange(12.0).reshape(6, 2)
N = Dim("n")


@pytest.mark.parametrize("dtype", [np.float32, np.int64, bool])
@pytest.mark.parametrize("widths", [1, (1, 2), (2,), [[1, 0]], ((1,), (2,)), ((0, 0), (3, 1))])
def test_pad_gives_what_numpy_gives(widths, dtype):
    x = X.astype(dtype)
    got, want = G.pad(x, widths, constant_values=1), np.pad(x, widths, constant_values=1)
    assert_array_equal(got, want)
    assert got.dtype == want.dtype


def test_padding_does_not_move_with_what_it_pads():
    y, t = G.jvp(lambda x: G.pad(x, 1, constant_values=7.0), [np.ones(2)], [np.full(2, 3.0)])
    assert_array_equal(y, [7, 1, 1, 7])
    assert_array_equal(t, [0, 3, 3, 0])


@pytest.mark.parametrize(
    ("widths", "says"),
    [((1, 2, 3), "not a pair"), (1.5, "not a pair of integers"), ((0, -1), "negative")],
)
def test_widths_that_do_not_fit_are_an_error(widths, says):
    with pytest.raises(G.ShapeError, match=says):
        G.pad(X, widths)


def test_integers_are_not_padded_with_nan():
    with pytest.raises(ValueError, match="NaN"):
        G.pad(np.arange(3), 1, constant_values=np.nan)


@pytest.mark.parametrize("mode", ["reflect", "symmetric", "edge", "wrap"])
@pytest.mark.parametrize("n", [1, 2, 3, 5])
@pytest.mark.parametrize("widths", [(0, 0), (1, 0), (0, 2), (2, 3), (7, 9)], ids=str)
def test_an_axis_is_continued_as_numpy_continues_it(mode, n, widths):
    x = np.arange(2.0 * n).reshape(n, 2)
    both = (widths, (1, 1))
    assert_array_equal(G.pad(x, both, mode), np.pad(x, both, mode))


def test_modes_have_the_names_of_pytorch_too():
    assert_array_equal(G.pad(X, 1, "replicate"), np.pad(X, 1, "edge"))
    assert_array_equal(G.pad(X, 1, "circular"), np.pad(X, 1, "wrap"))


def test_numbers_may_differ_from_end_to_end():
    for values in ([5.0], (1, 2), ((1, 2), (3, 4))):
        want = np.pad(X, ((1, 2), (0, 1)), constant_values=values)
        assert_array_equal(G.pad(X, ((1, 2), (0, 1)), constant_values=values), want)


def test_unknown_sizes_grow_by_the_widths():
    x = Probe(ArrayType((N, 2), np.float64), set())
    assert G.pad(x, ((1, 2), (0, 0))).shape == (N + 3, 2)
    assert G.pad(x, ((1, 2), (0, 0)), "reflect").shape == (N + 3, 2)


def test_what_cannot_be_continued_is_an_error():
    with pytest.raises(G.ShapeError, match="axis 0 is empty"):
        G.pad(X[:0], ((1, 1), (0, 0)), "edge")
    with pytest.raises(G.OptionError, match="no mode is 'ramp'"):
        G.pad(X, 1, "ramp")
