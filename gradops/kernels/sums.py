"""Sums, and logarithms of sums of exponentials; those along short rows as sums of columns.

NumPy's reduction takes rows one at a time, at a cost of some ten additions each. It adds fewer than
eight entries in order, beginning with 0; so columns that are added in that order have its bits.
"""

import math
from typing import Any

import numpy as np

from ..core.float_errors import without_float_errors
from .elementwise.guards import is_finite
from .nn.activation import columns, has_short_rows

LONG = 8  # entries of a row from which NumPy adds several partial sums
FEW = 64  # entries up to which the number of NumPy calls is the cost
MANY = 256  # rows from which adding columns is the lesser cost
TOP: Any = np.maximum.reduce  # with arguments by position, which its type does not have
SUM: Any = np.add.reduce
DTYPES = frozenset({np.dtype("f4"), np.dtype("f8")})


def are_short_rows(shape: tuple[Any, ...], dtype: np.dtype, axis: Any) -> bool:
    """True if a sum along `axis` is one along many short rows of known size."""
    if not shape or shape[-1].__class__ is not int or not 1 < shape[-1] < LONG:
        return False
    if axis not in (-1, (-1,), len(shape) - 1, (len(shape) - 1,)) or dtype not in DTYPES:
        return False
    return all(isinstance(n, int) for n in shape) and math.prod(shape[:-1]) >= MANY


def sum_short_rows(x: np.ndarray, keepdims: bool = False, out: np.ndarray | None = None) -> Any:
    """`np.add.reduce(x, axis=-1)` of fewer than eight columns, to the bit."""
    y = np.empty((*x.shape[:-1], 1) if keepdims else x.shape[:-1], x.dtype) if out is None else out
    total = y[..., 0] if keepdims else y
    np.add(x[..., 0], 0, out=total)
    for i in range(1, x.shape[-1]):
        np.add(total, x[..., i], out=total)
    return y


def logsumexp(
    x: np.ndarray, axis: Any, keepdims: bool = False, out: np.ndarray | None = None
) -> Any:
    """log(sum(exp(x))) of floats along one or several axes."""
    if x.size > FEW and axis is not None and type(axis) is not tuple and has_short_rows(x, axis):
        turned = columns(x)
        y = without_float_errors(log_of_sum, turned, 0, keepdims, None, turned)
        y = y.reshape(*x.shape[:-1], 1) if keepdims else y.reshape(x.shape[:-1])
        return y if out is None else np.positive(y, out=out)
    return without_float_errors(log_of_sum, x, axis, keepdims, out, None)


def log_of_sum(x: Any, axis: Any, keepdims: Any, out: Any, scratch: Any) -> Any:
    """log(sum(exp(x))), where log(0) is the -inf that is meant; `scratch` may be x itself.

    Arguments by position: of a small array, keywords are a good part of what a call costs.
    """
    top = TOP(x, axis, None, None, True)
    if not is_finite(top):
        top = np.where(np.isfinite(top), top, np.zeros((), top.dtype))
    e = np.asarray(np.subtract(x, top, scratch))
    total = SUM(np.exp(e, e), axis, None, out, keepdims)
    own = total if type(total) is np.ndarray else None
    y = np.log(total, own)
    return np.add(y, top.reshape(np.shape(y)), own)
