"""Banded linear equations: the kernel is SciPy's, imported when first called."""

import numpy as np

from ...core.errors import MissingExtraError
from .linalg import SINGULAR, dtype_of, failure


def solve_banded(bands: np.ndarray, b: np.ndarray, lower: int, upper: int) -> np.ndarray:
    """The solution of equations with the matrix a, a[i, j] = bands[upper + i - j, j]."""
    dtype = dtype_of(bands, b)
    n = b.shape[-2]
    if bands.shape[-2:] != (lower + upper + 1, n):
        raise ValueError("the shapes do not fit")  # type inference has the words for the user
    batch = np.broadcast_shapes(bands.shape[:-2], b.shape[:-2])
    y = np.zeros((*batch, *b.shape[-2:]), dtype)
    if not y.size:
        return y
    each = np.broadcast_to(bands, (*batch, *bands.shape[-2:]))
    sides = np.broadcast_to(b, y.shape)
    for i in np.ndindex(batch):
        y[i] = solution(each[i], sides[i], lower, upper)
    return y


def solution(bands: np.ndarray, b: np.ndarray, lower: int, upper: int) -> np.ndarray:
    """The solution for one matrix; a LinAlgError if it is singular."""
    try:
        from scipy import linalg
    except ImportError as error:
        raise MissingExtraError("solve_banded", "SciPy", "scipy") from error
    try:
        if len(b) == 1 and not bands[upper, 0]:  # SciPy divides
            raise np.linalg.LinAlgError
        return np.asarray(linalg.solve_banded((lower, upper), bands, b, check_finite=False))
    except np.linalg.LinAlgError:
        raise failure("solve_banded", [bands, b], SINGULAR, np.True_) from None
