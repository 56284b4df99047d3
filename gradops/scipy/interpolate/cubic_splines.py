"""Cubic splines, which have two continuous derivatives, by SciPy's name."""

from typing import Any

from ...core.errors import OptionError, ShapeError
from ...core.types import shape_of, type_of
from ...library.linalg.banded import solve_banded_op
from ...library.reduce.reduction import sum
from ...library.shape.broadcasting import broadcast_to
from ...library.shape.creation import zeros_like
from ...library.shape.joining import concatenate, stack
from ...library.shape.movement import reshape
from .hermite import CubicHermiteSpline, knots_and_values
from .operands import beside, double, of_size, periodic, size_of, steps
from .piecewise import Extrapolate

__all__ = ["CubicSpline"]

NAMES = ("not-a-knot", "clamped", "natural", "periodic")
Condition = Any
"""A name, or the order of a derivative and its value."""


class CubicSpline(CubicHermiteSpline):
    """The cubic spline through values, with conditions at both ends.

    `bc_type` is "not-a-knot", "clamped", "natural", or "periodic", for which the first and last
    values are equal; or a pair, for each end a name or `(order, value)` of a derivative. The spline
    is differentiable in values, knots, points and the values of conditions: its slopes solve
    tridiagonal equations. Raises OptionError for other conditions.

    >>> s = CubicSpline([0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 8.0, 27.0])
    >>> round(float(s(1.5)), 12), round(float(s(1.5, 1)), 12)
    (3.375, 6.75)
    """

    def __init__(
        self, x: Any, y: Any, axis: int = 0, bc_type: Any = "not-a-knot",
        extrapolate: Extrapolate = None,
    ) -> None:  # fmt: skip
        first, last = conditions(bc_type)
        needs = 4 if "periodic" in (first, last) or (first == last == "not-a-knot") else 3
        x, y, axis = knots_and_values("CubicSpline", x, y, axis, needs)
        if first == "periodic":
            y = periodic("CubicSpline", y)
            extrapolate = "periodic" if extrapolate is None else extrapolate
        h = steps(x)
        rise = steps(y) / beside(h, len(shape_of(y)) - 1)
        self.join(x, y, spline_slopes(h, y, rise, first, last), axis, extrapolate)


def conditions(given: Any) -> tuple[Condition, Condition]:
    """The conditions at both ends."""
    pair = (given, given) if isinstance(given, str) else tuple(given)
    if len(pair) != 2 or (not isinstance(given, str) and "periodic" in pair):
        raise OptionError("CubicSpline", [], f"bc_type is a name or a pair, not {given!r}")
    return condition(pair[0]), condition(pair[1])


def condition(given: Any) -> Condition:
    """A condition: a name of one that depends on values, or an order and a value."""
    if isinstance(given, str):
        if given not in NAMES:
            raise OptionError(
                "CubicSpline", [], f"there is no condition {given!r}",
                hint=f"bc_type is one of {', '.join(NAMES)}, or an order and a value",
            )  # fmt: skip
        return {"clamped": (1, 0.0), "natural": (2, 0.0)}.get(given, given)
    if len(given) != 2 or given[0] not in (1, 2):
        raise OptionError("CubicSpline", [], "a condition is the order 1 or 2 and a value")
    return given[0], double(given[1])


def spline_slopes(h: Any, y: Any, rise: Any, first: Condition, last: Condition) -> Any:
    """The slopes at knots `h` apart, between which values rise so much."""
    n = size_of(y)
    if n == 2:  # such conditions leave a line
        first = (1, rise[0]) if isinstance(first, str) else first
        last = (1, rise[0]) if isinstance(last, str) else last
    if n == 3 and first == last == "not-a-knot":
        return parabola_slopes(h, rise)
    if first == "periodic":
        return periodic_slopes(h, y, rise)
    start = end_row(h[:2], y[:2], rise[:2], first, 1)
    end = end_row(h[:-3:-1], y[:-3:-1], rise[:-3:-1], last, -1)
    zero = zeros_like(h[:1])
    bands = stack([
        concatenate([zero, start[1], h[:-1]]),
        concatenate([start[0], 2 * (h[:-1] + h[1:]), end[0]]),
        concatenate([h[1:], end[1], zero]),
    ])  # fmt: skip
    right = concatenate([start[2], weighted_rises(h, rise), end[2]])
    return solve_columns(bands, of_size(right, n))


