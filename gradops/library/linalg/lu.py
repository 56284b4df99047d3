"""LU factorizations with row exchanges, and the orders of rows and columns in which pivots are.

L and U share a matrix, whose last column has the row that each row was exchanged with: see Note
[Factors] in `matrices.py`. The order of rows is constant where the factors have a derivative.
"""

from typing import Any, NamedTuple

import numpy as np

from ...core import flops
from ...core.dims import Size
from ...core.errors import DTypeError, ShapeError
from ...core.op import ErrorSample, Op
from ...core.samples import cases, exactly, reals
from ...core.types import ArrayType, shape_of, type_of
from ...kernels.linalg import lu as kernels
from ...typing import AnyArray
from ..elementwise.complexes import real
from ..index.diagonals import tril, triu
from ..reduce.along_axis import take_along_axis
from ..reduce.sorting import argsort
from ..shape.creation import zeros_like
from ..shape.joining import concatenate
from ..shape.movement import astype, expand_dims
from ..shape.rearrange import matrix_transpose
from .contraction import matmul
from .matrices import (
    common_dtype,
    identity_like,
    matrix_op,
    no_matrix,
    require_matrix,
    sizes,
    zero_if_unused,
)
from .solve import regular, regular_complex, solve_triangular_op

__all__: list[str] = []

def row_order_infer(x: ArrayType) -> ArrayType:
    if not x.ndim:
        raise ShapeError("row_order", [x], "the operand has no axes")
    if x.dtype.kind not in "iu":
        raise DTypeError("row_order", [x], "the numbers of rows are integers")
    return ArrayType(x.shape, np.intp)


def column_order_infer(x: ArrayType) -> ArrayType:
    require_matrix("column_order", x)
    common_dtype("column_order", x)
    return ArrayType((*x.shape[:-2], x.shape[-1]), np.intp)


row_order = Op(
    "row_order", kernels.row_order, infer=row_order_infer,
    vjp=[None], jvp=[None], batch=lambda op, xs, batched, attrs: op(xs[0]), family="searching",
    samples=cases(exactly([2, 2, 2]), exactly([[1, 1], [0, 1]])),
    error_samples=[
        ErrorSample([np.array(1)], {}, ShapeError, "no axes"),
        ErrorSample([np.ones(2)], {}, DTypeError, "integers"),
    ],
    doc="The order of rows after each was exchanged, one by one, with the row that is named.",
)  # fmt: skip
column_order = matrix_op(
    "column_order", kernels.column_order,
    infer=column_order_infer,
    vjp=[None], jvp=[None], family="searching",
    samples=cases(exactly(np.diag([1.0, 3.0, 2.0])), exactly(np.ones((2, 1, 2)) * [1.0, 2.0])),
    error_samples=no_matrix,
    doc="The order in which a QR factorization takes the columns, the largest remainder first.",
)  # fmt: skip


def lu_infer(x: ArrayType) -> ArrayType:
    require_matrix("lu", x)
    *batch, m, n = x.shape
    return ArrayType((*batch, m, n + 1), common_dtype("lu", x))


class Parts(NamedTuple):
    """The factors of a matrix, and rows and columns that a square part does not have."""

    lower: Any
    """The square unit lower triangle; only the part below the diagonal is read."""
    upper: Any
    """The square upper triangle, with other entries below the diagonal."""
    below: Any
    """The rows of L below; None of a matrix with no more rows than columns."""
    beyond: Any
    """The columns of U beyond; None of a matrix with no more columns than rows."""


def parts_of(y: Any, x: AnyArray) -> Parts:
    """The parts of the factors of a matrix, from the result of the op."""
    k, tall, wide = layout(x)
    n = shape_of(x)[-1]
    square = y[..., :k, :k]
    below = y[..., k:, :n] if tall else None
    return Parts(square, square, below, y[..., :, k:n] if wide else None)


def solve_lower(l: AnyArray, b: AnyArray, transposed: bool = False) -> Any:
    """The solution with the unit lower triangle, or with its transpose."""
    a = matrix_transpose(l) if transposed else l
    attrs = {"lower": not transposed, "unit_diagonal": True, "checked": False}
    return solve_triangular_op(a, b, **attrs)


