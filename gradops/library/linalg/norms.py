"""Norms and condition numbers of matrices."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.errors import OptionError, ShapeError
from ...core.types import is_inexact, normalize_axes, shape_of, type_of
from ...typing import AnyArray, Operand, OperandLike
from ..elementwise.arithmetic import abs
from ..elementwise.comparison import where
from ..elementwise.logic import isnan, logical_and, logical_not
from ..reduce.reduction import any, max, min, sum
from ..reduce.statistics import vector_norm
from ..shape.movement import astype, expand_dims, reshape, transpose
from .matrices import require_matrix, require_square
from .solve import inv
from .svd import svdvals

__all__: list[str] = []

Ord = float | str | None


def largest_or_zero(x: AnyArray) -> Operand:
    """The largest entries of nonnegative vectors; 0 for empty ones."""
    return max(x, axis=-1) if 0 not in shape_of(x) else sum(x, axis=-1)


MATRIX: dict[Ord, Callable[[Any], Any]] = {
    None: lambda x: vector_norm(x, axis=(-2, -1)),
    "fro": lambda x: vector_norm(x, axis=(-2, -1)),
    "nuc": lambda x: sum(svdvals(x), axis=-1),
    1: lambda x: largest_or_zero(sum(abs(x), axis=-2)),
    -1: lambda x: min(sum(abs(x), axis=-2), axis=-1),
    2: lambda x: largest_or_zero(svdvals(x)),
    -2: lambda x: min(svdvals(x), axis=-1),
    np.inf: lambda x: largest_or_zero(sum(abs(x), axis=-1)),
    -np.inf: lambda x: min(sum(abs(x), axis=-1), axis=-1),
}


def as_floats(x: Any) -> AnyArray:
    """`x` with integers cast to floats."""
    return x if is_inexact(type_of(x).dtype) else astype(x, dtype=np.float64)


def matrix_norm(x: OperandLike, keepdims: bool = False, ord: Ord = "fro") -> Any:
    """A norm of each matrix.

    The default is the Frobenius norm. `ord` "nuc" is the sum of the singular values; 2 and -2 are
    the largest and smallest of them; 1 and -1 the largest and smallest absolute sum of a column;
    `inf` and `-inf` of a row. Raises OptionError for another `ord`.

    >>> float(matrix_norm(np.diag([3.0, 4.0]))), float(matrix_norm(np.diag([3.0, 4.0]), ord=1))
    (5.0, 4.0)
    """
    x = as_floats(x)
    kind = type_of(x)
    require_matrix("matrix_norm", kind)
    if ord not in MATRIX:
        raise OptionError(
            "matrix_norm", [kind], f"there is no norm {ord!r} of matrices",
            hint="there are 'fro', 'nuc', 1, -1, 2, -2, inf and -inf",
        )
    y = MATRIX[ord](x)
    return expand_dims(y, axis=(-2, -1)) if keepdims else y


def norm(x: Any, ord: Ord = None, axis: Any = None, keepdims: bool = False) -> Any:
    """A norm of vectors along an axis, or of matrices along two; of all entries without `axis`.

    Without `axis` but with `ord`, `x` is one vector or one matrix. See `vector_norm` and
    `matrix_norm` for `ord`. Raises ShapeError for other numbers of axes.

    >>> float(norm(np.array([3.0, 4.0]))), norm(np.eye(2), 1, axis=0)
    (5.0, array([1., 1.]))
    """
    x = as_floats(x)
    kind = type_of(x)
    if axis is None and (ord is None or (ord == 2 and kind.ndim == 1)):
        return vector_norm(x, axis=None, keepdims=keepdims)
    axes = normalize_axes("norm", kind, axis)
    if len(axes) == 1:
        return vector_norm(x, axis=axes, keepdims=keepdims, ord=2 if ord is None else ord)
    if len(axes) != 2:
        raise ShapeError(
            "norm", [kind], f"a norm is of vectors or matrices: of one or two axes, not {len(axes)}"
        )
    y = matrix_norm(transpose(x, axes=(*others(kind.ndim, axes), *axes)), ord=ord)
    if not keepdims:
        return y
    return reshape(y, shape=tuple(1 if i in axes else n for i, n in enumerate(kind.shape)))


def others(ndim: int, axes: tuple[int, ...]) -> tuple[int, ...]:
    """The axes that are not in `axes`."""
    return tuple(i for i in range(ndim) if i not in axes)


def cond(x: OperandLike, p: Ord = None) -> Any:
    """The condition number of matrices: the norm times that of the inverse; infinite if singular.

    By default, and for `p` 2, it is the quotient of the largest and smallest singular values, for
    -2 its reciprocal. Raises ShapeError unless `x` has two axes or more, or for another `p` if
    matrices are not square.

    >>> float(cond(np.diag([1.0, 4.0])))
    4.0
    """
    if p in (None, 2, -2):
        s = svdvals(x)
        return s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
    require_square("cond", type_of(x))
    inverse = inv(x, checked=False)
    missing = any(isnan(inverse), axis=(-2, -1), keepdims=True)
    y = matrix_norm(x, ord=p) * matrix_norm(where(missing, 0, inverse), ord=p)
    return where(logical_and(missing[..., 0, 0], logical_not(isnan(y))), np.inf, y)
