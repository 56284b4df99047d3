"""TensorFlow's functions of images, beside PyTorch's with the axes turned around."""

import numpy as np
import pytest

import dynamicgrad as dg
import gradops as ops
import staticgrad as sg

F = dg.nn.functional
IMAGES = np.random.default_rng(0).standard_normal((2, 7, 6, 4))
FILTERS = np.random.default_rng(1).standard_normal((3, 2, 4, 5))


def first(x):
    """Channels second, as PyTorch has them."""
    return dg.tensor(np.moveaxis(x, -1, 1))


def last(y):
    return np.moveaxis(y.numpy(), 1, -1)


def turned(w):
    """Filters (height, width, in, out) as PyTorch has them."""
    return dg.tensor(w.transpose(3, 2, 0, 1))


@pytest.mark.parametrize(("strides", "padding"), [
    ([1, 2, 2, 1], "VALID"), (2, [[0, 0], [1, 1], [0, 0], [0, 0]]), ((1, 1), "SAME"),
])  # fmt: skip
def test_conv2d_is_pytorchs_with_channels_last(strides, padding):
    theirs = {"VALID": 0, "SAME": "same"}.get(str(padding), (1, 0))
    stride = strides[1] if isinstance(strides, list) else strides
    want = last(F.conv2d(first(IMAGES), turned(FILTERS), stride=stride, padding=theirs))
    np.testing.assert_allclose(sg.nn.conv2d(IMAGES, FILTERS, strides, padding), want, atol=1e-12)


@pytest.mark.parametrize("size", range(1, 9))
@pytest.mark.parametrize("stride", [1, 2, 3])
def test_same_padding_gives_a_window_for_each_stride(size, stride):
    x = np.ones((1, size, 1))
    assert sg.nn.conv1d(x, np.ones((3, 1, 1)), stride, "SAME").shape[1] == -(-size // stride)
    assert sg.nn.max_pool1d(x, 2, stride, "SAME").shape[1] == -(-size // stride)


def test_same_padding_has_more_at_the_end():
    y = sg.nn.conv1d(np.arange(1.0, 5).reshape(1, 4, 1), np.ones((2, 1, 1)), 1, "SAME")
    assert y.ravel().tolist() == [3, 5, 7, 4]


def test_channels_first_is_a_format_too():
    x = np.moveaxis(IMAGES, -1, 1)
    y = sg.nn.conv2d(x, FILTERS, [1, 1, 2, 1], "SAME", data_format="NCHW")
    want = sg.nn.conv2d(IMAGES, FILTERS, [1, 2, 1, 1], "SAME")
    assert np.array_equal(np.moveaxis(y, 1, -1), want)


def test_conv2d_transpose_is_the_gradient_of_conv2d():
    x = sg.placeholder("float64", IMAGES.shape, name="x")
    y = sg.nn.conv2d(x, FILTERS, 2, "SAME")
    g = np.random.default_rng(2).standard_normal(y.shape)
    (want,) = sg.compile(sg.gradients(y, x, g), [x])(IMAGES)
    got = sg.nn.conv2d_transpose(g, FILTERS, IMAGES.shape, 2, "SAME")
    assert np.array_equal(got, want)


def test_depthwise_filters_see_one_channel_each():
    filters = FILTERS[..., :2]
    y = sg.nn.depthwise_conv2d(IMAGES, filters, [1, 1, 1, 1], "VALID")
    for c in range(4):
        part = sg.nn.conv2d(IMAGES[..., [c]], filters[:, :, [c]], 1, "VALID")
        np.testing.assert_allclose(y[..., 2 * c : 2 * c + 2], part, atol=1e-12)


def test_padding_does_not_count_in_averages():
    assert sg.nn.avg_pool(np.ones((1, 3, 3, 1)), 2, 2, "SAME").ravel().tolist() == [1] * 4


def test_blocks_become_channels_and_back():
    x = np.arange(64.0).reshape(1, 4, 4, 4)
    assert np.array_equal(sg.nn.depth_to_space(sg.nn.space_to_depth(x, 2), 2), x)
    assert sg.nn.space_to_depth(x, 2)[0, 0, 0, 4:8].tolist() == x[0, 0, 1].tolist()


def test_a_graph_of_images_takes_any_number_of_examples():
    x = sg.placeholder("float64", [None, 7, 6, 4], name="x")
    y = sg.nn.max_pool(sg.nn.relu(sg.nn.conv2d(x, FILTERS, 1, "SAME")), 2, 2, "VALID")
    run = sg.compile(sg.gradients(sg.reduce_sum(y * y), x), [x])
    one, both = run(IMAGES[:1])[0], run(IMAGES)[0]
    np.testing.assert_allclose(one[0], both[0], atol=1e-12)


def test_fused_batch_norm_gives_moments():
    y, mean, variance = sg.nn.fused_batch_norm(IMAGES, np.ones(4), np.zeros(4), epsilon=0.0)
    np.testing.assert_allclose(y.mean((0, 1, 2)), 0, atol=1e-12)
    np.testing.assert_allclose(mean, IMAGES.mean((0, 1, 2)))
    np.testing.assert_allclose(variance, IMAGES.var((0, 1, 2), ddof=1))
    again, *_ = sg.nn.fused_batch_norm(
        IMAGES, np.ones(4), np.zeros(4), mean, IMAGES.var((0, 1, 2)), 0.0, is_training=False
    )
    np.testing.assert_allclose(again, y, atol=1e-12)


@pytest.mark.parametrize(("call", "says"), [
    (lambda: sg.nn.conv2d(IMAGES, FILTERS, [2, 1, 1, 1]), "examples or channels"),
    (lambda: sg.nn.conv2d(IMAGES, FILTERS, [1, 1, 1]), "for 3 axes"),
    (lambda: sg.nn.conv2d(IMAGES, FILTERS, 1, "FULL"), "'same' or 'valid'"),
    (lambda: sg.nn.conv2d(IMAGES, FILTERS, data_format="HWCN"), "NHWC or NCHW"),
    (lambda: sg.nn.conv2d(IMAGES, np.ones((3, 3, 5, 2))), "last axis of the input"),
    (lambda: sg.nn.conv2d(IMAGES, FILTERS[0]), "filters have 4 axes"),
    (lambda: sg.nn.max_pool2d(IMAGES[0], 2, 2, "SAME"), "takes 4 axes"),
])  # fmt: skip
def test_what_does_not_fit_is_refused(call, says):
    with pytest.raises((ops.ShapeError, ops.OptionError), match=says):
        call()
