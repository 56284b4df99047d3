"""Arrays as texts and statistics: exact where small, honest where large, whatever is in them."""

import numpy as np
import pytest

from gradops.inspection.previews import WHOLE, preview, statistics_of


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "bool", "complex64"])
def test_small_arrays_are_written_out_so_that_they_can_be_read_back(dtype):
    a = np.array([[0.1, 1.0, -2.5], [3.0, 0.0, 7.0]]).astype(dtype)
    read = eval(preview(a))
    np.testing.assert_array_equal(np.array(read).astype(dtype), a)


def test_floats_of_few_bits_have_few_digits():
    assert preview(np.float32([0.1, 1e-3])) == "[0.1, 0.001]"


def test_large_arrays_are_summarised():
    assert preview(np.arange(WHOLE + 1.0)) == "mean 32, std 18.76, from 0 to 64"
    assert preview(np.full(100, np.nan)) == "mean nan, std nan, from nan to nan, 100 not finite"
    assert preview(np.array([object()] * 100)) == "100 entries"


@pytest.mark.parametrize("a", [
    np.array([1e308, -1e308, 1e308] * 30), np.array([1e-320, 0.0] * 50), np.zeros(100),
    np.array([np.inf, -np.inf] * 50), np.array([1e300 + 1e300j] * 100), np.ones(100, bool),
    np.array([np.iinfo(np.int64).min, np.iinfo(np.int64).max] * 50), np.float16([65504.0] * 100),
])  # fmt: skip
def test_statistics_of_extreme_values_warn_of_nothing(a):
    s = statistics_of(a)
    assert s.size == a.size
    assert sum(s.histogram) == s.size - s.bad
    assert s.low <= s.mean <= s.high or s.bad == s.size


def test_there_are_no_statistics_of_nothing():
    assert statistics_of(np.zeros(0)) is None
    assert statistics_of(np.array(["a"])) is None
