"""Interpolation on grids of any number of axes: `RegularGridInterpolator`, `interpn`."""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.errors import OptionError, ShapeError
from ...core.types import shape_of, type_of
from ...library.elementwise.comparison import greater, less, less_equal, where
from ...library.elementwise.logic import isnan, logical_or
from ...library.index.indexing import index, numbers, take
from ...library.reduce.reduction import any
from ...library.reduce.searching import searchsorted
from ...library.shape.joining import stack
from ...library.shape.movement import flip, moveaxis, reshape
from ...library.shape.rearrange import broadcast_arrays
from ..known_entries import entries_of
from .basis import basis
from .basis import interval as spline_interval
from .fitting import make_interp_spline
from .hermite import monotone_slopes
from .operands import beside, double, increasing, operand, size_of, steps

__all__ = ["RegularGridInterpolator", "interpn"]

DEGREES = {"slinear": 1, "cubic": 3, "quintic": 5}
METHODS = ("linear", "nearest", "pchip", *DEGREES)


class RegularGridInterpolator:
    """A function that interpolates values on a grid, of which `points` are the axes.

    `method` is "linear", "nearest", the splines "slinear", "cubic" and "quintic", or "pchip".
    Points outside are an error, or with `bounds_error=False` have `fill_value`; None extrapolates.
    In a graph they are never an error, and NaN. Differentiable in values, points of the grid, and
    points of evaluation.

    >>> f = RegularGridInterpolator(([0.0, 1.0], [0.0, 2.0]), [[0.0, 2.0], [1.0, 3.0]])
    >>> f([0.5, 1.0])
    array([1.5])
    """

    def __init__(
        self, points: Sequence[Any], values: Any, method: str = "linear",
        bounds_error: bool = True, fill_value: Any = np.nan, *, solver: Any = None,
        solver_args: Any = None,
    ) -> None:  # fmt: skip
        self.values = operand(values)
        self.method, self.bounds_error, self.fill_value = method, bounds_error, fill_value
        require_method(method)
        grid = [double(p) for p in points]
        kinds = [*map(type_of, grid), type_of(self.values)]
        if len(grid) > kinds[-1].ndim:
            raise ShapeError(CALL, kinds, f"there are {len(grid)} axes of points")
        for i, p in enumerate(grid):
            n, m = size_of(p), kinds[-1].shape[i]
            if isinstance(n, int) and isinstance(m, int) and n != m:
                raise ShapeError(CALL, kinds, f"there are {n} points on axis {i}, and {m} values")
            if falls(p):
                grid[i], self.values = flip(p), flip(self.values, axis=i)
        self.grid = tuple(increasing(CALL, p, least=1) for p in grid)

    def __call__(self, xi: Any, method: str | None = None, *, nu: Any = None) -> Any:
        """The values at points, whose coordinates lie along the last axis, or are given apart.

        `nu` are the orders of derivatives along each axis, for splines.
        """
        method = method or self.method
        require_method(method)
        if nu is not None and method not in DEGREES:
            raise OptionError(CALL, [], f"{method} has no derivatives: nu is for {list(DEGREES)}")
        xi = coordinates(xi, len(self.grid))
        shape = (*shape_of(xi)[:-1], *shape_of(self.values)[len(self.grid) :])
        flat = reshape(xi, shape=(-1, len(self.grid)))
        xs = [flat[:, i] for i in range(len(self.grid))]
        y = self.inside(self.evaluate(xs, method, nu), xs)
        return reshape(y, shape=shape)

    def evaluate(self, xs: list[Any], method: str, nu: Any) -> Any:
        """The values at points, extrapolated."""
        if method == "nearest":
            return nearest(self.grid, self.values, xs)
        if method == "linear":
            return linear(self.grid, self.values, xs)
        if method == "pchip":
            return monotone(self.grid, self.values, xs)
        return spline(self.grid, self.values, xs, DEGREES[method], nu or [0] * len(xs))

    def inside(self, y: Any, xs: list[Any]) -> Any:
        """Values with those for points outside replaced, or refused; NaN for points of NaN."""
        rest = len(shape_of(self.values)) - len(self.grid)
        pairs = list(zip(self.grid, xs, strict=True))
        out = [logical_or(less(x, p[0]), greater(x, p[-1])) for p, x in pairs]
        if self.bounds_error:
            for i, each in enumerate(out):
                if (outside := entries_of(each)) is not None and outside.any():
                    raise OptionError(
                        CALL, [], f"one of the points is out of bounds along axis {i}",
                        hint="bounds_error=False gives fill_value there",
                    )  # fmt: skip
        if self.fill_value is not None or self.bounds_error:
            fill = np.nan if self.bounds_error else self.fill_value
            y = where(beside(any(stack(out), axis=0), rest), fill, y)
        missing = any(stack([isnan(x) for x in xs]), axis=0)
        return where(beside(missing, rest), np.nan, y)


CALL = "RegularGridInterpolator"


def require_method(method: str) -> None:
    """Raise an OptionError for a method that there is not."""
    if method not in METHODS:
        raise OptionError(
            CALL,
            [],
            f"there is no method {method!r}",
            hint=f"method is one of {', '.join(METHODS)}",
        )


