"""The workloads: one value and its gradients, in each library and hand-written.

A workload is a function that returns a dict from the name of each installed library to a function
without arguments that runs the workload once.
"""

import os
from collections.abc import Callable
from importlib.util import find_spec
from itertools import pairwise
from typing import Any

import numpy as np

import dynamicgrad as dg
import staticgrad as sg

Runs = dict[str, Callable[[], Any]]


def installed(name: str) -> bool:
    """True if a library is installed."""
    return find_spec(name) is not None


def eager_libraries() -> dict[str, Any]:
    """The libraries with PyTorch's names."""
    found = {"dynamicgrad": dg}
    if installed("torch"):
        import torch

        torch.set_num_threads(int(os.environ.get("OPENBLAS_NUM_THREADS", "1")))
        found["torch"] = torch
    return found


def scalar_chain() -> Runs:
    """Fifty operations on one number, and the derivative."""
    runs = {name: eager_chain(lib) for name, lib in eager_libraries().items()}
    x = sg.placeholder("float32", [], name="x")
    y = chain(x, sg.sin, sg.tanh)
    compiled = sg.compile([y, *sg.gradients(y, x)], [x])
    start = np.array(0.5, np.float32)
    runs["staticgrad"] = lambda: compiled(start)
    runs["NumPy by hand"] = hand_chain(start)
    if installed("jax"):
        import jax
        import jax.numpy as jnp

        f = jax.jit(jax.value_and_grad(lambda x: chain(x, jnp.sin, jnp.tanh)))
        runs["JAX jit"] = lambda: jax.block_until_ready(f(start))
    return runs


def chain(x: Any, sin: Any, tanh: Any) -> Any:
    """Ten times sin, a product, a sum, tanh and a product."""
    y = x
    for _ in range(10):
        y = tanh(sin(y) * 1.5 + x) * x
    return y


def eager_chain(lib: Any) -> Callable[[], Any]:
    """The chain in a library with PyTorch's names."""

    def run() -> Any:
        x = lib.tensor(0.5, requires_grad=True)
        y = chain(x, lib.sin, lib.tanh)
        y.backward()
        return y, x.grad

    return run


def hand_chain(x: Any) -> Callable[[], Any]:
    """The chain and its derivative with ufunc calls into preallocated arrays."""
    kept = [[np.empty((), np.float32) for _ in range(4)] for _ in range(10)]
    g, d, dx = (np.empty((), np.float32) for _ in range(3))
    factor, one = np.array(1.5, np.float32), np.array(1, np.float32)

    def run() -> Any:
        h = x
        for s, m, t, y in kept:
            np.sin(h, out=s)
            np.multiply(s, factor, out=m)
            np.add(m, x, out=m)
            np.tanh(m, out=t)
            h = np.multiply(t, x, out=y)
        g[()], dx[()] = 1, 0
        for i in reversed(range(10)):
            t = kept[i][2]
            np.add(dx, np.multiply(g, t, out=d), out=dx)
            np.subtract(one, np.multiply(t, t, out=d), out=d)
            np.multiply(np.multiply(g, x, out=g), d, out=g)
            np.add(dx, g, out=dx)
            np.cos(kept[i - 1][3] if i else x, out=d)
            np.multiply(np.multiply(g, factor, out=g), d, out=g)
        return h, np.add(dx, g, out=dx)

    return run


def one_layer() -> Runs:
    """A layer 5 x 3 and its binary cross entropy, with the gradients of weight and bias."""
    rng = np.random.default_rng(0)
    x, t = np.ones(5, np.float32), np.zeros(3, np.float32)
    w, b = (rng.standard_normal(s).astype(np.float32) for s in ((5, 3), 3))
    runs = {name: eager_layer(lib, x, t, w, b) for name, lib in eager_libraries().items()}
    runs["staticgrad"] = static_layer(x, t, w, b)
    runs["NumPy by hand"] = hand_layer(x, t, w, b)
    if installed("jax"):
        import jax

        f = jax.jit(jax.value_and_grad(jax_layer, argnums=(0, 1)))
        runs["JAX jit"] = lambda: jax.block_until_ready(f(w, b, x, t))
    return runs


