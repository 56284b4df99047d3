"""Cameras and skeletons by hand."""

from typing import Any

import numpy as np

from ..workload import Arrays, Run


def projections(params: Arrays, data: Arrays) -> Run:
    """All columns at once; rotations are cos D + p (r x D) + q r (r . D), p and q of |r|."""
    cameras, points = params
    n = points.shape[1]
    y, jc, jx = np.empty((2, n)), np.empty((2, 11, n)), np.empty((2, 3, n))
    turned, d, point = np.empty((3, 3, n)), np.empty((3, n)), np.empty((3, n))
    s, t = np.empty(n), np.empty(n)
    r, centre, f, offset, k = (cameras[i] for i in (slice(3), slice(3, 6), 6, slice(7, 9), [9, 10]))

    def add_product(a: Any, b: Any, out: Any) -> None:
        np.add(out, np.multiply(a, b, out=t), out=out)

    def rotate() -> None:
        """The turned point, and its derivatives by rotation."""
        np.subtract(points, centre, out=d)
        square = np.einsum("ij,ij->j", r, r)
        angle = np.sqrt(square)
        cos, p = np.cos(angle), np.sin(angle) / angle
        q = (1 - cos) / square
        dp, dq = (cos - p) / square, (p - 2 * q) / square
        dot = np.einsum("ij,ij->j", r, d)
        cross = np.stack([r[1] * d[2] - r[2] * d[1], r[2] * d[0] - r[0] * d[2],
                          r[0] * d[1] - r[1] * d[0]])  # fmt: skip
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            np.multiply(d[i], cos, out=point[i])
            add_product(cross[i], p, point[i])
            np.multiply(q, dot, out=s)
            add_product(r[i], s, point[i])
            common = cross[i] * dp - d[i] * p + r[i] * dq * dot
            for m in range(3):
                np.multiply(r[m], common, out=turned[i, m])
                add_product(np.multiply(q, r[i], out=s), d[m], turned[i, m])
            add_product(q, dot, turned[i, i])
            add_product(p, d[k], turned[i, j])
            np.subtract(turned[i, k], np.multiply(p, d[j], out=t), out=turned[i, k])
        rotations(cos, p, q)

    matrix = np.empty((3, 3, n))

    def rotations(cos: Any, p: Any, q: Any) -> None:
        """The rotation matrices, which are the derivatives by the point."""
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            np.multiply(r, np.multiply(r[i], q, out=s), out=matrix[i])
            np.add(matrix[i, i], cos, out=matrix[i, i])
            np.subtract(matrix[i, j], np.multiply(p, r[k], out=t), out=matrix[i, j])
            np.add(matrix[i, k], np.multiply(p, r[j], out=t), out=matrix[i, k])

    def run() -> Arrays:
        rotate()
        inverse = 1 / point[2]
        u, v = point[0] * inverse, point[1] * inverse
        square = u * u + v * v
        bent = 1 + square * (k[0] + k[1] * square)
        slope = 2 * f * (k[0] + 2 * k[1] * square)
        scale = f * bent
        for i, (w, other) in enumerate(((u, v), (v, u))):
            np.add(np.multiply(w, scale, out=y[i]), offset[i], out=y[i])
            by_w = (scale + slope * w * w) * inverse
            by_other = slope * w * other * inverse
            by_z = -(by_w * w + by_other * other)
            weights = (by_w, by_other) if i == 0 else (by_other, by_w)
            for target, source in ((jc[i, :3], turned), (jx[i], matrix)):
                np.multiply(weights[0], source[0], out=target)
                np.add(target, weights[1] * source[1], out=target)
                np.add(target, by_z * source[2], out=target)
            np.negative(jx[i], out=jc[i, 3:6])
            np.multiply(w, bent, out=jc[i, 6])
            jc[i, 7], jc[i, 8] = 1 - i, i
            np.multiply(np.multiply(f, w, out=s), square, out=jc[i, 9])
            np.multiply(jc[i, 9], square, out=jc[i, 10])
        return [y, jc, jx]

    return run


def hand(params: Arrays, data: Arrays) -> Run:
    """The bones of all fingers at once: products of stacks of 4x4 matrices."""
    (angles,), (offsets, points, seen, counts) = params, data
    fingers, bones = counts.shape
    n = len(angles)
    first, second, third = (np.tile(np.eye(4), (n, 1, 1)) for _ in range(3))
    slopes = np.zeros((3, n, 4, 4))
    first[:, :3, 3] = offsets
    places, local, back = np.empty((3, n, 4, 4))
    by_bone = lambda a: a.reshape(fingers, bones, 4, 4).swapaxes(0, 1)
    chain, parts, grads = by_bone(places), by_bone(local), by_bone(back)
    found, tmp = np.empty(points.shape), np.empty((n, 4, 4))
    delta, gradient = np.zeros(points.shape), np.empty_like(angles)

    def turn(matrices: Any, slope: Any, i: int, j: int, c: Any, s: Any) -> None:
        matrices[:, i, i] = matrices[:, j, j] = slope[:, j, i] = c
        matrices[:, j, i] = s
        matrices[:, i, j] = slope[:, i, i] = slope[:, j, j] = -s
        slope[:, i, j] = -c

    def run() -> Arrays:
        c, s = np.cos(angles), np.sin(angles)
        turn(first, slopes[0], 1, 2, c[:, 0], s[:, 0])
        turn(second, slopes[1], 2, 0, c[:, 1], s[:, 1])
        turn(third, slopes[2], 0, 1, c[:, 2], s[:, 2])
        both = np.matmul(first, second)
        np.matmul(both, third, out=local)
        chain[0] = parts[0]
        for j in range(1, bones):
            chain[j] = np.matmul(chain[j - 1], parts[j])
        np.matmul(places, points, out=found)
        np.subtract(found[:, :3], seen, out=delta[:, :3])
        loss = np.vdot(delta, delta)
        np.matmul(delta, points.swapaxes(1, 2), out=tmp)
        g, own = None, by_bone(np.multiply(tmp, 2, out=tmp))
        for j in reversed(range(bones)):
            g = own[j] if g is None else own[j] + np.matmul(g, parts[j + 1].swapaxes(1, 2))
            grads[j] = np.matmul(chain[j - 1].swapaxes(1, 2), g) if j else g
        lines = (slopes[0] @ second @ third, first @ slopes[1] @ third, both @ slopes[2])
        for i, line in enumerate(lines):
            np.einsum("nij,nij->n", back, line, out=gradient[:, i])
        return [loss, gradient]

    return run
