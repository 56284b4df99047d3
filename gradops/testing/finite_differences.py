"""Numerical differentiation: complex step and Richardson-extrapolated central differences."""

import warnings
from collections.abc import Callable, Sequence

import numpy as np

COMPLEX_STEP = 1e-9  # no truncation and no cancellation, but other roundings than the rule's
DIFFERENCES = 1e-7  # central differences, extrapolated from three steps
STEP = 2e-3

Line = Callable[[float | complex], np.ndarray]
"""A function along a direction: of the length of the step."""


def derivative(f: Line) -> tuple[np.ndarray, float]:
    """df(h)/dh at 0, and its relative accuracy.

    The complex step is exact to rounding if `f` is analytic, and used if differences, which are
    always good to some digits, agree with it.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # kernels that drop an imaginary part say so
        differences, step = extrapolate(f), complex_step(f)
    scale = np.abs(differences).max(initial=0)
    if step is not None and np.all(np.abs(step - differences) <= 1e-5 * scale):
        return step, COMPLEX_STEP
    return differences, DIFFERENCES


def central(f: Line, h: float) -> np.ndarray:
    """The central difference quotient at 0, for the step `h`."""
    return (f(h) - f(-h)) / (2 * h)


def extrapolate(f: Line) -> np.ndarray:
    """The limit of central differences at three steps (Richardson)."""
    a, b, c = (central(f, h) for h in (STEP, STEP / 2, STEP / 4))
    d, e = (4 * b - a) / 3, (4 * c - b) / 3
    return (16 * e - d) / 15


def complex_step(f: Line) -> np.ndarray | None:
    """The imaginary part of f at a tiny imaginary step, or None if `f` takes no complex number."""
    try:
        return np.imag(f(1e-20j)) / 1e-20
    except (TypeError, ValueError):
        return None


def along(
    f: Callable[..., np.ndarray], operands: Sequence[np.ndarray], directions: dict[int, np.ndarray]
) -> Line:
    """`f` along `directions` of some of its operands, given by their positions."""
    return lambda h: f(
        *(x + h * directions[i] if i in directions else x for i, x in enumerate(operands))
    )
