"""Splines in two variables on a grid: `RectBivariateSpline`."""

from collections.abc import Sequence
from typing import Any

from ...core.errors import OptionError, ShapeError
from ...core.types import shape_of, type_of
from ...library.elementwise.comparison import clip
from ...library.index.indexing import take
from ...library.reduce.reduction import sum
from ...library.shape.joining import stack
from ...library.shape.movement import expand_dims
from ...library.shape.rearrange import broadcast_arrays, matrix_transpose
from .basis import basis, interval
from .bsplines import BSpline
from .fitting import make_interp_spline
from .operands import double

__all__ = ["RectBivariateSpline"]


class RectBivariateSpline:
    """The surface through values `z` on a grid, a spline of degree `kx` and `ky` along its axes.

    Beyond the ends it has the values there. Raises OptionError for smoothing and a `bbox`, which
    are not here.

    >>> f = RectBivariateSpline([0.0, 1.0], [0.0, 1.0], [[0.0, 1.0], [2.0, 3.0]], kx=1, ky=1)
    >>> f.ev(0.5, 0.5).round(6)
    np.float64(1.5)
    """

    def __init__(
        self, x: Any, y: Any, z: Any, bbox: Sequence[Any] = (None,) * 4, kx: int = 3, ky: int = 3,
        s: float = 0, maxit: int = 20,
    ) -> None:  # fmt: skip
        if s or any(end is not None for end in bbox):
            raise OptionError("RectBivariateSpline", [], "s and bbox are not here")
        z = double(z)
        if len(shape_of(z)) != 2:
            raise ShapeError("RectBivariateSpline", [type_of(z)], "the values have two axes")
        rows = make_interp_spline(x, z, kx, axis=0)
        columns = make_interp_spline(y, rows.c, ky, axis=1)
        self.t, self.c, self.degrees = (rows.t, columns.t), matrix_transpose(columns.c), (kx, ky)

    def weights(self, axis: int, x: Any, nu: int) -> tuple[Any, Any]:
        """The B-splines at points along an axis, and the number of the first coefficient."""
        t, k = self.t[axis], self.degrees[axis]
        first, last = BSpline.construct_fast(t, self.c, k).ends
        x = clip(double(x), first, last)
        i = interval(t, k, x)
        return stack(basis(t, k, x, i, nu), axis=-1), i - k

    def __call__(self, x: Any, y: Any, dx: int = 0, dy: int = 0, grid: bool = True) -> Any:
        """The values on the grid of some points, or with `grid=False` at pairs of them."""
        if not grid:
            return self.ev(x, y, dx, dy)
        found = self.c
        for axis, (points, nu) in enumerate(((x, dx), (y, dy))):
            weights, first = self.weights(axis, points, nu)
            parts = [
                expand_dims(weights[:, j], axis=1 - axis) * take(found, first + j, axis=axis)
                for j in range(self.degrees[axis] + 1)
            ]
            found = sum(stack(parts), axis=0)
        return found

    def ev(self, xi: Any, yi: Any, dx: int = 0, dy: int = 0) -> Any:
        """The values, or derivatives, at pairs of points."""
        xi, yi = broadcast_arrays(double(xi), double(yi))
        (wx, i), (wy, j) = self.weights(0, xi, dx), self.weights(1, yi, dy)
        total: Any = 0.0
        for a in range(self.degrees[0] + 1):
            for b in range(self.degrees[1] + 1):
                total = total + wx[..., a] * wy[..., b] * self.c[i + a, j + b]
        return total
