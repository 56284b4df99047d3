"""Recurrent networks: PyTorch's values, gradients and weights; what is refused."""

import numpy as np
import pytest

import dynamicgrad as dg
from dynamicgrad import nn
from gradops import OptionError, ShapeError, TapeError

from ..beside_torch import agree_with_torch

RNG = np.random.default_rng(0)
X = RNG.normal(size=(5, 2, 3))
OPTIONS = [
    {}, {"num_layers": 2, "bidirectional": True}, {"batch_first": True, "bias": False},
    {"proj_size": 2, "num_layers": 2, "bidirectional": True}, {"nonlinearity": "relu"},
]  # fmt: skip
ONLY = {"proj_size": "LSTM", "nonlinearity": "RNN"}
NETWORKS = [
    (kind, options)
    for kind in ("RNN", "LSTM", "GRU")
    for options in OPTIONS
    if all(ONLY.get(k, kind) == kind for k in options)
]


@pytest.mark.peers
@pytest.mark.parametrize(("kind", "options"), NETWORKS, ids=str)
def test_networks_are_pytorchs(kind, options):
    agree_with_torch(kind, {"input_size": 3, "hidden_size": 4, **options}, [X])


@pytest.mark.peers
@pytest.mark.parametrize("kind", ["RNN", "LSTM", "GRU"])
def test_networks_take_states_and_sequences_without_a_batch(kind):
    states = [RNG.normal(size=(1, 4))] * (2 if kind == "LSTM" else 1)
    call = lambda lib, net, x, *hx: net(x, hx if kind == "LSTM" else hx[0])
    agree_with_torch(kind, {"input_size": 3, "hidden_size": 4}, [X[:, 0], *states], call)


@pytest.mark.peers
@pytest.mark.parametrize("kind", ["RNNCell", "LSTMCell", "GRUCell"])
@pytest.mark.parametrize("bias", [True, False])
def test_cells_are_pytorchs(kind, bias):
    options = {"input_size": 3, "hidden_size": 4, "bias": bias}
    state = RNG.normal(size=(2, 4))
    call = lambda lib, net, x, h: (net(x), net(x, (h, h * 2) if kind == "LSTMCell" else h))
    agree_with_torch(kind, options, [X[0], state], call)


def test_a_network_is_its_cell_step_by_step():
    net, cell, x = nn.GRU(3, 4), nn.GRUCell(3, 4), dg.tensor(X, dtype="float32")
    cell.load_state_dict({k.removesuffix("_l0"): v for k, v in net.state_dict().items()})
    outputs, last = net(x)
    h = None
    for t in range(5):
        h = cell(x[t], h)
        assert dg.allclose(outputs[t], h, atol=1e-6)
    assert dg.equal(outputs[-1], last[0])


def test_gradients_of_a_network_can_be_differentiated():
    net = nn.LSTM(3, 4, dtype="float64")
    x = dg.tensor(X, requires_grad=True)
    assert dg.autograd.gradgradcheck(lambda x: net(x)[0], [x])


def test_the_backward_of_a_sequence_is_linear_in_its_length():
    x = dg.ones(50, 2, 3, requires_grad=True)
    outputs, _ = nn.RNN(3, 4)(x)
    outputs[-1].sum().backward()  # all other entries of the sequence have no gradient of their own
    assert x.grad.shape == (50, 2, 3)
    with pytest.raises(TapeError, match="second time"):
        outputs[0].sum().backward()


def test_dropout_between_layers_is_that_of_training():
    dg.manual_seed(0)
    net, x = nn.RNN(3, 4, num_layers=2, dropout=0.5), dg.ones(5, 2, 3)
    assert not dg.equal(net(x)[0], net(x)[0])
    net.eval()
    assert dg.equal(net(x)[0], net(x)[0])
    with pytest.warns(UserWarning, match="between layers"):
        nn.RNN(3, 4, dropout=0.5)


def test_it_prints_as_in_pytorch():
    assert repr(nn.LSTM(3, 4, 2, bidirectional=True)) == (
        "LSTM(3, 4, num_layers=2, bidirectional=True)"
    )
    assert repr(nn.GRUCell(3, 4, bias=False)) == "GRUCell(3, 4, bias=False)"


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda: nn.LSTM(3, 4)(dg.ones(2)), ShapeError, "two dimensions"),
        (lambda: nn.LSTM(3, 4)(dg.ones(5, 2, 4)), ShapeError, "3 features"),
        (lambda: nn.LSTM(3, 4)(dg.ones(0, 2, 3)), ShapeError, "one step or more"),
        (lambda: nn.LSTM(3, 4)(dg.ones(5, 2, 3), dg.ones(1, 2, 4)), OptionError, "a pair"),
        (lambda: nn.GRU(3, 4)(dg.ones(5, 2, 3), dg.ones(1, 3, 4)), ShapeError, r"\(1, 2, 4\)"),
        (lambda: nn.GRUCell(3, 4)(dg.ones(5, 2)), ShapeError, "3 features"),
        (lambda: nn.RNN(3, 4, nonlinearity="sin"), ValueError, "nonlinearity"),
        (lambda: nn.LSTM(3, 0), ValueError, "greater than zero"),
        (lambda: nn.LSTM(3, 4, proj_size=4), ValueError, "proj_size"),
    ],
)
def test_what_makes_no_sense_is_refused(call, error, match):
    with pytest.raises(error, match=match):
        call()


@pytest.mark.parametrize(("x", "h"), [((2, 3), (1, 4)), ((3,), (2, 4)), ((2, 3), (4,))])
@pytest.mark.parametrize("cell", [nn.RNNCell, nn.GRUCell, nn.LSTMCell])
def test_a_cell_refuses_a_state_of_another_batch(cell, x, h):
    state = dg.zeros(*h)
    with pytest.raises(ShapeError, match="a state has the shape"):
        cell(3, 4)(dg.ones(*x), (state, state) if cell is nn.LSTMCell else state)
