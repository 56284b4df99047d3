"""The singular value decomposition.

U, S and V are stored one above the other, a column for each singular value: see Note [Factors] in
`matrices.py`. In rules, P is the tangent in the bases of the singular vectors.
"""

from typing import Any, NamedTuple

import numpy as np

from ...core import flops
from ...core.dims import UNKNOWN
from ...core.errors import LinAlgError, MissingRuleError
from ...core.op import ErrorSample
from ...core.samples import cases, reals
from ...core.traits import Trait
from ...core.types import ArrayType, type_of
from ...kernels.linalg import factors
from ...kernels.linalg.linalg import real_dtype
from ...typing import AnyArray, Operand, OperandLike
from ..elementwise.arithmetic import strong_product, sub
from ..elementwise.comparison import where
from ..elementwise.complexes import imag, real
from ..index.diagonals import diag_embed
from ..shape.joining import concatenate
from ..shape.movement import astype, expand_dims
from ..shape.rearrange import matrix_transpose
from .matrices import (
    adjoint,
    adjoint_rule,
    columns_times,
    common_dtype,
    conjugate,
    diagonal_of,
    matrix_op,
    no_matrix,
    on_diagonal,
    require_matrix,
    rows_times,
    samplers,
    sizes,
    smaller_size,
    times,
)

__all__: list[str] = []

not_finite = [ErrorSample([np.full((2, 3), np.nan)], {}, LinAlgError, "infinite or no numbers")]


def with_singular_values(x: np.ndarray) -> np.ndarray:
    """Matrices with singular values ..., 2, 1, and random singular vectors."""
    u, s, vh = np.linalg.svd(x, full_matrices=False)
    return (u * np.arange(s.shape[-1], 0, -1.0)) @ vh


singular_values_apart, with_phases = samplers(with_singular_values)


def svd_infer(x: ArrayType, full_matrices: bool) -> ArrayType:
    require_matrix("svd", x)
    k = smaller_size("svd", x)
    *batch, m, n = x.shape
    width = (n if k == m else m) if full_matrices else k
    return ArrayType((*batch, m + 1 + n, width), common_dtype("svd", x))


class SVDResult(NamedTuple):
    """Singular vectors as columns of U, singular values, singular vectors as rows of Vh."""

    U: Any
    S: Any
    Vh: Any


def svd_parts(y: AnyArray, x: Any, full_matrices: bool = False) -> SVDResult:
    """U, S and Vh, from the result of the op on an operand like `x`."""
    m, n = sizes(x)
    k = smaller_size("svd", type_of(x))
    p, q = (m, n) if full_matrices else (k, k)
    s = y[..., m, :k]
    s = real(s) if s.dtype.kind == "c" else s
    return SVDResult(y[..., :m, :p], s, matrix_transpose(y[..., m + 1 :, :q]))


def column_parts(y: AnyArray, x: AnyArray) -> tuple[AnyArray, AnyArray, AnyArray]:
    """U, S and V, with a column for each singular value."""
    u, s, vh = svd_parts(y, x)
    return u, s, adjoint(vh)


def gap_reciprocals(s: AnyArray, like: AnyArray) -> tuple[AnyArray, AnyArray]:
    """1 / (s[j] - s[i]) and 1 / (s[j] + s[i]), 0 on the diagonal."""
    a, b = expand_dims(s, axis=-2), expand_dims(s, axis=-1)
    diagonal = on_diagonal(like)
    return 1 / where(diagonal, np.inf, sub(a, b)), 1 / where(diagonal, np.inf, a + b)


def over_squares(x: AnyArray, s: AnyArray) -> AnyArray:
    """Entries divided by s[j]**2 - s[i]**2, with zeros on the diagonal."""
    minus, plus = gap_reciprocals(s, x)
    return strong_product(x, minus * plus)


def phase_rate(du: Any, s: AnyArray) -> AnyArray:
    """The imaginary part of a diagonal, divided by twice the singular values."""
    return diag_embed(strong_product(imag(diagonal_of(du)), 1 / s) * 0.5j)


def outside_span(g: AnyArray, u: AnyArray, turn: AnyArray, s: AnyArray) -> AnyArray:
    """The component of `g` outside the span of `u`, divided by the singular values."""
    return strong_product(g - times(u, turn), 1 / expand_dims(s, axis=-2))


def svd_cotangent(g: AnyArray, y: AnyArray, x: AnyArray, full_matrices: bool) -> Operand:
    m, n = sizes(x)
    (u, s, v), (gu, gs, gv) = column_parts(y, x), column_parts(g, x)
    turn_u, turn_v = times(adjoint(u), gu), times(adjoint(v), gv)
    inner = columns_times(over_squares(turn_u - adjoint(turn_u), s), s)
    inner = inner + rows_times(s, over_squares(turn_v - adjoint(turn_v), s)) + diag_embed(gs)
    if type_of(x).dtype.kind == "c":
        inner = inner + phase_rate(turn_u - turn_v, s)
    ct = times(u, inner, adjoint(v))
    if m != smaller_size("svd", type_of(x)):
        ct = ct + times(outside_span(gu, u, turn_u, s), adjoint(v))
    if n != smaller_size("svd", type_of(x)):
        ct = ct + times(u, adjoint(outside_span(gv, v, turn_v, s)))
    return ct


