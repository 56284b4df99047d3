"""Sums of small arrays in machine code have NumPy's bits."""

import numpy as np
import pytest

from gradops.kernels.native_kernels import native_kernels, refuse
from gradops.kernels.sums import SMALL, native_sums, sum_of

SHAPES = [(1,), (7,), (8,), (9,), (64,), (127,), (128,), (129,), (500,), (3, 5), (5, 1), (1, 6),
          (32, 128), (9, 300), (300, 9), (2, 3, 4), (2, 3, 40), (4, 0), (0, 4), (0,),
          (SMALL // 8, 8), (SMALL, 2)]  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int64, bool])
def test_a_small_array_is_added_up_to_the_bit(shape, dtype):
    rng = np.random.default_rng(0)
    for order in "CF":
        x = np.asarray(rng.normal(size=shape) * 3).astype(dtype).copy(order=order)
        for axis in (None, *range(-len(shape), len(shape)), tuple(range(len(shape)))):
            found, wanted = sum_of(x, axis), np.add.reduce(x, axis=axis)
            assert type(found) is type(wanted)
            assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
            assert found.tobytes() == wanted.tobytes()
            assert sum_of(x, axis, True).tobytes() == wanted.tobytes()


@pytest.mark.parametrize("extreme", [-0.0, np.inf, -np.inf, np.nan, 1e300])
def test_extreme_entries_are_added_up_as_by_numpy(extreme):
    for shape in [(5,), (40,), (6, 7), (7, 20)]:
        x = np.full(shape, -0.0)
        x[..., 1:3] = extreme
        for axis in (None, *range(len(shape))):
            with np.errstate(all="ignore"):
                wanted = np.add.reduce(x, axis=axis)
            assert np.array_equal(sum_of(x, axis), wanted, equal_nan=True)
            assert np.array_equal(np.signbit(sum_of(x, axis)), np.signbit(wanted))


def test_a_sum_is_written_where_it_is_wanted():
    x, out = np.arange(12.0).reshape(3, 4), np.empty(4)
    assert sum_of(x, 0, False, out) is out
    assert out.tolist() == [12, 15, 18, 21]


def test_machine_code_adds_up_where_it_is_installed():
    pytest.importorskip("llvmlite")
    assert refuse not in native_sums()
    with native_kernels(False):
        assert sum_of(np.ones(3)) == 3
