"""A small regression that the tests of training share, also in processes of their own."""

import numpy as np

import staticgrad as sg

rng = np.random.default_rng(3)
X = rng.normal(size=(200, 3))
Y = np.tanh(X @ [1.0, -2.0, 0.5])


def model(rate=0.05):
    """The placeholders and the step of a small regression, with clipped gradients."""
    x = sg.placeholder("float64", [None, 3], name="x")
    y = sg.placeholder("float64", [None], name="y")
    w = sg.Variable(np.zeros(3), name="w")
    b = sg.Variable(0.0, name="b", dtype="float64")
    errors = sg.tanh(sg.linalg.matvec(x, w) + b) - y
    loss = sg.reduce_mean(sg.square(errors)) + 0.01 * sg.reduce_sum(w * w)
    optimizer = sg.train.AdamOptimizer(rate)
    pairs = optimizer.compute_gradients(loss)
    clipped, _ = sg.clip_by_global_norm([g for g, _ in pairs], 0.5)
    count = sg.train.get_or_create_global_step()
    train = optimizer.apply_gradients(zip(clipped, [w, b], strict=True), count)
    return {x: X, y: Y}, [loss, train]


def trained(data, step, **options):
    defaults = {"epochs": 4, "block_rows": 16, "blocks_per_step": 3, "seed": 7, "progress": False}
    return sg.distributed.train(step, data, **(defaults | options))


def squares(w, x, y):
    """The loss of such a regression as a function."""
    return np.mean((np.tanh(x @ w) - y) ** 2)
