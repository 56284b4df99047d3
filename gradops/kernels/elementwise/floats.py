"""Integers as the floats that a function of floats makes of them."""

from typing import Any

import numpy as np

PYTHON_FLOATS = frozenset({float, complex})
INTEGERS = frozenset({bool, int})
HALF = np.dtype(np.float16)


def inexact(x: Any) -> Any:
    """`x`; integers and truth values in the dtype in which `np.exp` computes them.

    What is done to them before the first function of floats would otherwise wrap around.
    """
    if type(x) in PYTHON_FLOATS or (type(x) not in INTEGERS and x.dtype.kind in "fc"):
        return x
    return float(x) if type(x) in INTEGERS else x.astype(np.result_type(x.dtype, HALF))
