"""Differences of neighbours, and what is refused."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import gradops as G


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_differences_are_those_of_numpy(n):
    x = np.random.default_rng(0).normal(size=(3, 4))
    for axis in (0, -1):
        assert_array_equal(G.diff(x, n, axis), np.diff(x, n, axis))
    assert_array_equal(G.diff(x > 0, n), np.diff(x > 0, n))
    assert_array_equal(G.diff(x, n, prepend=1, append=x), np.diff(x, n, prepend=1, append=x))


def test_differences_that_are_not_there_are_refused():
    with pytest.raises(G.OptionError, match=r"diff\(float64\[3\]\): there are no -1 differences"):
        G.diff(np.ones(3), -1)
    with pytest.raises(G.AxisError, match="axis 1 is out of range"):
        G.diff(np.ones(3), axis=1)
