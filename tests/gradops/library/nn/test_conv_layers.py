"""Convolution as networks have it: what does not fit is refused in words."""

import numpy as np
import pytest

import gradops as ops

X, W = np.ones((2, 3, 5)), np.ones((4, 3, 3))


@pytest.mark.parametrize(("call", "error", "says"), [
    (lambda: ops.convolution(X, W[:, :2]), ops.ShapeError, "operand has 3 channels, the filters 2"),
    (lambda: ops.convolution(X, W, np.ones(3)), ops.ShapeError, "a bias has 4 entries"),
    (lambda: ops.convolution(X, W, padding=-1), ops.OptionError, "padding is at least 0"),
    (lambda: ops.convolution(X, W, padding="full"), ops.OptionError, "'same' or 'valid'"),
    (lambda: ops.convolution(X, W, padding=[(1, 2, 3)]), ops.OptionError, "a pair for each"),
    (lambda: ops.convolution(X, W, stride=(1, 2)), ops.OptionError, "a number or 1 numbers"),
    (lambda: ops.convolution(X, W, stride=0), ops.OptionError, "strides are at least 1"),
    (lambda: ops.convolution(X, W, dilation=4), ops.ShapeError, "extend over 9 entries"),
    (lambda: ops.convolution(X, np.ones((4, 3, 0))), ops.ShapeError, "at least 1"),
    (lambda: ops.conv_transposed(X, W), ops.ShapeError, "3 channels, and there are 4 filters"),
    (lambda: ops.conv_transposed(X, W[:3], stride=2, output_padding=2), ops.OptionError,
     "less than stride"),
    (lambda: ops.fold(X, (5,), 2), ops.ShapeError, r"have 4 windows"),
    (lambda: ops.unfold(X, 2), ops.ShapeError, "takes 4 axes"),
])  # fmt: skip
def test_what_does_not_fit_is_refused(call, error, says):
    with pytest.raises(error, match=says):
        call()


def test_one_example_needs_no_axis():
    assert np.array_equal(ops.convolution(X[0], W), ops.convolution(X, W)[0])
    assert np.array_equal(ops.conv_transposed(X[0], W[:3]), ops.conv_transposed(X, W[:3])[0])


@pytest.mark.parametrize("size", range(3, 9))
def test_pairs_pad_each_side(size):
    x = np.arange(float(size)).reshape(1, 1, size)
    padded = np.pad(x, ((0, 0), (0, 0), (2, 1)))
    got = ops.convolution(x, W[:1, :1], padding=[(2, 1)], stride=2)
    np.testing.assert_allclose(got, ops.convolution(padded, W[:1, :1], stride=2))


def test_infinities_stay_where_they_are():
    x = np.ones((1, 1, 6))
    x[0, 0, 0] = np.inf
    assert ops.convolution(x, np.ones((1, 1, 2))).tolist() == [[[np.inf, 2, 2, 2, 2]]]
