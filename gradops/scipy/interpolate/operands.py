"""Operands as SciPy's interpolation takes them: knots that increase, values along an axis."""

from typing import Any

import numpy as np

from ...core.dims import Dim
from ...core.errors import OptionError, ShapeError
from ...core.types import is_inexact, normalize_axis, shape_of, type_of
from ...library.elementwise.arithmetic import abs
from ...library.elementwise.comparison import greater, greater_equal, less_equal, where
from ...library.elementwise.logic import isfinite, logical_and, logical_or
from ...library.index.indexing import index
from ...library.reduce.reduction import all, any
from ...library.shape.ensure_shape import ensure_shape
from ...library.shape.movement import astype, moveaxis, transpose
from ...typing import AnyArray
from ..known_entries import entries_of

__all__: list[str] = []


def operand(x: Any) -> Any:
    """`x` as an operand: lists and numbers as arrays, integers as floats."""
    x = np.asarray(x) if isinstance(x, list | tuple | int | float | complex) else x
    return x if is_inexact(type_of(x).dtype) else astype(x, dtype=np.float64)


def double(x: Any) -> Any:
    """`x` in double precision, real or complex, in which SciPy's splines are."""
    x = operand(x)
    return astype(x, dtype=np.result_type(type_of(x).dtype, np.float64))


def size_of(x: AnyArray, axis: int = 0) -> Any:
    """The number of entries along an axis."""
    return shape_of(x)[axis]


def steps(x: Any) -> Any:
    """The differences of neighbours along the first axis."""
    return x[1:] - x[:-1]


def require_vector(call: str, x: AnyArray, least: int = 2) -> None:
    """Raise a ShapeError unless there is one axis, with so many entries at least."""
    n: Any = shape_of(x)
    if len(n) != 1 or (isinstance(n[0], int) and n[0] < least):
        raise ShapeError(call, [type_of(x)], f"it takes a vector of {least} entries or more")


def increasing(call: str, x: Any, least: int = 2, exact: int | None = None) -> Any:
    """Knots, which increase; an OptionError if they do not.

    In a graph, where entries are not known, they become NaN instead: so does what depends on them.
    With `exact`, this is so too if their number is not known and is less.
    """
    require_vector(call, x, least)
    values = entries_of(x)
    if values is not None:
        if not (np.diff(values) > 0).all():  # NaN is refused too
            raise OptionError(call, [type_of(x)], "x must increase strictly, and be finite")
        return x
    fine = all(greater(steps(x), 0))
    if exact is not None and isinstance(size_of(x), Dim):
        fine = logical_and(fine, any(isfinite(x[exact - 1 : exact])))
    return where(fine, x, np.nan)


def values_along(call: str, x: AnyArray, y: AnyArray, axis: int) -> tuple[Any, int]:
    """The values with the axis of the knots first, and that axis counted from the front."""
    kind = type_of(y)
    if not kind.ndim:
        raise ShapeError(call, [type_of(x), kind], "y has no axes")
    axis = normalize_axis(call, kind, axis)
    n, m = size_of(x), kind.shape[axis]
    if n != m and isinstance(n, int) and isinstance(m, int):
        raise ShapeError(call, [type_of(x), kind], f"there are {n} knots, and {m} values")
    return of_common_size(moveaxis(y, axis, 0) if axis else y, n), axis


def of_common_size(x: AnyArray, n: Any) -> Any:
    """`x` with a first axis of size `n`, of which one is not known; checked when a graph runs."""
    m = size_of(x)
    if m == n:
        return x
    known = n if isinstance(n, int) or not isinstance(m, int) else m
    return ensure_shape(x, shape=(known, *shape_of(x)[1:]))


def require_finite(call: str, *xs: AnyArray) -> None:
    """Raise an OptionError for values that are known and infinite or no numbers."""
    for x in xs:
        values = entries_of(x)
        if values is not None and not np.isfinite(values).all():
            raise OptionError(call, [type_of(x)], "the values must be finite")


def periodic(call: str, y: Any) -> Any:
    """Values of which the first and the last are the same; an OptionError if they are not.

    In a graph they become NaN instead.
    """
    values, close = entries_of(y), 1e-15
    if values is None:
        same = less_equal(abs(y[0] - y[-1]), close + close * abs(y[-1]))
        return where(same, y, np.nan)
    if not np.allclose(values[0], values[-1], rtol=close, atol=close):
        raise OptionError(
            call, [type_of(y)], "the first and last values of a period are not the same"
        )
    return y


def monotone(call: str, x: Any, rising: bool = False) -> Any:
    """Knots that increase or decrease, neighbours may be equal; an OptionError if they do not.

    With `rising` they increase. In a graph they become NaN instead.
    """
    values = entries_of(x)
    change = steps(x if values is None else values)
    fine = all(greater_equal(change, 0))
    if not rising:
        fine = logical_or(fine, all(less_equal(change, 0)))
    if values is None:
        return where(fine, x, np.nan)
    if not fine:
        raise OptionError(
            call, [type_of(x)], f"the knots do not increase{'' if rising else ' or decrease'}"
        )
    return x


def beside(x: Any, count: int) -> Any:
    """`x` with further axes at its end, so that it goes with values of more axes."""
    return index(x, (..., *(None,) * count)) if count else x


def in_place(y: AnyArray, points: int, axis: int) -> Any:
    """Values with the axes of the points in the place of the axis of the knots."""
    if not axis:
        return y
    axes = list(range(len(shape_of(y))))
    front = axes[points : points + axis]
    return transpose(y, axes=tuple(front + axes[:points] + axes[points + axis :]))


def of_size(x: Any, n: Any) -> Any:
    """`x` with the size `n` of its first axis, which it has under another name."""
    return x if shape_of(x)[0] == n else x[:n]