def eager_layer(lib: Any, *arrays: Any) -> Callable[[], Any]:
    """The layer in a library with PyTorch's names."""
    x, t, w, b = map(lib.tensor, arrays)
    w.requires_grad_()
    b.requires_grad_()
    loss_of = lib.nn.functional.binary_cross_entropy_with_logits

    def run() -> Any:
        w.grad = b.grad = None
        loss = loss_of(lib.matmul(x, w) + b, t)
        loss.backward()
        return loss, w.grad, b.grad

    return run


def static_layer(*arrays: Any) -> Callable[[], Any]:
    """The layer as a compiled graph."""
    x, t, w, b = (
        sg.placeholder("float32", a.shape, name=n) for a, n in zip(arrays, "xtwb", strict=True)
    )
    loss = sg.binary_cross_entropy_with_logits(sg.matmul(x, w) + b, t)
    compiled = sg.compile([loss, *sg.gradients(loss, [w, b])], [x, t, w, b])
    return lambda: compiled(*arrays)


def hand_layer(x: Any, t: Any, w: Any, b: Any) -> Callable[[], Any]:
    """The layer and its gradients with ufunc calls into preallocated arrays."""
    z, s, gw = np.empty(3, np.float32), np.empty(3, np.float32), np.empty((5, 3), np.float32)
    one, third = np.array(1, np.float32), np.array(1 / 3, np.float32)

    def run() -> Any:
        np.add(np.dot(x, w, out=z), b, out=z)
        np.multiply(z, t, out=s)
        loss = np.add.reduce(np.logaddexp(np.negative(s), np.subtract(z, s))) / 3
        np.exp(np.negative(z, out=s), out=s)
        np.divide(one, np.add(s, one, out=s), out=s)
        np.multiply(np.subtract(s, t, out=s), third, out=s)
        return loss, np.multiply(x[:, None], s, out=gw), s

    return run


def jax_layer(w: Any, b: Any, x: Any, t: Any) -> Any:
    """The layer in JAX."""
    import jax.numpy as jnp

    z = x @ w + b
    return jnp.mean(jnp.maximum(z, 0) - z * t + jnp.log1p(jnp.exp(-jnp.abs(z))))


SIZES, BATCH, RATE = (64, 128, 128, 10), 32, 0.01


def mlp_step() -> Runs:
    """One step of SGD on an MLP 64-128-128-10 with relu and cross entropy, batch 32."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((BATCH, SIZES[0])).astype(np.float32)
    labels = rng.integers(0, SIZES[-1], BATCH)
    shapes = [s for m, n in pairwise(SIZES) for s in ((m, n), (n,))]
    params = [(rng.standard_normal(s) / 10).astype(np.float32) for s in shapes]
    runs = {name: eager_mlp(lib, x, labels, params) for name, lib in eager_libraries().items()}
    runs["staticgrad"] = static_mlp(x, labels, params)
    runs["NumPy by hand"] = hand_mlp(x, labels, [p.copy() for p in params])
    if installed("jax"):
        import jax

        f = jax.jit(jax_mlp)
        runs["JAX jit"] = lambda: jax.block_until_ready(f(params, x, labels))
    return runs


def eager_mlp(lib: Any, x: Any, labels: Any, arrays: Any) -> Callable[[], Any]:
    """The step in a library with PyTorch's names."""
    x, labels = lib.tensor(x), lib.tensor(labels)
    params = [lib.tensor(p, requires_grad=True) for p in arrays]

    def run() -> Any:
        w1, b1, w2, b2, w3, b3 = params
        h = lib.relu(x @ w1 + b1)
        h = lib.relu(h @ w2 + b2)
        loss = lib.nn.functional.cross_entropy(h @ w3 + b3, labels)
        for p in params:
            p.grad = None
        loss.backward()
        with lib.no_grad():
            for p in params:
                p -= RATE * p.grad
        return loss

    return run


