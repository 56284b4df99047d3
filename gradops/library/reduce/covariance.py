"""Covariances and correlations."""

from typing import Any

import numpy as np

from ...core.errors import DTypeError, ShapeError
from ...core.types import is_inexact, shape_of, type_of
from ...typing import AnyArray, Operand, OperandLike
from ..elementwise.arithmetic import sqrt
from ..elementwise.comparison import clip
from ..elementwise.complexes import conj, real
from ..index.diagonals import diagonal
from ..linalg.contraction import matmul
from ..shape.joining import concatenate
from ..shape.movement import in_dtype, reshape, transpose
from .reduction import mean, sum

__all__ = ["corrcoef", "cov"]


def variables_in_rows(m: Any, rowvar: bool) -> Operand:
    """The data with a variable in each row."""
    if len(shape_of(m)) > 2:
        raise ShapeError("cov", [type_of(m)], "the variables are the rows of a matrix")
    if len(shape_of(m)) < 2:
        return reshape(m, shape=(1, -1))
    return m if rowvar or shape_of(m)[0] == 1 else transpose(m)


def cov(
    m: OperandLike, y: OperandLike | None = None, rowvar: bool = True, bias: bool = False,
    ddof: Any = None, fweights: Any = None, aweights: Any = None, dtype: Any = None,
) -> Any:  # fmt:
    """The covariances of variables, which are the rows; without `rowvar` they are the columns.

    `y` has more variables. They are over n - `ddof`, by default n - 1, or n if `bias`. `fweights`
    say how often each observation counts, `aweights` how much. Raises ShapeError for more than two
    axes.

    >>> cov(np.array([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    x = variables_in_rows(m, rowvar)
    x = x if y is None else concatenate([x, variables_in_rows(y, rowvar)])
    if dtype is not None and not is_inexact(np.dtype(dtype)):
        raise DTypeError("cov", [type_of(x)], f"covariances are no {dtype}", hint="take a float")
    x = in_dtype(x, dtype)
    ddof = (0 if bias else 1) if ddof is None else ddof
    weights = [w for w in (fweights, aweights) if w is not None]
    n = shape_of(x)[1]
    if not weights:
        off = x - mean(x, axis=1, keepdims=True)
        return square_or_number(matmul(off, conj(transpose(off))) / (n - ddof))
    w = weights[0] if len(weights) == 1 else weights[0] * weights[1]
    total = sum(w)
    over = total - ddof
    if aweights is not None and ddof:
        over = total - ddof * sum(w * aweights) / total
    off = x - sum(x * w, axis=1, keepdims=True) / total
    return square_or_number(matmul(off, conj(transpose(off * w))) / over)


def square_or_number(c: AnyArray) -> AnyArray:
    """A matrix of one entry as a number."""
    return reshape(c, shape=()) if shape_of(c) == (1, 1) else c


def corrcoef(x: Any, y: Any = None, rowvar: bool = True, dtype: Any = None) -> Any:
    """The correlation matrix of variables, which are the rows, or without `rowvar` the columns.

    >>> corrcoef(np.array([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]])).round(6)
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    c = cov(x, y, rowvar, dtype=dtype)
    if not shape_of(c):
        return c / c
    d = sqrt(real(diagonal(c)))
    return clip(c / reshape(d, shape=(-1, 1)) / d, -1, 1)
