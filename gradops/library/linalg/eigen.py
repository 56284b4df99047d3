"""Eigenvalues and eigenvectors: of any square matrix, and of symmetric or Hermitian ones.

In rules, P is the tangent in the basis of the eigenvectors v, and `gaps` are the reciprocal
differences of the eigenvalues, which are only used where the eigenvectors were. An eigenvector has
norm 1 and an arbitrary phase.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...core import flops
from ...core.errors import LinAlgError, OptionError
from ...core.op import ErrorSample
from ...core.samples import cases
from ...core.traits import Trait
from ...core.types import ArrayType
from ...kernels.linalg import factors, linalg
from ...kernels.linalg.factors import complex_dtype
from ...kernels.linalg.linalg import real_dtype
from ...typing import AnyArray, OperandLike
from ..elementwise.arithmetic import strong_product, sub
from ..elementwise.comparison import where
from ..elementwise.complexes import real
from ..index.diagonals import diag_embed
from ..shape.joining import concatenate
from ..shape.movement import astype, expand_dims
from .cholesky import HERMITIAN, positive_definite, positive_definite_complex
from .matrices import (
    adjoint,
    adjoint_rule,
    columns_times,
    common_dtype,
    conjugate,
    diagonal_of,
    hermitian,
    matrix_op,
    on_diagonal,
    require_square,
    rows_times,
    samplers,
    times,
    zero_if_unused,
)
from .solve import inv, not_square

__all__: list[str] = []


def with_eigenvalues(x: np.ndarray) -> np.ndarray:
    """Matrices with eigenvalues 1, 2, ..., times 1 + 1j if complex, and random eigenvectors."""
    n = x.shape[-1]
    v = np.eye(n) + 0.3 * x
    return (v * np.arange(1, n + 1) * (1 + 1j if np.iscomplexobj(x) else 1)) @ np.linalg.inv(v)


real_eigenvalues, complex_eigenvalues = samplers(with_eigenvalues)
no_eigenvalues = [
    *not_square, ErrorSample([np.full((2, 2), np.inf)], {}, LinAlgError, "infinite or no numbers"),
]


def eig_infer(x: ArrayType) -> ArrayType:
    require_square("eig", x)
    *batch, n, _ = x.shape
    return ArrayType((*batch, n + 1, n), complex_dtype(common_dtype("eig", x)))


def eig_cotangent(g: AnyArray, y: AnyArray, x: AnyArray) -> AnyArray:
    """The cotangent through eigenvectors of norm 1, and through eigenvalues."""
    w, v, gw, gv = y[..., 0, :], y[..., 1:, :], g[..., 0, :], g[..., 1:, :]
    turn = times(adjoint(v), gv)
    turn = turn - columns_times(times(adjoint(v), v), real(diagonal_of(turn)))
    inner = strong_product(turn, conjugate(gaps(w, turn))) + diag_embed(gw)
    return zero_if_unused(g, times(adjoint(inv(v, checked=False)), inner, adjoint(v)))


def eig_tangent(t: AnyArray, y: AnyArray, x: AnyArray) -> AnyArray:
    w, v = y[..., 0, :], y[..., 1:, :]
    p = times(inv(v, checked=False), t, v)
    dv = times(v, strong_product(p, gaps(w, p)))
    dv = dv - columns_times(v, real(diagonal_of(times(adjoint(v), dv))))
    return concatenate([expand_dims(diagonal_of(p), axis=-2), dv], axis=-2)


eig_op = matrix_op(
    "eig", factors.eig, infer=eig_infer, vjp=[adjoint_rule(eig_cotangent)], jvp=[eig_tangent],
    flops=flops.per_square((25, 1)),
    traits=frozenset({Trait.COMPLEX}),
    samples=cases(
        real_eigenvalues((3, 3)), real_eigenvalues((2, 2, 2)), real_eigenvalues((2, 0, 0)),
    ),
    error_samples=no_eigenvalues,
    doc="The eigenvalues of each matrix, as a row above its eigenvectors; always complex.",
)


class EigResult(NamedTuple):
    """The eigenvalues of square matrices, and the eigenvectors as columns."""

    eigenvalues: AnyArray
    eigenvectors: AnyArray


def eig(x: OperandLike) -> EigResult:
    """The eigenvalues, in no particular order, and the eigenvectors of square matrices.

    Both are complex, also for real matrices. The eigenvectors are the columns of the second result.
    They have norm 1 and an arbitrary phase: differentiate only what does not depend on it. Raises
    ShapeError for matrices that are not square, LinAlgError for infinities and NaN. For symmetric
    and Hermitian matrices see `eigh`.

    >>> w, v = eig(np.array([[0.0, 1.0], [-1.0, 0.0]]))
    >>> w
    array([0.+1.j, 0.-1.j])
    """
    y = eig_op(x)
    return EigResult(y[..., 0, :], y[..., 1:, :])


def eigvals_infer(x: ArrayType) -> ArrayType:
    require_square("eigvals", x)
    return ArrayType(x.shape[:-1], complex_dtype(common_dtype("eigvals", x)))


def eigvals_cotangent(g: AnyArray, y: AnyArray, x: AnyArray) -> AnyArray:
    v = eig_op(x)[..., 1:, :]
    left = adjoint(inv(v, checked=False))
    return zero_if_unused(expand_dims(g, axis=-1), times(left, rows_times(g, adjoint(v))))


def eigvals_tangent(t: AnyArray, y: AnyArray, x: AnyArray) -> AnyArray:
    v = eig_op(x)[..., 1:, :]
    return diagonal_of(times(inv(v, checked=False), t, v))


eigvals = matrix_op(
    "eigvals", factors.eigvals, infer=eigvals_infer,
    flops=flops.per_square((10, 1)),
    vjp=[adjoint_rule(eigvals_cotangent)], jvp=[eigvals_tangent],
    samples=cases(
        real_eigenvalues((3, 3)), real_eigenvalues((2, 2, 2)), real_eigenvalues((2, 0, 0)),
        complex_eigenvalues((3, 3)),
    ),
    error_samples=no_eigenvalues,
    doc="The eigenvalues of each matrix, always complex, in no particular order.",
)


def require_triangle(op: str, x: ArrayType, UPLO: str) -> None:
    """Raise unless the matrices are square and UPLO is "L" or "U"."""
    require_square(op, x)
    if UPLO not in ("L", "U"):
        raise OptionError(op, [x], f"UPLO is 'L' or 'U', the triangle that is read, not {UPLO!r}")


def eigh_infer(x: ArrayType, UPLO: str) -> ArrayType:
    require_triangle("eigh", x, UPLO)
    *batch, n, _ = x.shape
    return ArrayType((*batch, n + 1, n), common_dtype("eigh", x))


def gaps(w: AnyArray, like: AnyArray) -> AnyArray:
    """1 / (w[j] - w[i]), and 0 on the diagonal."""
    differences = sub(expand_dims(w, axis=-2), expand_dims(w, axis=-1))
    return 1 / where(on_diagonal(like), np.inf, differences)


def values_of(y: AnyArray) -> AnyArray:
    """The real eigenvalues in the first row of a result of `eigh`."""
    w = y[..., 0, :]
    return real(w) if w.dtype.kind == "c" else w


def eigh_cotangent(g: AnyArray, y: AnyArray, x: AnyArray, UPLO: str) -> AnyArray:
    w, v = values_of(y), y[..., 1:, :]
    gw, gv = values_of(g), g[..., 1:, :]
    turn = times(adjoint(v), gv)
    turn = strong_product((turn - adjoint(turn)) / 2, gaps(w, turn))
    return times(v, turn + diag_embed(gw), adjoint(v))


def eigh_tangent(t: AnyArray, y: AnyArray, x: AnyArray, UPLO: str) -> AnyArray:
    w, v = values_of(y), y[..., 1:, :]
    p = times(adjoint(v), hermitian(t), v)
    dv = times(v, strong_product(p, gaps(w, p)))
    dw = diagonal_of(p)
    dw = astype(real(dw), dtype=dw.dtype) if dw.dtype.kind == "c" else dw
    return concatenate([expand_dims(dw, axis=-2), dv], axis=-2)


wrong_triangle = [
    *not_square,
    ErrorSample([np.eye(2)], {"UPLO": "X"}, OptionError, "not 'X'"),
    ErrorSample([np.full((2, 2), np.inf)], {}, LinAlgError, "infinite or no numbers"),
]
eigh_op = matrix_op(
    "eigh", linalg.eigh, infer=eigh_infer, vjp=[adjoint_rule(eigh_cotangent)], jvp=[eigh_tangent],
    flops=flops.per_square((9, 1)),
    traits=HERMITIAN | {Trait.COMPLEX},
    samples=cases(
        positive_definite((3, 3)), positive_definite((2, 2, 2), UPLO="U"),
        positive_definite((1, 1)), positive_definite((2, 0, 0)),
    ),
    error_samples=wrong_triangle,
    doc="The eigenvalues of a symmetric or Hermitian matrix, as a row above its eigenvectors.",
)


class EighResult(NamedTuple):
    """The eigenvalues of symmetric or Hermitian matrices, and the eigenvectors as columns."""

    eigenvalues: AnyArray
    eigenvectors: AnyArray


def eigh(x: OperandLike, UPLO: str = "L") -> EighResult:
    """The eigenvalues, in ascending order, and eigenvectors of symmetric or Hermitian matrices.

    The eigenvectors are the columns of the second result. Only one triangle of `x` is read, the
    lower one or with `UPLO="U"` the upper one. Eigenvectors have a derivative where the eigenvalues
    differ. Complex eigenvectors have an arbitrary phase: differentiate only what does not depend on
    it. Raises ShapeError for matrices that are not square, LinAlgError for infinities and NaN.

    >>> w, v = eigh(np.array([[2.0, 1.0], [1.0, 2.0]]))
    >>> w
    array([1., 3.])
    """
    y = eigh_op(x, UPLO=UPLO)
    return EighResult(values_of(y), y[..., 1:, :])


def eigvalsh_infer(x: ArrayType, UPLO: str) -> ArrayType:
    require_triangle("eigvalsh", x, UPLO)
    return ArrayType(x.shape[:-1], real_dtype(common_dtype("eigvalsh", x)))


def eigvalsh_cotangent(g: AnyArray, y: AnyArray, x: AnyArray, UPLO: str) -> AnyArray:
    v = eigh_op(x, UPLO=UPLO)[..., 1:, :]
    return times(columns_times(v, g), adjoint(v))


def eigvalsh_tangent(t: AnyArray, y: AnyArray, x: AnyArray, UPLO: str) -> AnyArray:
    v = eigh_op(x, UPLO=UPLO)[..., 1:, :]
    rate = diagonal_of(times(adjoint(v), hermitian(t), v))
    return real(rate) if rate.dtype.kind == "c" else rate


eigvalsh = matrix_op(
    "eigvalsh", linalg.eigvalsh, infer=eigvalsh_infer,
    flops=flops.per_square((4, 3)),
    vjp=[eigvalsh_cotangent], jvp=[eigvalsh_tangent], traits=HERMITIAN,
    samples=cases(
        positive_definite((3, 3)), positive_definite((2, 2, 2), UPLO="U"),
        positive_definite((1, 1)), positive_definite((2, 0, 0)),
        positive_definite_complex((3, 3)),
    ),
    error_samples=wrong_triangle,
    doc="The eigenvalues of a symmetric or Hermitian matrix, in ascending order.",
)
