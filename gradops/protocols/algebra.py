"""`numpy.linalg` on tensors and expressions, where it differs from what `gradops` offers."""

from typing import Any

import gradops as ops

__all__ = ["diagonal", "trace"]


def diagonal(x: Any, offset: int = 0) -> Any:
    """The diagonals of matrices, which lie in the last two axes."""
    return ops.diagonal(x, offset=offset, axis1=-2, axis2=-1)


def trace(x: Any, offset: int = 0, dtype: Any = None) -> Any:
    """The sums of the diagonals of matrices, which lie in the last two axes."""
    found = diagonal(x, offset)
    return ops.sum(found if dtype is None else ops.astype(found, dtype=dtype), axis=-1)
