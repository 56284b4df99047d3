"""Sums over the steps of a loop are computed after it, weight gradients by one product."""

import numpy as np
import pytest

import gradops as ops
import staticgrad as sg
from staticgrad.passes import Pipeline, Prune, WeightGradientsAfterLoop

RNG = np.random.default_rng(0)
after = Pipeline([Prune(), WeightGradientsAfterLoop(), Prune()])


def network(steps, batch, cell, columns=False):
    """The gradients of a loss of a recurrent network by its weights."""
    with sg.Graph().as_default():
        x = sg.placeholder("float64", [steps, batch, 3] if batch else [steps, 3], name="x")
        w, u = (sg.placeholder("float64", [n, 4], name="w") for n in (4, 3))
        b = sg.placeholder("float64", [4], name="b")
        first = ops.broadcast_to(b * 0, shape=(batch, 4)) if batch else b * 0
        states = sg.scan(lambda h, v: cell(h, v, w, u, b), x, first)
        loss = ops.sum(states**2)
        return sg.freeze([loss, *sg.gradients(loss, [w, u, b])], [x, w, u, b])


CELLS = {
    "rows": lambda h, x, w, u, b: ops.tanh(h @ w + x @ u + b),
    "transposed": lambda h, x, w, u, b: ops.tanh(h @ w.T + x @ u + b),
    "gates": lambda h, x, w, u, b: ops.tanh((h @ w)[..., :2].sum() + x @ u + b) * ops.sigmoid(h),
    "twice": lambda h, x, w, u, b: ops.tanh(ops.tanh(h @ w) @ w + x @ u - b),
    "negative": lambda h, x, w, u, b: ops.tanh(x @ u - h @ w - b),
    "reversed": lambda h, x, w, u, b: ops.tanh(
        h @ ops.flip(w, axis=0) + x @ u + ops.flip(b, axis=0)
    ),
}
SIZES = {"some": (5, 2), "one": (1, 2), "none": (0, 2), "vectors": (5, None)}


def feeds_of(steps, batch, graph):
    return [RNG.normal(size=tuple(
        n if isinstance(n, int) else {"T": steps, "n": batch}[str(n)] for n in e.shape
    )) for e in graph.inputs]  # fmt: skip


def last_loop(graph):
    return [e for e in graph if e.what == "loop"][-1]


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("named", [False, True], ids=["known", "named"])
def test_gradients_of_weights_leave_the_loop(cell, sizes, named):
    steps, batch = SIZES[sizes]
    graph = network("T" if named else steps, "n" if named and batch else batch, CELLS[cell])
    changed = after(graph)
    sg.verify(changed)
    assert last_loop(changed).attrs["carries"] == 1
    feeds = feeds_of(steps, batch, graph)
    expected = sg.interpret(graph, feeds)
    for run in (sg.compile(changed, optimize=0), sg.compile(graph)):
        for x, y in zip(expected, run(*feeds), strict=True):
            np.testing.assert_allclose(y, x, rtol=1e-12, atol=1e-12)


def test_the_products_are_one_for_each_weight():
    changed = after(network(5, 2, CELLS["rows"]))
    products = [e for e in changed if e.what == "matmul"]
    assert [e.shape for e in products] == [(4, 4), (3, 4)]
    assert not any(e.what == "sum_to" for e in last_loop(changed).attrs["body"])


def test_state_that_no_step_changes_is_not_a_sum():
    with sg.Graph().as_default():
        x = sg.placeholder("float64", [2], name="x")
        kept = sg.fori(0, 3, lambda i, s: (s[0], s[1] + sg.sin(s[1])), (sg.zeros_like(x), x))
        graph = sg.freeze(kept, [x])
    feeds = [np.array([1.0, 2.0])]
    for a, b in zip(sg.interpret(graph, feeds), sg.interpret(after(graph), feeds), strict=True):
        np.testing.assert_array_equal(a, b)