def weighted_rises(h: Any, rise: Any) -> Any:
    """The right sides of the equations at inner knots, where second derivatives agree."""
    h = beside(h, len(shape_of(rise)) - 1)
    return 3 * (h[1:] * rise[:-1] + h[:-1] * rise[1:])


def end_row(h: Any, y: Any, rise: Any, at_end: Condition, way: int) -> tuple[Any, Any, Any]:
    """The equation at an end: the factors of the slopes there and next to it, and the right side.

    Operands are counted from the end, as is `way`, 1 for the first and -1 for the last.
    """
    rest = len(shape_of(y)) - 1
    if at_end == "not-a-knot":
        both, h0, h1 = h[:1] + h[1:2], beside(h[:1], rest), beside(h[1:2], rest)
        right = ((h0 + 2 * beside(both, rest)) * h1 * rise[:1] + h0 * h0 * rise[1:2]) / beside(
            both, rest
        )
        return h[1:2], both, right
    order, value = at_end
    kind: Any = shape_of(y)[1:]
    if shape_of(value) not in ((), kind):
        raise ShapeError(
            "CubicSpline", [type_of(y), type_of(value)],
            "the value of a condition has the shape of y without the axis",
        )  # fmt: skip
    value = zeros_like(y[:1]) + value
    if order == 1:
        one = zeros_like(h[:1]) + 1
        return one, one - 1, value
    h0 = beside(h[:1], rest)
    return 2 * h[:1], h[:1], 3 * h0 * rise[:1] - 0.5 * way * value * h0 * h0


def solve_columns(bands: Any, right: Any) -> Any:
    """The solution of tridiagonal equations, for right sides with any number of axes."""
    shape = shape_of(right)
    if 0 in shape:
        return zeros_like(right)
    columns = reshape(right, shape=(shape[0], -1))
    bands = bands if shape_of(bands)[-1] == shape[0] else bands[:, : shape[0]]
    return reshape(solve_banded_op(bands, columns, lower=1, upper=1), shape=shape)


def parabola_slopes(h: Any, rise: Any) -> Any:
    """The slopes of a parabola at three knots."""
    h = beside(h, len(shape_of(rise)) - 1)
    middle = (h[1:2] * rise[:1] + h[:1] * rise[1:2]) / (h[:1] + h[1:2])
    return concatenate([2 * rise[:1] - middle, middle, 2 * rise[1:2] - middle])


def periodic_slopes(h: Any, y: Any, rise: Any) -> Any:
    """The slopes of a periodic spline.

    The equations are tridiagonal but for two corners. The last unknown is eliminated: without its
    row and column they are tridiagonal, with one more right side.
    """
    n, rest = size_of(y), len(shape_of(y)) - 1
    if n == 3:
        w = 1 / beside(h, rest)
        return broadcast_to(sum(rise * w, axis=0) / sum(w, axis=0), shape=shape_of(y))
    zero, corner = zeros_like(h[:1]), h[-1:]
    bands = stack([
        concatenate([zero, corner, h[:-1]])[: n - 2],
        concatenate([2 * (corner + h[:1]), 2 * (h[:-1] + h[1:])])[: n - 2],
        of_size(h[1:], n - 2),
    ])  # fmt: skip
    wide = beside(h, rest)
    first = 3 * (wide[:1] * rise[-1:] + wide[-1:] * rise[:1])
    right = of_size(concatenate([first, weighted_rises(h, rise)]), n - 1)
    column = concatenate([-h[:1], zeros_like(h[3:]), -h[-3:-2]])
    known_part = solve_columns(bands, right[: n - 2])
    unknown = beside(solve_columns(bands, of_size(column, n - 2)), rest)
    h2, h1 = wide[-2:-1], wide[-1:]
    last = (right[n - 2 : n - 1] - h2 * known_part[:1] - h1 * known_part[-1:]) / (
        2 * (h1 + h2) + h2 * unknown[:1] + h1 * unknown[-1:]
    )
    slopes = known_part + last * unknown
    return of_size(concatenate([slopes, last, slopes[:1]]), n)
