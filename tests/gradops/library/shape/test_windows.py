"""Windows as NumPy has them, and with steps."""

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view
from numpy.testing import assert_array_equal

import gradops as G
from gradops import ArrayType, Dim
from gradops.transforms.saved_operands import Probe

X = np.arange(60.0).reshape(3, 4, 5)
N = Dim("n")


@pytest.mark.parametrize(
    ("shape", "axis"), [(2, 0), ((2, 3), (1, -1)), ((1, 2, 2), None), ((2,), (2,)), (5, -1)]
)
def test_windows_are_those_of_numpy(shape, axis):
    got = G.sliding_window_view(X, shape, axis)
    assert_array_equal(got, sliding_window_view(X, shape, axis))
    assert np.shares_memory(got, X)
    assert not got.flags.writeable


def test_steps_leave_windows_out_and_dilation_leaves_entries_out():
    got = G.sliding_window_view(X, 2, axis=2, step=2)
    assert_array_equal(got, sliding_window_view(X, 2, 2)[:, :, ::2])
    got = G.sliding_window_view(X, (2, 2), axis=(1, 2), step=(2, 1), dilation=(1, 3))
    assert_array_equal(got, sliding_window_view(X, (2, 4), (1, 2))[:, ::2, :, :, ::3])


def test_a_gradient_counts_the_windows_an_entry_is_in(gradient):
    x = gradient(lambda x: G.sliding_window_view(x, 2, step=2), np.zeros(5))[0]
    assert_array_equal(x, [1, 1, 1, 1, 0])
    x = gradient(lambda x: G.sliding_window_view(x, (2, 2)), np.zeros((3, 3)))[0]
    assert_array_equal(x, [[1, 2, 1], [2, 4, 2], [1, 2, 1]])


def test_sizes_need_not_be_known():
    x = Probe(ArrayType((N, 4), np.float64), set())
    assert G.sliding_window_view(x, 3, axis=0).shape == (N - 2, 4, 3)
    assert G.sliding_window_view(x, 3, axis=0, step=2).shape == ((N - 3) // 2 + 1, 4, 3)


@pytest.mark.parametrize(
    ("args", "error", "says"),
    [((2,), G.ShapeError, "1 sizes of windows do not fit 3 axes"),
     ((6, 2), G.ShapeError, "a window of 6 does not fit axis 2 of size 5"),
     (((2, 2), 2), G.ShapeError, "2 sizes of windows do not fit 1 axes"),
     ((2, 1, 0), G.OptionError, "less than 1"), ((2, 3), G.ShapeError, "out of range")],
)  # fmt: skip
def test_windows_that_do_not_fit_are_an_error(args, error, says):
    with pytest.raises(error, match=says):
        G.sliding_window_view(X, *args)
