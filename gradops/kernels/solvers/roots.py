"""Roots of vectors of equations, by SciPy's solvers."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .running import Found

Functions = Sequence[Callable[..., np.ndarray]]
WITH_JACOBIAN = frozenset({"hybr", "lm"})  # the methods of `root` that use one


def root(
    x: np.ndarray, functions: Functions, method: str = "hybr", tol: float | None = None,
    options: Sequence[tuple[str, Any]] = (), callback: Any = None,
) -> Found:  # fmt: skip
    """A root of the first function, with the Jacobian that the second gives, if there is one."""
    from scipy import optimize

    f, *jacobian = functions
    given: dict[str, Any] = {"jac": jacobian[0]} if jacobian else {}
    if callback is not None:
        given["callback"] = callback
    report = optimize.root(f, x, method=method, tol=tol, options=dict(options), **given)
    return report.x, bool(report.success), float(np.linalg.norm(report.fun)), report


def newton(x: np.ndarray, functions: Functions, halley: bool = False, **options: Any) -> Found:
    """Roots of a function of each entry, by Newton's method, or Halley's, for all at once."""
    from scipy import optimize

    f, slope, *curvature = functions
    second = curvature[0] if halley else None
    report = Entries(*optimize.newton(f, x, slope, fprime2=second, full_output=True, disp=False,
                                      **options))  # fmt: skip
    report.success = bool(np.all(report.converged))
    return report.x, report.success, float(np.linalg.norm(f(report.x))), report


class Entries:
    """The report of roots of many equations: which converged, where a derivative was zero."""

    def __init__(self, x: np.ndarray, *others: Any) -> None:
        self.x, self.success = x, False
        if len(others) == 1:  # of one equation
            (self.result,) = others
            self.converged, self.zero_der = np.array([self.result.converged]), np.array([False])
        else:
            self.converged, self.zero_der = others
