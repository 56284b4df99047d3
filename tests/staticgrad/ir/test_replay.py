"""The ops of a frozen graph applied to operands of every kind."""

import numpy as np
import pytest

import dynamicgrad as dg
import gradops
import staticgrad as sg
from gradops import FeedError

rng = np.random.default_rng(0)
X, W = rng.normal(size=(3, 4)), rng.normal(size=(4,))


def program(x, w):
    """A program with sizes in attributes, a constant and a size as a number."""
    y = gradops.tanh(x * w) - gradops.mean(x, axis=0)
    return gradops.sum(y * y) / y.shape[0] + gradops.sum(gradops.reshape(y, (-1,))) * 2.0


@pytest.fixture
def graph():
    with sg.Graph().as_default():
        x = sg.placeholder("float64", ["n", "m"], name="x")
        w = sg.placeholder("float64", ["m"], name="w")
        return sg.freeze([program(x, w)], [x, w])


def test_arrays_compute(graph):
    (found,) = sg.replay(graph, [X, W])
    assert found == sg.interpret(graph, [X, W])[0]
    np.testing.assert_allclose(found, program(X, W))


def test_expressions_build(graph):
    x = sg.placeholder("float64", [3, "k"], name="x")
    w = sg.placeholder("float64", ["k"], name="w")
    (found,) = sg.replay(graph, [x, w])
    assert not {"n", "m"} & {d for e in sg.freeze([found], [x, w]) for d in map(str, e.shape)}
    np.testing.assert_allclose(sg.compile(found, [x, w])(X, W), program(X, W))


def test_what_is_optimized_builds_too(graph):
    x = sg.placeholder("float64", ["a", "b"], name="x")
    w = sg.placeholder("float64", ["b"], name="w")
    (found,) = sg.replay(sg.compile(graph).graph, [x, w])
    np.testing.assert_allclose(sg.compile(found, [x, w])(X, W), program(X, W))


def test_duals_differentiate_tensors_record_and_examples_are_batched(graph):
    def f(x, w):
        return sg.replay(graph, [x, w])[0]

    _, t = gradops.jvp(lambda w: f(X, w), [W], [np.ones(4)])
    _, expected = gradops.jvp(lambda w: program(X, w), [W], [np.ones(4)])
    np.testing.assert_allclose(t, expected)
    w = dg.tensor(W, requires_grad=True)
    f(dg.tensor(X), w).backward()
    np.testing.assert_allclose(w.grad.numpy() @ np.ones(4), expected)
    rows = gradops.vmap(lambda w: f(X, w))(np.stack([W, 2 * W]))
    np.testing.assert_allclose(rows, [program(X, W), program(X, 2 * W)])


def traced(f, *specs):
    """The compiled graph of a function of operands that hold expressions."""
    return sg.compile(sg.trace(f, specs))


def test_operands_around_expressions_build(graph):
    def f(x, w):
        return sg.replay(sg.freeze(sg.gradients(program(u, v), v), [u, v]), [x, w])[0]

    with sg.Graph().as_default():
        u = sg.placeholder("float64", ["n", "m"], name="x")
        v = sg.placeholder("float64", ["m"], name="w")
    spec = sg.ArrayType(("a", "b"), "float64"), sg.ArrayType(("b",), "float64")
    _, expected = gradops.jvp(lambda w: f(X, w), [W], [W])
    (found,) = traced(lambda x, w: gradops.jvp(lambda w: f(x, w), [w], [w])[1], *spec)(X, W)
    np.testing.assert_allclose(found, expected)
    (found,) = traced(lambda x, w: gradops.vmap(lambda w: f(x, w))(w), spec[0],
                      sg.ArrayType(("k", "b"), "float64"))(X, np.stack([W, W]))  # fmt: skip
    np.testing.assert_allclose(found, [f(X, W)] * 2)
    tensors = dg.tensor(X), dg.tensor(W, requires_grad=True)
    (found,) = traced(f, *tensors)(X, W)
    np.testing.assert_allclose(found, f(X, W))


def test_an_array_beside_expressions_is_a_constant():
    x = sg.placeholder("float64", ["n"], name="x")
    s = sg.placeholder("float64", [], name="s")
    graph = sg.freeze([x + 1, sg.broadcast_to(s, shape=x.shape)], [x, s])
    rows = sg.placeholder("float64", ["rows"], name="rows")
    for value in (2.0, np.float64(2), np.array(2.0)):
        found = sg.compile(list(sg.replay(graph, [rows, value])), [rows])([0.0, 0.0])
        assert [a.tolist() for a in found] == [[1, 1], [2, 2]]


def test_sizes_that_only_data_tell_are_those_of_the_operands():
    x = sg.placeholder("float32", ["n"], name="x")
    y = x[x > 0]
    graph = sg.freeze([sg.reduce_mean(y), sg.broadcast_to(sg.constant(1.0), shape=y.shape)], [x])
    mean, ones = sg.replay(graph, [np.array([1, -1, 3], np.float32)])
    assert (mean, ones.tolist()) == (2, [1, 1])
    z = sg.placeholder("float32", ["rows"], name="z")
    found = sg.compile(list(sg.replay(graph, [z])), [z])([1.0, -1.0, 3.0])
    assert [a.tolist() for a in found] == [2, [1, 1]]


def test_updates_are_results_too():
    v = sg.Variable(1.0, name="v")
    graph = sg.freeze([v * 3, v.assign_add(1.0)])
    assert sg.replay(graph, [np.float32(5)]) == (15, 6, 6)


def test_numbers_and_sequences_are_converted_if_that_loses_nothing():
    i = sg.placeholder("int32", [2], name="i")
    s = sg.placeholder("float32", [], name="s")
    graph = sg.freeze([i, s], [i, s])
    found = sg.replay(graph, [[1, 2], 3])
    assert [a.dtype.name for a in found] == ["int32", "float32"]
    for wrong in ([[1.5, 2.0], 3], [[1, 2], 3j], [[1, 2], [3.0]], [[1, 2], np.float64(3)],
                  [[1, 2, 3], 1.0]):  # fmt: skip
        with pytest.raises(FeedError, match=r"was given .*\n.* made at test_replay\.py"):
            sg.replay(graph, wrong)


def test_operands_must_agree_on_sizes(graph):
    with pytest.raises(FeedError, match=r"m is 4 in x: .*, but 5 in w: "):
        sg.replay(graph, [X, np.zeros(5)])
    x, w = (sg.placeholder("float64", shape) for shape in (["a", "b"], ["c"]))
    with pytest.raises(FeedError, match=r"m is b in x: .*, but c in w: "):
        sg.replay(graph, [x, w])
    with pytest.raises(FeedError, match=r"1 of 2 inputs were fed; missing:\n  w: float64"):
        sg.replay(graph, [X])


def test_a_failure_names_the_expression_and_its_line():
    i = sg.placeholder("int64", [], name="i")
    graph = sg.freeze([sg.gather(sg.constant([1.0, 2.0]), i, name="picked")], [i])
    with pytest.raises(IndexError) as caught:
        sg.replay(graph, [5])
    assert any("made at test_replay.py" in note for note in caught.value.__notes__)


def test_a_number_that_an_input_does_not_hold_is_refused():
    graph = sg.trace(lambda a: a * 2, [np.int8(1)])
    assert sg.replay(graph, [3]) == (6,)
    with pytest.raises(FeedError, match="was given int64"):
        sg.replay(graph, [300])
