"""Roots, by SciPy's solvers."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Found = tuple[Any, bool, float, Any]  # the solution, if it converged, the residual, the report
WITH_JACOBIAN = frozenset({"hybr", "lm"})  # the methods of `root` that use one


def root(
    x: np.ndarray, functions: Sequence[Callable[..., Any]], method: str = "hybr",
    tol: float | None = None, options: Sequence[tuple[str, Any]] = (),
) -> Found:  # fmt: skip
    """A root of the first function, with the Jacobian that the second gives."""
    from scipy import optimize

    f, *jacobian = [as_array(f) for f in functions]
    jac = jacobian[0] if jacobian and method in WITH_JACOBIAN else None
    report = optimize.root(f, x, method=method, jac=jac, tol=tol, options=dict(options))
    return report.x, bool(report.success), float(np.linalg.norm(report.fun)), report


def as_array(f: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose results are new arrays of floats, as solvers may write into them."""
    return lambda x: np.array(f(x), np.float64)
