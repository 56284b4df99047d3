"""Linear algebra and Fourier transforms: TensorFlow's functions, in terms of those of `gradops`."""

from collections.abc import Callable
from typing import Any, NamedTuple

import gradops as ops
from gradops import fft as transforms
from gradops import linalg
from gradops.core.types import shape_of
from gradops.library.linalg.matrices import on_diagonal
from gradops.typing import AnyArray, Operand


class Eig(NamedTuple):
    """Eigenvalues, and eigenvectors as columns."""

    e: AnyArray
    v: AnyArray


class SVD(NamedTuple):
    """Singular values, and singular vectors as columns."""

    s: AnyArray
    u: AnyArray
    v: AnyArray


class QR(NamedTuple):
    """A matrix with orthonormal columns, and an upper triangular one."""

    q: AnyArray
    r: AnyArray


def matrix_inverse(input: Operand, adjoint: bool = False) -> AnyArray:
    """The inverses of square matrices; with `adjoint`, of their conjugate transposes.

    >>> sg.matrix_inverse(np.array([[2.0]]))
    array([[0.5]])
    """
    return linalg.inv(linalg.adjoint(input) if adjoint else input)


def matrix_solve(matrix: Operand, rhs: Operand, adjoint: bool = False) -> AnyArray:
    """Solve matrix @ x = rhs; with `adjoint`, for the conjugate transpose of the matrix.

    >>> sg.matrix_solve(np.array([[2.0]]), np.array([[1.0]]))
    array([[0.5]])
    """
    return linalg.solve(linalg.adjoint(matrix) if adjoint else matrix, rhs)


def matrix_triangular_solve(
    matrix: Operand, rhs: Operand, lower: bool = True, adjoint: bool = False
) -> AnyArray:
    """Solve matrix @ x = rhs for triangular matrices; with `adjoint`, for their adjoints.

    >>> sg.matrix_triangular_solve(np.array([[2.0]]), np.array([[1.0]]))
    array([[0.5]])
    """
    if adjoint:
        matrix, lower = linalg.adjoint(matrix), not lower
    return linalg.solve_triangular(matrix, rhs, lower=lower)


def matrix_solve_ls(
    matrix: Operand, rhs: Operand, l2_regularizer: float = 0.0, fast: bool = True
) -> AnyArray:
    """Solve least squares, with an L2 regularizer if it is not 0.

    `fast` is accepted as in TensorFlow and ignored: one algorithm serves matrices of any rank.

    >>> sg.matrix_solve_ls(np.array([[1.0], [1.0]]), np.array([[1.0], [3.0]]))
    array([[2.]])
    """
    if not l2_regularizer:
        return linalg.lstsq(matrix, rhs).solution
    transposed = linalg.adjoint(matrix)
    square = ops.matmul(transposed, matrix)
    ridge = ops.where(on_diagonal(square), l2_regularizer, 0)
    return linalg.solve(square + ridge, ops.matmul(transposed, rhs))


def cholesky_solve(chol: Operand, rhs: Operand) -> AnyArray:
    """Solve a @ x = rhs, given the Cholesky factors of a.

    >>> sg.cholesky_solve(np.array([[2.0]]), np.array([[4.0]]))
    array([[1.]])
    """
    return linalg.cholesky_solve(rhs, chol)


def self_adjoint_eig(tensor: Operand) -> Eig:
    """Eigenvalues, in ascending order, and eigenvectors of symmetric or Hermitian matrices.

    >>> sg.self_adjoint_eig(np.diag([2.0, 1.0])).e
    array([1., 2.])
    """
    return Eig(*linalg.eigh(tensor))


def eig(tensor: Operand) -> Eig:
    """The eigenvalues and eigenvectors of square matrices, always complex.

    >>> sg.linalg.eig(np.diag([2.0, 1.0])).e
    array([2.+0.j, 1.+0.j])
    """
    return Eig(*linalg.eig(tensor))


def qr(input: Operand, full_matrices: bool = False) -> QR:
    """The QR decomposition: a matrix with orthonormal columns, and an upper triangular one.

    >>> sg.qr(np.ones((3, 2))).q.shape
    (3, 2)
    """
    return QR(*linalg.qr(input, mode="complete" if full_matrices else "reduced"))


def svd(tensor: Operand, full_matrices: bool = False, compute_uv: bool = True) -> SVD | AnyArray:
    """The singular values and, with `compute_uv`, the singular vectors as columns.

    >>> sg.svd(np.diag([2.0, 3.0])).s
    array([3., 2.])
    """
    if not compute_uv:
        return linalg.svdvals(tensor)
    u, s, vh = linalg.svd(tensor, full_matrices)
    return SVD(s, u, linalg.adjoint(vh))


def matrix_set_diag(input: Operand, diagonal: Operand) -> AnyArray:
    """Matrices with their diagonals replaced.

    >>> sg.matrix_set_diag(np.zeros((2, 2)), np.ones(2))
    array([[1., 0.],
           [0., 1.]])
    """
    m, n = shape_of(input)[-2:]
    tall = isinstance(m, int) and isinstance(n, int) and m > n
    rows = ops.expand_dims(diagonal, axis=-2 if tall else -1)  # one number per column, or per row
    return ops.where(on_diagonal(input), rows, input)


KINDS = {
    "fft": "Fourier transform", "ifft": "inverse Fourier transform",
    "rfft": "Fourier transform of real numbers",
    "irfft": "inverse Fourier transform of real numbers",
}  # fmt: skip
AXES = {"": "the last axis", "2d": "the last 2 axes", "3d": "the last 3 axes"}


def fourier_transform(kind: str, suffix: str) -> Callable[..., AnyArray]:
    """A Fourier transform along one to three last axes; one of real numbers takes lengths."""
    transform, axes = getattr(transforms, kind + "n"), tuple(range(-int(suffix[:1] or 1), 0))

    def of_all(input: Operand) -> AnyArray:
        return transform(input, axes=axes)

    def of_lengths(input: Operand, fft_length: Any = None) -> AnyArray:
        return transform(input, s=fft_length, axes=axes)

    is_real = "r" in kind
    call = of_lengths if is_real else of_all
    lengths = ", of the lengths `fft_length`: one for each" if is_real else ""
    call.__name__, call.__doc__ = kind + suffix, f"The {KINDS[kind]} along {AXES[suffix]}{lengths}."
    return call


FOURIER = {kind + suffix: fourier_transform(kind, suffix) for kind in KINDS for suffix in AXES}
