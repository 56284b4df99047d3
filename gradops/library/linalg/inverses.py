"""Pseudoinverses, least squares and ranks.

The derivatives are those of G. Golub and V. Pereyra (1973) for matrices of constant rank.
"""

from typing import NamedTuple

import numpy as np

from ...core import flops
from ...core.dims import Size
from ...core.errors import DTypeError, LinAlgError, ShapeError
from ...core.op import ErrorSample, Op
from ...core.rules import JointVJP
from ...core.samples import beside, cases, reals
from ...core.types import ArrayType, broadcast_shapes, conflict, shape_of
from ...kernels.linalg import factors
from ...typing import AnyArray, Operand, OperandLike, Wanted
from ..elementwise.arithmetic import abs, square
from ..elementwise.comparison import greater, maximum
from ..families import invalid
from ..reduce.reduction import sum
from ..shape.movement import astype, expand_dims, squeeze
from .contraction import matmul
from .matrices import (
    adjoint,
    adjoint_rule,
    common_dtype,
    conjugate,
    matrix_op,
    no_matrix,
    require_matrix,
    sizes,
    times,
    zero_if_unused,
)
from .solve import equations_batch
from .svd import not_finite, singular_values_apart, svdvals, with_phases

__all__: list[str] = []


def pinv_infer(x: ArrayType, rtol: float | None, hermitian: bool) -> ArrayType:
    require_matrix("pinv", x)
    *batch, m, n = x.shape
    return ArrayType((*batch, n, m), common_dtype("pinv", x))


def pinv_cotangent(g: AnyArray, y: AnyArray, x: AnyArray, **attrs: object) -> AnyArray:
    p, h = adjoint(y), adjoint(g)
    beside = times(h, y, p)
    above = times(p, y, h)
    ct = beside - times(x, y, beside) + above - times(above, y, x)
    return zero_if_unused(g, ct - times(p, g, p))


def pinv_tangent(t: AnyArray, y: AnyArray, x: AnyArray, **attrs: object) -> AnyArray:
    p, h = adjoint(y), adjoint(t)
    right, left = times(y, p, h), times(h, p, y)
    return right - times(right, x, y) + left - times(y, x, left) - times(y, t, y)


pinv = matrix_op(
    "pinv", factors.pinv, infer=pinv_infer, vjp=[adjoint_rule(pinv_cotangent)], jvp=[pinv_tangent],
    flops=flops.per_matrix(16, 8),
    samples=cases(
        singular_values_apart((3, 3)), singular_values_apart((4, 2)),
        singular_values_apart((2, 2, 3), rtol=1e-6), reals((0, 2)), with_phases((3, 2)),
    ),
    error_samples=[*no_matrix, *not_finite],
    doc="The pseudoinverse; singular values below `rtol` times the largest count as zero.",
)
matrix_rank = matrix_op(
    "matrix_rank", factors.matrix_rank, infer=lambda x, rtol, hermitian: rank_infer(x),
    flops=flops.per_matrix(2, 2),
    vjp=[None], jvp=[None],
    samples=cases(singular_values_apart((3, 3)), singular_values_apart((2, 2, 3), rtol=0.9)),
    error_samples=[*no_matrix, *not_finite],
    doc="The number of singular values above `rtol` times the largest.",
)


def rank_infer(x: ArrayType) -> ArrayType:
    require_matrix("matrix_rank", x)
    common_dtype("matrix_rank", x)
    return ArrayType(x.shape[:-2], np.intp)


def lstsq_infer(a: ArrayType, b: ArrayType, rcond: float | None) -> ArrayType:
    require_matrix("lstsq", a, b)
    (m, n), (rows, k) = a.shape[-2:], b.shape[-2:]
    if conflict((m,), (rows,)):
        raise ShapeError(
            "lstsq", [a, b], f"the matrix has {m} rows, the right side {rows}",
            hint="the right sides are the columns of a matrix; only one may be a vector",
        )
    batch = broadcast_shapes("lstsq", [ArrayType(t.shape[:-2], t.dtype) for t in (a, b)])
    return ArrayType((*batch, n, k), common_dtype("lstsq", a, b))


