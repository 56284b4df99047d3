"""Triangular solves: LAPACK on small blocks, or substitution of a row of all right sides at a time.

Note [Rows of a stack]. LAPACK takes the matrices of a stack one by one, copies each and its right
sides, and eliminates with both triangles. Where there are many right sides, in one matrix or in a
stack of small ones, a row is substituted for all of them at once, in products of matrices.
"""

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ...core.float_errors import without_float_errors
from ..elementwise.guards import is_finite
from ..native_kernels import native
from ..threads import cores, in_threads, share_parts
from .linalg import ROUTINES, SINGULAR, cast, dtype_of, failure

BLOCK = 64  # rows that LAPACK eliminates at once; between blocks there are matrix products
ROWS = 8  # rows that are substituted one by one between products
MANY = 512  # right sides, in all matrices of a stack, from which substitution is faster than LAPACK
SHARED = 1 << 17  # entries of a solution from which threads share it
LARGEST = 128  # rows of a matrix up to which machine code solves
SMALL = 32  # rows and columns up to which masks of triangles are kept
TINY = 4  # rows up to which Python's floats are faster than a call of LAPACK


@native("triangular", "solve_triangular", "a, b, lower, unit_diagonal, None")
def solve_triangular(
    a: np.ndarray, b: np.ndarray, lower: bool, unit_diagonal: bool = False, checked: bool = True
) -> np.ndarray:
    """The solution of a @ x = b, where only one triangle of `a` is read.

    A zero on the diagonal gives an error, or NaN. If not `checked`, a right side of zeros has the
    solution 0, also with a singular matrix.
    """
    dtype = dtype_of(a, b)
    if a.shape[-1] != a.shape[-2] or a.shape[-1] != b.shape[-2]:
        raise ValueError("the shapes do not fit")  # type inference has the words for the user
    if is_tiny(a, b) and dtype.kind == "f":
        try:
            rows = substitute_floats(a, b, lower, unit_diagonal)
            return np.array(rows, dtype).reshape(b.shape)
        except ZeroDivisionError:
            pass  # the general way tells which matrix is singular
    wide = np.dtype("c16" if dtype.kind == "c" else "f8")
    y, fine = without_float_errors(solution, a, b, lower, unit_diagonal, wide)
    if fine and y.size:  # no matrix is singular, since that makes NaN
        return cast(y, dtype)
    if checked and not unit_diagonal and (zero := diagonal(a) == 0).any():
        raise failure("solve_triangular", [a, b], SINGULAR, zero.any(-1))
    if not checked:
        np.copyto(y, 0, where=(b == 0).all(-2, keepdims=True))
    return cast(y, dtype)


def is_tiny(a: np.ndarray, b: np.ndarray) -> bool:
    """True for one system with few right sides, which is solved with Python's floats."""
    return a.ndim == b.ndim == 2 and 0 < b.shape[0] <= TINY and 0 < b.shape[1] <= TINY


def substitute_floats(
    a: np.ndarray, b: np.ndarray, lower: bool, unit_diagonal: bool
) -> list[float]:
    """The solution, row after row; raises ZeroDivisionError for a zero on the diagonal."""
    n, k = b.shape
    rows, y = a.tolist(), b.ravel().tolist()
    if k == 1:
        return substitute_numbers(rows, y, lower, unit_diagonal)
    for i in range(n) if lower else range(n - 1, -1, -1):
        row, known = rows[i], range(i) if lower else range(i + 1, n)
        pivot = 1.0 if unit_diagonal else row[i]
        for column in range(k):
            total = y[i * k + column]
            for j in known:
                total -= row[j] * y[j * k + column]
            y[i * k + column] = total / pivot
    return y


def substitute_numbers(
    rows: list[list[float]], y: list[float], lower: bool, unit_diagonal: bool
) -> list[float]:
    """The solution for one right side, which becomes it."""
    n = len(rows)
    for i in range(n) if lower else range(n - 1, -1, -1):
        row, total = rows[i], y[i]
        for j in range(i) if lower else range(i + 1, n):
            total -= row[j] * y[j]
        y[i] = total if unit_diagonal else total / row[i]
    return y


def solution(
    a: np.ndarray, b: np.ndarray, lower: bool, unit_diagonal: bool, dtype: np.dtype
) -> tuple[np.ndarray, bool]:
    """The solution, computed in float64, NaN for a singular matrix; and True if all is finite."""
    y = np.ascontiguousarray(wide_solution(a, b, lower, unit_diagonal, dtype))
    return y, is_finite(y)


