"""Chains and elementwise expressions by hand."""

import numpy as np

from ..workload import Arrays, Run


def scalar_chain(params: Arrays, data: Arrays) -> Run:
    """ufunc calls on arrays without axes."""
    (x,), steps = params, len(data[0])
    kept = [[np.empty_like(x) for _ in range(4)] for _ in range(steps)]
    g, d, dx = (np.empty_like(x) for _ in range(3))
    factor, one = np.array(1.5, x.dtype), np.array(1, x.dtype)

    def run() -> Arrays:
        h = x
        for s, m, t, y in kept:
            np.sin(h, out=s)
            np.multiply(s, factor, out=m)
            np.add(m, x, out=m)
            np.tanh(m, out=t)
            h = np.multiply(t, x, out=y)
        g[()], dx[()] = 1, 0
        for i in reversed(range(steps)):
            t = kept[i][2]
            np.add(dx, np.multiply(g, t, out=d), out=dx)
            np.subtract(one, np.multiply(t, t, out=d), out=d)
            np.multiply(np.multiply(g, x, out=g), d, out=g)
            np.add(dx, g, out=dx)
            np.cos(kept[i - 1][3] if i else x, out=d)
            np.multiply(np.multiply(g, factor, out=g), d, out=g)
        return [h, np.add(dx, g, out=dx)]

    return run


def long_chain(params: Arrays, data: Arrays) -> Run:
    """The arguments of all sines in one array, so that their cosines are one call."""
    (x,), steps = params, len(data[0])
    angles = np.empty((steps, *x.shape), x.dtype)
    cosines, y, g, dx = np.empty_like(angles), np.empty_like(x), np.empty_like(x), np.empty_like(x)
    decay, offset = np.array(0.9, x.dtype), np.array(0.1, x.dtype)
    rows, backward = list(angles), list(cosines[::-1])

    def run() -> Arrays:
        np.copyto(y, x)
        for a in rows:
            np.add(np.multiply(y, decay, out=a), x, out=a)
            np.subtract(np.sin(a, out=y), offset, out=y)
        np.cos(angles, out=cosines)
        g.fill(1)
        dx.fill(0)
        for c in backward:
            np.multiply(g, c, out=g)
            np.add(dx, g, out=dx)
            np.multiply(g, decay, out=g)
        return [np.add.reduce(y), np.add(dx, g, out=dx)]

    return run


def elementwise(params: Arrays, data: Arrays) -> Run:
    """Passes over the arrays in blocks that fit the cache."""
    whole, block = params[0].size, 16_384
    grads = [np.empty_like(p) for p in params]
    t, s = (np.empty(min(block, whole), params[0].dtype) for _ in range(2))
    two, one = np.array(-2, t.dtype), np.array(1, t.dtype)
    parts = [slice(i, min(i + block, whole)) for i in range(0, whole, block)]
    views = [([p[i] for p in params], [g[i] for g in grads]) for i in parts]

    def run() -> Arrays:
        total = 0.0
        for (a, b, c, d), (ga, gb, gc, gd) in views:
            n = a.size
            u, v = t[:n], s[:n]
            np.tanh(np.multiply(a, b, out=u), out=u)
            np.exp(np.negative(np.multiply(d, d, out=gc), out=gc), out=gc)
            np.multiply(c, gc, out=v)
            np.multiply(np.multiply(v, d, out=gd), two, out=gd)
            total += float(np.add.reduce(np.add(u, v, out=v)))
            np.subtract(one, np.multiply(u, u, out=u), out=u)
            np.multiply(u, b, out=ga)
            np.multiply(u, a, out=gb)
        return [np.asarray(total, t.dtype), *grads]

    return run
