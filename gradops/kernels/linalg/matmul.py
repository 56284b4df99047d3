"""Products of two matrices."""

from typing import Any

import numpy as np

TILE = 1 << 19  # multiplications up to which OpenBLAS takes one thread
MOST = 4 * TILE  # up to which one thread takes no longer than two
THIN = 16  # entries along the shortest axis, up to which tiles are faster


def is_thin(m: int, k: int, n: int) -> bool:
    """Whether an (m, k) matrix times a (k, n) one is better made in tiles.

    OpenBLAS divides it among threads, which gains nothing. But they spin for a while when it is
    done, and whatever runs in other threads has to wait for them.
    """
    return TILE < m * k * n <= MOST and min(m, k, n) <= THIN


def multiplied(a: np.ndarray, b: Any, out: np.ndarray | None = None) -> Any:
    """`np.dot` of two matrices, if thin one of some rows at a time."""
    (m, k), n = a.shape, b.shape[1]
    if not is_thin(m, k, n) or a.dtype != b.dtype or not (count := tiles(m, m * k * n)):
        return np.dot(a, b, out=out)
    y = np.empty((m, n), a.dtype) if out is None else out
    np.matmul(a.reshape(count, m // count, k), b, out=y.reshape(count, m // count, n))
    return y


def tiles(rows: int, multiplications: int) -> int:
    """Into how many equal parts rows are divided, each small enough; 0 if they cannot well be."""
    least = -(-multiplications // TILE)
    return next((n for n in range(least, 2 * least + 1) if not rows % n), 0)
