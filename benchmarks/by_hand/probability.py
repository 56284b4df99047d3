"""Gradients of likelihoods by hand."""

import math

import numpy as np

from ..workload import Arrays, Run


def kalman(params: Arrays, data: Arrays) -> Run:
    """The filter, and its adjoint backwards in time; inverses of 2x2 matrices by the formula."""
    (a, log_q, log_r, start), (ys, h, unit, _) = params, data
    n, m, steps = len(a), len(h), len(ys)
    empty = lambda *shape: np.empty((steps, *shape))
    kept = list(zip(empty(n), empty(n, n), empty(n, m), empty(n, m), empty(m, m), empty(m),
                    ys, strict=True))  # fmt: skip
    nn, mm, nm, vec = (np.empty(s) for s in ((n, n), (m, m), (n, m), n))
    square, other, gx, gp = np.empty((n, n)), np.empty((n, n)), np.empty(n), np.empty((n, n))
    at, ht, ga, gq, gr = a.T, h.T, np.empty((n, n)), np.empty((n, n)), np.empty((m, m))

    def forward() -> float:
        q, r, x, p, loss = np.diag(np.exp(log_q)), np.diag(np.exp(log_r)), start, unit, 0.0
        for old, cov, k, c, inverse, v, y in kept:
            np.copyto(old, x)
            np.copyto(cov, p)
            x = np.dot(a, old)
            np.add(np.dot(np.dot(a, cov, out=nn), at), q, out=square)
            np.dot(square, ht, out=c)
            loss += half_log_det_and_inverse(np.add(np.dot(h, c, out=mm), r, out=mm), inverse)
            np.subtract(y, np.dot(h, x), out=v)
            np.dot(c, inverse, out=k)
            loss += 0.5 * float(np.dot(v, np.dot(inverse, v)))
            x = np.add(x, np.dot(k, v))
            p = np.subtract(square, np.dot(k, c.T, out=nn), out=other)
        return loss

    def backward() -> None:
        for g in (gx, gp, ga, gq, gr):
            g.fill(0)
        for old, cov, k, c, inverse, v, _ in reversed(kept):
            gk = np.subtract(np.multiply(gx[:, None], v), np.dot(gp, c, out=nm))
            weighted = np.dot(inverse, v)
            gv = np.add(np.dot(gx, k), weighted)
            gi = np.add(np.dot(c.T, gk), np.multiply(v[:, None], v * 0.5))
            gs = np.subtract(inverse * 0.5, np.dot(np.dot(inverse, gi), inverse))
            gc = np.subtract(np.dot(gk, inverse), np.dot(gp, k, out=nm))
            np.add(gr, gs, out=gr)
            np.add(gc, np.dot(ht, gs), out=gc)
            np.add(gp, np.dot(gc, h, out=nn), out=gp)
            np.add(gp, gp.T.copy(), out=gp)
            np.multiply(gp, 0.5, out=gp)
            np.subtract(gx, np.dot(gv, h, out=vec), out=gx)
            np.add(gq, gp, out=gq)
            np.dot(gp, a, out=nn)
            np.add(ga, np.dot(nn, cov, out=square), out=ga)
            np.add(ga, square, out=ga)
            np.add(ga, np.multiply(gx[:, None], old, out=square), out=ga)
            np.dot(at, nn, out=gp)
            gx[:] = np.dot(at, gx)

    def run() -> Arrays:
        loss = forward()
        backward()
        return [np.float64(loss), ga, gq.diagonal() * np.exp(log_q),
                gr.diagonal() * np.exp(log_r), gx]  # fmt: skip

    return run


def half_log_det_and_inverse(s: np.ndarray, out: np.ndarray) -> float:
    """Half the logarithm of the determinant, and the inverse, of a symmetric matrix."""
    if len(s) != 2:
        out[:] = np.linalg.inv(s)
        return 0.5 * float(np.linalg.slogdet(s)[1])
    (p, q), (_, r) = s.tolist()
    det = p * r - q * q
    out[0, 0], out[0, 1], out[1, 0], out[1, 1] = r / det, -q / det, -q / det, p / det
    return 0.5 * math.log(det)


