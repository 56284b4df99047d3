"""The polynomial of lowest degree through values: `BarycentricInterpolator`."""

from typing import Any

import numpy as np

from ...core.errors import OptionError, ShapeError
from ...core.types import shape_of, type_of
from ...library.elementwise.comparison import where
from ...library.linalg.products import tensordot
from ...library.reduce.reduction import max, min, prod, prod_others, sum
from ...library.shape.joining import concatenate
from ...library.shape.movement import expand_dims
from ..known_entries import entries_of
from .operands import double, in_place, require_vector, size_of, values_along

__all__ = ["BarycentricInterpolator", "barycentric_interpolate"]


class BarycentricInterpolator:
    """The polynomial of lowest degree through values `yi` at nodes `xi`, in any order.

    Differentiable in values, nodes and points, also where a point is a node. `wi` are barycentric
    weights, where they are known. Raises OptionError for nodes that are equal.

    >>> p = BarycentricInterpolator([0.0, 1.0, 2.0], [0.0, 1.0, 4.0])
    >>> p([0.5, 3.0])
    array([0.25, 9.  ])
    """

    def __init__(
        self, xi: Any, yi: Any = None, axis: int = 0, *, wi: Any = None, rng: Any = None
    ) -> None:
        self.xi = double(xi)
        require_vector(CALL, self.xi, 1)
        if not isinstance(size_of(self.xi), int):
            raise ShapeError(CALL, [type_of(self.xi)], "the number of nodes is not known")
        values = entries_of(self.xi)
        if values is not None and len(np.unique(values)) < values.size:
            raise OptionError(CALL, [type_of(self.xi)], "the nodes are not distinct")
        self.given, self.yi, self.axis = wi, None, axis
        if yi is not None:
            self.set_yi(yi, axis)

    @property
    def wi(self) -> Any:
        """The barycentric weights, up to a common factor."""
        return weights(self.xi) if self.given is None else double(self.given)

    def set_yi(self, yi: Any, axis: int | None = None) -> None:
        """Set the values at the nodes."""
        axis = self.axis if axis is None else axis
        self.yi, self.axis = (
            (None, axis) if yi is None else values_along(CALL, self.xi, double(yi), axis)
        )

    def add_xi(self, xi: Any, yi: Any = None) -> None:
        """Add nodes, and values at them, along the first axis."""
        if yi is not None:
            if self.yi is None:
                raise OptionError(CALL, [], "there are no values yet to which these can be added")
            self.yi = concatenate([self.yi, double(yi)])
        self.xi = concatenate([self.xi, double(xi)])
        self.given = None

    def __call__(self, x: Any) -> Any:
        """The values of the polynomial."""
        return self.derivative(x, 0)

    def derivative(self, x: Any, der: int = 1) -> Any:
        """The derivative of order `der` at points."""
        x, y = double(x), self.values()
        matrix = differences(self.xi, self.wi) if der else None
        for _ in range(der):
            y = tensordot(matrix, y, axes=1)
        parts = self.wi * prod_others(scaled(self.xi, expand_dims(x, axis=-1) - self.xi))
        shares = parts / sum(parts, axis=-1, keepdims=True)
        return in_place(tensordot(shares, y, axes=1), len(shape_of(x)), self.axis)

    def values(self) -> Any:
        """The values at the nodes; an OptionError if there are none."""
        if self.yi is None:
            raise OptionError(CALL, [], "there are no values", hint="call its method set_yi")
        return self.yi


CALL = "BarycentricInterpolator"


def scaled(xi: Any, x: Any) -> Any:
    """Distances in quarters of the range of the nodes, so that products stay moderate."""
    return x * (4 / (max(xi) - min(xi))) if size_of(xi) > 1 else x


def distances(xi: Any) -> Any:
    """The distance of each node from each other, and 1 on the diagonal."""
    one = np.eye(size_of(xi), dtype=bool)
    return where(one, 1.0, scaled(xi, xi[:, None] - xi))


def weights(xi: Any) -> Any:
    """The barycentric weights."""
    return 1 / prod(distances(xi), axis=1)


def differences(xi: Any, w: Any) -> Any:
    """The matrix that takes values at nodes to those of the derivative of their polynomial."""
    one = np.eye(size_of(xi), dtype=bool)
    apart = where(one, 1.0, xi[:, None] - xi)
    outside = where(one, 0.0, w / w[:, None] / apart)
    return where(one, -sum(outside, axis=1, keepdims=True), outside)


def barycentric_interpolate(
    xi: Any, yi: Any, x: Any, axis: int = 0, *, der: Any = 0, rng: Any = None
) -> Any:
    """The values of `BarycentricInterpolator(xi, yi)` at `x`, or derivatives of order `der`.

    >>> float(barycentric_interpolate([0.0, 1.0], [0.0, 2.0], 0.5))
    1.0
    """
    p = BarycentricInterpolator(xi, yi, axis)
    return p.derivative(x, der) if np.ndim(der) == 0 else [p.derivative(x, nu) for nu in der]
