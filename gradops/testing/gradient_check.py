"""A gradient beside difference quotients of the function itself: how far they are apart."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..scipy.solvers import Packing
from .finite_differences import COMPLEX_STEP, derivative

WRONG = 1e-5  # a relative error that no rounding explains
SMALL = 1e-3  # entries below this part of the largest are measured by it
FEW = 200  # more entries than these are checked along random directions
DIRECTIONS = 50


@dataclass(frozen=True)
class Comparison:
    """The largest relative error of a gradient, and where it is."""

    error: float
    place: str
    got: float
    want: float
    beside: str

    @property
    def is_wrong(self) -> bool:
        """Whether the error is larger than rounding explains."""
        return not self.error <= WRONG

    def __str__(self) -> str:
        found = f"largest relative error {self.error:.1e}, {self.place}, beside {self.beside}"
        return found + (f": {self.got:.10g}, not {self.want:.10g}" if self.is_wrong else "")


def compare(value: Callable[[Any], Any], jacobian: Any, packing: Packing) -> Comparison:
    """The derivatives of a vector, which `value` computes, beside quotients of `value`.

    `jacobian` is the matrix of them at the packing's vector. A quotient along an entry is the
    complex step, exact to rounding, where the function is analytic; else central differences,
    extrapolated from three steps.
    """
    x = packing.vector
    places, directions, lengths = along_entries(packing) if x.size <= FEW else at_random(x)
    got = np.asarray(jacobian, np.float64) @ directions.T
    if not got.size:
        return Comparison(0.0, "with nothing to differentiate", 0.0, 0.0, "nothing")
    with np.errstate(all="ignore"):
        columns = [derivative(moved(value, x, d)) for d in directions]
    want = np.array([np.asarray(column, np.float64) for column, _ in columns]).T
    exact = all(tolerance == COMPLEX_STEP for _, tolerance in columns)
    beside = "the complex step" if exact else "extrapolated differences"
    error, i, j = largest(got, want, np.asarray(value(x)))
    place = places[j] + (f" of output {i}" if len(got) > 1 else "")
    return Comparison(error, place, got[i, j] / lengths[j], want[i, j] / lengths[j], beside)


def moved(value: Callable[[Any], Any], x: Any, d: Any) -> Callable[[Any], Any]:
    """The value as a function of how far `x` is moved along a direction."""
    return lambda h: value(x + h * d)


def largest(got: Any, want: Any, y: Any) -> tuple[float, int, int]:
    """How far two matrices are apart relative to their entries, and where they are furthest."""
    floor = max(SMALL * np.max(np.abs(want)), 1e-6 * np.max(np.abs(y)), np.finfo(float).tiny)
    scale = np.maximum(np.maximum(np.abs(got), np.abs(want)), floor)
    errors = np.abs(got - want) / scale
    errors[np.isnan(got) & np.isnan(want)] = 0
    errors[np.isnan(errors)] = np.inf
    i, j = divmod(int(np.argmax(errors)), errors.shape[1])
    return float(errors[i, j]), i, j


def along_entries(packing: Packing) -> tuple[list[str], Any, Any]:
    """The name of each entry of the vector, and a step along it as long as the entry is large."""
    x = packing.vector
    names = []
    for i, shape in enumerate(packing.shapes):
        leaf = "x" if len(packing.shapes) == 1 else f"leaf {i}"
        for at in np.ndindex(shape):
            names.append(f"at {leaf}{list(at) if at else ''}")
    lengths = np.where(x == 0, 1.0, np.abs(x))
    return names, np.diag(lengths), lengths


def at_random(x: Any) -> tuple[list[str], Any, Any]:
    """Random directions."""
    found = np.random.default_rng(0).uniform(-1, 1, (DIRECTIONS, x.size))
    return [f"along random direction {i}" for i in range(DIRECTIONS)], found, np.ones(DIRECTIONS)
