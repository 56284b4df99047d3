"""Models with loops, of sizes known, named or both: levels give what the interpreter gives."""

import numpy as np
import pytest

import gradops as ops
import staticgrad as sg

SIZES = {"T": 5, "d": 3, "h": 4, "b": 2, "k": 3, "p": 7}
MODELS = {}


def model(*shapes):
    """Register a model of arrays whose shapes are written as the letters of their sizes."""

    def register(function):
        MODELS[function.__name__] = function, shapes
        return function

    return register


@model("T d", "d h", "h h", "h")
def recurrent(xs, w, u, h):
    return ops.sum(ops.square(sg.foldl(lambda h, x: ops.tanh(x @ w + h @ u), xs, h)))


@model("T b d", "d h", "h h", "b h", "T b h")
def recurrent_with_a_loss(xs, w, u, h, ts):
    def step(state, entry):
        (h, loss), (x, t) = state, entry
        h = ops.tanh(x @ w + h @ u)
        return h, loss + ops.mean(ops.square(h - t))

    return sg.foldl(step, (xs, ts), (h, 0.0))[1]


@model("d d", "d", "d", "T d")
def kalman(a, log_q, x, ys):
    q = ops.diag(ops.exp(log_q))

    def step(state, y):
        x, p, loss = state
        x, p = a @ x, a @ p @ a.T + q
        l = ops.linalg.cholesky(p + q)
        v, g = (ops.linalg.solve_triangular(l, b, lower=True) for b in ((y - x)[:, None], p))
        loss = loss + 0.5 * ops.sum(v * v) + ops.sum(ops.log(ops.diagonal(l)))
        return x + (g.T @ v)[:, 0], p - g.T @ g, loss

    return sg.foldl(step, ys, (x, q, 0.0))[2]


@model("k", "k k", "T k")
def hidden_markov(start, transitions, scores):
    t = sg.log_softmax(transitions)
    step = lambda a, score: sg.reduce_logsumexp(a[:, None] + t, 0) + score
    return -sg.reduce_logsumexp(sg.foldl(step, scores, sg.log_softmax(start)))


@model("T d", "d")
def weighted_sum(xs, w):
    return sg.foldl(lambda s, x: s + ops.sum(x * w), xs, 0.0)


@model("T d", "d")
def all_states(xs, w):
    return ops.sum(ops.square(sg.scan(lambda s, x: ops.sin(s * w) + x, xs, w)))


@model("T d", "d h")
def entropies(xs, w):
    y = sg.map(lambda x: sg.softmax(x @ w), xs)
    return ops.sum(ops.log(y) * y)


@model("h h", "h")
def repeated(w, x):
    return ops.sum(sg.fori(0, 3, lambda i, y: ops.tanh(w @ y) * 0.5 + y, x))


@model("T d", "d d")
def nested(xs, w):
    def step(s, x):
        return sg.fori(0, 2, lambda i, z: ops.tanh(w @ z) + x, s)

    return ops.sum(sg.foldl(step, xs, ops.zeros_like(xs[0])))


@model("T d", "d d")
def branching(xs, w):
    def step(s, x):
        return sg.cond(ops.sum(s) > 0.0, lambda: w @ s + x, lambda: x * s - 1.0)

    return ops.sum(sg.foldl(step, xs, ops.ones_like(xs[0])))


@model("T d", "d h")
def moments(xs, w):
    def step(state, x):
        m, c, n = state
        h = x @ w
        return m + h, c + h[:, None] * h[None], n + 1.0

    zero = ops.zeros_like(w[0])
    m, c, n = sg.foldl(step, xs, (zero, zero[:, None] * zero[None], 0.0))
    return ops.sum(ops.square(c / n - m[:, None] * m[None] / (n * n)))


@model("T d", "p d", "p h")
def attention(qs, k, v):
    return ops.sum(ops.square(sg.map(lambda q: sg.softmax(k @ q) @ v, qs)))


@model("k d d", "k d", "d p")
def mixture(f, means, x):
    l = ops.linalg.cholesky(f @ ops.matrix_transpose(f) + ops.diag_embed(ops.exp(means)))
    z = ops.linalg.solve_triangular(l, x - means[:, :, None], lower=True)
    return ops.sum(sg.reduce_logsumexp(-0.5 * ops.sum(z * z, 1), 0))


KINDS = {
    "known": lambda i, name: SIZES[name],
    "named": lambda i, name: name,
    "unknown": lambda i, name: None,
    "mixed": lambda i, name: name if i % 2 else SIZES[name],
}


def graph_of(function, shapes, kind):
    """The graph of a model, its gradient, and the gradient of the square of that."""
    with sg.Graph().as_default():
        sizes = [[KINDS[kind](i, n) for i, n in enumerate(shape.split())] for shape in shapes]
        xs = [sg.placeholder("float64", some, name=f"x{i}") for i, some in enumerate(sizes)]
        loss = function(*xs)
        first = sg.gradients(loss, xs)
        second = sg.gradients(sum(ops.sum(g * g) for g in first), xs)
        return sg.freeze([loss, *first, *[g for g in second if g is not None]], xs)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", MODELS)
def test_levels_give_what_the_interpreter_gives(name, kind):
    function, shapes = MODELS[name]
    graph = graph_of(function, shapes, kind)
    rng = np.random.default_rng(0)
    feeds = [0.5 * rng.normal(size=[SIZES[n] for n in shape.split()]) for shape in shapes]
    wanted = sg.interpret(graph, feeds)
    for level in (0, 1, 2):
        got = sg.compile(graph, optimize=level)(*feeds)
        for g, w in zip(got, wanted, strict=True):
            assert (g.shape, g.dtype) == (w.shape, w.dtype)
            if level < 2:
                np.testing.assert_array_equal(g, w)
            else:
                np.testing.assert_allclose(g, w, rtol=1e-9, atol=1e-11)
