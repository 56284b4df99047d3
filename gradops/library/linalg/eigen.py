"""Eigenvalues and eigenvectors of any square matrices: complex numbers, also of real matrices.

In rules, P is the tangent seen in the basis of the eigenvectors v. An eigenvector has norm 1, and
a phase that is free.
"""

from typing import Any, NamedTuple

import numpy as np

from ...core.errors import LinAlgError
from ...core.op import ErrorSample, Op
from ...core.samples import cases, drawn
from ...core.traits import Trait
from ...core.types import ArrayType
from ...kernels.linalg import factors
from ...kernels.linalg.factors import complex_dtype
from ..elementwise.arithmetic import strong_product
from ..elementwise.complexes import real
from ..index.diagonals import diag_embed
from ..shape.joining import concatenate
from ..shape.movement import expand_dims
from .matrices import (
    adjoint,
    adjoint_rule,
    columns_times,
    common_dtype,
    conjugate,
    diagonal_of,
    heeded,
    require_square,
    rows_times,
    stacked,
    times,
)
from .solve import inv, not_square
from .spectra import gaps

__all__: list[str] = []


def real_eigenvalues(*shapes: Any, **attrs: Any) -> Any:
    """Matrices with real eigenvalues well apart, and eigenvectors far from dependent."""

    def draw(r: Any, s: Any) -> Any:
        v = np.eye(s[-1]) + 0.3 * r.normal(size=s)
        return (v * np.arange(1.0, s[-1] + 1)) @ np.linalg.inv(v)

    return drawn(draw, shapes, **attrs)


def complex_eigenvalues(*shapes: Any, **attrs: Any) -> Any:
    """Complex matrices, with eigenvalues well apart."""

    def draw(r: Any, s: Any) -> Any:
        v = np.eye(s[-1]) + 0.3 * (r.normal(size=s) + 1j * r.normal(size=s))
        return (v * ((1 + 1j) * np.arange(1.0, s[-1] + 1))) @ np.linalg.inv(v)

    return drawn(draw, shapes, **attrs)


no_eigenvalues = [
    *not_square, ErrorSample([np.full((2, 2), np.inf)], {}, LinAlgError, "infinite or no numbers"),
]


def eig_infer(x: ArrayType) -> ArrayType:
    require_square("eig", x)
    *batch, n, _ = x.shape
    return ArrayType((*batch, n + 1, n), complex_dtype(common_dtype("eig", x)))


def eig_cotangent(g: Any, y: Any, x: Any) -> Any:
    """Through the eigenvectors, whose norm stays 1, and the eigenvalues."""
    w, v, gw, gv = y[..., 0, :], y[..., 1:, :], g[..., 0, :], g[..., 1:, :]
    turn = times(adjoint(v), gv)
    turn = turn - columns_times(times(adjoint(v), v), real(diagonal_of(turn)))
    inner = strong_product(turn, conjugate(gaps(w, turn))) + diag_embed(gw)
    return heeded(g, times(adjoint(inv(v, checked=False)), inner, adjoint(v)))


def eig_tangent(t: Any, y: Any, x: Any) -> Any:
    w, v = y[..., 0, :], y[..., 1:, :]
    p = times(inv(v, checked=False), t, v)
    dv = times(v, strong_product(p, gaps(w, p)))
    dv = dv - columns_times(v, real(diagonal_of(times(adjoint(v), dv))))
    return concatenate([expand_dims(diagonal_of(p), axis=-2), dv], axis=-2)


eig_op = Op(
    "eig", factors.eig,
    infer=eig_infer,
    vjp=[adjoint_rule(eig_cotangent)], jvp=[eig_tangent],
    batch=stacked,
    source="eig({0})",
    traits=frozenset({Trait.COMPLEX}),
    samples=cases(
        real_eigenvalues((3, 3)), real_eigenvalues((2, 2, 2)), real_eigenvalues((2, 0, 0)),
    ),
    error_samples=no_eigenvalues,
    doc="The eigenvalues of each matrix, as a row above its eigenvectors; complex in any case.",
)


class EigResult(NamedTuple):
    """The eigenvalues of square matrices, and eigenvectors as columns."""

    eigenvalues: Any
    eigenvectors: Any


def eig(x: Any) -> EigResult:
    """The eigenvalues, in no particular order, and eigenvectors of square matrices.

    Both are complex, also of real matrices. The eigenvectors are the columns of the second result,
    with norm 1 and a free phase: differentiate only what does not depend on it. Raises ShapeError
    for matrices that are not square, LinAlgError for infinities and NaN. For symmetric and
    Hermitian matrices see `eigh`.

    >>> w, v = eig(np.array([[0.0, 1.0], [-1.0, 0.0]]))
    >>> w
    array([0.+1.j, 0.-1.j])
    """
    y = eig_op(x)
    return EigResult(y[..., 0, :], y[..., 1:, :])


def eigvals_infer(x: ArrayType) -> ArrayType:
    require_square("eigvals", x)
    return ArrayType(x.shape[:-1], complex_dtype(common_dtype("eigvals", x)))


def eigvals_cotangent(g: Any, y: Any, x: Any) -> Any:
    v = eig_op(x)[..., 1:, :]
    left = adjoint(inv(v, checked=False))
    return heeded(expand_dims(g, axis=-1), times(left, rows_times(g, adjoint(v))))


def eigvals_tangent(t: Any, y: Any, x: Any) -> Any:
    v = eig_op(x)[..., 1:, :]
    return diagonal_of(times(inv(v, checked=False), t, v))


eigvals = Op(
    "eigvals", factors.eigvals,
    infer=eigvals_infer,
    vjp=[adjoint_rule(eigvals_cotangent)], jvp=[eigvals_tangent],
    batch=stacked,
    source="eigvals({0})",
    samples=cases(
        real_eigenvalues((3, 3)), real_eigenvalues((2, 2, 2)), real_eigenvalues((2, 0, 0)),
        complex_eigenvalues((3, 3)),
    ),
    error_samples=no_eigenvalues,
    doc="The eigenvalues of each matrix, complex also of real ones, in no particular order.",
)
