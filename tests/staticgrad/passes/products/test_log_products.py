"""Sums of exponentials of a vector plus an unchanging matrix become products."""

import numpy as np
import pytest

import gradops as ops
import staticgrad as sg
from staticgrad.passes import HoistInvariants, MultiplyLogs

RNG = np.random.default_rng(0)
FORMS = {
    "columns": lambda x, m: ops.logsumexp(x[:, None] + m, axis=0),
    "columns, kept": lambda x, m: ops.logsumexp(m + x[:, None], axis=0, keepdims=True)[0],
    "rows": lambda x, m: ops.logsumexp(m + x, axis=1),
    "rows of a row": lambda x, m: ops.logsumexp(x[None, :] + m, axis=-1),
    "expanded": lambda x, m: ops.logsumexp(ops.expand_dims(x, 1) + m, axis=-2),
    "of another value": lambda x, m: ops.logsumexp(ops.tanh(x)[:, None] + m, axis=0),
    "of a derived matrix": lambda x, m: ops.logsumexp(x[:, None] + ops.tanh(m), axis=0),
    "twice": lambda x, m: ops.logsumexp(ops.logsumexp(x[:, None] + m, axis=0) + m, axis=1),
}
BATCHED = {
    "columns": lambda x, m: ops.logsumexp(x[:, :, None] + m, axis=1),
    "rows": lambda x, m: ops.logsumexp(m + x[:, None, :], axis=2),
}
OTHERS = {
    "along the other axis": lambda x, m: ops.logsumexp(x[:, None] + m, axis=1),
    "of all": lambda x, m: ops.logsumexp(x[:, None] + m, axis=(0, 1)) + x,
    "of what each step computes": lambda x, m: ops.logsumexp(x[:, None] + m * x, axis=0),
    "of a reversed vector of one": lambda x, m: ops.logsumexp(x * m, axis=0),
}


def forward(form, dtype="float64", batch=(), n=3, gradient=True, steps=4):
    """A loop whose steps multiply logarithms, and its derivatives."""
    with sg.Graph().as_default():
        start = sg.placeholder(dtype, [*batch, n], name="start")
        m = sg.placeholder(dtype, [n, n], name="m")
        scores = sg.placeholder(dtype, [steps, n], name="scores")
        last = sg.foldl(lambda x, s: form(x, m) + s, scores, start)
        loss = ops.sum(last * last)
        given = [last, *sg.gradients(loss, [start, m, scores])] if gradient else [last]
        return HoistInvariants()(sg.freeze(given, [start, m, scores]))


def feeds_of(graph, steps=4):
    shapes = [tuple(n if isinstance(n, int) else steps for n in e.shape) for e in graph.inputs]
    return [
        RNG.standard_normal(s).astype(e.dtype) for s, e in zip(shapes, graph.inputs, strict=True)
    ]


def ops_of_bodies(graph):
    bodies = [e.attrs["body"] for e in graph if e.what == "loop"]
    return [e.what for body in bodies for e in body]


def assert_same_values(graph, feeds, **tolerance):
    done = MultiplyLogs()(graph)
    sg.verify(done)
    assert "log_matmul" in ops_of_bodies(done)
    with np.errstate(all="ignore"):
        pairs = zip(sg.interpret(done, feeds), sg.interpret(graph, feeds), strict=True)
        for got, want in pairs:
            assert got.dtype == want.dtype
            np.testing.assert_allclose(got, want, **tolerance)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("form", FORMS)
def test_steps_multiply(form, dtype):
    graph = forward(FORMS[form], dtype)
    assert_same_values(
        graph, feeds_of(graph), rtol=2e-5 if dtype == "float32" else 1e-12, atol=1e-5
    )


@pytest.mark.parametrize("form", BATCHED)
def test_batches_of_vectors_multiply(form):
    graph = forward(BATCHED[form], batch=(2,))
    assert_same_values(graph, feeds_of(graph), rtol=1e-12)


@pytest.mark.parametrize("form", OTHERS)
def test_other_sums_of_exponentials_stay(form):
    graph = forward(OTHERS[form], gradient=False)
    assert MultiplyLogs()(graph) is graph


@pytest.mark.parametrize(("dtype", "n"), [("complex128", 3), ("float16", 3), ("float64", "n")])
def test_other_dtypes_and_unknown_sizes_stay(dtype, n):
    if dtype == "complex128":
        form = lambda x, m: ops.log(ops.sum(ops.exp(x[:, None] + m), axis=0))
    else:
        form = FORMS["columns"]
    graph = forward(form, dtype, n=n, gradient=False)
    assert MultiplyLogs()(graph) is graph


SPECIAL = [-np.inf, np.inf, np.nan, -800.0, 800.0, 1e308, -1e308]


@pytest.mark.parametrize(
    "place", ["start", "m", "all of start", "row of m", "column of m", "all of m"]
)
@pytest.mark.parametrize("value", SPECIAL)
@pytest.mark.parametrize("form", ["columns", "rows"])
def test_extreme_values_are_those_of_the_sum(form, value, place):
    graph = forward(FORMS[form], gradient=False)
    start, m, scores = feeds_of(graph)
    array = m if place.endswith("m") else start
    index = {"start": 1, "m": (1, 2), "row of m": 1, "column of m": (slice(None), 1)}
    array[index.get(place, slice(None))] = value
    assert_same_values(graph, [start, m, scores], rtol=1e-12)


@pytest.mark.parametrize("gap", [100, 600, 700, 745, 760, 5000])
def test_small_shares_are_not_lost(gap):
    graph = forward(FORMS["columns"], gradient=False)
    start = np.array([0.0, -gap, -2.0 * gap])
    m = np.array([[-2.0 * gap, -gap, 0], [0, -3.0 * gap, -gap], [-gap, 0, 0]])
    assert_same_values(graph, [start, m, np.zeros((4, 3))], rtol=1e-13)


def test_a_loop_without_steps_gives_its_start():
    graph = forward(FORMS["columns"], gradient=False, steps="T")
    start, m, _ = feeds_of(graph)
    (got,) = sg.interpret(MultiplyLogs()(graph), [start, m, np.zeros((0, 3))])
    np.testing.assert_array_equal(got, start)


def test_compiled_gradients_agree_with_those_that_are_not_optimised():
    graph = forward(FORMS["columns"])
    fast = sg.compile(graph, verify=True)
    assert "log_matmul" in fast.source
    feeds = feeds_of(graph)
    for got, want in zip(fast(*feeds), sg.compile(graph, optimize=0)(*feeds), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-11, atol=1e-12)
