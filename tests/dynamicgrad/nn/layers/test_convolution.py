"""Convolutions: PyTorch's values, gradients and weights; what is refused."""

import numpy as np
import pytest

import dynamicgrad as dg
from dynamicgrad import nn
from gradops import ShapeError

from ..beside_torch import agree_with_torch

RNG = np.random.default_rng(0)
SIZES = {1: (2, 4, 9), 2: (2, 4, 7, 6), 3: (1, 4, 5, 4, 5)}
OPTIONS = [
    {}, {"stride": 2, "padding": 1}, {"dilation": 2, "groups": 2, "bias": False},
    {"padding": "same"}, {"padding": 2, "padding_mode": "reflect"},
    {"padding": "same", "padding_mode": "circular"}, {"padding": 1, "padding_mode": "replicate"},
]  # fmt: skip
TRANSPOSED = [{}, {"stride": 2, "padding": 1, "output_padding": 1}, {"groups": 2, "dilation": 2}]


@pytest.mark.peers
@pytest.mark.filterwarnings("ignore:Using padding='same' with even kernel:UserWarning")
@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("n", SIZES)
def test_convolutions_are_pytorchs(n, options):
    given = {"in_channels": 4, "out_channels": 6, "kernel_size": 3 if n < 3 else 2, **options}
    if options.get("padding_mode") == "reflect" and n == 3:
        given["padding"] = 1
    agree_with_torch(f"Conv{n}d", given, [RNG.normal(size=SIZES[n])])


@pytest.mark.peers
@pytest.mark.parametrize("options", TRANSPOSED, ids=str)
@pytest.mark.parametrize("n", SIZES)
def test_transposed_convolutions_are_pytorchs(n, options):
    given = {"in_channels": 4, "out_channels": 6, "kernel_size": 3, **options}
    agree_with_torch(f"ConvTranspose{n}d", given, [RNG.normal(size=SIZES[n])])


@pytest.mark.peers
def test_sizes_differ_by_axis_and_a_batch_is_optional():
    given = {"in_channels": 4, "out_channels": 2, "kernel_size": (3, 2), "stride": (1, 2)}
    agree_with_torch("Conv2d", {**given, "padding": (2, 0)}, [RNG.normal(size=(4, 7, 6))])
    run = lambda lib, net, x: net(x, output_size=[8, 7])
    given = {"in_channels": 4, "out_channels": 2, "kernel_size": 2, "stride": 2}
    agree_with_torch("ConvTranspose2d", given, [RNG.normal(size=(2, 4, 4, 3))], run)


def test_filters_begin_with_small_uniform_numbers():
    layer = nn.Conv2d(100, 50, 2, groups=2)
    bound = 1 / np.sqrt(50 * 4)
    for p in layer.parameters():
        assert 0.9 * bound < abs(p.detach().numpy()).max() <= bound
    assert nn.Conv1d(1, 1, 1, bias=False).bias is None


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda: nn.Conv2d(3, 4, 3)(dg.ones(2, 3, 8)), ShapeError, "3 channels"),
        (lambda: nn.Conv2d(3, 4, 3)(dg.ones(2, 8, 8, 3)), ShapeError, r"movedim\(-1, 1\)"),
        (lambda: nn.Conv2d(3, 4, 3)(dg.ones(3)), ShapeError, "4 dimensions"),
        (lambda: nn.Conv2d(3, 4, 3, groups=2), ValueError, "divisible"),
        (lambda: nn.Conv2d(3, 4, 3, padding="same", stride=2), ValueError, "strided"),
        (lambda: nn.Conv2d(3, 4, 3, padding_mode="edge"), ValueError, "padding_mode"),
        (lambda: nn.ConvTranspose1d(3, 4, 3, padding_mode="reflect"), ValueError, "zeros"),
        (
            lambda: nn.ConvTranspose1d(3, 4, 2, stride=2)(dg.ones(2, 3, 4), [20]),
            ShapeError,
            "cannot have the sizes",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(call, error, match):
    with pytest.raises(error, match=match):
        call()
