"""Pooling over arrays of the least numbers there are, which padding looks like."""

import numpy as np
import pytest

import dynamicgrad as dg
from gradops.kernels.native_kernels import native_kernels
from gradops.kernels.nn.pooling import greatest_and_places, least, put_at

SLIDES = [
    ((2, 2), (2, 2), ((1, 1), (1, 1)), (1, 1)),
    ((3, 2), (1, 2), ((2, 0), (0, 1)), (1, 1)),
    ((3, 3), (2, 1), ((1, 2), (2, 2)), (2, 1)),
    ((4, 5), (4, 5), ((0, 3), (3, 2)), (1, 1)),
]


@pytest.mark.parametrize("is_native", [False, True])
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "int8"])
@pytest.mark.parametrize("slide", SLIDES)
def test_the_place_of_a_maximum_is_inside(slide, dtype, is_native):
    x = np.full((2, 3, 9, 10), least(np.dtype(dtype)), dtype)
    x[0, 1, 3:5] = 1
    with native_kernels(is_native):
        y, found = greatest_and_places(x, np.dtype("u1"), slide)
        g = put_at(np.ones(y.shape), found, x.shape[2:], slide)
    assert g.sum() == y.size
    assert g[y.max() > x].sum() + g[x == 1].sum() == y.size
    assert (y == 1).sum() == g[x == 1].sum()


def test_gradients_of_what_is_nowhere_finite_are_complete():
    x = dg.tensor(np.full((1, 4, 4), -np.inf), requires_grad=True)
    dg.nn.functional.max_pool2d(x, 2, 2, 1).sum().backward()
    assert x.grad.tolist() == [[[1, 1, 0, 1], [1, 1, 0, 1], [0, 0, 0, 0], [1, 1, 0, 1]]]