def svd_tangent(t: AnyArray, y: AnyArray, x: AnyArray, full_matrices: bool) -> Operand:
    m, n = sizes(x)
    u, s, v = column_parts(y, x)
    p = times(adjoint(u), t, v)
    ps, sp = columns_times(p, s), rows_times(s, p)
    turn_u, turn_v = over_squares(ps + adjoint(ps), s), over_squares(sp + adjoint(sp), s)
    ds = diagonal_of(p)
    if type_of(x).dtype.kind == "c":
        turn_u, turn_v = turn_u + phase_rate(p, s), turn_v - phase_rate(p, s)
        ds = astype(real(ds), dtype=ds.dtype)
    du, dv = times(u, turn_u), times(v, turn_v)
    if m != smaller_size("svd", type_of(x)):
        du = du + outside_span(times(t, v), u, p, s)
    if n != smaller_size("svd", type_of(x)):
        dv = dv + outside_span(times(adjoint(t), u), v, adjoint(p), s)
    return concatenate([du, expand_dims(ds, axis=-2), conjugate(dv)], axis=-2)


def if_determined(rule: Any) -> Any:
    """A rule that raises where full matrices have columns that are not determined."""

    def call(v: AnyArray, y: AnyArray, x: AnyArray, full_matrices: bool) -> AnyArray:
        m, n = sizes(x)
        if full_matrices and m != n:
            raise MissingRuleError(
                "svd", "derivative for full_matrices=True and matrices that are not square",
                hint="use full_matrices=False: the vectors beyond are not determined",
            )
        return rule(v, y, x, full_matrices)

    return call


svd_op = matrix_op(
    "svd", factors.svd, infer=svd_infer,
    flops=flops.per_matrix(14, 8),
    vjp=[if_determined(adjoint_rule(svd_cotangent))], jvp=[if_determined(svd_tangent)],
    traits=frozenset({Trait.COMPLEX}),
    samples=cases(
        singular_values_apart((3, 3)), singular_values_apart((4, 2), full_matrices=False),
        singular_values_apart((2, 2, 3), full_matrices=False),
        reals((0, 2), full_matrices=False), reals((2, 0, 0)), reals((1, 1)),
    ),
    error_samples=[*no_matrix, *not_finite],
    doc="Singular vectors and values: U above the singular values above the transpose of Vh.",
)


def svd(x: OperandLike, full_matrices: bool = True) -> SVDResult:
    """The singular value decomposition: x = (U * S) @ Vh, with S in descending order.

    U and Vh have orthonormal columns and rows: as many as there are singular values, or with
    `full_matrices` as many as make them square. Then, and where singular values are equal, singular
    vectors have no derivative. Complex ones have an arbitrary phase: differentiate only what does
    not depend on it. Raises ShapeError unless `x` has two axes or more, LinAlgError for infinities
    and NaN.

    >>> u, s, vh = svd(np.diag([2.0, 3.0]))
    >>> s
    array([3., 2.])
    """
    return svd_parts(svd_op(x, full_matrices=full_matrices), x, full_matrices)


def svdvals_infer(x: ArrayType) -> ArrayType:
    require_matrix("svdvals", x)
    dtype = real_dtype(common_dtype("svdvals", x))
    m, n = x.shape[-2:]
    k = min(m, n) if isinstance(m, int) and isinstance(n, int) else m if m == n else UNKNOWN
    return ArrayType((*x.shape[:-2], k), dtype)


def svdvals_cotangent(g: AnyArray, y: AnyArray, x: AnyArray) -> AnyArray:
    u, _, vh = svd(x, full_matrices=False)
    return times(columns_times(u, g), vh)


def svdvals_tangent(t: AnyArray, y: AnyArray, x: AnyArray) -> AnyArray:
    u, _, vh = svd(x, full_matrices=False)
    rate = diagonal_of(times(adjoint(u), t, adjoint(vh)))
    return real(rate) if rate.dtype.kind == "c" else rate


svdvals = matrix_op(
    "svdvals", factors.svdvals, infer=svdvals_infer, vjp=[svdvals_cotangent], jvp=[svdvals_tangent],
    flops=flops.per_matrix(2, 2),
    samples=cases(
        singular_values_apart((3, 3)), singular_values_apart((4, 2)),
        singular_values_apart((2, 2, 3)), reals((0, 2)), with_phases((3, 2)), with_phases((2, 2)),
    ),
    error_samples=[*no_matrix, *not_finite],
    doc="The singular values of each matrix, in descending order.",
)
