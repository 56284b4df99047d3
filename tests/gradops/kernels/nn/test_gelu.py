"""gelu in float32 beside the exact function in float64, and how it treats memory."""

import numpy as np
import pytest

import gradops
from gradops.kernels.native_kernels import native_kernels
from gradops.kernels.nn.gelu import BLOCK, by_pieces, gelu_piece

X = np.linspace(-15, 15, 3 * BLOCK + 7)
slope = gradops.OPS["gelu_slope"]


@pytest.mark.parametrize("f", [gradops.gelu, slope], ids=str)
def test_single_precision_is_as_exact_as_that_allows(f):
    error = np.abs(f(X.astype(np.float32)) - f(X.astype(np.float32).astype(np.float64)))
    assert (error / np.maximum(np.abs(X), 1)).max() < 2.5e-7  # 4 roundings of numbers near 1


def test_far_out_it_is_silent():
    x = np.array([-3e38, -1e10, 1e10, 3e38], np.float32)
    with np.errstate(all="raise"):
        assert gradops.gelu(x).tolist() == [0, 0, float(x[2]), float(x[3])]
        assert slope(x).tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_memory_of_any_layout_is_read_and_written(dtype):
    x = np.linspace(-2, 2, 24).astype(dtype).reshape(4, 6)
    want = by_pieces(gelu_piece, x)
    assert want.dtype == dtype
    for view in (x.T, x[::2, ::-1]):
        with native_kernels(False):
            want_of_view = gradops.gelu(view.copy())
        np.testing.assert_array_equal(by_pieces(gelu_piece, view), want_of_view)
    for out in (np.empty((4, 6), dtype), np.empty((6, 4), dtype).T):
        assert by_pieces(gelu_piece, x, out) is out
        np.testing.assert_array_equal(out, want)


@pytest.mark.parametrize("f", [gradops.gelu, slope], ids=str)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_a_large_array_has_the_bits_of_its_parts(f, dtype):
    x = X.astype(dtype)
    parts = [f(x[i : i + 1000], approximate="tanh") for i in range(0, x.size, 1000)]
    np.testing.assert_array_equal(f(x, approximate="tanh"), np.concatenate(parts))
    turned = x[:-7].reshape(3, -1).T
    np.testing.assert_array_equal(
        f(turned, approximate="tanh"), f(turned.copy(), approximate="tanh")
    )
