"""The derivative of Cholesky's factorization, of a tiny matrix with Python's floats.

The formula takes two products and two solves; for a few entries their calls cost more than the
factorization that is differentiated line by line, from the last entry to the first (S. P. Smith,
"Differentiation of the Cholesky Algorithm", 1995).
"""

import numpy as np

from ...core.float_errors import without_float_errors
from ..elementwise.guards import is_finite
from ..native_kernels import native
from .linalg import dtype_of
from .triangular import TINY, solve_triangular, triangle

SMALL = 64  # rows up to which products with an inverse take less time than solves


@native("matrices", "cholesky_cotangent", "l, g, None")
def cholesky_cotangent(l: np.ndarray, g: np.ndarray) -> np.ndarray:
    """The cotangent of a symmetric matrix, from the factor and its cotangent; real matrices.

    The lower triangles are read. Matrices in the last two axes; stacks of them broadcast.
    """
    n = l.shape[-1]
    if l.shape == g.shape == (n, n) and 0 < n <= TINY:
        try:
            return np.array(cotangent_of_floats(l.tolist(), g.tolist()), dtype_of(l, g))
        except ZeroDivisionError:
            pass  # the general way has zeros where nothing depends on a singular matrix
    below = triangle(n, n, 0)
    l = np.where(below, l, 0)
    m = l.swapaxes(-1, -2) @ np.where(below, g, 0)
    inner = np.where(below, m, m.swapaxes(-1, -2)) / 2
    y, fine = without_float_errors(by_inverse, l, inner)
    return y if fine else by_solves(l, inner)


def by_inverse(l: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, bool]:
    """inv(l.T) @ x @ inv(l) by the inverse of a small matrix; and True if all of it is finite."""
    n = l.shape[-1]
    if n > SMALL:
        return x, False
    inverse = solve_triangular(l, np.eye(n, dtype=l.dtype), lower=True, checked=False)
    y = inverse.swapaxes(-1, -2) @ x @ inverse
    return y, is_finite(y)


def by_solves(l: np.ndarray, x: np.ndarray) -> np.ndarray:
    """inv(l.T) @ x @ inv(l) for a symmetric x; where x is zero, so is the result."""
    upper = l.swapaxes(-1, -2)
    half = solve_triangular(upper, x, lower=False, checked=False)
    y = solve_triangular(upper, half.swapaxes(-1, -2), lower=False, checked=False)
    return np.ascontiguousarray(y.swapaxes(-1, -2))


def cotangent_of_floats(l: list[list[float]], g: list[list[float]]) -> list[list[float]]:
    """The cotangent for rows of a matrix, which become it; ZeroDivisionError for a singular one."""
    for j in range(len(l) - 1, -1, -1):
        pivot, row, change = l[j][j], l[j], g[j]
        for i in range(j + 1, len(l)):
            change[j] -= (part := g[i][j] / pivot) * l[i][j]
            for k in range(j):
                g[i][k] -= part * row[k]
                change[k] -= part * l[i][k]
            g[i][j] = change[i] = part / 2
        change[j] /= 2 * pivot
        for k in range(j):
            change[k] -= 2 * change[j] * row[k]
    return g