def over_upper(b: AnyArray, u: AnyArray, transposed: bool = False) -> Any:
    """b @ inv(u) for an upper triangle, or b @ inv(u.T)."""
    a = u if transposed else matrix_transpose(u)
    attrs = {"lower": not transposed, "checked": False}
    return matrix_transpose(solve_triangular_op(a, matrix_transpose(b), **attrs))


def unit(l: AnyArray) -> Any:
    """The unit lower triangle of factors in one matrix."""
    return tril(l, k=-1) + identity_like(l)


def layout(x: AnyArray) -> tuple[Size, bool, bool]:
    """The smaller size of a matrix, whether it has more rows than columns, and more columns."""
    m, n = sizes(x)
    if m != n and not (isinstance(m, int) and isinstance(n, int)):
        raise ShapeError(
            "lu", [type_of(x)], f"its derivative needs to know which of {m} and {n} is the smaller",
            hint="give the axes sizes: ensure_shape(x, shape)",
        )  # fmt: skip
    k = m if m == n else min(m, n)
    return k, k != m, k != n


def in_order(y: AnyArray, x: AnyArray) -> Any:
    """The order of the rows, as an operand of `take_along_axis`, from the result of the op."""
    found = astype(real(y[..., -1]), dtype=np.intp)
    return expand_dims(row_order(found), axis=-1)


def lu_tangent(t: AnyArray, y: AnyArray, x: AnyArray) -> Any:
    """The tangent of the factors: L^-1 dA U^-1 is split into triangles."""
    k, tall, wide = layout(x)
    l, u, below, beyond = parts_of(y, x)
    t = take_along_axis(t, in_order(y, x), axis=-2)
    inner, t_below, t_beyond = t[..., :k, :k], t[..., k:, :], t[..., :, k:]
    f = over_upper(solve_lower(l, inner), u)
    dl, du = matmul(unit(l), tril(f, k=-1)), matmul(triu(f), triu(u))
    packed = dl + du
    if tall:
        rows = over_upper(t_below - matmul(below, du), u)
        packed = concatenate([packed, rows], axis=-2)
    if wide:
        columns = solve_lower(l, t_beyond - matmul(dl, beyond))
        packed = concatenate([packed, columns], axis=-1)
    column = expand_dims(zeros_like(packed[..., 0]), axis=-1)
    return concatenate([packed, column], axis=-1)


def lu_cotangent(g: AnyArray, y: AnyArray, x: AnyArray) -> Any:
    """The transpose of the tangent."""
    _, tall, wide = layout(x)
    l, u, below, beyond = parts_of(y, x)
    gl, gu, g_below, g_beyond = parts_of(g, x)
    gl, gu = tril(gl, k=-1), triu(gu)
    rows: Any = None
    columns: Any = None
    if tall:
        rows = over_upper(g_below, u, transposed=True)
        gu = gu - triu(matmul(matrix_transpose(below), rows))
    if wide:
        columns = solve_lower(l, g_beyond, transposed=True)
        gl = gl - tril(matmul(columns, matrix_transpose(beyond)), k=-1)
    lower, upper = matrix_transpose(unit(l)), matrix_transpose(triu(u))
    f = tril(matmul(lower, gl), k=-1) + triu(matmul(gu, upper))
    ct = solve_lower(l, over_upper(f, u, transposed=True), transposed=True)
    if tall:
        ct = concatenate([ct, rows], axis=-2)
    if wide:
        ct = concatenate([ct, columns], axis=-1)
    back = argsort(in_order(y, x), axis=-2)
    return zero_if_unused(g, take_along_axis(ct, back, axis=-2))


lu_op = matrix_op(
    "lu", kernels.lu, infer=lu_infer,
    flops=flops.per_matrix(2, -1, 3),
    vjp=[lu_cotangent], jvp=[lu_tangent],
    samples=cases(
        regular((3, 3)), exactly([[[0.5, 1.0], [2.0, 0.3]], [[1.0, 0.2], [0.3, 2.0]]]),
        exactly([[0.3, 1.0], [2.0, 0.4], [1.0, -1.0]]), reals((2, 3)), regular_complex((2, 2)),
    ),
    error_samples=no_matrix,
    doc="L and U in one matrix, and in a last column the row each row was exchanged with.",
)  # fmt: skip
