"""Arithmetic on unknown sizes that ops do not follow: what is certain of them is known at once."""

from collections.abc import Callable
from typing import Any

import numpy as np

from gradops import ValueUnknownError
from gradops.core.dims import Dim, at_least_zero

from ...ir.expr import Expr
from ...ir.shapes.expressions import shape_value
from .values import SMALL, Value, shape_vector


def entries(x: Value) -> np.ndarray | None:
    """Integers as numbers and sizes, if they are known so far; at most vectors."""
    if x.dtype.kind not in "iu" or len(x.shape) > 1:
        return None
    if not isinstance(x, Expr):
        return x.astype(object) if x.size <= SMALL else None
    try:
        return shape_value(x)
    except ValueUnknownError:
        return None


def known_sizes(*xs: Value) -> list[np.ndarray] | None:
    """The entries of operands, broadcast together, if all are known and some are unknown sizes."""
    if not any(isinstance(x, Expr) for x in xs):
        return None
    found = []
    for x in xs:
        if (values := entries(x)) is None:
            return None
        found.append(values)
    return list(np.broadcast_arrays(*found))


def combined(f: Callable[[Any, Any], Any], a: Value, b: Value) -> Value | None:
    """A function of two sizes, entry by entry; None where some entry has no certain result."""
    found = known_sizes(a, b)
    if found is None:
        return None
    results = [f(n, m) for n, m in zip(found[0].ravel(), found[1].ravel(), strict=True)]
    return None if any(r is None for r in results) else vector_of(results, found[0].shape)


def vector_of(results: list[Any], shape: tuple[int, ...]) -> Value:
    """Numbers, truth values or sizes as a value of a shape of at most one axis."""
    if not any(isinstance(r, Dim) for r in results):
        return np.array(results).reshape(shape)
    made = shape_vector(results)
    return made if shape else made[0]


def are_equal(n: Any, m: Any) -> bool | None:
    """Whether two sizes are equal, if that is certain."""
    if isinstance(n, Dim) or isinstance(m, Dim):
        if n == m:
            return True
        other = m if isinstance(n, Dim) else n
        return (
            False
            if isinstance(other, int) and other < least(n if isinstance(n, Dim) else m)
            else None
        )
    return bool(n == m)


def least(n: Any) -> int:
    """A number that a size is at least."""
    return n.least if isinstance(n, Dim) else int(n)


def larger(n: Any, m: Any) -> Any:
    """The larger of two sizes, if it is certain or one of them is 0."""
    if not isinstance(n, Dim) and not isinstance(m, Dim):
        return max(n, m)
    size, other = (n, m) if isinstance(n, Dim) else (m, n)
    if isinstance(other, int) and other <= 0:
        return at_least_zero(size)
    return size if size == other else None


def quotient(n: Any, m: Any) -> Any:
    """The quotient of sizes that are not negative, rounded down."""
    return n // m if least(n) >= 0 and least(m) > 0 else None
