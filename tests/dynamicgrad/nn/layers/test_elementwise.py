"""Modules without weights: PyTorch's values, gradients and how they print."""

import copy
import inspect

import numpy as np
import pytest

import dynamicgrad as dg
from dynamicgrad import nn

from ..beside_torch import agree_with_torch

RNG = np.random.default_rng(0)
X = np.concatenate([RNG.normal(size=(4, 6)) * 3, RNG.normal(size=(4, 6)) / 3])
ACTIVATIONS = [
    ("CELU", {"alpha": 2.0}), ("SELU", {}), ("Mish", {}), ("LogSigmoid", {}), ("Hardsigmoid", {}),
    ("Hardswish", {}), ("Hardtanh", {"min_val": -0.5, "max_val": 2.0}), ("Tanhshrink", {}),
    ("Softsign", {}), ("Hardshrink", {"lambd": 0.3}), ("Softshrink", {}), ("ReLU6", {}),
    ("Threshold", {"threshold": 0.5, "value": 9.0}), ("GLU", {}), ("GLU", {"dim": 0}),
    ("Softmin", {"dim": 1}), ("PReLU", {}), ("PReLU", {"num_parameters": 6}),
]  # fmt: skip
PAIRS = [RNG.normal(size=(5, 4)), RNG.normal(size=(5, 4))]
SIGNS, COUNTS = RNG.choice([-1.0, 1.0], 5), RNG.integers(0, 4, (5, 4)).astype(float)
LOSSES = [
    ("PoissonNLLLoss", {"full": True}, [PAIRS[0], COUNTS]),
    ("GaussianNLLLoss", {}, [*PAIRS, RNG.uniform(0.5, 2, (5, 4))]),
    ("SoftMarginLoss", {}, [PAIRS[0], RNG.choice([-1.0, 1.0], (5, 4))]),
    ("HingeEmbeddingLoss", {"margin": 2.0}, [PAIRS[0], RNG.choice([-1.0, 1.0], (5, 4))]),
    ("CosineEmbeddingLoss", {"margin": 0.2}, [*PAIRS, SIGNS]),
    ("MarginRankingLoss", {"margin": 0.2}, [PAIRS[0][:, 0], PAIRS[1][:, 0], SIGNS]),
    ("TripletMarginLoss", {"swap": True}, [*PAIRS, PAIRS[0][::-1].copy()]),
    ("TripletMarginWithDistanceLoss", {"margin": 2.0}, [*PAIRS, PAIRS[0][::-1].copy()]),
    ("MultiMarginLoss", {"p": 2}, [PAIRS[0], np.array([0, 3, 1, 2, 2])]),
    ("MultiLabelSoftMarginLoss", {}, [PAIRS[0], (COUNTS > 1).astype(float)]),
]
SHAPES = [
    ("Unflatten", {"dim": 1, "unflattened_size": (2, 3)}, (4, 6, 2)),
    ("Upsample", {"scale_factor": 2, "mode": "bilinear", "align_corners": True}, (1, 2, 3, 4)),
    ("Upsample", {"size": 5}, (1, 2, 3)),
    ("PixelShuffle", {"upscale_factor": 2}, (1, 8, 2, 3)),
    ("PixelUnshuffle", {"downscale_factor": 2}, (1, 2, 4, 6)),
    ("Unfold", {"kernel_size": 2, "stride": 2}, (1, 2, 4, 6)),
    ("Fold", {"output_size": 3, "kernel_size": 2}, (1, 8, 4)),
    ("LocalResponseNorm", {"size": 3}, (2, 5, 4)),
    ("LPPool2d", {"norm_type": 2, "kernel_size": 2}, (2, 3, 4, 5)),
    ("ZeroPad2d", {"padding": (1, 0, 2, 1)}, (2, 3, 4, 5)),
    ("ConstantPad1d", {"padding": 2, "value": 7.0}, (2, 3, 4)),
    ("ReflectionPad2d", {"padding": (1, 2, 3, 0)}, (2, 3, 4, 5)),
    ("ReplicationPad3d", {"padding": 1}, (1, 2, 3, 4, 2)),
    ("CircularPad1d", {"padding": (1, 2)}, (2, 3, 4)),
]


