"""Gradient checking: the derivatives of a function compared with finite differences."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..scipy.arguments import Packing
from ..scipy.plain_numbers import require_no_plain_result
from ..scipy.solvers import vector_valued
from .finite_differences import COMPLEX_STEP, Line, derivative

WRONG = 1e-5  # a relative error that no rounding explains
SMALL = 1e-3  # entries below this part of the largest are measured by it
FEW = 200  # more entries than these are checked along random directions
DIRECTIONS = 50

OfVector = Callable[[Any], Any]
"""A function of one vector, to which the arguments of the user's function are packed."""

AtVector = Callable[[OfVector, np.ndarray], np.ndarray]
"""A computation with such a function at a vector."""


def check_gradient(
    f: Callable[..., Any], x: object, args: tuple[object, ...], value: AtVector, jacobian: AtVector,
    blame: Callable[[OfVector, np.ndarray], str],
) -> float:  # fmt: skip
    """Print the largest relative error of the Jacobian of `f` at (x, *args), and return it.

    Given `f` as a function of one vector, and that vector, `value` computes it, `jacobian` its
    Jacobian, and `blame` describes the wrong operation, which is printed if there is one.
    """
    packing = Packing(x)
    of_vector = vector_valued(
        lambda x, *args: require_no_plain_result(f, packing.unpack(x), *args)[0]
    )
    flat: OfVector = lambda v: of_vector(v, *args)
    result = compare(lambda v: value(flat, v), jacobian(flat, packing.vector), packing)
    print(f"gradient of {getattr(f, '__name__', type(f).__name__)}: {result}")
    if result.is_wrong:
        print(f"  {blame(flat, packing.vector)}")
    return result.error


@dataclass(frozen=True)
class Comparison:
    """The largest relative error of a gradient, and where it is."""

    error: float
    place: str
    got: float
    want: float
    reference: str

    @property
    def is_wrong(self) -> bool:
        """True if the error is larger than rounding explains."""
        return not self.error <= WRONG

    def __str__(self) -> str:
        text = f"largest relative error {self.error:.1e}, {self.place}, against {self.reference}"
        return text + (f": {self.got:.10g}, not {self.want:.10g}" if self.is_wrong else "")


def compare(value: OfVector, jacobian: np.ndarray, packing: Packing) -> Comparison:
    """Compare the Jacobian of `value` at the packing's vector with numerical derivatives.

    These are complex steps, exact to rounding, where the function is analytic; else central
    differences, extrapolated from three steps.
    """
    x = packing.vector
    places, directions, lengths = along_entries(packing) if x.size <= FEW else at_random(x)
    got = np.asarray(jacobian, np.float64) @ directions.T
    if not got.size:
        return Comparison(0.0, "with nothing to differentiate", 0.0, 0.0, "nothing")
    with np.errstate(all="ignore"):
        columns = [derivative(line(value, x, d)) for d in directions]
    want = np.array([np.asarray(column, np.float64) for column, _ in columns]).T
    exact = all(tolerance == COMPLEX_STEP for _, tolerance in columns)
    reference = "the complex step" if exact else "extrapolated differences"
    error, i, j = largest_error(got, want, np.asarray(value(x)))
    place = places[j] + (f" of output {i}" if len(got) > 1 else "")
    return Comparison(error, place, got[i, j] / lengths[j], want[i, j] / lengths[j], reference)


def line(value: OfVector, x: np.ndarray, d: np.ndarray) -> Line:
    """`value` along the direction `d` from `x`."""
    return lambda h: value(x + h * d)


def largest_error(got: np.ndarray, want: np.ndarray, y: np.ndarray) -> tuple[float, int, int]:
    """The largest relative difference of two matrices' entries, with its row and column."""
    floor = max(SMALL * np.max(np.abs(want)), 1e-6 * np.max(np.abs(y)), np.finfo(float).tiny)
    scale = np.maximum(np.maximum(np.abs(got), np.abs(want)), floor)
    errors = np.abs(got - want) / scale
    errors[np.isnan(got) & np.isnan(want)] = 0
    errors[np.isnan(errors)] = np.inf
    i, j = divmod(int(np.argmax(errors)), errors.shape[1])
    return float(errors[i, j]), i, j


def along_entries(packing: Packing) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Unit directions scaled by the vector's entries: their names, rows and lengths."""
    x = packing.vector
    names = []
    for i, shape in enumerate(packing.shapes):
        leaf = "x" if len(packing.shapes) == 1 else f"leaf {i}"
        for at in np.ndindex(shape):
            names.append(f"at {leaf}{list(at) if at else ''}")
    lengths = np.where(x == 0, 1.0, np.abs(x))
    return names, np.diag(lengths), lengths


def at_random(x: np.ndarray) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Random directions: their names, rows and lengths, which are taken as one."""
    rows = np.random.default_rng(0).uniform(-1, 1, (DIRECTIONS, x.size))
    return [f"along random direction {i}" for i in range(DIRECTIONS)], rows, np.ones(DIRECTIONS)
