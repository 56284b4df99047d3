"""Convolutions and pooling of a graph: sizes as in TensorFlow, axes of channels, bad arguments."""

import numpy as np
import pytest

import staticgrad as sg
from gradops import OptionError, ShapeError

RNG = np.random.default_rng(0)


@pytest.mark.parametrize(("size", "stride"), [(2, 1), (3, 2), (2, 3), (1, 2)])
@pytest.mark.parametrize("padding", ["valid", "same"])
def test_a_transposed_convolution_leads_back_to_what_a_convolution_was_given(size, stride, padding):
    x = sg.ones([1, 12, 12, 2])
    y = sg.layers.conv2d(x, 3, size, stride, padding)
    back = sg.layers.conv2d_transpose(y, 2, size, stride, padding)
    wanted = 12 if padding == "same" else y.shape[1] * stride + max(size - stride, 0)
    assert back.shape == (1, wanted, wanted, 2)


def test_a_transposed_convolution_is_the_transpose():
    """<y, conv(x)> is <conv_transpose(y), x>; kernels are (h, w, in, out) and (h, w, out, in)."""
    x = sg.placeholder("float64", [1, 6, 6, 2])
    y = sg.placeholder("float64", [1, 3, 3, 4])
    there = sg.layers.conv2d(x, 4, 3, 2, "same", use_bias=False)
    back = sg.layers.conv2d_transpose(y, 2, 3, 2, "same", use_bias=False)
    first, second = sg.trainable_variables()
    assert first.shape == second.shape == (3, 3, 2, 4)
    session, a, b = sg.Session(), RNG.normal(size=x.shape), RNG.normal(size=y.shape)
    session.restore({second: session.run(first)})
    found, transposed = session.run([there, back], {x: a, y: b})
    np.testing.assert_allclose((found * b).sum(), (transposed * a).sum())


@pytest.mark.parametrize("layer", ["conv2d", "max_pooling2d", "average_pooling2d"])
def test_channels_may_come_first(layer):
    x = sg.placeholder("float32", ["batch", 6, 6, 2])
    call = getattr(sg.layers, layer)
    given = (4, 3) if layer == "conv2d" else (2,)
    y = call(x, *given)
    z = call(sg.transpose(x, [0, 3, 1, 2]), *given, data_format="channels_first")
    session, variables = sg.Session(), sg.global_variables()
    for a, b in zip(variables[: len(variables) // 2], variables[len(variables) // 2 :]):
        session.restore({b: session.run(a)})
    found, turned = session.run([y, z], {x: RNG.normal(size=(2, 6, 6, 2)).astype(np.float32)})
    np.testing.assert_allclose(found, turned.transpose(0, 2, 3, 1), rtol=1e-6)


def test_what_pads_a_window_has_no_part_in_its_mean():
    y = sg.layers.average_pooling1d(sg.ones([1, 3, 1]), 2, padding="same")
    assert sg.Session().run(y).ravel().tolist() == [1, 1]


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"filters": 0}, OptionError, "filters=0"),
        ({"padding": 1}, OptionError, "'valid' or 'same'"),
        ({"groups": 2}, OptionError, "groups"),
        ({"kernel_size": (1, 2, 3)}, OptionError, "kernel_size"),
        ({"data_format": "NHWC"}, OptionError, "data_format"),
        ({"activation": "relu"}, OptionError, "not a function"),
        ({"inputs": [None, 8, 3]}, ShapeError, "4 axes"),
        ({"inputs": [None, 8, 8, None]}, ShapeError, "channels"),
    ],
)
def test_what_makes_no_sense_is_refused(options, error, match):
    given = {"inputs": [None, 8, 8, 3], "filters": 4, "kernel_size": 3, **options}
    x = sg.placeholder("float32", given.pop("inputs"))
    with pytest.raises(error, match=match):
        sg.layers.conv2d(x, **given)
