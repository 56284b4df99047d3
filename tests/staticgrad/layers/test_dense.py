"""Layers: their variables, their values, and dropout that is other in each run."""

import numpy as np
import pytest

import staticgrad as sg
from gradops import DTypeError, GradError, OptionError, ShapeError


def test_a_dense_layer_is_its_formula():
    x = sg.placeholder("float64", ["batch", 3])
    y = sg.layers.dense(x, 2, sg.tanh, bias_initializer=sg.initializers.constant(0.5))
    kernel, bias = sg.trainable_variables()
    data = np.random.default_rng(0).normal(size=(4, 3))
    got, w, b = sg.Session().run([y, kernel, bias], {x: data})
    np.testing.assert_array_equal(got, np.tanh(data @ w + b))
    assert (w.shape, b.tolist(), w.dtype) == ((3, 2), [0.5, 0.5], np.dtype("float64"))


def test_layers_have_variables_of_their_own_in_scopes():
    x = sg.placeholder("float32", [None, 3])
    with sg.name_scope("model"):
        y = sg.layers.dense(sg.layers.dense(x, 2), 4, use_bias=False)
    sg.layers.dense(y, 1, name="head", trainable=False)
    names = [v.name for v in sg.global_variables()]
    assert names == [
        "model/dense/kernel", "model/dense/bias", "model/dense_1/kernel", "head/kernel",
        "head/bias",
    ]  # fmt: skip
    assert len(sg.trainable_variables()) == 3


def test_a_dense_layer_takes_more_axes():
    x = sg.placeholder("float32", ["batch", 5, 3])
    assert [str(n) for n in sg.layers.dense(x, 2).shape] == ["batch", "5", "2"]


def test_any_function_of_shape_and_dtype_initializes():
    sg.layers.dense(sg.constant([[1.0, 2.0]]), 2, kernel_initializer=np.ones)
    assert sg.trainable_variables()[0].value.tolist() == [[1.0, 1.0], [1.0, 1.0]]


def test_dropout_keeps_the_mean_and_is_other_in_each_run():
    sg.set_random_seed(1)
    x = sg.placeholder("float64", [None])
    y = sg.layers.dropout(x, 0.25, training=True)
    session, data = sg.Session(), np.ones(4000)
    first, second = session.run(y, {x: data}), session.run(y, {x: data})
    assert set(first.tolist()) == {0.0, 1 / 0.75}
    assert abs(first.mean() - 1) < 0.05  # the deviation of the mean is 0.009
    assert (first != second).any()
    assert (sg.Session().run(y, {x: data}) == first).all()


def test_dropout_is_for_training():
    x, training = sg.placeholder("float64", [None]), sg.placeholder("bool", [])
    assert sg.layers.dropout(x) is x
    y = sg.layers.dropout(x, 0.5, training=training)
    (g,) = sg.gradients(y, x)
    session, data = sg.Session(), np.ones(100)
    assert session.run([y, g], {x: data, training: False})[0].tolist() == data.tolist()
    got, slope = session.run([y, g], {x: data, training: True})
    assert 0 < np.count_nonzero(got) < 100
    assert got.tolist() == slope.tolist()


def test_axes_may_share_what_is_dropped():
    y = sg.layers.dropout(sg.constant(np.ones((50, 3))), 0.5, [50, 1], seed=1, training=True)
    rows = sg.Session().run(y)
    assert (rows == rows[:, :1]).all()
    assert len(np.unique(rows)) == 2


def test_flatten_keeps_the_batch():
    x = sg.placeholder("float32", ["batch", 2, 3])
    assert [str(n) for n in sg.layers.flatten(x).shape] == ["batch", "6"]


def test_a_network_of_layers_learns():
    sg.set_random_seed(0)
    x, labels = sg.placeholder("float32", ["n", 2, 2]), sg.placeholder("int64", ["n"])
    h = sg.layers.dense(sg.layers.flatten(x), 16, sg.relu)
    h = sg.layers.dropout(h, 0.1, training=True)
    loss = sg.cross_entropy(sg.layers.dense(h, 2), labels)
    train, session = sg.train.AdamOptimizer(0.02).minimize(loss), sg.Session()
    data = np.random.default_rng(0).normal(size=(64, 2, 2)).astype("float32")
    feeds = {x: data, labels: (data[:, 0, 0] * data[:, 1, 1] > 0).astype(int)}
    losses = [session.run([loss, train], feeds)[0] for _ in range(150)]
    assert losses[-1] < 0.3 < losses[0]


def test_what_a_layer_cannot_take_is_refused():
    with pytest.raises(ShapeError, match="last axis has to be known"):
        sg.layers.dense(sg.placeholder("float32", [3, None]), 2)
    with pytest.raises(DTypeError, match="takes floats, not int64"):
        sg.layers.dense(sg.placeholder("int64", [3, 2]), 2)
    with pytest.raises(OptionError, match=r"rate=1\.0 is not a probability below 1"):
        sg.layers.dropout(sg.constant([1.0]), 1.0, training=True)
    with pytest.raises(ShapeError, match="no axes"):
        sg.layers.flatten(sg.constant(1.0))


def test_a_layer_that_is_refused_makes_no_variables():
    x = sg.placeholder("float32", ["batch", 3], name="x")
    for wrong in (
        {"activation": "relu"}, {"kernel_initializer": 3}, {"units": "2"}, {"units": -1},
        {"kernel_initializer": lambda shape, dtype: np.ones(7)},
    ):  # fmt: skip
        with pytest.raises(GradError):
            sg.layers.dense(x, **{"units": 2, **wrong})
    assert sg.global_variables() == []


def test_a_layer_has_the_dtype_of_its_inputs_whatever_a_function_gives():
    x = sg.placeholder("float32", ["batch", 3], name="x")
    y = sg.layers.dense(x, 2, kernel_initializer=lambda shape, dtype: np.ones(shape))
    assert y.dtype == "float32"
