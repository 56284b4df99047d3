"""Recurrent layers of a graph: variables, sizes that are not known, dropout, bad arguments."""

import numpy as np
import pytest

import staticgrad as sg
from gradops import OptionError, ShapeError


def test_one_graph_takes_sequences_of_any_length():
    x = sg.placeholder("float32", ["batch", "steps", 3])
    y, (h, c) = sg.layers.lstm(x, 4, num_layers=2, bidirectional=True, name="net")
    loss = sg.reduce_sum(y * y)
    gradients = sg.gradients(loss, sg.trainable_variables())
    session = sg.Session()
    for batch, steps in ((1, 1), (2, 5)):
        data = np.ones((batch, steps, 3), np.float32)
        got, state, memory = session.run([y, h, c], {x: data})
        assert got.shape == (batch, steps, 8)
        assert state.shape == memory.shape == (4, batch, 4)
        assert len(session.run(gradients, {x: data})) == 16


def test_a_state_that_is_given_goes_on_where_another_run_ended():
    x = sg.placeholder("float32", ["batch", "steps", 3])
    start = sg.placeholder("float32", [1, "batch", 4])
    y, last = sg.layers.gru(x, 4, initial_state=start)
    session, data = sg.Session(), np.random.default_rng(0).normal(size=(2, 6, 3))
    data, zeros = data.astype(np.float32), np.zeros((1, 2, 4), np.float32)
    whole = session.run(y, {x: data, start: zeros})
    first, state = session.run([y, last], {x: data[:, :4], start: zeros})
    rest = session.run(y, {x: data[:, 4:], start: state})
    np.testing.assert_allclose(np.concatenate([first, rest], 1), whole, rtol=1e-6)


def test_dropout_between_layers_is_that_of_training():
    x, training = sg.constant(np.ones((1, 3, 2), np.float32)), sg.placeholder("bool", [])
    y, _ = sg.layers.rnn(x, 4, num_layers=2, dropout=0.5, training=training)
    session = sg.Session()
    a, b, c, d = (session.run(y, {training: t}).tolist() for t in (True, True, False, False))
    assert a != b
    assert c == d


@pytest.mark.parametrize(
    ("shape", "options", "error", "match"),
    [
        ([2, 3], {}, ShapeError, "batch, steps and features"),
        ([2, 5, None], {}, ShapeError, "last axis has to be known"),
        ([2, 5, 3], {"units": 0}, OptionError, "units=0"),
        ([2, 5, 3], {"num_layers": 0}, OptionError, "num_layers=0"),
        ([2, 5, 3], {"nonlinearity": "sin"}, OptionError, "tanh or relu"),
    ],
)
def test_what_makes_no_sense_is_refused(shape, options, error, match):
    x = sg.placeholder("float32", shape)
    with pytest.raises(error, match=match):
        sg.layers.rnn(x, **{"units": 4, **options})
    with pytest.raises(OptionError, match="proj_size=4"):
        sg.layers.lstm(sg.ones([2, 5, 3]), 4, proj_size=4)


def test_the_state_of_an_lstm_is_a_pair():
    x = sg.placeholder("float32", [2, 3, 4])
    with pytest.raises(OptionError, match="a pair"):
        sg.layers.lstm(x, 4, initial_state=np.zeros((1, 2, 4)))
    assert not sg.trainable_variables()
