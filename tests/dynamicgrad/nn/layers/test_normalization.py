"""Norms: PyTorch's values, gradients, weights and running statistics."""

import contextlib

import numpy as np
import pytest

import dynamicgrad as dg
from dynamicgrad import nn
from gradops import ShapeError

from ..beside_torch import agree_with_torch

RNG = np.random.default_rng(0)
SHAPES = {1: (4, 6, 5), 2: (3, 6, 4, 5), 3: (2, 6, 3, 2, 2)}
BY_CHANNEL = [
    (f"{kind}{n}d", options, SHAPES[n])
    for n in SHAPES
    for kind in ("BatchNorm", "InstanceNorm")
    for options in (
        {}, {"affine": True, "track_running_stats": True, "momentum": 0.3},
        {"affine": False, "track_running_stats": False}, {"momentum": None},
    )
    if not (kind == "InstanceNorm" and options.get("momentum", 0) is None)
]  # fmt: skip
OTHERS = [
    ("LayerNorm", {"normalized_shape": 5}, SHAPES[1]),
    ("LayerNorm", {"normalized_shape": [6, 5], "bias": False, "eps": 0.1}, SHAPES[1]),
    ("LayerNorm", {"normalized_shape": (5,), "elementwise_affine": False}, SHAPES[1]),
    ("RMSNorm", {"normalized_shape": 5}, SHAPES[1]),
    ("RMSNorm", {"normalized_shape": [6, 5], "eps": 0.1}, SHAPES[1]),
    ("GroupNorm", {"num_groups": 3, "num_channels": 6}, SHAPES[2]),
    ("GroupNorm", {"num_groups": 1, "num_channels": 6, "affine": False}, (4, 6)),
    ("BatchNorm1d", {}, (4, 6)),
    ("InstanceNorm1d", {}, (6, 5)),
]  # fmt: skip


@pytest.mark.peers
@pytest.mark.parametrize("train", [True, False], ids=["training", "evaluation"])
@pytest.mark.parametrize(("name", "options", "shape"), BY_CHANNEL + OTHERS, ids=str)
def test_norms_are_pytorchs(name, options, shape, train):
    given = {} if any(k in options for k in ("normalized_shape", "num_groups")) else {
        "num_features": 6
    }  # fmt: skip
    x = RNG.normal(size=shape) + 1
    run = lambda lib, net, x: (net(x), net(x * 2))
    agree_with_torch(name, {**given, **options}, [x], run, 1e-8, train)


def test_evaluation_uses_what_training_has_seen():
    layer, x = nn.BatchNorm1d(3, momentum=1.0), dg.tensor(RNG.normal(size=(50, 3)) + 5.0)
    layer.double()(x)
    assert layer.num_batches_tracked.item() == 1
    layer.eval()
    y = layer(x)
    assert abs(y.mean().item()) < 1e-6
    layer.reset_running_stats()
    assert dg.equal(layer.running_var, dg.ones(3, dtype="float64"))


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: nn.BatchNorm2d(3)(dg.ones(2, 3)), "expected 4D input"),
        (lambda: nn.BatchNorm1d(3)(dg.ones(2, 4)), "3 channels"),
        (lambda: nn.BatchNorm1d(3)(dg.ones(1, 3)), "no spread"),
        (lambda: nn.BatchNorm1d(3)(dg.ones(0, 3)), "no entries, and so no spread"),
        (lambda: nn.InstanceNorm1d(3)(dg.ones(2, 3, 1)), "no spread"),
        (lambda: nn.LayerNorm(3)(dg.ones(2, 4)), "sizes"),
    ],
)
def test_what_makes_no_sense_is_refused(call, match):
    with pytest.raises(ShapeError, match=match):
        call()
    with pytest.raises(ValueError, match="divisible"):
        nn.GroupNorm(3, 4)


@pytest.mark.parametrize(
    ("layer", "shape"),
    [
        (nn.BatchNorm1d(3), (0, 3)), (nn.BatchNorm2d(3), (2, 3, 0, 4)),
        (nn.InstanceNorm1d(3, track_running_stats=True), (2, 3, 1)),
        (nn.InstanceNorm1d(3, track_running_stats=True), (0, 3, 4)),
    ],
)  # fmt: skip
def test_what_has_no_statistics_leaves_the_running_ones_as_they_are(layer, shape):
    with contextlib.suppress(ShapeError):
        layer(dg.ones(*shape))
    assert dg.equal(layer.running_mean, dg.zeros(3))
    assert dg.equal(layer.running_var, dg.ones(3))
