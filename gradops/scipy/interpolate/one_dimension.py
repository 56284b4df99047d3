"""`interp1d`: interpolation of values along an axis by lines, neighbours or splines."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.errors import OptionError, ShapeError
from ...core.tracer_protocol import held
from ...core.types import normalize_axis, shape_of, type_of
from ...library.elementwise.comparison import greater, less, where
from ...library.elementwise.logic import isnan
from ...library.index.indexing import take
from ...library.reduce.searching import searchsorted
from ...library.reduce.sorting import argsort
from ...library.shape.movement import moveaxis
from ..known_entries import entries_of
from .fitting import make_interp_spline
from .operands import beside, in_place, operand, require_vector, size_of

__all__ = ["interp1d"]

DEGREES = {"zero": 0, "slinear": 1, "quadratic": 2, "cubic": 3}


class interp1d:
    """A function that interpolates values `y` at the points `x` along an axis.

    `kind` is "linear", "nearest" (downwards at halves, "nearest-up" upwards), "previous", "next",
    or a spline: "zero", "slinear", "quadratic", "cubic", or its degree. Points outside are an
    error, or with `bounds_error=False` have `fill_value`, one or a pair for both sides;
    "extrapolate" goes on with the first and last piece. In a graph points outside are never an
    error. The value at a point that is NaN is NaN.

    >>> f = interp1d([0.0, 1.0, 2.0], [0.0, 10.0, 30.0])
    >>> f([0.5, 1.5])
    array([ 5., 20.])
    """

    def __init__(
        self, x: Any, y: Any, kind: str | int = "linear", axis: int = -1, copy: bool = True,
        bounds_error: bool | None = None, fill_value: Any = np.nan, assume_sorted: bool = False,
    ) -> None:  # fmt: skip
        x, y = operand(x), operand(y)
        kinds = [type_of(x), type_of(y)]
        require_vector("interp1d", x, 1)
        self.axis = normalize_axis("interp1d", kinds[1], axis)
        y = moveaxis(y, self.axis, 0)
        if isinstance(size_of(x), int) and size_of(x) != size_of(y):
            raise ShapeError("interp1d", kinds, f"there are {size_of(x)} points on axis {axis}")
        degree = DEGREES.get(kind, kind) if isinstance(kind, str) else kind
        if isinstance(degree, str) and degree not in WAYS:
            raise OptionError(
                "interp1d", kinds, f"there is no kind {kind!r}",
                hint=f"kind is a degree or one of {', '.join([*WAYS, *DEGREES])}",
            )  # fmt: skip
        if not assume_sorted and not is_sorted(x):
            order = argsort(x, stable=True)
            x, y = take(x, order, axis=0), take(y, order, axis=0)
        self.x, self.y = x, y
        self.way = WAYS[degree] if isinstance(degree, str) else spline_of_degree(x, y, degree)
        self.extrapolates = isinstance(fill_value, str) and fill_value == "extrapolate"
        if self.extrapolates and bounds_error:
            raise OptionError("interp1d", kinds, "it cannot extrapolate and raise at once")
        self.bounds_error = not self.extrapolates if bounds_error is None else bounds_error
        self.fill_value = self.fills(fill_value, kind)

    def fills(self, given: Any, kind: str | int) -> Any:
        """The values below and above."""
        if self.extrapolates:
            ends: Any = {"previous": (np.nan, self.y[-1]), "next": (self.y[0], np.nan)}
            self.extrapolates = kind not in ends
            return ends.get(kind)
        pair = given if isinstance(given, tuple) and len(given) == 2 else (given, given)
        return tuple(map(operand, pair))

    def __call__(self, x: Any) -> Any:
        """The interpolated values at points, in the place of the axis."""
        x = operand(x)
        y = self.way(self.x, self.y, x)
        if not self.extrapolates:
            below, above = less(x, self.x[0]), greater(x, self.x[-1])
            if self.bounds_error:
                refuse_outside(x, below, above)
            rest = len(shape_of(self.y)) - 1
            y = where(beside(below, rest), self.fill_value[0], y)
            y = where(beside(above, rest), self.fill_value[1], y)
        return in_place(y, len(shape_of(x)), self.axis)


def is_sorted(x: Any) -> bool:
    """True for points that are known to ascend."""
    values = entries_of(x)
    return values is not None and bool((np.diff(values) >= 0).all())


def refuse_outside(x: Any, below: Any, above: Any) -> None:
    """Raise an OptionError for points that are known to lie outside."""
    for outside, words in ((below, "below"), (above, "above")):
        values = entries_of(outside)
        if values is not None and values.any():
            first = np.ravel(held(x))[np.argmax(values)]
            raise OptionError(
                "interp1d", [type_of(x)], f"the point {first} is {words} the range",
                hint="bounds_error=False gives fill_value there",
            )  # fmt: skip


def linear(knots: Any, y: Any, x: Any) -> Any:
    """Lines between neighbours."""
    i = searchsorted(knots[1:-1], x, "left")
    rest = len(shape_of(y)) - 1
    x0, x1 = take(knots, i, axis=0), take(knots, i + 1, axis=0)
    y0, y1 = take(y, i, axis=0), take(y, i + 1, axis=0)
    return (y1 - y0) / beside(x1 - x0, rest) * beside(x - x0, rest) + y0


def nearest(side: str) -> Callable[..., Any]:
    """The value of the nearest point; at halves on that side."""

    def find(knots: Any, y: Any, x: Any) -> Any:
        half = knots / 2
        return step(y, x, searchsorted(half[1:] + half[:-1], x, side))

    return find


def previous(knots: Any, y: Any, x: Any) -> Any:
    """The value of the last point up to each."""
    return step(y, x, searchsorted(knots[1:], x, "right"))


def following(knots: Any, y: Any, x: Any) -> Any:
    """The value of the first point from each on."""
    return step(y, x, searchsorted(knots[:-1], x, "left"))


def step(y: Any, x: Any, i: Any) -> Any:
    """The values at indices; NaN for points that are NaN."""
    return where(beside(isnan(x), len(shape_of(y)) - 1), np.nan, take(y, i, axis=0))


def spline_of_degree(x: Any, y: Any, degree: int) -> Callable[..., Any]:
    """The values of the interpolating spline of a degree."""
    spline = make_interp_spline(x, y, k=degree, check_finite=False)
    return lambda knots, y, points: spline(points)


WAYS: dict[str, Callable[..., Any]] = {
    "linear": linear, "nearest": nearest("left"), "nearest-up": nearest("right"),
    "previous": previous, "next": following,
}  # fmt: skip
