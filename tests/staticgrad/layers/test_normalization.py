"""Batch normalization of a graph: training and evaluation, and what it remembers."""

import numpy as np
import pytest

import staticgrad as sg
from gradops import OptionError, ShapeError

DATA = np.random.default_rng(0).normal(2, 3, (64, 5, 4)).astype(np.float32)


def test_training_is_chosen_when_the_graph_runs():
    x, training = sg.placeholder("float32", ["batch", 5, 4]), sg.placeholder("bool", [])
    y = sg.layers.batch_normalization(x, training=training, momentum=0.0, epsilon=0.0)
    updates, session = sg.get_collection("update_ops"), sg.Session()
    assert len(updates) == 2
    untouched = session.run([y, *updates], {x: DATA, training: False})[0]
    np.testing.assert_array_equal(untouched, DATA)
    trained = session.run([y, *updates], {x: DATA, training: True})[0]
    np.testing.assert_allclose(trained.mean((0, 1)), 0, atol=1e-6)
    later = session.run(y, {x: DATA, training: False})
    np.testing.assert_allclose(later.std((0, 1)), 1, rtol=2e-3)  # the variance is the unbiased one


def test_a_layer_for_evaluation_alone_updates_nothing():
    sg.layers.batch_normalization(sg.ones([2, 3]))
    assert sg.get_collection("update_ops") == []
    assert len(sg.trainable_variables()) == 2
    assert len(sg.global_variables()) == 4


def test_scale_and_offset_may_be_left_out():
    x = sg.ones([2, 3])
    sg.layers.batch_normalization(x, center=False, scale=False)
    sg.layers.layer_norm(x, center=False, scale=False)
    sg.layers.rms_norm(x, scale=False)
    assert sg.trainable_variables() == []


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda: sg.layers.batch_normalization(sg.ones([2, 3]), axis=0), ShapeError, "channels"),
        (lambda: sg.layers.batch_normalization(sg.ones([2, 3]), axis=2), ShapeError, "axis 2"),
        (lambda: sg.layers.layer_norm(sg.ones([2, 3]), 3), ShapeError, "3 last axes"),
        (lambda: sg.layers.group_norm(sg.ones([2, 3]), 2), OptionError, "2 groups"),
    ],
)
def test_what_makes_no_sense_is_refused(call, error, match):
    with pytest.raises(error, match=match):
        call()
