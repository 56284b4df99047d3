"""LU factorizations with row exchanges, by SciPy's names."""

from typing import Any

import numpy as np

from ...core.errors import OptionError, ShapeError
from ...core.types import type_of
from ...library.elementwise.comparison import equal
from ...library.elementwise.complexes import real
from ...library.index.diagonals import tril, triu
from ...library.index.indexing import numbers
from ...library.linalg.lu import lu_op, row_order
from ...library.linalg.matrices import conjugate, identity_like, require_square
from ...library.linalg.solve import solve_triangular
from ...library.reduce.along_axis import take_along_axis
from ...library.reduce.sorting import argsort
from ...library.shape.movement import astype, expand_dims
from ...library.shape.rearrange import matrix_transpose
from .equations import TRANSPOSES
from .operands import operand, operands, size_of

__all__ = ["lu", "lu_factor", "lu_solve"]


def lu(
    a: Any, permute_l: bool = False, overwrite_a: bool = False, check_finite: bool = True,
    p_indices: bool = False,
) -> Any:  # fmt: skip
    """The factors P, L and U of each matrix: a = P @ L @ U, with P a matrix that orders rows.

    With `permute_l` P @ L and U; with `p_indices` the numbers of rows in place of P. The order of
    rows has no derivative.

    >>> p, l, u = lu(np.array([[1.0, 2.0], [2.0, 2.0]]))
    >>> u
    array([[2., 2.],
           [0., 1.]])
    """
    a = operand("lu", a, check_finite)
    m, n = size_of(a, -2), size_of(a)
    y = lu_op(a)
    packed, k = y[..., :n], m if m == n else min(m, n)
    lower = packed[..., :k]
    lower = tril(lower, k=-1) + identity_like(lower)
    upper = triu(packed if m == k else packed[..., :k, :])
    place = argsort(row_order(exchanges(y)), axis=-1)
    if permute_l:
        return take_along_axis(lower, expand_dims(place, axis=-1), axis=-2), upper
    if p_indices:
        return astype(place, dtype=np.int32), lower, upper
    columns = numbers(place, -1)
    order = astype(equal(expand_dims(place, axis=-1), columns), dtype=real(y[..., 0]).dtype)
    return order, lower, upper


def exchanges(y: Any) -> Any:
    """The rows that were exchanged, from the result of the op."""
    return astype(real(y[..., -1]), dtype=np.int32)


def lu_factor(a: Any, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """L and U of each matrix in one matrix, and the row each row was exchanged with.

    L has ones on its diagonal, which are not stored. See `lu_solve`.

    >>> lu_factor(np.array([[1.0, 2.0], [2.0, 2.0]]))
    (array([[2. , 2. ],
           [0.5, 1. ]]), array([1, 1], dtype=int32))
    """
    a = operand("lu_factor", a, check_finite)
    y = lu_op(a)
    m, n = size_of(a, -2), size_of(a)
    rows = exchanges(y)
    return y[..., :n], rows if m == n else rows[..., : min(m, n)]


def lu_solve(
    lu_and_piv: Any, b: Any, trans: Any = 0, overwrite_b: bool = False, check_finite: bool = True
) -> Any:
    """The solution x of a @ x = b from `lu_factor(a)`; with `trans` of a.T (1) or a.H (2).

    >>> lu_solve(lu_factor(np.array([[1.0, 2.0], [2.0, 2.0]])), np.array([3.0, 4.0]))
    array([1., 1.])
    """
    packed, piv = lu_and_piv
    packed, b = operands("lu_solve", packed, b, check_finite=check_finite)
    kinds = [type_of(packed), type_of(b)]
    require_square("lu_solve", *kinds)
    if trans not in TRANSPOSES:
        raise OptionError("lu_solve", kinds, f"trans is 0, 1 or 2, not {trans!r}")
    alone = kinds[1].ndim == 1
    m, n = size_of(packed), size_of(b, -1 if alone else -2)
    if isinstance(m, int) and isinstance(n, int) and m != n:
        raise ShapeError("lu_solve", kinds, f"the matrix has {m} rows, the right side {n}")
    b = expand_dims(b, axis=-1) if alone else b
    order = expand_dims(row_order(np.asarray(piv) if isinstance(piv, list) else piv), axis=-1)
    x = solve_in_order(packed, order, b, TRANSPOSES[trans])
    return x[..., 0] if alone else x


def solve_in_order(packed: Any, order: Any, b: Any, way: str) -> Any:
    """The solution with factors whose rows are in that order, or with their transpose."""
    if way == "N":
        half = solve_triangular(packed, in_order(b, order), lower=True, unit_diagonal=True)
        return solve_triangular(packed, half, lower=False)
    packed = matrix_transpose(conjugate(packed) if way == "C" else packed)
    half = solve_triangular(packed, b, lower=True)
    found = solve_triangular(packed, half, lower=False, unit_diagonal=True)
    return in_order(found, argsort(order, axis=-2))


def in_order(x: Any, order: Any) -> Any:
    """The rows of matrices in an order."""
    return take_along_axis(x, order, axis=-2)