def falls(p: Any) -> bool:
    """True for points that are known to descend."""
    values = entries_of(p)
    return values is not None and values.ndim == 1 and values.size > 1 and values[0] > values[-1]


def coordinates(xi: Any, count: int) -> Any:
    """Points with their coordinates along the last axis."""
    if isinstance(xi, tuple):
        return stack(list(broadcast_arrays(*map(double, xi))), axis=-1)
    xi = double(xi)
    if len(shape_of(xi)) < 2:
        return reshape(xi, shape=(-1, count))
    if shape_of(xi)[-1] != count:
        raise ShapeError(CALL, [type_of(xi)], f"the points do not have {count} coordinates")
    return xi


def cells(grid: Sequence[Any], xs: Sequence[Any]) -> list[tuple[Any, Any]]:
    """For each axis the number of the cell of each point, and where it lies in it, from 0 to 1."""
    found = []
    for p, x in zip(grid, xs, strict=True):
        if size_of(p) == 1:
            found.append((searchsorted(p[:0], x), 0.0 * x))
            continue
        i = searchsorted(p[1:-1], x, "right")
        start = take(p, i, axis=0)
        found.append((i, (x - start) / (take(p, i + 1, axis=0) - start)))
    return found


def linear(grid: Sequence[Any], values: Any, xs: Sequence[Any]) -> Any:
    """The mean of the corners of a cell, weighted by how near they are."""
    rest, total = len(shape_of(values)) - len(grid), None
    choices = [
        [(i, 1 - t)] if size_of(p) == 1 else [(i, 1 - t), (i + 1, t)]
        for p, (i, t) in zip(grid, cells(grid, xs), strict=True)
    ]
    for corner in itertools.product(*choices):
        weight = corner[0][1]
        for _, each in corner[1:]:
            weight = weight * each
        term = index(values, tuple([i for i, _ in corner])) * beside(weight, rest)
        total = term if total is None else total + term
    return total


def nearest(grid: Sequence[Any], values: Any, xs: Sequence[Any]) -> Any:
    """The values at the nearest corners, the lower of two."""
    places = [where(less_equal(t, 0.5), i, i + 1) for i, t in cells(grid, xs)]
    return index(values, tuple(places))


def spline(grid: Sequence[Any], values: Any, xs: Sequence[Any], k: int, nu: Sequence[int]) -> Any:
    """The tensor product of splines: coefficients along axis after axis, then all neighbours."""
    rest, choices = len(shape_of(values)) - len(grid), []
    for axis, (p, x, order) in enumerate(zip(grid, xs, nu, strict=True)):
        if isinstance(size_of(p), int) and size_of(p) <= k:
            raise ShapeError(CALL, [type_of(p)], f"a spline of degree {k} takes {k + 1} points")
        s = make_interp_spline(p, values, k, axis=axis)
        values = moveaxis(s.c, 0, axis)
        i = spline_interval(s.t, k, x)
        weights = basis(s.t, k, x, i, order)
        choices.append([(i + (a - k), weight) for a, weight in enumerate(weights)])
    total: Any = 0.0
    for corner in itertools.product(*choices):
        weight = corner[0][1]
        for _, each in corner[1:]:
            weight = weight * each
        total = total + index(values, tuple([i for i, _ in corner])) * beside(weight, rest)
    return total


def monotone(grid: Sequence[Any], values: Any, xs: Sequence[Any]) -> Any:
    """The monotone interpolants along the last axis, of these along the one before, and so on."""
    for axis in reversed(range(len(grid))):
        values = moveaxis(values, axis if axis == len(grid) - 1 else axis + 1, 0)
        values = along_first(grid[axis], values, xs[axis], has_points=axis < len(grid) - 1)
    return values


def along_first(p: Any, y: Any, x: Any, has_points: bool) -> Any:
    """The monotone interpolant along the first axis, at all points or at each one's own.

    With `has_points` the second axis of the values is that of the points.
    """
    slopes, i = monotone_slopes(p, y), searchsorted(p[1:-1], x, "right")
    y0, y1, s0, s1 = (
        index(v, (j, numbers(x, 0))) if has_points else take(v, j, axis=0)
        for v in (y, slopes) for j in (i, i + 1)
    )  # fmt: skip
    rest = len(shape_of(y0)) - 1
    h, t = beside(take(steps(p), i, axis=0), rest), beside(x - take(p, i, axis=0), rest)
    rise = (y1 - y0) / h
    bend = (s0 + s1 - 2 * rise) / h
    return ((bend / h * t + ((rise - s0) / h - bend)) * t + s0) * t + y0


def interpn(
    points: Sequence[Any], values: Any, xi: Any, method: str = "linear",
    bounds_error: bool = True, fill_value: Any = np.nan,
) -> Any:  # fmt: skip
    """The values of `RegularGridInterpolator` at points.

    >>> interpn(([0.0, 1.0],), [1.0, 3.0], [0.5])
    array([2.])
    """
    grid = RegularGridInterpolator(points, values, method, bounds_error, fill_value)
    return grid(xi)
