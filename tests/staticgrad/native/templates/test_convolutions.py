"""Convolution and pooling in the code of graphs: without calls of Python, whatever the layout."""

import numpy as np
import pytest

import gradops
import staticgrad as sg

pytest.importorskip("llvmlite", reason="the extra `native` is not installed")

CALL = "call ptr (ptr, ...) @PyObject_CallFunctionObjArgs("
# operand, filters, and options
CONVOLUTIONS = [
    ((2, 3, 7), (4, 3, 3), {}),
    ((2, 2, 5, 6), (3, 2, 3, 2), {"stride": (2, 1), "padding": ((1, 0), (0, 2))}),
    ((1, 4, 5, 6), (6, 2, 2, 3), {"dilation": (1, 2), "groups": 2}),
    ((1, 6, 9, 9), (6, 2, 2, 2), {"stride": 3, "groups": 3}),
    ((1, 2, 3, 4, 3), (2, 2, 2, 1, 3), {"padding": ((0, 0), (1, 0), (1, 1))}),
    ((3, 16, 28, 28), (33, 16, 3, 3), {"padding": "same"}),
]
POOLS = [
    {"window": 2}, {"window": 3, "stride": 2, "padding": 1}, {"window": 2, "stride": 3},
    {"window": (3, 1), "stride": 1},
]  # fmt: skip


def agree(fetches, inputs, calls=0):
    """Native code has the numbers of NumPy's, and so many calls of Python."""
    graph = sg.freeze(fetches, inputs)
    native, by_numpy = (sg.compile(graph, backend=b) for b in ("native", "numpy"))
    rng = np.random.default_rng(0)
    feeds = [rng.standard_normal(x.shape).astype(x.dtype) for x in inputs]
    for got, want in zip(native(*feeds), by_numpy(*feeds), strict=True):
        scale = max(1.0, np.abs(want).max(initial=0))
        np.testing.assert_allclose(got, want, rtol=0, atol=3000 * np.finfo(got.dtype).eps * scale)
    assert native.ir.count(CALL) == calls


def loss_of(y):
    """A number whose cotangents are not all alike."""
    return sg.reduce_sum(y * y)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("case", CONVOLUTIONS, ids=str)
def test_convolutions_and_both_gradients(case, dtype):
    shape, filters, options = case
    x, w, b = (sg.placeholder(dtype, s) for s in (shape, filters, filters[:1]))
    y = gradops.convolution(x, w, b, **options)
    agree([y, *sg.gradients(loss_of(y), [x, w, b])], [x, w, b])


@pytest.mark.parametrize("case", CONVOLUTIONS[:3], ids=str)
def test_second_derivatives(case):
    shape, filters, options = case
    x, w = (sg.placeholder("float64", s) for s in (shape, filters))
    first = sg.gradients(loss_of(gradops.convolution(x, w, **options)), [x, w])
    agree(sg.gradients(sum(map(loss_of, first)), [x, w]), [x, w])


@pytest.mark.parametrize("options", POOLS, ids=str)
@pytest.mark.parametrize("pool", [gradops.max_pooling, gradops.avg_pool])
def test_pooling_of_channels_last(pool, options):
    x = sg.placeholder("float32", [2, 9, 7, 5])
    y = pool(sg.transpose(x, [0, 3, 1, 2]), **options)
    overlap = options.get("stride", 9) == 1 or "padding" in options
    added = pool is gradops.avg_pool and overlap  # which NumPy's kernel adds up axis by axis
    agree([y, *sg.gradients(loss_of(y), [x])], [x], calls=int(added))


@pytest.mark.parametrize("options", POOLS[:3], ids=str)
def test_pooling_of_channels_first(options):
    x = sg.placeholder("float32", [2, 3, 9, 8])
    y = gradops.max_pooling(x, **options)
    agree([y, *sg.gradients(loss_of(y), [x])], [x])


def test_pooling_without_other_axes_is_left_to_numpy():
    x = sg.placeholder("float32", [8])
    agree([gradops.max_pooling(x, 2, axes=1)], [x], calls=1)


def test_a_network_with_channels_last_calls_nothing_of_python():
    x, labels = sg.placeholder("float32", [4, 12, 12, 3]), sg.placeholder("int64", [4])
    w, v = sg.placeholder("float32", [3, 3, 3, 8]), sg.placeholder("float32", [6 * 6 * 8, 5])
    y = sg.nn.max_pool2d(sg.nn.relu(sg.nn.conv2d(x, w, 1, "SAME")), 2, 2, "VALID")
    logits = sg.reshape(y, [4, -1]) @ v
    loss = sg.reduce_mean(
        sg.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    )
    graph = sg.freeze([loss, *sg.gradients(loss, [w, v])], [x, labels, w, v])
    assert sg.compile(graph, backend="native").ir.count(CALL) == 0


def test_maxima_and_their_places_are_computed_in_one_pass():
    x = sg.placeholder("float32", [2, 8, 8, 4])
    y = gradops.max_pooling(sg.transpose(x, [0, 3, 1, 2]), 2)
    run = sg.compile([loss_of(y), *sg.gradients(loss_of(y), [x])], [x], backend="native")
    assert run.ir.count("call i32 @pool_places_f4(") == 1
    assert run.ir.count("call i32 @pool_greatest_f4(") == 0
