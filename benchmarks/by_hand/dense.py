"""Dense layers by hand."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..workload import ADAM, RATE, Arrays, Run, directions


def binary(params: Arrays, data: Arrays) -> Run:
    """A layer and its binary cross entropy for one example."""
    (w, b), (x, t) = params, data
    z, s, gw = np.empty_like(b), np.empty_like(b), np.empty_like(w)
    one, share = np.array(1, w.dtype), np.array(1 / b.size, w.dtype)
    column = x[:, None]

    def run() -> Arrays:
        np.add(np.dot(x, w, out=z), b, out=z)
        np.multiply(z, t, out=s)
        loss = np.add.reduce(np.logaddexp(np.negative(s), np.subtract(z, s))) * share
        np.exp(np.negative(z, out=s), out=s)
        np.divide(one, np.add(s, one, out=s), out=s)
        np.multiply(np.subtract(s, t, out=s), share, out=s)
        return [loss, np.multiply(column, s, out=gw), s]

    return run


def mlp(params: Arrays, data: Arrays, update: Callable[[Arrays], None]) -> Run:
    """Loss and gradients of the classifier, and an update of its parameters."""
    (w1, b1, w2, b2, w3, b3), (x, labels) = params, data
    batch, dtype = len(x), x.dtype
    h1, h2, d1, d2 = (np.empty((batch, b1.size), dtype) for _ in range(4))
    z, d = np.empty((batch, b3.size), dtype), np.empty((batch, b3.size), dtype)
    mask, rows = np.empty(h1.shape, bool), np.arange(batch)
    grads = [np.empty_like(p) for p in params]
    share, zero = np.array(1 / batch, dtype), np.array(0, dtype)

    def run() -> Arrays:
        np.maximum(np.add(np.dot(x, w1, out=h1), b1, out=h1), zero, out=h1)
        np.maximum(np.add(np.dot(h1, w2, out=h2), b2, out=h2), zero, out=h2)
        np.add(np.dot(h2, w3, out=z), b3, out=z)
        np.subtract(z, np.maximum.reduce(z, axis=1, keepdims=True), out=z)
        total = np.add.reduce(np.exp(z, out=d), axis=1, keepdims=True)
        loss = np.add.reduce(np.log(total[:, 0]) - z[rows, labels]) * share
        np.divide(d, total, out=d)
        d[rows, labels] -= 1
        np.multiply(d, share, out=d)
        np.dot(h2.T, d, out=grads[4])
        np.add.reduce(d, axis=0, out=grads[5])
        np.multiply(np.dot(d, w3.T, out=d2), np.greater(h2, zero, out=mask), out=d2)
        np.dot(h1.T, d2, out=grads[2])
        np.add.reduce(d2, axis=0, out=grads[3])
        np.multiply(np.dot(d2, w2.T, out=d1), np.greater(h1, zero, out=mask), out=d1)
        np.dot(x.T, d1, out=grads[0])
        np.add.reduce(d1, axis=0, out=grads[1])
        update(grads)
        return [loss, *params]

    return run


def mlp_sgd(params: Arrays, data: Arrays) -> Run:
    """p - rate g."""
    rate = np.array(RATE, params[0].dtype)

    def update(grads: Arrays) -> None:
        for p, g in zip(params, grads, strict=True):
            np.subtract(p, np.multiply(g, rate, out=g), out=p)

    return mlp(params, data, update)


def mlp_adam(params: Arrays, data: Arrays) -> Run:
    """Adam in blocks that fit the cache, with the corrections of both moments in the rate."""
    dtype, block = params[0].dtype, 32_768
    moments = [(np.zeros(p.size, dtype), np.zeros(p.size, dtype)) for p in params]
    scratch, steps = np.empty(block, dtype), 0
    b1, b2 = ADAM["beta1"], ADAM["beta2"]
    c1, c2 = (np.array(1 - b, dtype) for b in (b1, b2))
    k1, k2 = (np.array(b, dtype) for b in (b1, b2))

    def update(grads: Arrays) -> None:
        nonlocal steps
        steps += 1
        root = np.sqrt(1 - b2**steps)
        rate = np.array(ADAM["rate"] * root / (1 - b1**steps), dtype)
        eps = np.array(ADAM["eps"] * root, dtype)
        for p, g, (m, v) in zip(params, grads, moments, strict=True):
            p, g = p.reshape(-1), g.reshape(-1)
            for i in range(0, p.size, block):
                part = slice(i, i + block)
                move(p[part], g[part], m[part], v[part], rate, eps)

    def move(p: Any, g: Any, m: Any, v: Any, rate: Any, eps: Any) -> None:
        t = scratch[: p.size]
        np.add(np.multiply(m, k1, out=m), np.multiply(g, c1, out=t), out=m)
        np.multiply(np.multiply(g, g, out=t), c2, out=t)
        np.add(np.multiply(v, k2, out=v), t, out=v)
        np.add(np.sqrt(v, out=t), eps, out=t)
        np.subtract(p, np.divide(np.multiply(m, rate, out=g), t, out=t), out=p)

    return mlp(params, data, update)


def logistic(params: Arrays, data: Arrays) -> Run:
    """Logistic regression; exp(-|z|) serves the loss and the sigmoid."""
    (w,), (x, t) = params, data
    z, e, s = (np.empty(len(x), x.dtype) for _ in range(3))
    gradient, mask = np.empty_like(w), np.empty(len(x), bool)
    one, share = np.array(1, x.dtype), np.array(1 / len(x), x.dtype)
    zero, transposed = np.array(0, x.dtype), x.T

    def run() -> Arrays:
        np.dot(x, w, out=z)
        np.exp(np.negative(np.abs(z, out=e), out=e), out=e)
        loss = np.add.reduce(np.log1p(e, out=s)) + np.add.reduce(np.maximum(z, zero, out=s))
        loss = (loss - np.dot(z, t)) * share
        np.divide(one, np.add(e, one, out=s), out=s)
        np.multiply(s, e, out=s, where=np.less(z, zero, out=mask))
        np.multiply(np.subtract(s, t, out=s), share, out=s)
        return [loss, np.dot(transposed, s, out=gradient)]

    return run


def tanh_mlp_hvp(params: Arrays, data: Arrays) -> Run:
    """Forward over reverse: each line of the gradient, and its tangent."""
    (w1, b1, w2, b2), (x, t) = params, data
    v1, c1, v2, c2 = directions(params)
    h, h_, p, p_, e, q = (np.empty((len(x), b1.size), x.dtype) for _ in range(6))
    z, z_, y = (np.empty((len(x), 1), x.dtype) for _ in range(3))
    results = [np.empty_like(p) for p in params]
    scale, one, two = (np.array(n, x.dtype) for n in (2 / len(x), 1, 2))

    def run() -> Arrays:
        np.tanh(np.add(np.dot(x, w1, out=h), b1, out=h), out=h)
        np.subtract(one, np.multiply(h, h, out=e), out=e)
        np.multiply(np.add(np.dot(x, v1, out=h_), c1, out=h_), e, out=h_)
        np.subtract(np.add(np.dot(h, w2, out=z), b2, out=z), t, out=z)
        np.add(np.add(np.dot(h_, w2, out=z_), np.dot(h, v2, out=y), out=z_), c2, out=z_)
        np.multiply(z, scale, out=z)
        np.multiply(z_, scale, out=z_)
        g1, gb1, g2, gb2 = results
        np.add(np.dot(h.T, z_, out=g2), h_.T @ z, out=g2)
        np.add.reduce(z_, axis=0, out=gb2)
        np.dot(z, w2.T, out=p)
        np.add(np.dot(z_, w2.T, out=p_), np.dot(z, v2.T, out=q), out=p_)
        np.multiply(np.multiply(h, h_, out=q), two, out=q)
        np.subtract(np.multiply(p_, e, out=p_), np.multiply(p, q, out=q), out=p_)
        np.dot(x.T, p_, out=g1)
        np.add.reduce(p_, axis=0, out=gb1)
        return results

    return run
