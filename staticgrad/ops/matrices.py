"""Linear algebra and Fourier transforms: TensorFlow's functions, in terms of those of `gradops`."""

from collections.abc import Callable
from typing import Any, NamedTuple

import gradops as ops
from gradops import fft as transforms
from gradops import linalg
from gradops.core.types import shape_of
from gradops.library.linalg.matrices import on_diagonal


class Eig(NamedTuple):
    """Eigenvalues, and eigenvectors as columns."""

    e: Any
    v: Any


class SVD(NamedTuple):
    """Singular values, and singular vectors as columns."""

    s: Any
    u: Any
    v: Any


class QR(NamedTuple):
    """A matrix with orthonormal columns, and an upper triangular one."""

    q: Any
    r: Any


def matrix_inverse(input: Any, adjoint: bool = False) -> Any:
    """The inverses of square matrices, or of their adjoints.

    >>> sg.matrix_inverse(np.array([[2.0]]))
    array([[0.5]])
    """
    return linalg.inv(linalg.adjoint(input) if adjoint else input)


def matrix_solve(matrix: Any, rhs: Any, adjoint: bool = False) -> Any:
    """The solutions of linear equations; the right sides are the columns of matrices.

    >>> sg.matrix_solve(np.array([[2.0]]), np.array([[1.0]]))
    array([[0.5]])
    """
    return linalg.solve(linalg.adjoint(matrix) if adjoint else matrix, rhs)


def matrix_triangular_solve(
    matrix: Any, rhs: Any, lower: bool = True, adjoint: bool = False
) -> Any:
    """The solutions of linear equations with triangular matrices, or with their adjoints.

    >>> sg.matrix_triangular_solve(np.array([[2.0]]), np.array([[1.0]]))
    array([[0.5]])
    """
    if adjoint:
        matrix, lower = linalg.adjoint(matrix), not lower
    return linalg.solve_triangular(matrix, rhs, lower=lower)


def matrix_solve_ls(matrix: Any, rhs: Any, l2_regularizer: float = 0.0, fast: bool = True) -> Any:
    """The solutions of least squares, or with a regularizer of those plus its part of the norm.

    `fast` is taken for TensorFlow's sake; there is one way, for matrices of any rank.

    >>> sg.matrix_solve_ls(np.array([[1.0], [1.0]]), np.array([[1.0], [3.0]]))
    array([[2.]])
    """
    if not l2_regularizer:
        return linalg.lstsq(matrix, rhs).solution
    turned = linalg.adjoint(matrix)
    square = ops.matmul(turned, matrix)
    ridge = ops.where(on_diagonal(square), l2_regularizer, 0)
    return linalg.solve(square + ridge, ops.matmul(turned, rhs))


def cholesky_solve(chol: Any, rhs: Any) -> Any:
    """The solutions of linear equations, from Cholesky's factors.

    >>> sg.cholesky_solve(np.array([[2.0]]), np.array([[4.0]]))
    array([[1.]])
    """
    return linalg.cholesky_solve(rhs, chol)


def self_adjoint_eig(tensor: Any) -> Eig:
    """The eigenvalues, in ascending order, and eigenvectors of symmetric or Hermitian matrices.

    >>> sg.self_adjoint_eig(np.diag([2.0, 1.0])).e
    array([1., 2.])
    """
    return Eig(*linalg.eigh(tensor))


def eig(tensor: Any) -> Eig:
    """The eigenvalues and eigenvectors of square matrices, complex in any case.

    >>> sg.linalg.eig(np.diag([2.0, 1.0])).e
    array([2.+0.j, 1.+0.j])
    """
    return Eig(*linalg.eig(tensor))


def qr(input: Any, full_matrices: bool = False) -> QR:
    """Factors of matrices: one with orthonormal columns, one upper triangular.

    >>> sg.qr(np.ones((3, 2))).q.shape
    (3, 2)
    """
    return QR(*linalg.qr(input, mode="complete" if full_matrices else "reduced"))


def svd(tensor: Any, full_matrices: bool = False, compute_uv: bool = True) -> Any:
    """Singular values, and if they are asked for singular vectors, as columns of two matrices.

    >>> sg.svd(np.diag([2.0, 3.0])).s
    array([3., 2.])
    """
    if not compute_uv:
        return linalg.svdvals(tensor)
    u, s, vh = linalg.svd(tensor, full_matrices)
    return SVD(s, u, linalg.adjoint(vh))


def matrix_set_diag(input: Any, diagonal: Any) -> Any:
    """Matrices with other numbers on their diagonals.

    >>> sg.matrix_set_diag(np.zeros((2, 2)), np.ones(2))
    array([[1., 0.],
           [0., 1.]])
    """
    m, n = shape_of(input)[-2:]
    tall = isinstance(m, int) and isinstance(n, int) and m > n
    rows = ops.expand_dims(diagonal, axis=-2 if tall else -1)  # one number per column, or per row
    return ops.where(on_diagonal(input), rows, input)


def of_axes(name: str, count: int) -> Callable[[Any], Any]:
    """A transform of complex numbers along the last axes."""
    transform = getattr(transforms, name + "n")
    axes = tuple(range(-count, 0))

    def call(input: Any) -> Any:
        return transform(input, axes=axes)

    call.__name__ = name if count == 1 else f"{name}{count}d"
    call.__doc__ = f"The {spelled_out(name)} along {along(count)}."
    return call


def of_halves(name: str, count: int) -> Callable[..., Any]:
    """A transform to or from real numbers along the last axes."""
    transform = getattr(transforms, name + "n")
    axes = tuple(range(-count, 0))

    def call(input: Any, fft_length: Any = None) -> Any:
        return transform(input, s=fft_length, axes=axes)

    call.__name__ = name if count == 1 else f"{name}{count}d"
    call.__doc__ = (
        f"The {spelled_out(name)} along {along(count)}, of the lengths `fft_length`: one for each."
    )
    return call


def spelled_out(name: str) -> str:
    """What kind of transform has a name."""
    kind = "Fourier transform" if "r" not in name else "Fourier transform of real numbers"
    return f"inverse {kind}" if name.startswith("i") else kind


def along(count: int) -> str:
    """Which axes are transformed, in words."""
    return "the last axis" if count == 1 else f"the last {count} axes"


SUFFIXES = {1: "", 2: "2d", 3: "3d"}
COMPLEX: dict[str, Any] = {
    name + suffix: of_axes(name, count)
    for name in ("fft", "ifft")
    for count, suffix in SUFFIXES.items()
}
REAL: dict[str, Any] = {
    name + suffix: of_halves(name, count)
    for name in ("rfft", "irfft")
    for count, suffix in SUFFIXES.items()
}
