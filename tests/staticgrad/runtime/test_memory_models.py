"""Memory of whole models: the plan is near the bound, and the prediction near what is measured."""

import numpy as np
import pytest

import staticgrad as sg


def cnn(x):
    given = {"padding": "same", "activation": sg.nn.relu}
    x = sg.layers.max_pooling2d(sg.layers.conv2d(x, 16, 3, **given), 2)
    x = sg.layers.max_pooling2d(sg.layers.conv2d(x, 32, 3, **given), 2)
    return sg.layers.dense(sg.layers.flatten(x), 10)


MODELS = {
    "cnn": (cnn, (16, 28, 28, 1)),
    "mlp": (lambda x: sg.layers.dense(sg.tanh(sg.layers.dense(x, 512)), 256), (256, 512)),
    "transformer block": (
        lambda x: sg.layers.transformer_encoder_layer(x, 4, 512, 0.0, sg.nn.gelu), (8, 64, 128),
    ),
    "gru": (lambda x: sg.layers.gru(x, 128, time_major=True)[0], (64, 32, 128)),
    "lstm": (lambda x: sg.layers.lstm(x, 128, time_major=True)[0], (64, 32, 128)),
}  # fmt: skip


@pytest.mark.parametrize("name", MODELS)
def test_plans_are_near_their_bounds_and_predictions_near_what_is_measured(name):
    model, shape = MODELS[name]
    with sg.Graph().as_default():
        x = sg.placeholder("float32", shape, name="x")
        y = model(x)
        params = sg.trainable_variables()
        fetches = [sg.reduce_mean(y * y), *sg.gradients(sg.reduce_mean(y * y), params)]
        run = sg.compile(sg.freeze(fetches, [x, *params]))
    rng = np.random.default_rng(0)
    report = run.report.measure(rng.normal(size=shape).astype("f"), *[p.value for p in params])
    assert report.predicted_peak <= 1.05 * report.lower_bound
    assert abs(report.measured_peak / report.predicted_peak - 1) < 0.01
