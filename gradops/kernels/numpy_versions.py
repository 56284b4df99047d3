"""What this NumPy does, where its versions differ."""

import numpy as np

BACKWARDS = np.array([1.0, 0.0])[::-1]

WRITES_EXTREMES = bool(np.maximum.reduce(BACKWARDS, out=np.zeros(())) == 1)
"""False where NumPy misses an entry of what is reversed, given `out`: before 2.2."""

with np.errstate(invalid="ignore"):
    ROOTS_AS_POWERS = bool(np.isnan(np.power(np.array(-np.inf), 0.5)))
"""True where powers of a half are roots: of -0.0 then -0.0, not 0.0, and of -inf NaN, not inf."""
