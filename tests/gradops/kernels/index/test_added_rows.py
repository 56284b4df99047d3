"""Rows that are added by their numbers in machine code have NumPy's bits."""

import numpy as np
import pytest

from gradops import OPS
from gradops.core.errors import IndexingError
from gradops.kernels.native_kernels import native_kernels
from gradops.kernels.threads import get_num_threads, set_num_threads

scatter = OPS["scatter"].kernel
ROWS = {"index": ("array",)}


def by_numpy(g, numbers, shape):
    """The sums by `np.add.at`."""
    with native_kernels(False):
        return scatter(g, numbers, shape=shape, **ROWS)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, np.int64])
@pytest.mark.parametrize("of_numbers", [np.int64, np.int32, np.int8, np.uint8])
@pytest.mark.parametrize(("m", "rest", "count"), [
    (4, (3,), (0,)), (4, (3,), (5,)), (1, (1,), (7,)), (100, (64,), (500,)), (50, (130,), (30, 4)),
    (4, (0,), (3,)), (6, (4, 5), (2, 3)), (5, (), (9,)), (3, (2,), ()),
])  # fmt: skip
def test_rows_are_added_in_numpys_order(dtype, of_numbers, m, rest, count):
    rng = np.random.default_rng(0)
    g = (rng.normal(size=(*count, *rest)) * 9).astype(dtype)
    least = 0 if np.dtype(of_numbers).kind == "u" else -m
    numbers = rng.integers(least, m, size=count).astype(of_numbers)
    wanted = by_numpy(g, numbers, (m, *rest))
    for x in (g, np.asarray(g, order="F"), np.repeat(g[..., None], 2, -1)[..., 0]):
        found = scatter(x, numbers, shape=(m, *rest), **ROWS)
        assert found.dtype == wanted.dtype
        assert found.shape == wanted.shape
        assert found.tobytes() == wanted.tobytes()


def test_bits_are_the_same_on_any_number_of_threads():
    rng, usual, found = np.random.default_rng(0), get_num_threads(), []
    g, numbers = rng.normal(size=(3000, 300)).astype("f4"), rng.integers(0, 9, size=3000)
    try:
        for n in (1, 2, 3):
            set_num_threads(n)
            found.append(scatter(g, numbers, shape=(9, 300), **ROWS).tobytes())
    finally:
        set_num_threads(usual)
    assert found == [by_numpy(g, numbers, (9, 300)).tobytes()] * 3


@pytest.mark.parametrize("wrong", [5, -6, 2**62, -(2**62)])
def test_rows_that_there_are_not_are_refused(wrong):
    with pytest.raises(IndexingError, match="out of range"):
        OPS["scatter"](np.ones((2, 3)), np.array([0, wrong]), shape=(5, 3), **ROWS)


def test_special_values_are_added():
    g = np.array([[np.nan, np.inf, -0.0], [1.0, -np.inf, -0.0]])
    found = scatter(g, np.array([1, 1]), shape=(2, 3), **ROWS)
    np.testing.assert_array_equal(found, [[0, 0, 0], [np.nan, np.nan, 0.0]])