@pytest.mark.peers
@pytest.mark.parametrize("bias", [True, False])
def test_a_bilinear_layer_is_pytorchs(bias):
    sizes = {"in1_features": 3, "in2_features": 4, "out_features": 2, "bias": bias}
    agree_with_torch("Bilinear", sizes, [RNG.normal(size=(5, 3)), RNG.normal(size=(5, 4))])


def test_a_wrong_number_of_widths_is_refused():
    with pytest.raises(ValueError, match="or 4 of them"):
        nn.ZeroPad2d((1, 2))


@pytest.mark.peers
@pytest.mark.parametrize(("name", "options"), ACTIVATIONS, ids=str)
def test_activations_are_pytorchs(name, options):
    tolerance = 1e-7 if name == "Hardsigmoid" else 3e-9  # PyTorch's 1/6 is a float32
    agree_with_torch(name, options, [X], tolerance=tolerance)


@pytest.mark.peers
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize(("name", "options", "operands"), LOSSES, ids=str)
def test_losses_are_pytorchs(name, options, operands, reduction):
    if name in ("TripletMarginLoss", "TripletMarginWithDistanceLoss", "GaussianNLLLoss"):
        arrays, call = operands, None
    else:  # gradients of targets are not offered in PyTorch
        arrays = operands[:-1]
        call = lambda lib, loss, *xs: loss(*xs, lib.tensor(operands[-1]))
    agree_with_torch(name, {**options, "reduction": reduction}, arrays, call)


@pytest.mark.peers
@pytest.mark.parametrize(("name", "options", "shape"), SHAPES, ids=str)
def test_shapes_and_distances_are_pytorchs(name, options, shape):
    agree_with_torch(name, options, [RNG.normal(size=shape)])


@pytest.mark.peers
@pytest.mark.parametrize(("name", "options"), [("CosineSimilarity", {}), ("PairwiseDistance", {})])
def test_distances_are_pytorchs(name, options):
    agree_with_torch(name, options, PAIRS)


PRINTED = [
    "ReLU", "ReLU6", "LeakyReLU", "ELU", "CELU", "SELU", "GELU", "SiLU", "Mish", "Sigmoid", "Tanh",
    "Softsign", "LogSigmoid", "MSELoss", "HuberLoss", "Dropout2d", "PReLU",
]  # fmt: skip


@pytest.mark.peers
def test_modules_print_as_in_pytorch():
    torch = pytest.importorskip("torch", reason="torch is the oracle")
    for name in PRINTED:
        assert repr(getattr(nn, name)()) == repr(getattr(torch.nn, name)())


def test_whole_channels_are_dropped_together():
    dg.manual_seed(0)
    for layer, shape in ((nn.Dropout1d(), (50, 4, 3)), (nn.Dropout2d(), (50, 4, 3, 2))):
        y = layer(dg.ones(*shape)).numpy().reshape(50, 4, -1)
        assert (y == y[..., :1]).all()
        assert set(np.unique(y)) == {0, 2}


def test_options_are_arguments_by_place_or_name_and_attributes():
    assert str(inspect.signature(nn.Hardtanh)) == "(min_val=-1.0, max_val=1.0, inplace=False)"
    layer = nn.Hardtanh(-2.0, inplace=True)
    assert (layer.min_val, layer.max_val, layer.inplace) == (-2.0, 1.0, True)
    layer.max_val = 3.0
    assert copy.deepcopy(layer)(dg.tensor([-5.0, 5.0])).tolist() == [-2, 3]
    with pytest.raises(TypeError, match="threshold"):
        nn.Threshold()
    with pytest.raises(TypeError, match="slope"):
        nn.ReLU(slope=1)
