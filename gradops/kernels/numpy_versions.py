"""What this NumPy does, where its versions differ."""

import numpy as np

BACKWARDS = np.array([1.0, 0.0])[::-1]

WRITES_EXTREMES = bool(np.maximum.reduce(BACKWARDS, out=np.zeros(())) == 1)
"""False where NumPy misses an entry of what is reversed, given `out`: before 2.2."""

with np.errstate(invalid="ignore"):
    ROOTS_AS_POWERS = bool(np.isnan(np.power(np.array(-np.inf), 0.5)))
"""True where powers of a half are roots: of -0.0 then -0.0, not 0.0, and of -inf NaN, not inf."""

REAL_EIGENVALUES = np.linalg.eigvals(np.ones((1, 1))).dtype.kind == "f"
"""True where eigenvalues are real numbers if all happen to be real: before 2.5."""


def are_indices(dtype: np.dtype) -> bool:
    """True if `take` has indices of a dtype."""
    try:
        np.zeros(1).take(np.zeros(1, dtype))
    except TypeError:
        return False
    return True


INDICES = frozenset(d for d in map(np.dtype, "bhilqBHILQ") if are_indices(d))
"""Dtypes of integers that `take` has for indices: in 2.0 not uint64."""
