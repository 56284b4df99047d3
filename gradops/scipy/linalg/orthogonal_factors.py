"""Factors with orthonormal columns: QR, RQ and polar decompositions, by SciPy's names."""

from typing import Any

import numpy as np

from ...core.errors import OptionError, ShapeError
from ...core.types import shape_of, type_of
from ...library.linalg import qr as orthogonal
from ...library.linalg.lu import column_order
from ...library.linalg.matrices import adjoint, conjugate, hermitian, times
from ...library.linalg.polar import polar_op
from ...library.linalg.svd import svdvals
from ...library.reduce.along_axis import take_along_axis
from ...library.reduce.reduction import sum
from ...library.shape.creation import zeros_like
from ...library.shape.joining import concatenate
from ...library.shape.movement import astype, expand_dims, flip
from .operands import operand, operands, size_of

__all__ = ["orthogonal_procrustes", "polar", "qr", "qr_multiply", "rq"]


def qr(
    a: Any, overwrite_a: bool = False, lwork: int | None = None, mode: str = "full",
    pivoting: bool = False, check_finite: bool = True,
) -> Any:  # fmt: skip
    """The QR factorization of each matrix.

    `mode` is "full", "economic", or "r" for (R,) alone, which has a derivative also where Q has
    columns that are not determined. With `pivoting` it is that of the columns in another order,
    which is the last result and has no derivative. Raises OptionError for `mode="raw"`.

    >>> q, r = qr(np.array([[0.0, 2.0], [1.0, 3.0]]))
    >>> bool(np.allclose(q @ r, [[0, 2], [1, 3]]))
    True
    """
    if mode not in ("full", "economic", "r"):
        raise OptionError("qr", [], f"mode is 'full', 'economic' or 'r', not {mode!r}")
    a = operand("qr", a, check_finite)
    if pivoting:
        a, order = in_column_order(a)
        return (*qr(a, mode=mode, check_finite=False), order)
    if mode != "r":
        return tuple(orthogonal.qr(a, mode="complete" if mode == "full" else "reduced"))
    _, r = orthogonal.qr(a, mode="reduced")
    m, k = size_of(a, -2), size_of(r, -2)
    return (r if m == k else concatenate([r, zeros_like(a)[..., k:, :]], axis=-2),)


def in_column_order(a: Any) -> tuple[Any, Any]:
    """The columns of matrices, the largest remainder first, and their numbers."""
    order = column_order(a)
    a = take_along_axis(a, expand_dims(order, axis=-2), axis=-1)
    return a, astype(order, dtype=np.int32)


def qr_multiply(
    a: Any, c: Any, mode: str = "right", pivoting: bool = False, conjugate: bool = False,
    overwrite_a: bool = False, overwrite_c: bool = False,
) -> Any:  # fmt: skip
    """The product of Q, of the economic QR factorization of `a`, with `c`, and R; see `qr`.

    It is c @ Q, or Q @ c for `mode="left"`. With `conjugate` Q is conjugated.

    >>> y, r = qr_multiply(np.diag([2.0, 1.0]), np.array([1.0, 1.0]))
    >>> np.abs(y)
    array([1., 1.])
    """
    if mode not in ("left", "right"):
        raise OptionError("qr_multiply", [], f"mode is 'left' or 'right', not {mode!r}")
    a, c = operands("qr_multiply", a, c)
    q, *others = qr(a, mode="economic", pivoting=pivoting)
    q = conjugate_of(q) if conjugate else q
    alone = len(shape_of(c)) == 1
    c = expand_dims(c, axis=-1 if mode == "left" else 0) if alone else c
    y = times(q, c) if mode == "left" else times(c, q)
    return (y[..., 0] if alone and mode == "left" else y[0] if alone else y, *others)


conjugate_of = conjugate


def rq(
    a: Any, overwrite_a: bool = False, lwork: int | None = None, mode: str = "full",
    check_finite: bool = True,
) -> Any:  # fmt: skip
    """The factors R and Q of each matrix: a = R @ Q, R upper triangular, the rows of Q orthonormal.

    `mode` is "full", "economic", or "r" for R alone.

    >>> r, q = rq(np.array([[0.0, 2.0], [1.0, 3.0]]))
    >>> bool(np.allclose(r @ q, [[0, 2], [1, 3]]))
    True
    """
    if mode not in ("full", "economic", "r"):
        raise OptionError("rq", [], f"mode is 'full', 'economic' or 'r', not {mode!r}")
    turned = adjoint(flip(operand("rq", a, check_finite), axis=(-2, -1)))
    q, r = orthogonal.qr(turned, mode="complete" if mode == "full" else "reduced")
    q, r = (flip(adjoint(x), axis=(-2, -1)) for x in (q, r))
    if mode != "r":
        return r, q
    missing = size_of(turned, -2) - size_of(r)
    return concatenate([zeros_like(r[..., :1])] * missing + [r], axis=-1) if missing else r


def polar(a: Any, side: str = "right") -> Any:
    """The polar decomposition: U with orthonormal columns or rows, and P positive semidefinite.

    a is U @ P, or P @ U with `side="left"`.

    >>> u, p = polar(np.array([[0.0, -2.0], [3.0, 0.0]]))
    >>> u
    array([[ 0., -1.],
           [ 1.,  0.]])
    """
    if side not in ("left", "right"):
        raise OptionError("polar", [], f"side is 'left' or 'right', not {side!r}")
    a = operand("polar", a)
    m, n = size_of(a, -2), size_of(a)
    is_wide = isinstance(m, int) and isinstance(n, int) and m < n
    u = adjoint(polar_op(adjoint(a))) if is_wide else polar_op(a)
    return u, hermitian(times(adjoint(u), a) if side == "right" else times(a, adjoint(u)))


def orthogonal_procrustes(A: Any, B: Any, check_finite: bool = True) -> Any:
    """The orthogonal matrix R that takes A nearest to B, of least norm(A @ R - B), and a scale.

    The scale is the sum of the singular values of A.T @ B.

    >>> r, scale = orthogonal_procrustes(np.eye(2), np.array([[0.0, 2.0], [1.0, 0.0]]))
    >>> r
    array([[0., 1.],
           [1., 0.]])
    """
    a, b = operands("orthogonal_procrustes", A, B, check_finite=check_finite)
    if shape_of(a) != shape_of(b) or len(shape_of(a)) != 2:
        raise ShapeError(
            "orthogonal_procrustes", [type_of(a), type_of(b)], "it takes matrices of one shape"
        )
    product = times(adjoint(a), b)
    return polar_op(product), sum(svdvals(product))