def lstsq_cotangents(
    wanted: Wanted, g: Operand, y: AnyArray, a: AnyArray, b: AnyArray, rcond: float | None
) -> list[Operand]:
    """The adjoint, as a rule between conjugations: see Note [Adjoints] in `matrices.py`."""
    g = conjugate(g)
    p = pinv(a, rtol=rcond)
    q, h = adjoint(p), adjoint(g)
    of_b = times(q, g)

    def of_a() -> AnyArray:
        above = times(q, y, h)
        ct = times(b - times(a, y), h, p, q) - times(of_b, adjoint(y))
        return ct + above - times(above, p, a)

    return [conjugate(zero_if_unused(g, of_b if i else of_a())) for i in wanted]


def lstsq_tangent(
    t: AnyArray, y: AnyArray, a: AnyArray, b: AnyArray, rcond: float | None
) -> AnyArray:
    """The tangent along one of the matrix."""
    p, h = pinv(a, rtol=rcond), adjoint(t)
    q = adjoint(p)
    over = times(h, q, y)
    return times(p, q, h, b - times(a, y)) - times(p, t, y) + over - times(p, a, over)


lstsq_op = Op(
    "lstsq", factors.lstsq, arity=2, infer=lstsq_infer,
    flops=flops.per_matrix(4, 8),
    vjp=JointVJP(lstsq_cotangents),
    jvp=[lstsq_tangent, lambda t, y, a, b, rcond: times(pinv(a, rtol=rcond), t)],
    batch=equations_batch,
    samples=cases(
        beside(singular_values_apart((3, 3)), reals((3, 2))),
        beside(singular_values_apart((4, 2)), reals((4, 1))),
        beside(singular_values_apart((2, 2, 3)), reals((2, 1), rcond=1e-9)),
        beside(with_phases((3, 2)), reals((3, 1))), beside(reals((2, 0)), reals((2, 3))),
    ),
    error_samples=[
        invalid((3,), (3,), says="two axes or more, not 1"),
        invalid((3, 2), (2, 1), says="3 rows, the right side 2"),
        ErrorSample([np.full((3, 2), np.nan), np.ones((3, 1))], {}, LinAlgError, "infinite or no"),
        ErrorSample([np.ones((3, 2)), np.ones((3, 1), np.float16)], {}, DTypeError, "float16"),
    ],
    doc="Least-squares solutions of least norm; columns are right sides.",
)


class LstsqResult(NamedTuple):
    """The least-squares solution, residuals, rank and singular values."""

    solution: AnyArray
    residuals: AnyArray
    rank: AnyArray
    singular_values: AnyArray


def lstsq(a: OperandLike, b: OperandLike, rcond: float | None = None) -> LstsqResult:
    """The x of least norm(a @ x - b); among several the one of least norm.

    A `b` with one axis is one right side; else its columns are right sides, and stacks broadcast.
    The other results are the residual sums of squares, if there are more equations than unknowns;
    the rank of `a`; and its singular values, of which those below `rcond` times the largest count
    as zero. Raises ShapeError where the shapes do not fit.

    >>> lstsq(np.array([[1.0], [1.0]]), np.array([1.0, 3.0])).solution
    array([2.])
    """
    alone = len(shape_of(b)) == 1
    columns = expand_dims(b, axis=-1) if alone else b
    x = lstsq_op(a, columns, rcond=rcond)
    m, n = sizes(a)
    left = sum(square(abs(columns - matmul(a, x))), axis=-2)
    if isinstance(m, int) and isinstance(n, int) and m <= n:
        left = left[..., :0]
    s = svdvals(a)
    rank = sum(astype(greater(s, least_counted(s, m, n, rcond)), dtype=np.intp), axis=-1)
    return LstsqResult(squeeze(x, axis=-1) if alone else x, left, rank, s)


def least_counted(s: AnyArray, m: Size, n: Size, rcond: float | None) -> AnyArray:
    """The value up to which singular values count as zero; sizes may be unknown."""
    if isinstance(m, int) and isinstance(n, int):
        return s[..., :1] * factors.cutoff(m, n, rcond)
    if rcond is not None:
        return s[..., :1] * rcond
    rounding = s[..., :1] * factors.cutoff(1, 1, None)
    return maximum(rounding * m, rounding * n)
