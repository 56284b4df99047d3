"""Timelines of the tape are near what is measured, and change nothing."""

import numpy as np
import pytest

import dynamicgrad as dg
import gradops
from dynamicgrad import nn
from gradops.inspection.timeline.memory import Keeps

rng = np.random.default_rng(0)


def perceptron(x, w, v):
    return ((x @ w).tanh() @ v).tanh().sum()


def chain(x):
    for _ in range(10):
        x = x.exp().tanh()
    return x.sum()


def recurrent(x, w):
    h = dg.zeros(64, 64)
    for i in range(20):
        h = (h @ w + x[i]).tanh()
    return h.sum()


def block(x):
    dg.manual_seed(0)
    layer = nn.TransformerEncoderLayer(64, 4, 128, dropout=0.0, batch_first=True)
    return (layer(x) ** 2).mean()


def arrays(*shapes):
    return [rng.standard_normal(s).astype(np.float32) for s in shapes]


PROGRAMS = {
    "perceptron": (perceptron, arrays((256, 128), (128, 128), (128, 128)), 1.4),
    "chain": (chain, arrays((300, 300)), 1.3),
    "NumPy": (lambda x: np.sum(np.tanh(x) * np.exp(x)), arrays((300, 300)), 1.3),
    "recurrent": (recurrent, arrays((20, 64, 64), (64, 64)), 1.6),  # rules allocate inside
    "block": (block, arrays((8, 64, 64)), 1.4),
}
every_program = pytest.mark.parametrize(
    ("f", "args", "factor"), PROGRAMS.values(), ids=PROGRAMS.keys()
)


def as_given(f, args):
    return args if f is PROGRAMS["NumPy"][0] else [dg.tensor(a) for a in args]


@every_program
def test_the_peak_is_near_the_measured_one(f, args, factor):
    t = dg.timeline(f, *as_given(f, args))
    assert t.peak / 1.1 < t.measured_peak < t.peak * factor
    assert len(t.measured) == len(t.steps)


@every_program
def test_each_recorded_operation_is_a_step_forward_and_one_backward(f, args, factor):
    t = dg.timeline(f, *as_given(f, args))
    backward = [step.backward for step in t.steps]
    assert backward == sorted(backward)
    assert backward.count(True) == backward.count(False)
    assert all(0 <= a.first <= a.last < len(t.steps) for a in t.allocations)


def test_saved_values_live_until_the_backward_that_frees_them():
    t = dg.timeline(lambda x: x.exp().exp().sum(), dg.ones(1000))
    saved = {a.name: (a.first, a.last) for a in t.allocations if a.keeps is Keeps.SAVED}
    assert [s.name for s in t.steps[:3]] == ["exp", "exp_1", "sum"]
    assert saved == {"exp": (0, 5), "exp_1": (1, 4)}


def test_data_that_was_there_before_does_not_count():
    data = dg.tensor(rng.standard_normal((1000, 100)).astype(np.float32))
    t = dg.timeline(lambda w: (data @ w).sum(), dg.ones(100))
    assert t.peak < data.numpy().nbytes / 10
    new = dg.timeline(lambda w: ((data + 1) @ w).sum(), dg.ones(100))
    assert new.peak > data.numpy().nbytes


def test_gradients_of_parameters_are_results_and_stay_as_they_are():
    model = nn.Linear(100, 50)
    t = dg.timeline(lambda: model(dg.ones(10, 100)).sum())
    assert model.weight.grad is None
    names = {a.name.replace("model.", "") for a in t.allocations if a.keeps is Keeps.RESULT}
    assert {"gradient of weight", "gradient of bias"} <= names
    assert t.allocations[-1].last == len(t.steps) - 1


def test_what_a_layer_of_one_operation_keeps_is_measured():
    layer, x = nn.LSTM(32, 64), dg.tensor(arrays((50, 16, 32))[0])
    t = dg.timeline(lambda: layer(x)[0].sum())
    kept = [a for a in t.allocations if a.name.startswith("kept by")]
    assert sum(a.nbytes for a in kept) > 50 * 16 * 64 * 4


def test_what_records_nothing_is_refused():
    with pytest.raises(gradops.OptionError, match="it returns no number that depends"):
        dg.timeline(lambda x: x.detach().sum(), dg.ones(3))
    with pytest.raises(gradops.OptionError, match="the loss: a tensor with one element"):
        dg.timeline(lambda x: x * 2, dg.ones(3))
