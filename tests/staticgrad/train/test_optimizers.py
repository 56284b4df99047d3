"""The optimizers under TensorFlow's names: their arguments are TensorFlow's."""

import inspect

import pytest

import staticgrad as sg
from gradops import OptionError

OF_TENSORFLOW = [
    "AdagradOptimizer",
    "AdamOptimizer",
    "GradientDescentOptimizer",
    "MomentumOptimizer",
    "RMSPropOptimizer",
]
SCHEDULES = [
    "cosine_decay",
    "exponential_decay",
    "inverse_time_decay",
    "natural_exp_decay",
    "piecewise_constant",
    "polynomial_decay",
]


def arguments(f):
    """The arguments by position, and their defaults but for names."""
    found = inspect.signature(f).parameters.values()
    return [
        (p.name, p.default if p.name != "name" else None)
        for p in found
        if p.kind is p.POSITIONAL_OR_KEYWORD and p.name != "use_own_namescope_for_non_slot_vars"
    ]


@pytest.mark.peers
@pytest.mark.parametrize("name", [*OF_TENSORFLOW, *SCHEDULES])
def test_the_arguments_are_tensorflows(tensorflow, name):
    ours, theirs = getattr(sg.train, name), getattr(tensorflow.train, name)
    assert arguments(ours) == arguments(theirs)


@pytest.mark.peers
@pytest.mark.parametrize("name", ["clip_by_norm", "clip_by_global_norm", "global_norm"])
def test_the_arguments_of_clipping_are_tensorflows(tensorflow, name):
    assert arguments(getattr(sg, name)) == arguments(getattr(tensorflow, name))


@pytest.mark.parametrize("value", [0.0, -1.0, float("nan")])
def test_the_sums_of_adagrad_begin_above_zero(value):
    with pytest.raises(OptionError, match="initial_accumulator_value must be positive"):
        sg.train.AdagradOptimizer(0.1, value)


def test_kept_values_have_tensorflows_names():
    w = sg.Variable([1.0, 2.0])
    names = {
        "momentum": sg.train.MomentumOptimizer(0.1, 0.9),
        "m, v": sg.train.AdamOptimizer(),
        "accumulator": sg.train.AdagradOptimizer(0.1),
        "mg, momentum, rms": sg.train.RMSPropOptimizer(0.1, momentum=0.1, centered=True),
    }
    for want, optimizer in names.items():
        optimizer.minimize(sg.reduce_sum(w))
        assert ", ".join(optimizer.get_slot_names()) == want
