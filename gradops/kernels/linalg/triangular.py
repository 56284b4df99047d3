"""Triangular solves, by substitution in blocks."""

from typing import Any

import numpy as np

from .linalg import ROUTINES, SINGULAR, cast, dtype_of, failure

BLOCK = 64  # rows that are substituted one by one; between blocks there are matrix products


def solve_triangular(
    a: np.ndarray, b: np.ndarray, lower: bool, unit_diagonal: bool = False, checked: bool = True
) -> np.ndarray:
    """The solution of a @ x = b, where only one triangle of `a` is read.

    Gaussian elimination of an upper triangle is back substitution; a lower triangle is an upper one
    with rows and columns reversed. A zero on the diagonal gives an error, or NaN.
    """
    dtype = dtype_of(a, b)
    if a.shape[-1] != a.shape[-2] or a.shape[-1] != b.shape[-2]:
        raise ValueError("the shapes do not fit")  # type inference has the words for the user
    if checked and not unit_diagonal and (zero := diagonal(a) == 0).any():
        raise failure("solve_triangular", [a, b], SINGULAR, zero.any(-1))
    if lower:
        a, b = a[..., ::-1, ::-1], b[..., ::-1, :]
    wide = np.dtype("c16") if dtype.kind == "c" else np.dtype("f8")
    with np.errstate(all="ignore"):
        y = back_substitute(a, b, unit_diagonal, wide)
    return cast(np.ascontiguousarray(y[..., ::-1, :]) if lower else y, dtype)


def back_substitute(
    a: np.ndarray, b: np.ndarray, unit_diagonal: bool, dtype: np.dtype
) -> np.ndarray:
    """The solution with an upper triangle, block by block from the last."""
    n = a.shape[-1]
    signature = f"{dtype.char * 2}->{dtype.char}"
    if n <= BLOCK:
        return ROUTINES.solve(block(a, unit_diagonal, dtype), b, signature=signature)
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    y = np.empty((*batch, n, b.shape[-1]), dtype)
    y[...] = b
    for start in reversed(range(0, n, BLOCK)):
        here, above = slice(start, start + BLOCK), slice(0, start)
        corner = block(a[..., here, here], unit_diagonal, dtype)
        y[..., here, :] = ROUTINES.solve(corner, y[..., here, :], signature=signature)
        y[..., above, :] -= a[..., above, here] @ y[..., here, :]
    return y


def block(a: Any, unit_diagonal: bool, dtype: np.dtype) -> Any:
    """The upper triangle of a block, with zeros below."""
    n = a.shape[-1]
    y = np.where(np.tri(n, k=-1, dtype=bool), dtype.type(0), a)
    if unit_diagonal:
        y[..., range(n), range(n)] = 1
    return y


def diagonal(a: np.ndarray) -> np.ndarray:
    """The diagonals, as a view."""
    return np.diagonal(a, axis1=-2, axis2=-1)
