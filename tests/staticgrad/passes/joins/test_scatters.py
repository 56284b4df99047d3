"""Gradients of slices are joined, not scattered and added, where they do not overlap."""

import numpy as np
import pytest

import staticgrad as sg
from staticgrad.passes import JoinScatters

SLICED = {
    "entries": lambda x: sum(
        w * a for w, a in zip((1.0, 2.0, 3.0, 4.0), sg.unstack(x), strict=True)
    ),
    "columns": lambda x: x[:, 0] * 2 + x[:, 2] * x[:, 1],
    "halves": lambda x: x[:2] * x[2:],
    "a gap": lambda x: x[0] * x[-1],
    "blocks and entries": lambda x: x[:, 1:3] * x[:, :1] + x[:, 3:],
    "a slice read twice": lambda x: x[0] * x[1] + sg.exp(x[0]),
    "overlapping slices": lambda x: x[1:] * x[:-1] + x[0],
    "a slice and the whole": lambda x: sg.reduce_sum(x * x) + x[0] * x[1],
    "two axes": lambda x: x[0, 1] * x[1, 2] + sg.reduce_sum(x[2] * x[3]),
    "steps": lambda x: x[::2] * x[1::2],
    "split": lambda x: sg.tanh(sg.split(x, 2, axis=1)[0]) * sg.sigmoid(sg.split(x, 2, axis=1)[1]),
}
JOINED = [k for k in SLICED if k != "steps"]


def gradient_graph(f, shape):
    with sg.Graph().as_default():
        x = sg.placeholder("float32", shape, name="x")
        y = f(x)
        return sg.freeze([y, *sg.gradients(sg.reduce_sum(y * y), x)], [x])


@pytest.mark.parametrize("name", SLICED)
def test_the_gradient_is_the_same(name):
    graph = gradient_graph(SLICED[name], [4, 4])
    joined = JoinScatters()(graph)
    sg.verify(joined)
    feed = np.random.default_rng(0).normal(size=(4, 4)).astype(np.float32)
    for a, b in zip(sg.interpret(graph, [feed]), sg.interpret(joined, [feed]), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6)
    scatters = [sum(e.what == "scatter" for e in g) for g in (graph, joined)]
    assert (scatters[1] < scatters[0]) is (name in JOINED or scatters[0] == 0)
    assert len(sg.compile(graph, verify=[feed])(feed)) == 2


def test_one_axis_may_have_an_unknown_size():
    graph = gradient_graph(lambda x: x[:, 0] * x[:, 1] - x[:, 3], ["batch", 4])
    joined = JoinScatters()(graph)
    assert "scatter" not in {e.what for e in joined}
    for n in (0, 1, 5):
        feed = np.random.default_rng(0).normal(size=(n, 4)).astype(np.float32)
        for a, b in zip(sg.interpret(graph, [feed]), sg.interpret(joined, [feed]), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-6)


def test_a_slice_of_an_unknown_size_is_left_alone():
    graph = gradient_graph(lambda x: x[0] * x[1], ["batch", 4])
    assert JoinScatters()(graph) is graph


def test_many_slices_are_joined_in_one():
    graph = gradient_graph(lambda x: sum(x[i] * float(i) for i in range(200)), [200, 2])
    joined = JoinScatters()(graph)
    whats = [e.what for e in joined]
    assert whats.count("stack") == 1
    assert "scatter" not in whats
    feed = np.ones((200, 2), np.float32)
    assert np.array_equal(sg.interpret(graph, [feed])[1], sg.interpret(joined, [feed])[1])


def test_a_sum_that_is_fetched_keeps_its_value():
    with sg.Graph().as_default():
        x = sg.placeholder("float32", [3], name="x")
        y = x[0] * x[1] * x[2]
        (g,) = sg.gradients(y, x)
        graph = sg.freeze([g, g * 2], [x])
    joined = JoinScatters()(graph)
    feed = [np.array([2.0, 3.0, 5.0], np.float32)]
    assert np.array_equal(sg.interpret(joined, feed)[0], [15, 10, 6])


BLOCKS = {
    "disjoint": lambda x, y, z: sg.concat([z, x], 1) + sg.concat([y, z], 1),
    "three": lambda x, y, z: (
        (sg.concat([z, z, x], 1) + sg.concat([z, y, z], 1)) + sg.concat([x, z, z], 1)
    ),
    "a gap": lambda x, y, z: sg.concat([x, z, z], 1) + sg.concat([z, z, y], 1),
    "overlapping": lambda x, y, z: sg.concat([x, z, y], 1) + sg.concat([x, y, z], 1),
    "no zeros": lambda x, y, z: sg.concat([x, y], 1) + sg.concat([y, x], 1),
    "scatters too": lambda x, y, z: sg.concat([z, x], 1) + sg.pad(y, [[0, 0], [0, 3]]),
}  # fmt: skip


@pytest.mark.parametrize("zeros", ["full_like", "constant"])
@pytest.mark.parametrize("rows", [2, "n"])
@pytest.mark.parametrize("name", BLOCKS)
def test_arrays_joined_with_zeros_and_added_are_joined_once(name, rows, zeros):
    with sg.Graph().as_default():
        x, y = (sg.placeholder("float64", [rows, 3], name=n) for n in "xy")
        is_known = zeros == "constant" and rows == 2
        z = sg.zeros([2, 3], "float64") if is_known else sg.zeros_like(x)
        graph = sg.freeze([BLOCKS[name](x, y, z)], [x, y])
    joined = JoinScatters()(graph)
    sg.verify(joined)
    rng = np.random.default_rng(0)
    feeds = [rng.normal(size=(2, 3)) for _ in "xy"]
    for a, b in zip(sg.interpret(graph, feeds), sg.interpret(joined, feeds), strict=True):
        assert np.array_equal(a, b)
    adds = [e for e in joined.order if e.op is not None and e.op.name == "add"]
    assert len(adds) == (name in ("overlapping", "no zeros", "scatters too"))