def softmax(x: np.ndarray) -> np.ndarray:
    """Along the last axis."""
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.add.reduce(e, axis=-1, keepdims=True)


def through_softmax(g: np.ndarray, p: np.ndarray) -> np.ndarray:
    """The cotangent of logits from that of the logarithm of their softmax."""
    return g - p * np.add.reduce(g, axis=-1, keepdims=True)


def hmm(params: Arrays, data: Arrays) -> Run:
    """Forward and backward with scaled probabilities, which need no logarithms in the loop."""
    (start, transitions, emissions), (seen,) = params, data
    steps, n = len(seen), len(start)
    alphas, betas, sums = np.empty((steps, n)), np.empty((steps, n)), np.empty(steps)
    rows, back = list(alphas), list(betas)
    weighted, tmp = np.empty((steps, n)), np.empty(n)
    gb = np.empty(emissions.T.shape)

    def run() -> Arrays:
        pi, a, b = softmax(start), softmax(transitions), softmax(emissions)
        scores = b.T[seen]
        entries, at = list(scores), a.T.copy()
        alpha = np.multiply(pi, entries[0], out=rows[0])
        sums[0] = total = np.add.reduce(alpha)
        np.divide(alpha, total, out=alpha)
        for t in range(1, steps):
            np.multiply(np.dot(alpha, a, out=rows[t]), entries[t], out=rows[t])
            alpha = rows[t]
            sums[t] = total = np.add.reduce(alpha)
            np.divide(alpha, total, out=alpha)
        factors = sums.tolist()
        back[-1].fill(1)
        for t in range(steps - 1, 0, -1):
            np.multiply(back[t], entries[t], out=tmp)
            np.divide(np.dot(tmp, at, out=back[t - 1]), factors[t], out=back[t - 1])
        posterior = np.multiply(alphas, betas, out=weighted)
        gb.fill(0)
        np.subtract.at(gb, seen, posterior)
        np.divide(np.multiply(betas, scores, out=scores), sums[:, None], out=scores)
        ga = -a * np.dot(alphas[:-1].T, scores[1:])
        return [-np.add.reduce(np.log(sums)), through_softmax(-posterior[0], pi),
                through_softmax(ga, a), through_softmax(gb.T, b)]  # fmt: skip

    return run


def mixture(params: Arrays, data: Arrays) -> Run:
    """Responsibilities, and products with inverse covariances; component by component."""
    (logits, means, f), (x, unit) = params, data
    k, size = means.shape
    d, y = np.empty_like(x), np.empty((k, *x.shape))
    scores, gm, gf = np.empty((k, x.shape[1])), np.empty_like(means), np.empty_like(f)
    weighted, outer = np.empty_like(x), np.empty((size, size))

    def run() -> Arrays:
        cov = np.add(np.matmul(f, f.transpose(0, 2, 1)), unit)
        inverses, log_dets = np.linalg.inv(cov), np.linalg.slogdet(cov)[1]
        share = softmax(logits)
        constant = np.log(share) - 0.5 * log_dets
        for i in range(k):
            np.subtract(x, means[i][:, None], out=d)
            np.dot(inverses[i], d, out=y[i])
            np.einsum("ij,ij->j", d, y[i], out=scores[i])
        np.add(np.multiply(scores, -0.5, out=scores), constant[:, None], out=scores)
        top = np.maximum.reduce(scores, axis=0)
        np.exp(np.subtract(scores, top, out=scores), out=scores)
        total = np.add.reduce(scores, axis=0)
        loss = -np.add.reduce(np.log(total) + top)
        np.divide(scores, total, out=scores)
        counts = np.add.reduce(scores, axis=1)
        for i in range(k):
            np.multiply(y[i], scores[i], out=weighted)
            np.negative(np.add.reduce(weighted, axis=1), out=gm[i])
            np.subtract(inverses[i] * counts[i], np.dot(weighted, y[i].T, out=outer), out=outer)
            np.dot(outer, f[i], out=gf[i])
        return [loss, share * x.shape[1] - counts, gm, gf]

    return run
