"""Runs of solvers: what a solver found, as one array.

Note [Solved]. The result of a solver's run is one array: the solution, and after it four numbers:
1.0 if it converged or else 0.0, the norm of the residual, the numbers of iterations and of
evaluations. What else the solver said is in `REPORTS`, for who asked for it in this context.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from ...core.errors import ConvergenceWarning
from ...core.source_location import warn

INFO = 4  # numbers after the solution
REPORTS: ContextVar[list[Any] | None] = ContextVar("reports", default=None)
"""The results that solvers return while they run in this context; None if nobody asked."""

Function = Callable[..., Sequence[Any]]


@contextmanager
def reports() -> Iterator[list[Any]]:
    """The results of the solvers that run in the block, as the solvers give them."""
    found: list[Any] = []
    token = REPORTS.set(found)
    try:
        yield found
    finally:
        REPORTS.reset(token)


def packed(x: Any, success: bool, residual: float, report: Mapping[str, Any]) -> np.ndarray:
    """A solution and what is known of it, as one array. See Note [Solved]."""
    found = REPORTS.get()
    if found is not None:
        found.append(report)
    x = np.ravel(np.asarray(x, np.float64))
    info = success, residual, report.get("nit", np.nan), report.get("nfev", np.nan)
    return np.concatenate([x, np.array(info, np.float64)])


def warn_unconverged(solved: np.ndarray) -> None:
    """Warn that a derivative is taken at a point that a solver did not converge to."""
    if not solved[-INFO]:
        warn(
            "the gradient of a solution that did not converge: the residual is"
            f" {solved[1 - INFO]:.3g}, and the gradient is that of a solution, which this is not"
            "\n  hint: look at success and message of the result; start nearer, or allow more"
            " iterations",
            ConvergenceWarning,
        )
