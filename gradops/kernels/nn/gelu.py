"""gelu and its slope in float32, by a polynomial and a tanh instead of erf.

The normal distribution function is (1 + tanh(x p(x x))) / 2, which defines p; `P` approximates it
so that gelu is exact to 7e-8, the precision of float32. In the tail the error is absolute, not
relative, as for all formulas that add 1 to erf.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

BLOCK = 16384  # entries at a time, so that what is computed on the way stays in the cache
P = np.array(  # coefficients of p, least squares with weights that make the largest error least
    [0.797884493, 0.0363339113, -3.2954748e-05, -5.52779448e-05, 3.97311359e-06, -1.33646891e-07,
     1.80936379e-09], np.float32,
)  # fmt: skip
HALF, ONE, DENSITY = (np.float32(n) for n in (0.5, 1, 1 / math.sqrt(2 * math.pi)))

Piece = Callable[[Any, Any], Any]


def doubled_distribution(x: np.ndarray, s: np.ndarray) -> np.ndarray:
    """2 Phi(x), from x and its square."""
    u = np.multiply(s, P[-1])
    for c in P[-2:0:-1]:
        np.multiply(np.add(u, c, out=u), s, out=u)
    np.multiply(np.add(u, P[0], out=u), x, out=u)
    return np.add(np.tanh(u, out=u), ONE, out=u)


def gelu_piece(x: np.ndarray, y: np.ndarray) -> None:
    """x Phi(x), written to `y`, which may be x."""
    u = doubled_distribution(x, np.multiply(x, x))
    np.multiply(np.multiply(u, HALF, out=u), x, out=y)


def slope_piece(x: np.ndarray, y: np.ndarray) -> None:
    """Phi(x) + x phi(x), written to `y`, which may be x."""
    s = np.multiply(x, x)
    u = doubled_distribution(x, s)
    np.exp(np.multiply(s, -HALF, out=s), out=s)
    np.multiply(np.multiply(s, DENSITY, out=s), x, out=s)
    np.add(np.multiply(u, HALF, out=u), s, out=y)


def value_and_slope_piece(x: np.ndarray, y: np.ndarray, slope: np.ndarray) -> None:
    """x Phi(x) and Phi(x) + x phi(x), with the bits that the other pieces give."""
    s = np.multiply(x, x)
    u = doubled_distribution(x, s)
    np.exp(np.multiply(s, -HALF, out=s), out=s)
    np.multiply(np.multiply(s, DENSITY, out=s), x, out=s)
    np.add(np.multiply(u, HALF, out=u), s, out=slope)
    np.multiply(u, x, out=y)


def value_and_slope(x: np.ndarray) -> tuple[Any, Any]:
    """gelu and its slope in float32, a block of entries at a time."""
    xs = np.ascontiguousarray(x, np.float32).reshape(-1)
    ys, slopes = np.empty_like(xs), np.empty_like(xs)
    with np.errstate(over="ignore", under="ignore"):  # far out tanh is 1, and exp is 0
        for i in range(0, xs.size, BLOCK):
            piece = slice(i, i + BLOCK)
            value_and_slope_piece(xs[piece], ys[piece], slopes[piece])
    parts = [a.reshape(np.shape(x)).astype(x.dtype, copy=False)[()] for a in (ys, slopes)]
    return parts[0], parts[1]


def by_pieces(piece: Piece, x: Any, out: Any = None, dtype: Any = np.float32) -> Any:
    """An elementwise function computed in a dtype, a block of entries at a time."""
    xs = np.ascontiguousarray(x, dtype).reshape(-1)
    reusable = out is not None and out.flags.c_contiguous and out.dtype == dtype
    ys = out.reshape(-1) if reusable else np.empty_like(xs)
    with np.errstate(over="ignore", under="ignore"):  # far out tanh is 1, and exp is 0
        for i in range(0, xs.size, BLOCK):
            piece(xs[i : i + BLOCK], ys[i : i + BLOCK])
    if reusable:
        return out
    y = ys.reshape(np.shape(x)).astype(x.dtype, copy=False)
    if out is None:
        return y[()]
    np.copyto(out, y)
    return out
