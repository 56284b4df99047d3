"""Writing the result of a ufunc into an array, also where NumPy's `out=` has a bug.

Note [Strided out]. NumPy 2.1 to 2.4 reads the operand of `negative` as if it were contiguous where
the step of its entries is their number of bytes, and writes the tests of floats to wrong places, if
`out` is not contiguous itself. See docs/explanation/strided-out.md.
"""

from typing import Any

import numpy as np

MISPLACED = frozenset({np.negative, np.isnan, np.isinf, np.isfinite, np.signbit})
"""The ufuncs of which NumPy gives wrong entries for some steps between those of `out`."""


def write_into(out: Any, ufunc: np.ufunc, *operands: Any) -> None:
    """Write the result of `ufunc` for the operands into the array `out`."""
    if ufunc in MISPLACED and not out.flags.c_contiguous:
        np.copyto(out, ufunc(*operands))
    else:
        ufunc(*operands, out=out)
