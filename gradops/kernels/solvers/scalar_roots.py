"""Roots of one equation, by SciPy's solvers."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .running import Found

BRACKETING = frozenset({"bisect", "brentq", "brenth", "ridder", "toms748"})
SLOPES = {"newton": 1, "halley": 2}  # how many derivatives a method uses


def root_scalar(
    x: np.ndarray, functions: Sequence[Callable[..., np.ndarray]], a: Any, b: Any, method: str,
    second: bool = False, **options: Any,
) -> Found:  # fmt: skip
    """A root of the first function; the others are its derivatives.

    `a` and `b` are the bracket, or `b` is the second guess of the secant method, if `second`.
    """
    from scipy import optimize

    f, *slopes = [of_number(f) for f in functions]
    given: dict[str, Any] = {"bracket": (float(a), float(b))}
    if method not in BRACKETING:
        given = {"x0": float(x[0])} | ({"x1": float(b)} if second else {})
        used: list[Any] = slopes[: SLOPES.get(method, 0)]
        given.update(zip(("fprime", "fprime2"), used, strict=False))
    report = optimize.root_scalar(f, method=method, **given, **options)
    return report.root, bool(report.converged), abs(f(report.root)), report


def of_number(f: Callable[..., np.ndarray]) -> Callable[[float], float]:
    """A function of a vector of one entry as one of a number."""
    return lambda x: float(f(np.array([x], np.float64)).item())
