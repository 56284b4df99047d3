"""Finite differences along an axis, and integration by trapezoids."""

from typing import Any

from ...core.errors import OptionError
from ...core.op import as_operand
from ...core.types import normalize_axis, shape_of, type_of
from ...typing import Operand, OperandLike
from ..elementwise.arithmetic import sub
from ..elementwise.comparison import not_equal
from ..index.indexing import index
from ..shape.broadcasting import broadcast_to
from ..shape.joining import concatenate
from ..shape.movement import reshape
from .reduction import sum

__all__ = ["diff", "trapezoid"]

FULL = slice(None)


def as_joinable(p: Any, x: Any, axis: int) -> Operand:
    """`p` as an array that can be joined to `x` along an axis; a number counts as one entry."""
    if shape_of(p):
        return p
    shape = tuple(1 if i == axis else n for i, n in enumerate(shape_of(x)))
    return broadcast_to(p, shape=shape)


def diff(
    x: OperandLike, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None
) -> Any:
    """The differences of neighbouring entries along an axis, taken `n` times.

    `prepend` and `append` are joined to `x` first, numbers as one entry each. For truth values the
    result is true where neighbours differ. Raises OptionError for a negative `n`.

    >>> diff(np.array([1, 4, 9, 16])), diff(np.array([1, 4, 9, 16]), n=2)
    (array([3, 5, 7]), array([2, 2]))
    """
    kind = type_of(x)
    k = normalize_axis("diff", kind, axis)
    if n < 0:
        raise OptionError("diff", [kind], f"there are no {n} differences")
    if n == 0:
        return x
    parts = [as_joinable(p, x, k) for p in (prepend, x, append) if p is not None]
    x = concatenate(parts, axis=k) if parts[1:] else x
    lead, subtract = (FULL,) * k, not_equal if type_of(x).dtype.kind == "b" else sub
    for _ in range(n):
        x = subtract(index(x, (*lead, slice(1, None))), index(x, (*lead, slice(None, -1))))
    return x


def trapezoid(y: OperandLike, x: OperandLike | None = None, dx: Any = 1.0, axis: int = -1) -> Any:
    """The integral of points along an axis by the trapezoidal rule.

    The points are at `x`, or `dx` apart.

    >>> float(trapezoid(np.array([1.0, 2.0, 3.0])))
    4.0
    """
    y = as_operand(y)
    axis = normalize_axis("trapezoid", type_of(y), axis)
    if x is not None:
        x = as_operand(x)
        dx = diff(x, axis=axis if len(shape_of(x)) > 1 else -1)
        if len(shape_of(x)) == 1:
            rank = len(shape_of(y))
            dx = reshape(dx, shape=[-1 if i == axis else 1 for i in range(rank)])
    lead = (FULL,) * axis
    ends = index(y, (*lead, slice(1, None))) + index(y, (*lead, slice(None, -1)))
    return sum(dx * ends / 2.0, axis=axis)
