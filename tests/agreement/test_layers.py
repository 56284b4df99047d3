"""Layers and losses on tensors that hold expressions: the graph has the bits of the tape."""

import numpy as np
import pytest

import dynamicgrad as dg
import staticgrad as sg
from dynamicgrad import nn
from dynamicgrad.nn import functional as F

RNG = np.random.default_rng(0)
X, TARGET = RNG.normal(size=(2, 5, 3)).astype(np.float32)
CHANCES = RNG.random((5, 3)).astype(np.float32)
LABELS = np.array([0, 2, 1, 2, 0])
LAYERS = {
    "linear": (lambda x, y: nn.Linear(3, 2)(x), X, TARGET),
    "lstm": (lambda x, y: nn.LSTM(3, 4, num_layers=2, bidirectional=True)(x)[0], X, TARGET),
    "gru": (lambda x, y: nn.GRU(3, 4)(x)[0][1:], X, TARGET),
    "gru cell": (lambda x, y: nn.GRUCell(3, 4)(x), X, TARGET),
    "convolution": (lambda x, y: nn.Conv1d(5, 2, 2)(x[None]), X, TARGET),
    "transposed convolution": (lambda x, y: nn.ConvTranspose1d(5, 2, 2)(x[None]), X, TARGET),
    "pooling": (lambda x, y: nn.AvgPool1d(2)(nn.MaxPool1d(2, 1)(x[None])), X, TARGET),
    "norms": (
        lambda x, y: nn.RMSNorm(3)(nn.LayerNorm(3)(nn.GroupNorm(1, 3)(x))), X, TARGET,
    ),
    "transformer": (
        lambda x, y: nn.TransformerEncoderLayer(3, 1, 4, dropout=0.0, activation="gelu")(x),
        X, TARGET,
    ),
    "mish": (lambda x, y: nn.Mish()(nn.PReLU()(x)), X, TARGET),
    **{
        name: (lambda x, y, name=name: getattr(nn, name)()(x), X, TARGET)
        for name in ("ReLU", "LeakyReLU", "ELU", "GELU", "SiLU", "Sigmoid", "Tanh", "Softplus")
    },
    **{
        name: (lambda x, y, name=name: getattr(nn, name)(dim=-1)(x), X, TARGET)
        for name in ("Softmax", "LogSoftmax")
    },
    "dropout": (lambda x, y: nn.Dropout(generator=np.random.default_rng(0))(x), X, TARGET),
    **{
        name: (lambda x, y, name=name: getattr(nn, name)()(x, y), X, TARGET)
        for name in ("MSELoss", "L1Loss", "SmoothL1Loss", "HuberLoss", "BCEWithLogitsLoss")
    },
    "BCELoss": (lambda x, y: nn.BCELoss()(x, y), CHANCES, CHANCES[::-1]),
    "KLDivLoss": (lambda x, y: nn.KLDivLoss()(x, y), X, CHANCES),
    "cross entropy": (F.cross_entropy, X, LABELS),
    "cross entropy, smooth": (
        lambda x, y: F.cross_entropy(x, y, dg.ones(3), label_smoothing=0.1), X, LABELS,
    ),
    "nll": (F.nll_loss, X, LABELS),
}  # fmt: skip


def value_and_gradient(run, x, y):
    """What a loss of a layer is, and its gradient with respect to its first operand."""
    dg.manual_seed(0)
    out = run(x, y)
    (gradient,) = dg.autograd.grad((out * out).sum(), [x])
    return [out.value, gradient.value]


@pytest.mark.parametrize(("run", "x", "y"), LAYERS.values(), ids=LAYERS)
def test_a_layer_has_the_same_bits_in_a_graph(run, x, y):
    eager = value_and_gradient(run, dg.tensor(x, requires_grad=True), dg.tensor(y))
    with sg.Graph().as_default():
        feeds = [sg.placeholder(a.dtype, a.shape) for a in (x, y)]
        held = [dg.as_tensor(np.zeros(a.shape, a.dtype)) for a in (x, y)]
        for t, feed in zip(held, feeds, strict=True):
            t.value = feed
        built = value_and_gradient(run, held[0].requires_grad_(), held[1])
        found = sg.compile(built, feeds, optimize=0)(x, y)
    for a, b in zip(found, eager, strict=True):
        assert np.asarray(a).tobytes() == np.asarray(b).tobytes()
