"""Sums along short rows have NumPy's bits."""

import numpy as np
import pytest

import gradops as G
from gradops.kernels.sums import LONG, MANY, are_short_rows, sum_short_rows


def rows(n, dtype):
    """Numbers of many sizes, with rows of zeros of either sign, infinities and NaN."""
    rng = np.random.default_rng(n)
    x = (rng.normal(size=(MANY, n)) * 10 ** rng.uniform(-6, 6, (MANY, n))).astype(dtype)
    x[:20] = -0.0
    x[20:40, 0] = -0.0
    x[40:60] = rng.choice([0.0, -0.0], (20, n))
    x[60, 0], x[61, -1], x[62, 0], x[62, -1], x[63, 0] = np.inf, -np.inf, np.inf, -np.inf, np.nan
    return x


def same_bits(a, b):
    there = ~np.isnan(b)
    assert a.dtype == b.dtype
    assert np.array_equal(np.isnan(a), ~there)
    assert a[there].tobytes() == b[there].tobytes()


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("n", range(2, LONG))
@pytest.mark.parametrize("lay_out", [np.asarray, np.asfortranarray, lambda x: x[::-1, ::-1]])
def test_columns_added_in_order_have_the_bits_of_numpys_sum(n, dtype, lay_out):
    x = lay_out(rows(n, dtype))
    with np.errstate(invalid="ignore"):
        want = np.add.reduce(x, axis=-1)
        same_bits(sum_short_rows(x), want)
        same_bits(G.sum(x, axis=1), want)
        same_bits(G.sum(x, axis=(-1,), keepdims=True), want[:, None])
        same_bits(G.mean(x, axis=-1), np.mean(x, axis=-1))


def test_a_sum_is_written_where_it_is_wanted():
    x = rows(3, "f8")[64:]
    out, kept = np.empty(len(x)), np.empty((len(x), 1))
    assert sum_short_rows(x, out=out) is out
    assert sum_short_rows(x, keepdims=True, out=kept) is kept
    assert np.array_equal(out, x.sum(axis=1))
    assert np.array_equal(kept[:, 0], out)


@pytest.mark.parametrize(
    ("shape", "dtype", "axis"),
    [((MANY, 3), "f8", 0), ((MANY, LONG), "f8", 1), ((MANY - 1, 3), "f8", 1), ((MANY, 3), "i8", 1),
     ((MANY, 3), "f2", 1), ((MANY, 3), "f8", (0, 1)), ((), "f8", None), ((MANY, 0), "f8", 1)],
)  # fmt: skip
def test_other_sums_are_numpys(shape, dtype, axis):
    assert not are_short_rows(shape, np.dtype(dtype), axis)
