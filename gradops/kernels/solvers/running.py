"""Runs of solvers: their results as one array.

Note [Solved]. The result of a solver's run is one array: the solution, and after it four numbers:
1.0 if it converged or else 0.0, the norm of the residual, the numbers of iterations and of
evaluations. A solver that stops because rounding lets it come no nearer has converged, whatever it
says of that. What else the solver returned is in `REPORTS`, for who asks for it in this context.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from ...core.errors import ConvergenceWarning
from ...core.source_location import warn

INFO = 4  # numbers after the solution
TINY = 1e-7  # of residuals, relative to the solution: nearer, a solver has converged
REPORTS: ContextVar[list[Any] | None] = ContextVar("reports", default=None)
"""The results that solvers return while they run in this context; None if nobody asked."""

Found = tuple[Any, bool, float, Any]  # the solution, if it converged, the residual, the report


@contextmanager
def reports() -> Iterator[list[Any]]:
    """The results of the solvers that run in the block, as the solvers give them."""
    found: list[Any] = []
    token = REPORTS.set(found)
    try:
        yield found
    finally:
        REPORTS.reset(token)


def packed(x: Any, success: bool, residual: float, report: Any) -> np.ndarray:
    """A solution and facts about it, as one array. See Note [Solved]."""
    found = REPORTS.get()
    if found is not None:
        found.append(report)
    x = np.ravel(np.asarray(x, np.float64))
    near = residual <= TINY * max(1.0, float(np.linalg.norm(x)))
    fine = (success or near) and bool(np.isfinite(residual)) and bool(np.isfinite(x).all())
    steps = number(report, "nit", "iterations"), number(report, "nfev", "function_calls")
    return np.concatenate([x, np.array([fine, residual, *steps], np.float64)])


def number(report: Any, *names: str) -> float:
    """A number that a report has under one of some names; NaN if it has none."""
    return next((float(getattr(report, n)) for n in names if hasattr(report, n)), np.nan)


def warn_unconverged(solved: np.ndarray) -> None:
    """Warn that a derivative is taken at a point that a solver did not converge to."""
    if not solved[-INFO]:
        warn(
            "a gradient is taken of a solution that did not converge: its residual is"
            f" {solved[1 - INFO]:.3g}, and the gradient that of an exact solution"
            "\n  hint: look at success and message of the result; start nearer, or allow more"
            " iterations",
            ConvergenceWarning,
        )
