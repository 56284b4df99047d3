"""Matrices that are symmetric, or Hermitian: Cholesky's factor, eigenvalues and eigenvectors.

Note [Hermitian]. These ops read one triangle of a matrix and take the other for its mirror image.
So they are functions of Hermitian matrices: gradients are Hermitian, and of a tangent the Hermitian
part counts. This is PyTorch's convention. The trait `hermitian` says so to the tests.

In rules, P is the tangent seen in the basis of the eigenvectors v, and `gaps` are the reciprocal
differences of the eigenvalues, which are only used where the eigenvectors were.
"""

from typing import Any, NamedTuple

import numpy as np

from ...core.errors import LinAlgError, OptionError
from ...core.op import ErrorSample, Op
from ...core.samples import cases, drawn
from ...core.traits import Trait
from ...core.types import ArrayType
from ...kernels.linalg import linalg
from ...kernels.linalg.linalg import real_dtype
from ..elementwise.arithmetic import strong_product, sub
from ..elementwise.comparison import where
from ..elementwise.complexes import real
from ..index.diagonals import diag_embed, tril
from ..shape.joining import concatenate
from ..shape.movement import astype, expand_dims
from .matrices import (
    adjoint,
    adjoint_rule,
    columns_times,
    common_dtype,
    diagonal_of,
    heeded,
    hermitian,
    on_diagonal,
    require_square,
    square_infer,
    stacked,
    times,
)
from .solve import not_square
from .triangular import solve_triangular_op

__all__: list[str] = []

HERMITIAN = frozenset({Trait.HERMITIAN})


def positive_definite(*shapes: Any, **attrs: Any) -> Any:
    """Symmetric matrices with eigenvalues well above 0 and well apart."""

    def draw(r: Any, s: Any) -> Any:
        q = np.linalg.qr(r.normal(size=s))[0]
        return (q * np.arange(1.0, s[-1] + 1)) @ q.swapaxes(-1, -2)

    return drawn(draw, shapes, **attrs)


def positive_definite_complex(*shapes: Any, **attrs: Any) -> Any:
    """The same, of complex numbers."""

    def draw(r: Any, s: Any) -> Any:
        q = np.linalg.qr(r.normal(size=s) + 1j * r.normal(size=s))[0]
        return (q * np.arange(1.0, s[-1] + 1)) @ q.conj().swapaxes(-1, -2)

    return drawn(draw, shapes, **attrs)


def lower_half(x: Any) -> Any:
    """The lower triangle, with half of the diagonal."""
    return tril(x, k=-1) + diag_embed(diagonal_of(x) / 2)


def cholesky_cotangent(g: Any, y: Any, x: Any, upper: bool) -> Any:
    """The transpose of the tangent, two triangular solutions."""
    l, gl = (adjoint(y), adjoint(g)) if upper else (y, g)
    right = adjoint(l)
    inner = hermitian(lower_half(times(right, gl)))
    half = solve_triangular_op(right, inner, lower=False, checked=False)
    return heeded(g, adjoint(solve_triangular_op(right, adjoint(half), lower=False, checked=False)))


def cholesky_tangent(t: Any, y: Any, x: Any, upper: bool) -> Any:
    """L times the lower half of the tangent seen through L's inverse from both sides."""
    l = adjoint(y) if upper else y
    half = solve_triangular_op(l, hermitian(t), lower=True, checked=False)
    dl = times(l, lower_half(solve_triangular_op(l, adjoint(half), lower=True, checked=False)))
    return adjoint(dl) if upper else dl


cholesky = Op(
    "cholesky", linalg.cholesky,
    infer=square_infer("cholesky"),
    vjp=[adjoint_rule(cholesky_cotangent)], jvp=[cholesky_tangent],
    batch=stacked,
    source="cholesky({0}, {upper})",
    traits=HERMITIAN,
    samples=cases(
        positive_definite((3, 3)), positive_definite((2, 2, 2), upper=True),
        positive_definite((1, 1)), positive_definite((2, 0, 0)),
        positive_definite_complex((3, 3)), positive_definite_complex((2, 2), upper=True),
    ),
    error_samples=[
        *not_square, ErrorSample([-np.eye(2)], {}, LinAlgError, "not positive definite"),
    ],
    doc="The triangular factor L of L @ L.H, or with `upper` U of U.H @ U; one triangle is read.",
)


