"""Interpolation of scattered points by radial functions: `RBFInterpolator`."""

import math
from collections.abc import Callable
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from ...core.errors import OptionError, ShapeError
from ...core.types import shape_of, type_of
from ...library.elementwise.arithmetic import reciprocal, sqrt, square
from ...library.elementwise.comparison import equal, where
from ...library.elementwise.exponential import exp, log
from ...library.linalg.contraction import matmul
from ...library.linalg.matrices import on_diagonal
from ...library.linalg.solve import solve
from ...library.reduce.reduction import max, min, prod, sum
from ...library.shape.broadcasting import broadcast_to
from ...library.shape.creation import zeros_like
from ...library.shape.joining import concatenate
from ...library.shape.movement import expand_dims, reshape
from ...library.shape.rearrange import matrix_transpose
from .operands import double, size_of

__all__ = ["RBFInterpolator"]

CALL = "RBFInterpolator"


def where_apart(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function of squared distances that is 0 at 0, where it may have no derivative."""

    def call(q: Any) -> Any:
        same = equal(q, 0)
        return where(same, 0.0, f(where(same, 1.0, q)))

    return call


KERNELS: dict[str, Callable[[Any], Any]] = {
    "linear": where_apart(lambda q: -sqrt(q)),
    "thin_plate_spline": where_apart(lambda q: 0.5 * q * log(q)),
    "cubic": where_apart(lambda q: q * sqrt(q)),
    "quintic": where_apart(lambda q: -q * q * sqrt(q)),
    "multiquadric": lambda q: -sqrt(q + 1),
    "inverse_multiquadric": lambda q: 1 / sqrt(q + 1),
    "inverse_quadratic": lambda q: reciprocal(q + 1),
    "gaussian": lambda q: exp(-q),
}
"""The radial functions, of squared distances."""

DEGREES = {"multiquadric": 0, "linear": 0, "thin_plate_spline": 1, "cubic": 1, "quintic": 2}
"""The least degrees of polynomials beside them; without, for the others, is -1."""


class RBFInterpolator:
    """A sum of radial functions around points `y` and a polynomial, through the data `d`.

    Differentiable in points, data, smoothing, `epsilon`, and the points of evaluation: coefficients
    solve dense equations. Raises OptionError for `neighbors`, which is not here.

    >>> f = RBFInterpolator([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0])
    >>> f([[0.5]]).round(6)
    array([0.5])
    """

    def __init__(
        self, y: Any, d: Any, neighbors: None = None, smoothing: Any = 0.0,
        kernel: str = "thin_plate_spline", epsilon: Any = None, degree: int | None = None,
    ) -> None:  # fmt: skip
        y, d = double(y), double(d)
        kinds, kernel = [type_of(y), type_of(d)], kernel.lower()
        if neighbors is not None:
            raise OptionError(CALL, kinds, "neighbors is not here: all points take part")
        if kernel not in KERNELS:
            raise OptionError(CALL, kinds, f"kernel is one of {[*KERNELS]}, not {kernel!r}")
        if kinds[0].ndim != 2 or not kinds[1].ndim:
            raise ShapeError(CALL, kinds, "the points are rows, with data for each")
        if epsilon is None and kernel not in ("linear", "thin_plate_spline", "cubic", "quintic"):
            raise OptionError(CALL, kinds, f"the kernel {kernel!r} needs an epsilon")
        self.y, self.kernel = y, kernel
        self.epsilon = 1.0 if epsilon is None else epsilon
        degree = np.maximum(DEGREES.get(kernel, -1), 0) if degree is None else degree
        self.powers = powers(known_size(y), int(degree))
        self.shape = kinds[1].shape[1:]
        low, high = min(y, axis=0), max(y, axis=0)
        half = (high - low) / 2
        self.shift, self.scale = (high + low) / 2, where(equal(half, 0), 1.0, half)
        self.coefficients = self.solved(reshape(d, shape=(size_of(y), -1)), smoothing)

    def solved(self, d: Any, smoothing: Any) -> Any:
        """The coefficients of radial functions and polynomials."""
        near, far = self.functions(self.y), self.polynomials(self.y)
        n, m = size_of(self.y), len(self.powers)
        amounts = broadcast_to(double(smoothing), shape=(n,))
        near = near + where(on_diagonal(near), expand_dims(amounts, axis=-1), 0.0)
        if not m:
            return solve(near, d)
        corner = np.zeros((m, m))
        above = concatenate([near, far], axis=1)
        below = concatenate([matrix_transpose(far), corner], axis=1)
        right = concatenate([d, zeros_like(matmul(matrix_transpose(far), d))])
        return solve(concatenate([above, below]), right)

    def functions(self, x: Any) -> Any:
        """The radial functions at points."""
        apart = expand_dims(x, axis=1) - expand_dims(self.y, axis=0)
        return KERNELS[self.kernel](sum(square(self.epsilon * apart), axis=-1))

    def polynomials(self, x: Any) -> Any:
        """The monomials at points, scaled to the range of the points with data."""
        t = expand_dims((x - self.shift) / self.scale, axis=1)
        return prod(t**self.powers, axis=-1)

    def __call__(self, x: Any) -> Any:
        """The interpolated data at points, which are rows."""
        x = double(x)
        if len(shape_of(x)) != 2:
            raise ShapeError(CALL, [type_of(x)], "the points are rows")
        parts = concatenate([self.functions(x), self.polynomials(x)], axis=1)
        return reshape(matmul(parts, self.coefficients), shape=(shape_of(x)[0], *self.shape))


def known_size(y: Any) -> int:
    """The number of coordinates of points, or a ShapeError if it is not known."""
    n = shape_of(y)[1]
    if not isinstance(n, int):
        raise ShapeError(CALL, [type_of(y)], "the number of coordinates is not known")
    return n


def powers(ndim: int, degree: int) -> np.ndarray:
    """The powers of the monomials up to a degree, as rows."""
    rows = [
        [chosen.count(i) for i in range(ndim)]
        for k in range(degree + 1)
        for chosen in combinations_with_replacement(range(ndim), k)
    ]
    return np.array(rows, np.intp).reshape(math.comb(degree + ndim, ndim) if rows else 0, ndim)
