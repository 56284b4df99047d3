"""Recurrent networks: a loop on the tape and a scan in a graph have the same bits."""

import numpy as np
import pytest

import dynamicgrad as dg
import staticgrad as sg

OPTIONS = [
    {}, {"num_layers": 2, "bidirectional": True}, {"bias": False},
    {"proj_size": 3, "bidirectional": True},
]  # fmt: skip
KINDS = [
    (mode, options)
    for mode in ("RNN", "GRU", "LSTM")
    for options in OPTIONS
    if mode == "LSTM" or "proj_size" not in options
]


def states_of(state):
    """The states as a list."""
    return list(state) if isinstance(state, tuple) else [state]


def on_tape(mode, options, x):
    """The weights of a network; its outputs and states, and the gradients of all that goes in."""
    dg.manual_seed(0)
    net = getattr(dg.nn, mode)(6, 5, **options)
    x = dg.tensor(x, requires_grad=True)
    outputs, state = net(x)
    loss = (outputs * outputs).sum()
    for s in states_of(state):
        loss = loss + s.sum()
    grads = dg.autograd.grad(loss, [x, *net.parameters()])
    weights = {k: v.numpy() for k, v in net.state_dict().items()}
    return weights, [t.detach().numpy() for t in (outputs, *states_of(state), *grads)]


def in_graph(mode, options, weights, data):
    """The same of a graph with these weights."""
    options = {"use_bias" if k == "bias" else k: v for k, v in options.items()}
    with sg.Graph().as_default():
        x = sg.placeholder("float32", ["steps", "rows", 6], name="x")
        outputs, state = getattr(sg.layers, mode.lower())(
            x, 5, time_major=True, name="net", **options
        )
        loss = sg.reduce_sum(outputs * outputs)
        for s in states_of(state):
            loss = loss + sg.reduce_sum(s)
        variables = sg.trainable_variables()
        grads = sg.gradients(loss, [x, *variables])
        assert [v.name for v in variables] == [f"net/{k}" for k in weights]
        session = sg.Session(optimize=0)
        session.restore({f"net/{k}": v for k, v in weights.items()})
        return session.run([outputs, *states_of(state), *grads], {x: data})


@pytest.mark.parametrize(("mode", "options"), KINDS, ids=str)
def test_a_scan_has_the_bits_of_the_loop(mode, options, same_bits):
    data = np.random.default_rng(0).normal(size=(7, 3, 6)).astype(np.float32)
    weights, wanted = on_tape(mode, options, data)
    same_bits(wanted, in_graph(mode, options, weights, data), mode)
