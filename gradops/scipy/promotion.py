"""Operands of one dtype, by NumPy's rules, for functions that take several."""

from typing import Any

import numpy as np

from ..core.types import type_of
from ..library.shape.movement import astype

__all__: list[str] = []


def promoted(*xs: Any) -> list[Any]:
    """The operands in the dtype that NumPy's promotion gives them together.

    A tensor beside an array keeps its own rules, by which products of matrices of two dtypes are
    refused; SciPy's functions promote.
    """
    dtypes = [type_of(x).dtype for x in xs]
    if all(dtype == dtypes[0] for dtype in dtypes):
        return list(xs)
    dtype = np.result_type(*dtypes)
    return [
        x if own == dtype else astype(x, dtype=dtype) for x, own in zip(xs, dtypes, strict=True)
    ]
