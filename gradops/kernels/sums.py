"""Sums, and logarithms of sums of exponentials; those along short rows as sums of columns.

NumPy's reduction takes rows one at a time, at a cost of some ten additions each. It adds fewer than
eight entries in order, beginning with 0; so columns that are added in that order have its bits.
"""

import math
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from ..core.float_errors import without_float_errors
from .elementwise.guards import is_finite
from .native_kernels import USED, native_kernel, refuse
from .nn.activation import columns, has_short_rows

LONG = 8  # entries of a row from which NumPy adds several partial sums
FEW = 64  # entries up to which the number of NumPy calls is the cost
MANY = 256  # rows from which adding columns is the lesser cost
TOP: Any = np.maximum.reduce  # with arguments by position, which its type does not have
SUM: Any = np.add.reduce
DTYPES = frozenset({np.dtype("f4"), np.dtype("f8")})


def sum_by_numpy(
    x: Any, axis: Any = None, keepdims: bool = False, out: np.ndarray | None = None
) -> Any:
    """`np.add.reduce`."""
    return SUM(x, axis, None, out, keepdims)


def sum_of(x: Any, axis: Any = None, keepdims: bool = False, out: np.ndarray | None = None) -> Any:
    """`np.add.reduce`, which for a small array costs some ten times what machine code does.

    That has the same bits, so it does not matter which of the two adds up an array.
    """
    if type(x) is np.ndarray and x.size <= SMALL and not keepdims and USED.get():
        kind = kind_of_sum(x, axis)
        if kind is not None and (y := native_sums()[kind](x, out)) is not NotImplemented:
            return y
    return SUM(x, axis, None, out, keepdims)


sum_of.by_numpy = sum_by_numpy  # type: ignore[attr-defined]
SMALL = 1 << 14  # entries up to which the call is a good part of the cost


def kind_of_sum(x: np.ndarray, axis: Any) -> int | None:
    """The number of the native kernel that adds up along an axis; None if there is none."""
    rank = x.ndim
    if axis is not None and type(axis) is not int:
        return None  # a truth value is equal to a number, and is refused
    if axis is None or (rank == 1 and axis in (0, -1)):
        return 0
    if rank == 2 and axis == 0:
        return 2
    if rank > 1 and (axis == -1 or axis == rank - 1):
        return 1
    return None


@cache
def native_sums() -> tuple[Any, ...]:
    """The native kernels; without bits that are NumPy's, those that refuse all operands."""
    found = tuple([native_kernel("totals", f"sum_{of}") for of in ("all", "last", "first")])
    rng = np.random.default_rng(0)
    for n, dtype in product(range(1, 64), ("f4", "f8")):
        x = rng.normal(size=(2, n)).astype(dtype)
        for axis, kernel in zip((None, 1, 0), found, strict=True):
            y = kernel(x, None)
            if y is NotImplemented or y.tobytes() != np.add.reduce(x, axis=axis).tobytes():
                return (refuse,) * 3
    return found


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
