"""Pooling: PyTorch's values and gradients."""

import numpy as np
import pytest

import dynamicgrad as dg
from dynamicgrad import nn
from gradops import ShapeError

from ..beside_torch import agree_with_torch

RNG = np.random.default_rng(0)
SIZES = {1: (2, 3, 9), 2: (2, 3, 7, 6), 3: (1, 3, 5, 4, 5)}
POOLS = [
    *(("MaxPool", o) for o in (
        {"kernel_size": 2}, {"kernel_size": 3, "stride": 2, "padding": 1, "return_indices": True},
        {"kernel_size": 2, "dilation": 2, "stride": 1}, {"kernel_size": 2, "ceil_mode": True},
    )),
    *(("AvgPool", o) for o in (
        {"kernel_size": 2}, {"kernel_size": 3, "stride": 2, "padding": 1},
        {"kernel_size": 2, "ceil_mode": True, "padding": 1, "count_include_pad": False},
    )),
    *(("AdaptiveAvgPool", o) for o in ({"output_size": 2}, {"output_size": 1})),
    *(("AdaptiveMaxPool", o) for o in (
        {"output_size": 2}, {"output_size": 3, "return_indices": True},
    )),
]  # fmt: skip


@pytest.mark.peers
@pytest.mark.parametrize(("kind", "options"), POOLS, ids=str)
@pytest.mark.parametrize("n", SIZES)
def test_pools_are_pytorchs(n, kind, options):
    x = RNG.permutation(np.prod(SIZES[n])).reshape(SIZES[n]) / 10.0  # no ties
    agree_with_torch(f"{kind}{n}d", options, [x], call=values_and_places)
    agree_with_torch(f"{kind}{n}d", options, [x[0]], call=values_and_places)


def values_and_places(lib, net, x):
    """What a pool gives, its places as floats."""
    found = net(x)
    return (found[0], x.sum() * 0 + found[1].double()) if isinstance(found, tuple) else found


@pytest.mark.peers
def test_a_divisor_takes_the_place_of_the_count():
    agree_with_torch("AvgPool2d", {"kernel_size": 2, "divisor_override": 3}, [np.ones((1, 4, 4))])


def test_a_size_may_be_kept():
    assert nn.AdaptiveAvgPool2d((None, 2))(dg.ones(1, 5, 6)).shape == (1, 5, 2)


def test_inputs_of_another_rank_are_refused():
    with pytest.raises(ShapeError, match="expected 3D or 4D input"):
        nn.MaxPool2d(2)(dg.ones(4, 4))
