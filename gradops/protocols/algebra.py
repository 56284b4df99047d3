"""`numpy.linalg` on tensors and expressions, where it differs from what `gradops` offers."""

from typing import Any

import gradops as ops
from gradops import linalg

__all__ = ["diagonal", "qr", "svd", "trace"]


def diagonal(x: Any, offset: int = 0) -> Any:
    """The diagonals of matrices, which lie in the last two axes."""
    return ops.diagonal(x, offset=offset, axis1=-2, axis2=-1)


def trace(x: Any, offset: int = 0, dtype: Any = None) -> Any:
    """The sums of the diagonals of matrices, which lie in the last two axes."""
    found = diagonal(x, offset)
    return ops.sum(found if dtype is None else ops.astype(found, dtype=dtype), axis=-1)


def qr(a: Any, mode: str = "reduced") -> Any:
    """Orthonormal columns and a triangle, of which mode "r" gives the second."""
    return linalg.qr(a, mode="reduced").R if mode == "r" else linalg.qr(a, mode=mode)


def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    """Singular vectors and values, or the values alone."""
    return linalg.svd(a, full_matrices) if compute_uv else linalg.svdvals(a)
