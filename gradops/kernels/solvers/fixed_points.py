"""Fixed points of a function: by SciPy, or by Anderson acceleration."""

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from .running import Found

MEMORY = 5  # earlier steps that Anderson acceleration combines


def steps(x: np.ndarray, success: bool, message: str, nit: int, nfev: int) -> SimpleNamespace:
    """The report of an iteration."""
    return SimpleNamespace(x=x, success=success, message=message, nit=nit, nfev=nfev)


def fixed_point(
    x: np.ndarray, functions: Sequence[Callable[..., np.ndarray]], xtol: float, maxiter: int,
    method: str,
) -> Found:  # fmt: skip
    """A fixed point by SciPy's iteration."""
    from scipy import optimize

    (f,) = functions
    calls = 0

    def counted(x: np.ndarray) -> np.ndarray:
        nonlocal calls
        calls += 1
        return f(x)

    try:
        found = optimize.fixed_point(counted, x, xtol=xtol, maxiter=maxiter, method=method)
        report = steps(found, True, "", -1, calls)
    except RuntimeError as error:
        report = steps(x, False, str(error), maxiter, calls)
    return report.x, report.success, float(np.linalg.norm(f(report.x) - report.x)), report


def anderson(
    x: np.ndarray, functions: Sequence[Callable[..., np.ndarray]], xtol: float, maxiter: int
) -> Found:
    """A fixed point by Anderson acceleration.

    The next point combines the last steps so that their changes cancel in the least-squares sense.
    """
    (f,) = functions
    points: list[np.ndarray] = []
    changes: list[np.ndarray] = []
    for step in range(1, maxiter + 1):
        y = f(x)
        change = y - x
        if not np.isfinite(change).all():
            break
        if np.linalg.norm(change) <= xtol * max(1.0, float(np.linalg.norm(y))):
            return y, True, float(np.linalg.norm(f(y) - y)), steps(y, True, "", step, step)
        points, changes = [*points[-MEMORY:], y], [*changes[-MEMORY:], change]
        x = combined(points, changes)
    report = steps(x, False, f"no fixed point within {step} steps", step, step)
    return x, False, float(np.linalg.norm(change)), report


def combined(points: list[np.ndarray], changes: list[np.ndarray]) -> np.ndarray:
    """The combination of points whose combined change is least."""
    if len(points) == 1:
        return points[0]
    slopes = np.stack([changes[-1] - c for c in changes[:-1]], axis=1)
    moves = np.stack([points[-1] - p for p in points[:-1]], axis=1)
    weights: Any = np.linalg.lstsq(slopes, changes[-1], rcond=None)[0]
    new: np.ndarray = points[-1] - moves @ weights
    return new
