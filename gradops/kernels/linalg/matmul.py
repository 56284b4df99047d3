"""Products of two matrices, thin ones in tiles."""

from typing import Any

import numpy as np

TILE = 1 << 19  # multiplications up to which OpenBLAS takes one thread
MOST = 4 * TILE  # up to which one thread takes no longer than two
THIN = 16  # entries along the shortest axis, up to which tiles are faster


def is_thin(m: int, k: int, n: int) -> bool:
    """True if an (m, k) matrix times a (k, n) one is better computed in tiles.

    OpenBLAS divides it among threads, which gains nothing: they spin for a while afterwards, and
    other threads have to wait for them.
    """
    return TILE < m * k * n <= MOST and min(m, k, n) <= THIN


def multiply(a: np.ndarray, b: Any, out: np.ndarray | None = None) -> Any:
    """The product of two matrices, in tiles of rows if one is thin.

    The method `dot` takes half the time of `np.dot`, which asks operands for functions of their
    own.
    """
    (m, k), n = a.shape, b.shape[1]
    if m * k * n <= TILE and out is None:
        return a.dot(b)
    if not is_thin(m, k, n) or a.dtype != b.dtype or not (count := tiles(m, m * k * n)):
        return a.dot(b, out=out)
    y = np.empty((m, n), a.dtype) if out is None else out
    np.matmul(a.reshape(count, m // count, k), b, out=y.reshape(count, m // count, n))
    return y


def tiles(rows: int, multiplications: int) -> int:
    """The number of equal tiles of rows, each small enough; 0 if there is no good one."""
    least = -(-multiplications // TILE)
    return next((n for n in range(least, 2 * least + 1) if not rows % n), 0)
