"""The QR factorization.

Q and the transpose of R are stored one above the other: see Note [Factors] in `matrices.py`. The
diagonal of R is real, which makes the factors unique.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ...core import flops
from ...core.errors import MissingRuleError, OptionError
from ...core.op import ErrorSample
from ...core.samples import cases
from ...core.types import ArrayType, type_of
from ...kernels.linalg import factors
from ...typing import AnyArray, Operand, OperandLike
from ..elementwise.comparison import equal, where
from ..elementwise.complexes import imag, real
from ..index.diagonals import diag_embed, tril, triu
from ..reduce.reduction import any
from ..shape.joining import concatenate
from ..shape.movement import expand_dims
from ..shape.rearrange import matrix_transpose
from .matrices import (
    adjoint,
    adjoint_rule,
    common_dtype,
    diagonal_of,
    matrix_op,
    no_matrix,
    require_matrix,
    sizes,
    smaller_size,
    times,
    zero_if_unused,
)
from .solve import regular, regular_complex, solve_triangular_op

__all__: list[str] = []

def qr_infer(x: ArrayType, mode: str) -> ArrayType:
    require_matrix("qr", x)
    if mode not in ("reduced", "complete"):
        raise OptionError("qr", [x], f"the mode is 'reduced' or 'complete', not {mode!r}")
    *batch, m, n = x.shape
    k = smaller_size("qr", x)
    width = m if mode == "complete" else k
    return ArrayType((*batch, m + n, width), common_dtype("qr", x))


class QRResult(NamedTuple):
    """A matrix Q with orthonormal columns, and an upper triangular matrix R."""

    Q: AnyArray
    R: AnyArray


def qr_parts(y: AnyArray, x: Any) -> QRResult:
    """Q and R, from the result of the op on an operand like `x`."""
    m, _ = sizes(x)
    return QRResult(y[..., :m, :], matrix_transpose(y[..., m:, :]))


def split_wide(x: AnyArray) -> tuple[AnyArray, AnyArray]:
    """The square left part of a wide matrix, and the columns beyond."""
    m, _ = sizes(x)
    return x[..., :m], x[..., m:]


def times_inverse(x: AnyArray, r: AnyArray) -> AnyArray:
    """x @ inv(r) for an upper triangular r."""
    return adjoint(solve_triangular_op(adjoint(r), adjoint(x), lower=True, checked=False))


def tall_cotangent(gq: Any, gr: Any, q: AnyArray, r: AnyArray) -> AnyArray:
    """The cotangent of a matrix with at least as many rows as columns."""
    m = times(gr, adjoint(r)) - times(adjoint(q), gq)
    upper = triu(m, k=1)
    middle = diagonal_of(m)
    middle = real(middle) if middle.dtype.kind == "c" else middle
    inner = gq + times(q, upper + adjoint(upper) + diag_embed(middle))
    ct = adjoint(solve_triangular_op(r, adjoint(inner), lower=False, checked=False))
    return nan_if_singular(r, ct)


def nan_if_singular(r: AnyArray, ct: AnyArray) -> AnyArray:
    """A cotangent, NaN where R is singular: what it is multiplied by may be zero, too."""
    is_singular = any(equal(diagonal_of(r), 0), axis=-1, keepdims=True)
    return where(expand_dims(is_singular, axis=-1), math.nan, ct)


def qr_cotangent(g: AnyArray, y: AnyArray, x: AnyArray, mode: str) -> Operand:
    (q, r), (gq, gr) = qr_parts(y, x), qr_parts(g, x)
    _, n = sizes(x)
    if smaller_size("qr", type_of(x)) == n:
        return zero_if_unused(g, tall_cotangent(gq, gr, q, r))
    (r, _), (gr, gbeyond), (_, beyond) = split_wide(r), split_wide(gr), split_wide(x)
    gq = gq + times(beyond, adjoint(gbeyond))
    ct = concatenate([tall_cotangent(gq, gr, q, r), times(q, gbeyond)], axis=-1)
    return zero_if_unused(g, ct)


def tall_tangent(t: AnyArray, q: AnyArray, r: AnyArray) -> tuple[AnyArray, AnyArray]:
    """The tangents of Q and R for a matrix with at least as many rows as columns."""
    rate = times_inverse(t, r)
    c = times(adjoint(q), rate)
    below = tril(c, k=-1)
    turn = below - adjoint(below)
    if c.dtype.kind == "c":
        turn = turn + diag_embed(imag(diagonal_of(c)) * 1j)
    return times(q, turn) + rate - times(q, c), times(c - turn, r)


def qr_tangent(t: AnyArray, y: AnyArray, x: AnyArray, mode: str) -> Operand:
    q, r = qr_parts(y, x)
    _, n = sizes(x)
    if smaller_size("qr", type_of(x)) == n:
        dq, dr = tall_tangent(t, q, r)
    else:
        (t, tbeyond), (_, beyond) = split_wide(t), split_wide(x)
        dq, dr = tall_tangent(t, q, split_wide(r)[0])
        dr = concatenate([dr, times(adjoint(dq), beyond) + times(adjoint(q), tbeyond)], axis=-1)
    return concatenate([dq, matrix_transpose(dr)], axis=-2)


def if_determined(rule: Any) -> Any:
    """A rule that raises where Q has columns beyond those that R determines."""

    def call(v: AnyArray, y: AnyArray, x: AnyArray, mode: str) -> AnyArray:
        m, _ = sizes(x)
        if mode == "complete" and m != smaller_size("qr", type_of(x)):
            raise MissingRuleError(
                "qr", "derivative for mode='complete' and more rows than columns",
                hint="use mode='reduced': the columns beyond are not determined",
            )
        return rule(v, y, x, mode)

    return call


qr_op = matrix_op(
    "qr", factors.qr, infer=qr_infer,
    flops=flops.per_matrix(12, -4, 3),
    vjp=[if_determined(adjoint_rule(qr_cotangent))], jvp=[if_determined(qr_tangent)],
    samples=cases(
        regular((3, 3)), regular((4, 2)), regular((2, 2, 3)),
        regular((2, 3), mode="complete"), regular((2, 0)),
        regular_complex((3, 2)), regular_complex((2, 3)),
    ),
    error_samples=[*no_matrix, ErrorSample([np.eye(2)], {"mode": "raw"}, OptionError, "not 'raw'")],
    doc="The QR factorization: Q above the transpose of R.",
)


def qr(x: OperandLike, mode: str = "reduced") -> QRResult:
    """The QR factorization of each matrix: x = Q @ R, Q orthonormal columns, R upper triangular.

    Q has min(rows, columns) columns, or with `mode="complete"` as many as rows; then there is no
    derivative for matrices with more rows than columns. Raises ShapeError unless `x` has two axes
    or more, OptionError for another mode.

    >>> q, r = qr(np.array([[0.0, 2.0], [1.0, 3.0]]))
    >>> bool(np.allclose(q @ r, [[0, 2], [1, 3]]))
    True
    """
    return qr_parts(qr_op(x, mode=mode), x)
