"""Recurrent networks by hand: what all steps have in common is one product outside the loop."""

import numpy as np

from ..workload import Arrays, Run


def tanh_rnn(params: Arrays, data: Arrays) -> Run:
    """The gradients of all weights in one product each after the loop."""
    (u, w, b), (xs, start) = params, data
    n = xs.shape[-1]
    inputs = np.empty_like(xs)
    states = np.concatenate([start[None], inputs])
    slopes, deltas, d = np.empty_like(xs), np.empty_like(xs), np.empty_like(start)
    flat = lambda a: a.reshape(-1, n)
    old, new = list(states[:-1]), list(states[1:])
    forward = list(zip(old, new, inputs, strict=True))
    backward = list(zip(slopes, deltas, strict=True))[::-1]
    grads, one, two = [np.empty_like(p) for p in params], *np.array([1, 2], b.dtype)
    wt = w.T

    def run() -> Arrays:
        np.add(np.dot(flat(xs), u, out=flat(inputs)), b, out=flat(inputs))
        for h, y, x in forward:
            np.dot(h, w, out=y)
            np.tanh(np.add(y, x, out=y), out=y)
        last = new[-1].reshape(-1)
        np.subtract(one, np.multiply(states[1:], states[1:], out=slopes), out=slopes)
        np.multiply(new[-1], two, out=d)
        for s, delta in backward:
            np.multiply(d, s, out=delta)
            np.dot(delta, wt, out=d)
        np.dot(flat(xs).T, flat(deltas), out=grads[0])
        np.dot(flat(states[:-1]).T, flat(deltas), out=grads[1])
        np.add.reduce(flat(deltas), axis=0, out=grads[2])
        return [np.dot(last, last), *grads]

    return run


def sigmoid(x: np.ndarray, half: np.ndarray) -> None:
    """The sigmoid in place, by tanh."""
    np.tanh(np.multiply(x, half, out=x), out=x)
    np.add(np.multiply(x, half, out=x), half, out=x)


def gru(params: Arrays, data: Arrays) -> Run:
    """A gated recurrent unit; slopes of the gates of all steps at once."""
    (w, u, b, c), (xs,) = params, data
    steps, batch, _ = xs.shape
    n, dtype = u.shape[1], xs.dtype
    gates = np.empty((steps, batch, 3 * n), dtype)  # r, z and the new state, after activation
    recurrent, from_new = np.empty_like(gates), np.empty((steps, batch, n), dtype)
    states, g, part = np.zeros((steps + 1, batch, n), dtype), np.empty((batch, n), dtype), None
    part, dx, dh = np.empty_like(g), np.empty_like(gates), np.empty_like(gates)
    half, one, scale = (np.array(v, dtype) for v in (0.5, 1, 2 / (steps * batch * n)))
    grads, ut, wt = [np.empty_like(p) for p in params], u.T, w.T
    flat = lambda a: a.reshape(-1, a.shape[-1])
    slopes, carry = np.empty_like(gates), np.empty_like(from_new)
    span = [(x[:, : 2 * n], x[:, 2 * n :], a[:, : 2 * n], a[:, 2 * n :], a, x[:, :n],
             x[:, n : 2 * n], h, y) for x, a, h, y
            in zip(gates, recurrent, states[:-1], states[1:], strict=True)]  # fmt: skip
    back = list(zip(slopes, carry, dx, dh, gates, states[1:], strict=True))[::-1]

    def forward() -> None:
        np.add(np.dot(flat(xs), wt, out=flat(gates)), b, out=flat(gates))
        for rz, new, a_rz, a_new, a, r, z, h, y in span:
            np.add(np.dot(h, ut, out=a), c, out=a)
            sigmoid(np.add(rz, a_rz, out=rz), half)
            np.tanh(np.add(new, np.multiply(r, a_new, out=y), out=new), out=new)
            np.multiply(np.subtract(h, new, out=y), z, out=y)
            np.add(y, new, out=y)

    def backward() -> None:
        r, z, new = gates[..., :n], gates[..., n : 2 * n], gates[..., 2 * n :]
        np.multiply(np.subtract(one, new * new), np.subtract(one, z), out=slopes[..., 2 * n :])
        np.multiply((states[:-1] - new) * z, np.subtract(one, z), out=slopes[..., n : 2 * n])
        np.multiply(recurrent[..., 2 * n :] * r, np.subtract(one, r), out=slopes[..., :n])
        np.copyto(carry, z)
        g.fill(0)
        for s, keep, d, e, gate, y in back:
            np.add(g, np.multiply(y, scale, out=part), out=g)
            np.multiply(g, s[:, n : 2 * n], out=d[:, n : 2 * n])
            np.multiply(g, s[:, 2 * n :], out=d[:, 2 * n :])
            np.multiply(d[:, 2 * n :], s[:, :n], out=d[:, :n])
            np.copyto(e, d)
            np.multiply(d[:, 2 * n :], gate[:, :n], out=e[:, 2 * n :])
            np.add(np.multiply(g, keep, out=g), np.dot(e, u, out=part), out=g)

    def run() -> Arrays:
        forward()
        backward()
        np.dot(flat(dx).T, flat(xs), out=grads[0])
        np.dot(flat(dh).T, flat(states[:-1]), out=grads[1])
        np.add.reduce(flat(dx), axis=0, out=grads[2])
        np.add.reduce(flat(dh), axis=0, out=grads[3])
        y = states[1:].reshape(-1)
        return [np.dot(y, y) * scale * half, *grads]

    return run


