"""Least squares, by SciPy's solvers."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .minima import slope
from .running import Found

Functions = Sequence[Callable[..., np.ndarray]]


def least_squares(
    x: np.ndarray, functions: Functions, low: np.ndarray, high: np.ndarray, bounded: bool = False,
    **options: Any,
) -> Found:  # fmt: skip
    """The least squares of the residuals that the first function gives.

    The second gives their Jacobian, the third the gradient of the cost.
    """
    from scipy import optimize

    f, jacobian, gradient = functions
    bounds = {"bounds": (low, high)} if bounded else {}
    report = optimize.least_squares(f, x, jacobian, **bounds, **options)
    return report.x, bool(report.success), slope(report.x, gradient, low, high), report


def leastsq(
    x: np.ndarray, functions: Functions, low: np.ndarray, high: np.ndarray, bounded: bool = False,
    **options: Any,
) -> Found:  # fmt: skip
    """The least squares by MINPACK, as `curve_fit` calls it."""
    from scipy import optimize

    f, jacobian, gradient = functions
    found, _, info, message, status = optimize.leastsq(
        f, x, Dfun=jacobian, full_output=True, **options
    )
    report = optimize.OptimizeResult(
        x=found, success=status in (1, 2, 3, 4), status=status, message=message,
        fun=info["fvec"], nfev=info["nfev"],
    )  # fmt: skip
    return found, report.success, slope(found, gradient, low, high), report
