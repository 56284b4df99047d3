"""Graphs of the kinds that pages are tested with."""

import numpy as np

import staticgrad as sg


def mlp(layers=3, width=8):
    """A loss, its inputs and the training step of a small network, in scopes."""
    rng = np.random.default_rng(0)
    x = sg.placeholder("float32", ["batch", width], name="x")
    target = sg.placeholder("float32", ["batch", width], name="target")
    h = x
    for i in range(layers):
        with sg.name_scope(f"layer{i}"):
            w = sg.Variable(rng.standard_normal((width, width), np.float32), name="w")
            b = sg.Variable(np.zeros(width, np.float32), name="b")
            h = sg.tanh(h @ w + b)
    loss = sg.reduce_mean(sg.square(h - target), name="loss")
    step = sg.train.GradientDescentOptimizer(0.01).minimize(loss)
    return sg.freeze([loss, step], [x, target])


def feeds(graph, batch=4):
    """Values of all inputs of a graph."""
    sizes = [[batch if isinstance(n, sg.Dim) else n for n in e.shape] for e in graph.inputs]
    return [np.ones(shape, e.dtype) for shape, e in zip(sizes, graph.inputs)]


def loop():
    """The gradient of a loop."""
    x = sg.placeholder("float32", [4], name="x")
    _, y = sg.while_loop(lambda i, h: i < 3, lambda i, h: (i + 1, sg.tanh(h * x)), [0, x])
    loss = sg.reduce_sum(y, name="loss")
    return sg.freeze([loss, *sg.gradients(loss, [x])], [x])
