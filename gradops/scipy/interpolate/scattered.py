"""Interpolation of scattered points by triangles or the nearest point, by SciPy's names.

Which triangle a point lies in, or which point is nearest, SciPy finds from entries that are known;
it has no derivative.
"""

from typing import Any

import numpy as np

from ...core.errors import MissingExtraError, OptionError, ShapeError
from ...core.types import shape_of, type_of
from ...library.elementwise.comparison import where
from ...library.index.indexing import take
from ...library.linalg.solve import solve
from ...library.reduce.reduction import sum
from ...library.shape.joining import concatenate, stack
from ...library.shape.movement import expand_dims, reshape
from ...library.shape.rearrange import matrix_transpose
from ..known_entries import entries_of
from .grids import coordinates
from .one_dimension import interp1d
from .operands import beside, double, operand

__all__ = ["LinearNDInterpolator", "NearestNDInterpolator", "griddata"]


def scattered(call: str, points: Any, values: Any) -> tuple[Any, Any]:
    """The points as rows, and values."""
    points = stack(list(map(double, points)), axis=-1) if isinstance(points, tuple) else points
    points, values = double(points), operand(values)
    kinds = [type_of(points), type_of(values)]
    if kinds[0].ndim != 2 or not kinds[1].ndim or kinds[0].shape[:1] != kinds[1].shape[:1]:
        raise ShapeError(call, kinds, "the points are rows, with a value for each")
    return points, values


def known(call: str, x: Any) -> np.ndarray:
    """The entries of points; an OptionError if they are known only when a graph runs."""
    found = entries_of(x)
    if found is None:
        raise OptionError(
            call, [type_of(x)], "which points are near each other is not known in a graph",
            hint="RBFInterpolator takes points that are not known",
        )  # fmt: skip
    return found


def places(args: tuple[Any, ...], count: int) -> Any:
    """Points of evaluation with their coordinates along the last axis."""
    return coordinates(args if len(args) > 1 else args[0], count)


def of_spatial(call: str, name: str, *args: Any, **options: Any) -> Any:
    """An object of `scipy.spatial`."""
    try:
        from scipy import spatial
    except ImportError as error:
        raise MissingExtraError(call, "SciPy", "scipy") from error
    return getattr(spatial, name)(*args, **options)


def to_cube(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The middle of points and their range, by which they are moved into a cube."""
    low, high = points.min(axis=0), points.max(axis=0)
    return (low + high) / 2, np.where(high > low, high - low, 1.0)


def in_cube(x: np.ndarray, cube: tuple[Any, Any]) -> np.ndarray:
    """Points moved and scaled by a middle and a range."""
    middle, size = cube
    return (x - middle) / size


class LinearNDInterpolator:
    """The piecewise linear function through values at points, on Delaunay's triangles.

    Outside it is `fill_value`. Differentiable in values, points, and the points of evaluation.

    >>> f = LinearNDInterpolator([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], [0.0, 1.0, 2.0])
    >>> float(f(0.25, 0.5))
    1.25
    """

    def __init__(
        self, points: Any, values: Any, fill_value: Any = np.nan, rescale: bool = False
    ) -> None:
        call = "LinearNDInterpolator"
        self.points, self.values = scattered(call, points, values)
        found, self.fill_value = known(call, self.points), fill_value
        self.cube: tuple[Any, Any] = to_cube(found) if rescale else (0.0, 1.0)
        self.triangles = of_spatial(call, "Delaunay", in_cube(found, self.cube))

    def __call__(self, *args: Any) -> Any:
        """The values at points, given by rows or by their coordinates apart."""
        n: Any = shape_of(self.points)[1]
        x = places(args, n)
        shape = (*shape_of(x)[:-1], *shape_of(self.values)[1:])
        x = reshape(x, shape=(-1, n))
        where_known = known("LinearNDInterpolator", x)
        simplex = self.triangles.find_simplex(in_cube(where_known, self.cube))
        corners = self.triangles.simplices[np.maximum(simplex, 0)]
        y = self.between(x, corners)
        rest = len(shape_of(self.values)) - 1
        return reshape(where(beside(simplex < 0, rest), self.fill_value, y), shape=shape)

    def between(self, x: Any, corners: np.ndarray) -> Any:
        """The values at points by those at the corners of their triangles."""
        at, values = take(self.points, corners, axis=0), take(self.values, corners, axis=0)
        last = at[:, -1]
        edges = matrix_transpose(at[:, :-1] - expand_dims(last, axis=1))
        shares = solve(edges, expand_dims(x - last, axis=-1))[..., 0]
        shares = concatenate([shares, 1 - sum(shares, axis=-1, keepdims=True)], axis=-1)
        return sum(beside(shares, len(shape_of(values)) - 2) * values, axis=1)


class NearestNDInterpolator:
    """The function that has at each point the value at the nearest of some points.

    Differentiable in the values.

    >>> f = NearestNDInterpolator([[0.0, 0.0], [1.0, 1.0]], [3.0, 5.0])
    >>> float(f(0.9, 0.7))
    5.0
    """

    def __init__(self, x: Any, y: Any, rescale: bool = False, tree_options: Any = None) -> None:
        call = "NearestNDInterpolator"
        points, self.values = scattered(call, x, y)
        found = known(call, points)
        self.cube: tuple[Any, Any] = to_cube(found) if rescale else (0.0, 1.0)
        self.points = in_cube(found, self.cube)
        self.tree = of_spatial(call, "cKDTree", self.points, **(tree_options or {}))

    def __call__(self, *args: Any, **query_options: Any) -> Any:
        """The values at points, given by rows or by their coordinates apart."""
        x = known("NearestNDInterpolator", places(args, self.points.shape[1]))
        nearest = np.asarray(self.tree.query(in_cube(x, self.cube), **query_options)[1])
        y = take(self.values, np.minimum(nearest, len(self.points) - 1), axis=0)
        none = nearest >= len(self.points)
        return where(beside(none, len(shape_of(self.values)) - 1), np.nan, y) if none.any() else y


def griddata(
    points: Any, values: Any, xi: Any, method: str = "linear", fill_value: Any = np.nan,
    rescale: bool = False,
) -> Any:  # fmt: skip
    """Values at points between scattered ones, "linear" or "nearest"; of numbers "cubic", too.

    Raises OptionError for "cubic" in more dimensions, which is not here.

    >>> griddata(np.array([0.0, 1.0, 3.0]), [0.0, 1.0, 5.0], np.array([0.5, 2.0]))
    array([0.5, 3. ])
    """
    alone = not isinstance(points, tuple) and len(shape_of(operand(points))) < 2
    if alone and method in ("nearest", "linear", "cubic"):
        fill = "extrapolate" if method == "nearest" else fill_value
        x = xi[0] if isinstance(xi, tuple) else xi
        return interp1d(points, values, method, 0, bounds_error=False, fill_value=fill)(x)
    if method == "nearest":
        return NearestNDInterpolator(points, values, rescale)(xi)
    if method != "linear":
        raise OptionError("griddata", [], f"method is 'linear' or 'nearest' here, not {method!r}")
    return LinearNDInterpolator(points, values, fill_value, rescale)(xi)