@native(
    "triangular", "solve_triangular_stack",
    "np.ascontiguousarray(b), in_order(a), lower, unit_diagonal, is_turned(a), None",
    when="is_for_machine_code(a, b)",
)  # fmt: skip
def wide_solution(
    a: np.ndarray, b: np.ndarray, lower: bool, unit_diagonal: bool, dtype: np.dtype
) -> np.ndarray:
    """The solution in machine code, by substitution or by LAPACK."""
    if max(math.prod(a.shape[:-2]), math.prod(b.shape[:-2])) * b.shape[-1] >= MANY:
        return substitute(a, b, lower, unit_diagonal, dtype)
    if not lower:
        return back_substitute(a, b, unit_diagonal, dtype)
    # a lower triangle is an upper one with rows and columns reversed
    y = back_substitute(a[..., ::-1, ::-1], b[..., ::-1, :], unit_diagonal, dtype)
    return y[..., ::-1, :]


def substitute(
    a: np.ndarray, b: np.ndarray, lower: bool, unit_diagonal: bool, dtype: np.dtype
) -> np.ndarray:
    """The solution by substitution of rows, which threads share by matrices of a large stack.

    See Note [Rows of a stack].
    """
    y = np.empty((*np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), *b.shape[-2:]), dtype)
    y[...] = b
    is_split = a.ndim == y.ndim > 2 and len(a) == len(y)

    def work(parts: Iterator[Sequence[int]]) -> None:
        for part in parts:
            some = slice(part[0], part[-1] + 1)
            substitute_stack(a[some] if is_split else a, y[some], lower, unit_diagonal)

    if y.ndim > 2 and y.size >= SHARED:
        in_threads(work, share_parts(range(len(y)), cores()))
    else:
        substitute_stack(a, y, lower, unit_diagonal)
    if not unit_diagonal and (zero := diagonal(a) == 0).any():
        y[np.broadcast_to(zero.any(-1), y.shape[:-2])] = np.nan
    return y


def is_for_machine_code(a: Any, b: Any) -> bool:
    """True for stacks alike of matrices that are not large, of floats of one dtype."""
    same = a.dtype == b.dtype and a.dtype.kind == "f" and a.shape[:-2] == b.shape[:-2]
    return same and a.shape[-1] <= LARGEST


def is_turned(a: np.ndarray) -> bool:
    """True for matrices whose columns lie one after another."""
    return a.swapaxes(-1, -2).flags.c_contiguous and not a.flags.c_contiguous


def in_order(a: np.ndarray) -> np.ndarray:
    """The matrices, or their transposes, in the order of C."""
    return a.swapaxes(-1, -2) if is_turned(a) else np.ascontiguousarray(a)


def substitute_stack(a: np.ndarray, y: np.ndarray, lower: bool, unit_diagonal: bool) -> None:
    """Solve for `y`, in place, a few rows of all matrices at a time."""
    n = a.shape[-1]
    for start in range(0, n, ROWS) if lower else reversed(range(0, n, ROWS)):
        few = slice(start, min(start + ROWS, n))
        known = slice(0, start) if lower else slice(few.stop, n)
        rows = np.ascontiguousarray(a[..., few, :])
        substitute_rows(rows, y, few, known, lower, unit_diagonal)


def substitute_rows(
    a: np.ndarray, y: np.ndarray, few: slice, known: slice, lower: bool, unit_diagonal: bool
) -> None:
    """Solve for a few rows of `y`, in place, by those rows of the matrix and the known ones.

    The rows of the matrix are in C order: BLAS takes no single rows of a transpose.
    """
    start, stop = few.start, few.stop
    if known.start != known.stop:
        y[..., few, :] -= a[..., known] @ y[..., known, :]
    for i in range(start, stop) if lower else reversed(range(start, stop)):
        row, near = slice(i, i + 1), slice(start, i) if lower else slice(i + 1, stop)
        factors = a[..., i - start : i - start + 1, :]
        if near.start != near.stop:
            y[..., row, :] -= factors[..., near] @ y[..., near, :]
        if not unit_diagonal:
            y[..., row, :] /= factors[..., row]


def back_substitute(
    a: np.ndarray, b: np.ndarray, unit_diagonal: bool, dtype: np.dtype
) -> np.ndarray:
    """The solution with an upper triangle by LAPACK, block by block from the last."""
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
    y = np.where(triangle(n, n, -1), dtype.type(0), a)
    if unit_diagonal:
        y[..., range(n), range(n)] = 1
    return y


def triangle(n: int, m: int, k: int) -> np.ndarray:
    """A mask of the entries on and below diagonal number `k`, kept if it is small."""
    return kept_triangle(n, m, k) if n <= SMALL and m <= SMALL else np.tri(n, m, k, bool)


@lru_cache(maxsize=256)
def kept_triangle(n: int, m: int, k: int) -> np.ndarray:
    """A read-only mask of a triangle."""
    mask = np.tri(n, m, k, bool)
    mask.flags.writeable = False
    return mask


def diagonal(a: np.ndarray) -> np.ndarray:
    """The diagonals, as a view."""
    return np.diagonal(a, axis1=-2, axis2=-1)