def require_triangle(op: str, x: ArrayType, UPLO: str) -> None:
    """Refuse what names no triangle of square matrices."""
    require_square(op, x)
    if UPLO not in ("L", "U"):
        raise OptionError(op, [x], f"UPLO is 'L' or 'U', the triangle that is read, not {UPLO!r}")


def eigh_infer(x: ArrayType, UPLO: str) -> ArrayType:
    require_triangle("eigh", x, UPLO)
    *batch, n, _ = x.shape
    return ArrayType((*batch, n + 1, n), common_dtype("eigh", x))


def gaps(w: Any, like: Any) -> Any:
    """1 / (w[j] - w[i]), and 0 on the diagonal."""
    differences = sub(expand_dims(w, axis=-2), expand_dims(w, axis=-1))
    return 1 / where(on_diagonal(like), np.inf, differences)


def values_of(y: Any) -> Any:
    """The real eigenvalues, above the eigenvectors."""
    w = y[..., 0, :]
    return real(w) if w.dtype.kind == "c" else w


def eigh_cotangent(g: Any, y: Any, x: Any, UPLO: str) -> Any:
    w, v = values_of(y), y[..., 1:, :]
    gw, gv = values_of(g), g[..., 1:, :]
    turn = times(adjoint(v), gv)
    turn = strong_product((turn - adjoint(turn)) / 2, gaps(w, turn))
    return times(v, turn + diag_embed(gw), adjoint(v))


def eigh_tangent(t: Any, y: Any, x: Any, UPLO: str) -> Any:
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
eigh_op = Op(
    "eigh", linalg.eigh,
    infer=eigh_infer,
    vjp=[adjoint_rule(eigh_cotangent)], jvp=[eigh_tangent],
    batch=stacked,
    source="eigh({0}, {UPLO})",
    traits=HERMITIAN | {Trait.COMPLEX},
    samples=cases(
        positive_definite((3, 3)), positive_definite((2, 2, 2), UPLO="U"),
        positive_definite((1, 1)), positive_definite((2, 0, 0)),
    ),
    error_samples=wrong_triangle,
    doc="The eigenvalues of a symmetric or Hermitian matrix, as a row above its eigenvectors.",
)


class EighResult(NamedTuple):
    """The eigenvalues of symmetric or Hermitian matrices, and eigenvectors as columns."""

    eigenvalues: Any
    eigenvectors: Any


def eigh(x: Any, UPLO: str = "L") -> EighResult:
    """The eigenvalues, in ascending order, and eigenvectors of symmetric or Hermitian matrices.

    The eigenvectors are the columns of the second result. Only one triangle of `x` is read, the
    lower one or with `UPLO="U"` the upper one. Eigenvectors have a derivative where the eigenvalues
    differ; of complex ones, whose phase is free, differentiate only what does not depend on it.
    Raises ShapeError for matrices that are not square, LinAlgError for infinities and NaN.

    >>> w, v = eigh(np.array([[2.0, 1.0], [1.0, 2.0]]))
    >>> w
    array([1., 3.])
    """
    y = eigh_op(x, UPLO=UPLO)
    return EighResult(values_of(y), y[..., 1:, :])


def eigvalsh_infer(x: ArrayType, UPLO: str) -> ArrayType:
    require_triangle("eigvalsh", x, UPLO)
    return ArrayType(x.shape[:-1], real_dtype(common_dtype("eigvalsh", x)))


def eigvalsh_cotangent(g: Any, y: Any, x: Any, UPLO: str) -> Any:
    v = eigh_op(x, UPLO=UPLO)[..., 1:, :]
    return times(columns_times(v, g), adjoint(v))


def eigvalsh_tangent(t: Any, y: Any, x: Any, UPLO: str) -> Any:
    v = eigh_op(x, UPLO=UPLO)[..., 1:, :]
    rate = diagonal_of(times(adjoint(v), hermitian(t), v))
    return real(rate) if rate.dtype.kind == "c" else rate


eigvalsh = Op(
    "eigvalsh", linalg.eigvalsh,
    infer=eigvalsh_infer,
    vjp=[eigvalsh_cotangent], jvp=[eigvalsh_tangent],
    batch=stacked,
    source="eigvalsh({0}, {UPLO})",
    traits=HERMITIAN,
    samples=cases(
        positive_definite((3, 3)), positive_definite((2, 2, 2), UPLO="U"),
        positive_definite((1, 1)), positive_definite((2, 0, 0)),
        positive_definite_complex((3, 3)),
    ),
    error_samples=wrong_triangle,
    doc="The eigenvalues of a symmetric or Hermitian matrix, in ascending order.",
)