def test_gradients_of_layers_leave_the_loop():
    for layer in (sg.layers.gru, sg.layers.lstm, sg.layers.rnn):
        with sg.Graph().as_default():
            x = sg.placeholder("float32", [6, 2, 3], name="x")
            outputs, _ = layer(x, 4, time_major=True)
            loss = ops.sum(outputs**2)
            graph = sg.freeze([loss, *sg.gradients(loss, sg.trainable_variables())], [x])
        carries = [e.attrs["carries"] for e in after(graph) if e.what == "loop"]
        assert carries[1] == carries[0]


def test_state_that_a_step_reads_stays():
    with sg.Graph().as_default():
        x = sg.placeholder("float64", [5, 3], name="x")
        total, seen = sg.map_accumulate(
            lambda s, v: (s + v, ops.sum(s)), sg.zeros((3,), "float64"), x
        )
        last, _ = sg.map_accumulate(lambda s, v: (s + v * v, v), sg.zeros((3,), "float64"), x)
        graph = sg.freeze([total, seen, last], [x])
    carries = [e.attrs["carries"] for e in after(graph) if e.what == "loop"]
    assert carries == [1, 0]


def test_values_take_no_more_memory_than_the_lists():
    with sg.Graph().as_default():
        x = sg.placeholder("float64", [50, 2], name="x")
        w = sg.placeholder("float64", [2, 4000], name="w")
        step = lambda s, v: (s + ops.sum(ops.tanh(v @ w)[None, :].T, axis=1), ())
        total, _ = sg.map_accumulate(step, sg.zeros((4000,), "float64"), x)
        graph = sg.freeze(total, [x, w])
    assert after(graph) is graph


def test_state_that_no_step_changes_stays():
    with sg.Graph().as_default():
        x, h = sg.placeholder("float64", [5, 3]), sg.placeholder("float64", [3])
        y = sg.scan(lambda s, v: (s[0] + v, s[1]), x, (h, h * 2))
        graph = sg.freeze([sg.reduce_sum(y[0]), y[1][-1]], [x, h])
    feeds = feeds_of(5, None, graph)
    expected = sg.interpret(graph, feeds)
    for changed in (WeightGradientsAfterLoop()(graph), after(graph)):
        for a, b in zip(sg.interpret(changed, feeds), expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12)


def test_sums_of_a_loop_inside_whose_length_differs_from_step_to_step():
    with sg.Graph().as_default():
        x, h, w = (sg.placeholder("float64", s) for s in ([3, 2, 3], [2, 3], [3, 3]))

        def inner(s):
            return sg.while_loop(
                lambda i, a: (i < 2) & (sg.reduce_sum(a * a) < 50.0),
                lambda i, a: (i + 1, sg.tanh(a @ w)), [0, s],
            )[1]  # fmt: skip

        y = sg.scan(lambda s, v: sg.tanh(inner(s + v)), x, h)
        graph = sg.freeze(sg.gradients(sg.reduce_sum(sg.tanh(y)), [w, h]), [x, h, w])
    feeds = feeds_of(3, None, graph)
    sg.compile(graph, passes=[WeightGradientsAfterLoop()], verify=feeds)
    sg.compile(graph, verify=feeds)


@pytest.mark.parametrize("steps", [0, 1, 5])
def test_a_vector_times_a_matrix_of_the_lists_is_summed_after_the_loop(steps):
    with sg.Graph().as_default():
        p, g = sg.placeholder("float64", ["T", 3, 3]), sg.placeholder("float64", [3])
        step = lambda s, m: ((ops.matmul(m, s[0]), s[1] + s[0] * m), ())
        (last, total), _ = sg.map_accumulate(step, (g, sg.zeros((3, 3), "float64")), p)
        graph = sg.freeze([last, total], [p, g])
    changed = after(graph)
    sg.verify(changed)
    assert last_loop(changed).attrs["carries"] == 1
    assert not any(e.what == "mul" for e in last_loop(changed).attrs["body"])
    feeds = [RNG.normal(size=(steps, 3, 3)), RNG.normal(size=3)]
    for a, b in zip(sg.interpret(changed, feeds), sg.interpret(graph, feeds), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)
