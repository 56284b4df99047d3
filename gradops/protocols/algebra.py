"""`numpy.linalg` on tensors and expressions, where it differs from what `gradops` offers."""

from typing import Any

from .. import linalg
from ..library.movement import computed_in

__all__ = ["qr", "svd", "trace"]


def trace(x: Any, offset: int = 0, dtype: Any = None) -> Any:
    """The sums of the diagonals of matrices, which lie in the last two axes."""
    return computed_in(dtype, linalg.trace, x, offset=offset)


def qr(a: Any, mode: str = "reduced") -> Any:
    """Orthonormal columns and a triangle, of which mode "r" gives the second."""
    return linalg.qr(a, mode="reduced").R if mode == "r" else linalg.qr(a, mode=mode)


def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    """Singular vectors and values, or the values alone."""
    return linalg.svd(a, full_matrices) if compute_uv else linalg.svdvals(a)
