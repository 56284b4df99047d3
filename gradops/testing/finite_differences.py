"""Derivatives as arithmetic finds them, without rules: what rules are compared with."""

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

COMPLEX_STEP = 1e-9  # no truncation and no cancellation, but other roundings than the rule's
DIFFERENCES = 1e-7  # central differences, extrapolated from three steps
STEP = 2e-3


def derivative(f: Callable[[Any], Any]) -> tuple[Any, float]:
    """df(h)/dh at 0 as arithmetic finds it, and how far that can be trusted.

    The complex step is exact to rounding for an analytic function. Whether `f` is one shows in the
    differences, which are always good to some digits.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # kernels that drop an imaginary part say so
        differences, step = extrapolated(f), complex_step(f)
    scale = np.abs(differences).max(initial=0)
    if step is not None and np.all(np.abs(step - differences) <= 1e-5 * scale):
        return step, COMPLEX_STEP
    return differences, DIFFERENCES


def extrapolated(f: Callable[[Any], Any]) -> Any:
    """Central differences at three steps, and what they tend to (Richardson)."""
    a, b, c = ((f(h) - f(-h)) / (2 * h) for h in (STEP, STEP / 2, STEP / 4))
    d, e = (4 * b - a) / 3, (4 * c - b) / 3
    return (16 * e - d) / 15


def complex_step(f: Callable[[Any], Any]) -> Any:
    """The imaginary part of f at a tiny imaginary step, or None if `f` takes none."""
    try:
        return np.imag(f(1e-20j)) / 1e-20
    except (TypeError, ValueError):
        return None


def along(
    f: Callable[..., Any], operands: Sequence[Any], directions: dict[int, Any]
) -> Callable[[Any], Any]:
    """`f` as a function of how far some of its operands are moved in their directions."""

    def moved(h: Any) -> Any:
        return f(*(x + h * directions[i] if i in directions else x for i, x in enumerate(operands)))

    return moved
