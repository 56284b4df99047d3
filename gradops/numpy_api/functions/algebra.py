"""`numpy.linalg` on tensors and expressions, where it differs from what `gradops` offers."""

from typing import Any

import numpy as np

from ... import linalg
from ...core.errors import GradError
from ...kernels.numpy_versions import REAL_EIGENVALUES
from ...library.elementwise.complexes import imag, real
from ...library.shape.creation import stop_gradient
from ...library.shape.movement import compute_in
from ...typing import AnyArray, DTypeLike, OperandLike
from ..refusals import concrete

__all__ = ["eig", "eigvals", "qr", "svd", "trace"]


def eigvals(a: OperandLike) -> AnyArray:
    """The eigenvalues; real if all are known to be, and NumPy's own are then (before 2.5)."""
    return real_if_known(linalg.eigvals(a))


def eig(a: OperandLike) -> Any:
    """The eigenvalues and eigenvectors; real where those of `eigvals` are."""
    found = linalg.eig(a)
    values = real_if_known(found.eigenvalues)
    if values is found.eigenvalues:
        return found
    return type(found)(values, real(found.eigenvectors))


def real_if_known(w: OperandLike) -> Any:
    """The real part, if all imaginary parts are known to be zero; else `w`."""
    if not REAL_EIGENVALUES:
        return w
    try:
        return w if np.any(concrete(stop_gradient(imag(w)))) else real(w)
    except GradError:  # of a graph, or a stack of examples
        return w


def trace(x: AnyArray, offset: int = 0, dtype: DTypeLike = None) -> AnyArray:
    """The sums of the diagonals of matrices, which lie in the last two axes."""
    return compute_in(dtype, linalg.trace, x, offset=offset)


def qr(a: OperandLike, mode: str = "reduced") -> Any:
    """The QR decomposition; with mode "r" the triangle only."""
    return linalg.qr(a, mode="reduced").R if mode == "r" else linalg.qr(a, mode=mode)


def svd(a: OperandLike, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    """Singular vectors and values, or the values alone."""
    return linalg.svd(a, full_matrices) if compute_uv else linalg.svdvals(a)