def lstm(params: Arrays, data: Arrays) -> Run:
    """A long short-term memory; slopes of the gates of all steps at once."""
    (w, u, b, c), (xs,) = params, data
    steps, batch, _ = xs.shape
    n, dtype = u.shape[1], xs.dtype
    gates, slopes, deltas = (np.empty((steps, batch, 4 * n), dtype) for _ in range(3))
    states, cells = (np.zeros((steps + 1, batch, n), dtype) for _ in range(2))
    squashed, through = np.empty((steps, batch, n), dtype), np.empty((steps, batch, n), dtype)
    a, g, m, part = np.empty((batch, 4 * n), dtype), *(np.empty((batch, n), dtype) for _ in "123")
    half, one, scale = (np.array(v, dtype) for v in (0.5, 1, 2 / (steps * batch * n)))
    grads, ut, wt = [np.empty_like(p) for p in params], u.T, w.T
    flat = lambda a: a.reshape(-1, a.shape[-1])
    split = lambda x: [x[..., k * n : (k + 1) * n] for k in range(4)]
    span = [(x, x[:, : 2 * n], *split(x), *rest) for x, *rest
            in zip(gates, states[:-1], states[1:], cells[:-1], cells[1:], squashed)]  # fmt: skip
    back = [(d, *split(d), *split(s), *rest) for d, s, *rest in
            zip(deltas, slopes, through, split(gates)[1], states[1:])][::-1]  # fmt: skip

    def forward() -> None:
        np.add(np.dot(flat(xs), wt, out=flat(gates)), b + c, out=flat(gates))
        for x, i_and_f, i, f, new, o, h, y, old, cell, t in span:
            np.add(x, np.dot(h, ut, out=a), out=x)
            sigmoid(i_and_f, half)
            np.tanh(new, out=new)
            sigmoid(o, half)
            np.add(np.multiply(f, old, out=cell), np.multiply(i, new, out=part), out=cell)
            np.multiply(o, np.tanh(cell, out=t), out=y)

    def backward() -> None:
        (i, f, new, o), (si, sf, sn, so) = split(gates), split(slopes)
        np.multiply(np.multiply(new, i, out=si), np.subtract(one, i), out=si)
        np.multiply(np.multiply(cells[:-1], f, out=sf), np.subtract(one, f), out=sf)
        np.multiply(np.subtract(one, new * new), i, out=sn)
        np.multiply(np.multiply(squashed, o, out=so), np.subtract(one, o), out=so)
        np.multiply(np.subtract(one, squashed * squashed), o, out=through)
        g.fill(0)
        m.fill(0)
        for d, di, df, dn, do, si, sf, sn, so, t, f, y in back:
            np.add(g, np.multiply(y, scale, out=part), out=g)
            np.multiply(g, so, out=do)
            np.add(m, np.multiply(g, t, out=part), out=m)
            np.multiply(m, si, out=di)
            np.multiply(m, sf, out=df)
            np.multiply(m, sn, out=dn)
            np.multiply(m, f, out=m)
            np.dot(d, u, out=g)

    def run() -> Arrays:
        forward()
        backward()
        np.dot(flat(deltas).T, flat(xs), out=grads[0])
        np.dot(flat(deltas).T, flat(states[:-1]), out=grads[1])
        np.add.reduce(flat(deltas), axis=0, out=grads[2])
        np.copyto(grads[3], grads[2])
        y = states[1:].reshape(-1)
        return [np.dot(y, y) * scale * half, *grads]

    return run
