"""Sums over all axes but the last, where rows are added many at a time."""

import numpy as np
import pytest

from gradops.library.shape import broadcasting


@pytest.mark.parametrize("shape", [(70, 50, 30), (3, 7, 9, 1100), (2, 50001, 1)])
def test_rows_that_are_added_many_at_a_time_have_the_sum_of_rows(shape):
    x = np.random.default_rng(0).standard_normal(shape)
    assert x.size > broadcasting.LARGE
    want = x.sum(tuple(range(x.ndim - 1)))
    np.testing.assert_allclose(broadcasting.sum_rows(x), want, rtol=1e-9, atol=1e-9)