def static_mlp(x: Any, labels: Any, arrays: Any) -> Callable[[], Any]:
    """The step as a compiled graph from parameters to new parameters."""
    feeds = [sg.placeholder(a.dtype, a.shape) for a in (x, labels, *arrays)]
    data, target, *params = feeds
    w1, b1, w2, b2, w3, b3 = params
    h = sg.relu(data @ w1 + b1)
    h = sg.relu(h @ w2 + b2)
    loss = sg.cross_entropy(h @ w3 + b3, target)
    new = [p - RATE * g for p, g in zip(params, sg.gradients(loss, params), strict=True)]
    compiled = sg.compile([loss, *new], feeds)
    state = list(arrays)

    def run() -> Any:
        loss, *state[:] = compiled(x, labels, *state)
        return loss

    return run


def hand_mlp(x: Any, labels: Any, params: Any) -> Callable[[], Any]:
    """The step with ufunc calls into preallocated arrays."""
    w1, b1, w2, b2, w3, b3 = params
    h1, h2, d1, d2 = (np.empty((BATCH, 128), np.float32) for _ in range(4))
    z, d = np.empty((BATCH, 10), np.float32), np.empty((BATCH, 10), np.float32)
    mask, rows = np.empty((BATCH, 128), bool), np.arange(BATCH)
    grads = [np.empty_like(p) for p in params]
    rate, share = np.array(RATE, np.float32), np.array(1 / BATCH, np.float32)

    def run() -> Any:
        np.maximum(np.add(np.dot(x, w1, out=h1), b1, out=h1), 0, out=h1)
        np.maximum(np.add(np.dot(h1, w2, out=h2), b2, out=h2), 0, out=h2)
        np.add(np.dot(h2, w3, out=z), b3, out=z)
        np.subtract(z, np.maximum.reduce(z, axis=1, keepdims=True), out=z)
        total = np.add.reduce(np.exp(z, out=d), axis=1, keepdims=True)
        loss = np.add.reduce(np.log(total[:, 0]) - z[rows, labels]) / BATCH
        np.divide(d, total, out=d)
        d[rows, labels] -= 1
        np.multiply(d, share, out=d)
        np.dot(h2.T, d, out=grads[4])
        np.add.reduce(d, axis=0, out=grads[5])
        np.multiply(np.dot(d, w3.T, out=d2), np.greater(h2, 0, out=mask), out=d2)
        np.dot(h1.T, d2, out=grads[2])
        np.add.reduce(d2, axis=0, out=grads[3])
        np.multiply(np.dot(d2, w2.T, out=d1), np.greater(h1, 0, out=mask), out=d1)
        np.dot(x.T, d1, out=grads[0])
        np.add.reduce(d1, axis=0, out=grads[1])
        for p, g in zip(params, grads, strict=True):
            np.subtract(p, np.multiply(g, rate, out=g), out=p)
        return loss

    return run


def jax_mlp(params: Any, x: Any, labels: Any) -> Any:
    """The step in JAX."""
    import jax
    import jax.numpy as jnp

    def loss_of(params: Any) -> Any:
        w1, b1, w2, b2, w3, b3 = params
        h = jax.nn.relu(x @ w1 + b1)
        h = jax.nn.relu(h @ w2 + b2)
        scores = jax.nn.log_softmax(h @ w3 + b3)
        return -jnp.mean(jnp.take_along_axis(scores, labels[:, None], axis=1))

    loss, grads = jax.value_and_grad(loss_of)(params)
    return loss, [p - RATE * g for p, g in zip(params, grads, strict=True)]


WORKLOADS: dict[str, Callable[[], Runs]] = {
    "50 scalar ops, value + derivative": scalar_chain,
    "one-layer BCE net, 5x3": one_layer,
    "MLP 64-128-128-10, batch 32, SGD step": mlp_step,
}
