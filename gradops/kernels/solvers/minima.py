"""Minima, by SciPy's solvers."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .running import Found

Functions = Sequence[Callable[..., np.ndarray]]
WITHOUT_GRADIENT = frozenset({"nelder-mead", "powell", "cobyla", "cobyqa"})
WITH_HESSIAN = frozenset({"dogleg", "trust-exact"})
WITH_PRODUCTS = frozenset({"newton-cg", "trust-ncg", "trust-krylov", "trust-constr"})


def minimize(
    x: np.ndarray, functions: Functions, low: np.ndarray, high: np.ndarray, method: str = "",
    options: Sequence[tuple[str, Any]] = (), bounded: bool = False, **others: Any,
) -> Found:  # fmt: skip
    """A minimum of the first function, with its gradient and the Hessian that the method uses."""
    from scipy import optimize

    f, gradient, *second = functions
    name = method.lower()
    if bounded:
        others["bounds"] = optimize.Bounds(low, high)
    if "constraints" in others:
        others["constraints"] = others["constraints"]()
    if name not in WITHOUT_GRADIENT:
        others["jac"] = gradient
    if second and name in WITH_HESSIAN:
        others["hess"] = second[0]
    elif second and name in WITH_PRODUCTS:
        others["hessp"] = second[0]
    report = optimize.minimize(
        lambda x: float(f(x).item()), x, method=method or None, options=dict(options), **others
    )
    return report.x, bool(report.success), slope(report.x, gradient, low, high), report


def slope(x: np.ndarray, gradient: Callable[..., np.ndarray], low: Any, high: Any) -> float:
    """The norm of the gradient, as far as it does not lead out of the bounds."""
    g = gradient(x)
    return float(np.linalg.norm(x - np.clip(x - g, low, high)))


def minimize_scalar(
    x: np.ndarray, functions: Functions, low: np.ndarray, high: np.ndarray, bounded: bool = False,
    method: str | None = None, options: Sequence[tuple[str, Any]] = (), **others: Any,
) -> Found:  # fmt: skip
    """A minimum of a function of one number."""
    from scipy import optimize

    f, gradient = functions
    if bounded:
        others["bounds"] = (float(low[0]), float(high[0]))
    report = optimize.minimize_scalar(
        lambda x: float(f(np.array([x])).item()), method=method, options=dict(options), **others
    )
    at = np.array([report.x], np.float64)
    return at, bool(report.success), slope(at, gradient, low, high), report
