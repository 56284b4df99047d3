"""Initializers: their distributions, their seeds, and that order does not matter."""

import numpy as np
import pytest

import staticgrad as sg
from gradops import DTypeError, OptionError, ShapeError

SHAPE = (300, 200)
of = sg.initializers
NORMAL = {
    "random_normal": (of.random_normal(1.0, 0.5, seed=1), 1.0, 0.5, np.inf),
    "truncated_normal": (of.truncated_normal(1.0, 0.5, seed=1), 1.0, 0.5 * 0.8796, 1.0),
    "random_uniform": (of.random_uniform(-1, 2, seed=1), 0.5, 3 / 12**0.5, 1.5),
    "glorot_uniform": (of.glorot_uniform(seed=1), 0.0, 250**-0.5, (3 / 250) ** 0.5),
    "glorot_normal": (of.glorot_normal(seed=1), 0.0, 250**-0.5, 2.274 * 250**-0.5),
    "he_normal": (of.he_normal(seed=1), 0.0, (2 / 300) ** 0.5, 2.274 * (2 / 300) ** 0.5),
    "he_uniform": (of.he_uniform(seed=1), 0.0, (2 / 300) ** 0.5, (6 / 300) ** 0.5),
    "fan_out": (
        of.variance_scaling(3.0, "fan_out", "untruncated_normal", seed=1),
        0.0, (3 / 200) ** 0.5, np.inf,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("init", "mean", "deviation", "reach"), NORMAL.values(), ids=NORMAL)
def test_values_have_their_mean_and_deviation(init, mean, deviation, reach):
    x = init(SHAPE, "float64")
    assert abs(x.mean() - mean) < 5 * deviation / np.sqrt(x.size)
    assert abs(x.std() / deviation - 1) < 0.02  # of 60000 numbers: five deviations
    assert abs(x - mean).max() <= reach


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("init", [case[0] for case in NORMAL.values()], ids=NORMAL)
def test_values_have_the_dtype(init, dtype):
    assert init((2, 3), dtype).dtype == dtype


def test_values_are_a_function_of_the_graphs_seed_and_the_variables_name():
    def values(order, seed):
        with sg.Graph().as_default():
            sg.set_random_seed(seed)
            x = sg.constant(np.ones((1, 3)))
            made = {name: sg.layers.dense(x, 2, name=name) for name in order}
            assert made
            return {v.name: v.value.tolist() for v in sg.trainable_variables()}

    first = values(["a", "b"], 1)
    assert values(["b", "a"], 1) == first
    assert first["a/kernel"] != first["b/kernel"]
    assert values(["a", "b"], 2) != first


def test_a_seed_of_its_own_does_not_ask_for_the_graphs():
    sg.set_random_seed(1)
    before = of.glorot_uniform(seed=7)([2, 3], name="a")
    sg.set_random_seed(2)
    assert (of.glorot_uniform(seed=7)([2, 3], name="b") == before).all()


def test_constants_fill_or_are_the_value():
    assert of.constant([[1.0], [2.0]])([2, 2]).tolist() == [[1.0, 1.0], [2.0, 2.0]]
    assert of.zeros()([2], "int32").tolist() == [0, 0]
    assert of.ones()(2).tolist() == [1.0, 1.0]


def test_unknown_choices_are_refused():
    with pytest.raises(OptionError, match="mode is one of"):
        of.variance_scaling(mode="fan")
    with pytest.raises(OptionError, match="distribution is one of"):
        of.variance_scaling(distribution="cauchy")


@pytest.mark.parametrize("shape", [[None], ["n"], "n", None, [-1], [2.5]])
def test_a_variable_has_sizes_that_are_known(shape):
    for make in (sg.initializers.zeros, sg.initializers.glorot_uniform):
        with pytest.raises((ShapeError, DTypeError), match="known"):
            make()(shape)
