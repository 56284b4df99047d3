"""A convolution by hand."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ..workload import Arrays, Run


def convolution(params: Arrays, data: Arrays) -> Run:
    """One product of the filters with the windows of each image, gathered into one array."""
    x, k, b = params
    batch, inputs, size, _ = x.shape
    outputs, dtype = len(b), x.dtype
    padded = np.zeros((inputs, size + 2, size + 2), dtype)
    sums, dx = np.empty_like(padded), np.empty_like(x)
    windows = np.empty((inputs, 3, 3, size, size), dtype)
    views = sliding_window_view(padded, (size, size), axis=(1, 2))
    columns, y = windows.reshape(-1, size * size), np.empty((outputs, size * size), dtype)
    weights, dk, part = k.reshape(outputs, -1), np.empty((outputs, 9 * inputs), dtype), None
    part, db, scale = np.empty_like(dk), np.empty_like(b), np.array(2 / (batch * y.size), dtype)
    shifts = [(windows[:, i, j], sums[:, i : i + size, j : j + size])
              for i in range(3) for j in range(3)]  # fmt: skip

    def run() -> Arrays:
        loss = 0.0
        dk.fill(0)
        db.fill(0)
        for image, d in zip(x, dx, strict=True):
            np.copyto(padded[:, 1:-1, 1:-1], image)
            np.copyto(windows, views)
            np.add(np.dot(weights, columns, out=y), b[:, None], out=y)
            loss += np.dot(y.reshape(-1), y.reshape(-1))
            np.multiply(y, scale, out=y)
            np.add(dk, np.dot(y, columns.T, out=part), out=dk)
            np.add(db, np.add.reduce(y, axis=1), out=db)
            np.dot(weights.T, y, out=columns)
            sums.fill(0)
            for window, target in shifts:
                np.add(target, window, out=target)
            np.copyto(d, sums[:, 1:-1, 1:-1])
        return [loss * scale / 2, dx, dk.reshape(k.shape), db]

    return run
