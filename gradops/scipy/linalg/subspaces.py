"""Bases of the ranges and null spaces of matrices, by SciPy's names.

A basis is determined up to a rotation. Its derivative is that of the basis that turns least as the
matrix changes, for a matrix whose rank stays: functions of the subspace alone have theirs.
"""

from typing import Any

import numpy as np

from ...core.errors import ShapeError
from ...core.types import type_of
from ...library.elementwise.comparison import clip, where
from ...library.elementwise.trigonometric import acos, asin
from ...library.linalg.inverses import pinv
from ...library.linalg.matrices import adjoint, times
from ...library.linalg.polar import polar_op
from ...library.linalg.svd import svdvals
from ...library.shape.movement import flip
from ..known_entries import entries_of
from .operands import operand, operands, size_of

__all__ = ["null_space", "orth", "subspace_angles"]


def values(call: str, a: Any) -> np.ndarray:
    """The entries of a matrix; a ShapeError where they are not known, and so the rank is not."""
    kind, found = type_of(a), entries_of(a)
    if kind.ndim != 2:
        raise ShapeError(call, [kind], "it takes one matrix")
    if found is None:
        raise ShapeError(
            call, [kind], "the number of columns of the result depends on the rank of the matrix",
            hint="svd has all the singular vectors",
        )  # fmt: skip
    return found


def rank_and_part(
    call: str, a: Any, rcond: float | None
) -> tuple[np.ndarray, np.ndarray, int, float]:
    """The singular vectors, the rank, and the part of the largest value that counts as zero."""
    x = values(call, a)
    part = np.finfo(x.dtype).eps * max(x.shape) if rcond is None else rcond
    u, s, v = np.linalg.svd(x, full_matrices=True)
    return u, v, int(np.sum(s > np.max(s, initial=0.0) * part)), float(part)


def orth(A: Any, rcond: float | None = None) -> Any:
    """An orthonormal basis of the range of a matrix, as columns.

    >>> np.abs(orth(np.array([[2.0, 0.0], [0.0, 0.0]])))
    array([[1.],
           [0.]])
    """
    a = operand("orth", A)
    u, _, rank, part = rank_and_part("orth", a, rcond)
    return polar_op(times(a, pinv(a, rtol=part), u[:, :rank]))


def null_space(
    A: Any,
    rcond: float | None = None,
    *,
    overwrite_a: bool = False,
    check_finite: bool = True,
    lapack_driver: str = "gesdd",
) -> Any:
    """An orthonormal basis of the vectors that a matrix takes to zero, as columns.

    >>> np.abs(null_space(np.array([[2.0, 0.0], [0.0, 0.0]])))
    array([[0.],
           [1.]])
    """
    a = operand("null_space", A, check_finite)
    _, v, rank, part = rank_and_part("null_space", a, rcond)
    basis = adjoint(v[rank:])
    return polar_op(basis - times(pinv(a, rtol=part), a, basis))


def subspace_angles(A: Any, B: Any) -> Any:
    """The angles between the ranges of two matrices, the largest first.

    >>> subspace_angles(np.array([[1.0], [0.0]]), np.array([[1.0], [1.0]])).round(6)
    array([0.785398])
    """
    a, b = map(orth, operands("subspace_angles", A, B))
    if size_of(a, 0) != size_of(b, 0):
        raise ShapeError("subspace_angles", [type_of(A), type_of(B)], "the numbers of rows differ")
    product = times(adjoint(a), b)
    cosines = svdvals(product)
    rest = b - times(a, product) if size_of(a) >= size_of(b) else a - times(b, adjoint(product))
    near = cosines * cosines >= 0.5
    sines = svdvals(rest)[: size_of(cosines)]
    small, large = clip(where(near, sines, 0.0), -1.0, 1.0), flip(cosines)
    return where(near, asin(small), acos(clip(where(near, 0.0, large), -1.0, 1.0)))
