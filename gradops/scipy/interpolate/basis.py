"""The B-splines of a knot vector that are not zero at a point, and their derivatives."""

import itertools
from typing import Any

from ...core.types import shape_of
from ...library.elementwise.comparison import equal, where
from ...library.index.indexing import take
from ...library.reduce.searching import searchsorted
from .operands import beside

__all__: list[str] = []


def interval(t: Any, k: int, x: Any) -> Any:
    """The index i of the knot at which each point's interval starts, from k on."""
    return searchsorted(t[k + 1 : -k - 1], x, "right") + k


def over(x: Any, width: Any) -> Any:
    """A quotient, 0 where the interval is empty: at the end of repeated knots."""
    empty = equal(width, 0)
    return where(empty, 0.0, x) / where(empty, 1.0, width)


def basis(t: Any, k: int, x: Any, i: Any, nu: int = 0) -> list[Any]:
    """The B-splines number i - k to i at the points, or their derivatives of order `nu`.

    The recursion of Cox and de Boor; those of lower degree are lifted to derivatives.
    """
    if nu > k:
        return [0.0 * x] * (k + 1)
    near = {j: take(t, i + j, axis=0) for j in range(1 - k, k + 1)} if k else {}
    found = values(near, k - nu, x)
    for degree in range(k - nu + 1, k + 1):
        found = lifted(near, degree, found)
    return found


def values(near: dict[int, Any], k: int, x: Any) -> list[Any]:
    """The B-splines of degree k, from those of degree 0; `near[j]` is the knot number i + j."""
    found: list[Any] = [1.0 + 0.0 * x]
    for degree in range(1, k + 1):
        saved: Any = 0.0
        for r in range(degree):
            right, left = near[r + 1], near[r + 1 - degree]
            part = over(found[r], right - left)
            found[r] = saved + (right - x) * part
            saved = (x - left) * part
        found.append(saved)
    return found


def lifted(near: dict[int, Any], k: int, lower: list[Any]) -> list[Any]:
    """The derivatives of B-splines of degree k, from those of degree k - 1, one order less."""
    parts = [over(k * n, near[r + 1] - near[r + 1 - k]) for r, n in enumerate(lower)]
    inner = [a - b for a, b in itertools.pairwise(parts)]
    return [-parts[0], *inner, parts[-1]]


def combined(c: Any, i: Any, k: int, weights: list[Any]) -> Any:
    """The sum of coefficients i - k to i times B-splines, for coefficients with one axis first."""
    rest = len(shape_of(c)) - 1
    y: Any = 0.0
    for a, weight in enumerate(weights):
        y = y + beside(weight, rest) * take(c, i + (a - k), axis=0)
    return y
