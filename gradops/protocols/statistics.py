"""NumPy's covariances."""

from typing import Any

import gradops as ops

from ..library.movement import in_dtype
from ..types import shape_of, type_of
from .joining import concatenate

__all__ = ["corrcoef", "cov"]


def rows_of(m: Any, rowvar: bool) -> Any:
    """A variable in each row."""
    if len(shape_of(m)) > 2:
        raise ops.ShapeError("cov", [type_of(m)], "the variables are the rows of a matrix")
    if len(shape_of(m)) < 2:
        return ops.reshape(m, shape=(1, -1))
    return m if rowvar or shape_of(m)[0] == 1 else ops.transpose(m)


def cov(
    m: Any, y: Any = None, rowvar: bool = True, bias: bool = False, ddof: Any = None,
    fweights: Any = None, aweights: Any = None, dtype: Any = None,
) -> Any:  # fmt: skip
    """The covariances of variables, which are the rows."""
    x = rows_of(m, rowvar)
    x = x if y is None else concatenate([x, rows_of(y, rowvar)])
    x = in_dtype(x, dtype)
    ddof = (0 if bias else 1) if ddof is None else ddof
    weights = [w for w in (fweights, aweights) if w is not None]
    n = shape_of(x)[1]
    if not weights:
        off = x - ops.mean(x, axis=1, keepdims=True)
        return square_or_number(ops.matmul(off, ops.conj(ops.transpose(off))) / (n - ddof))
    w = weights[0] if len(weights) == 1 else weights[0] * weights[1]
    total = ops.sum(w)
    over = total - ddof
    if aweights is not None and ddof:
        over = total - ddof * ops.sum(w * aweights) / total
    off = x - ops.sum(x * w, axis=1, keepdims=True) / total
    return square_or_number(ops.matmul(off, ops.conj(ops.transpose(off * w))) / over)


def square_or_number(c: Any) -> Any:
    """A matrix of one entry as a number."""
    return ops.reshape(c, shape=()) if shape_of(c) == (1, 1) else c


def corrcoef(x: Any, y: Any = None, rowvar: bool = True, dtype: Any = None) -> Any:
    """The correlations of variables, which are the rows."""
    c = cov(x, y, rowvar, dtype=dtype)
    if not shape_of(c):
        return c / c
    d = ops.sqrt(ops.real(ops.diagonal(c)))
    return ops.clip(c / ops.reshape(d, shape=(-1, 1)) / d, -1, 1)
