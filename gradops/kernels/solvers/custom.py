"""Solvers of the user's."""

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from .running import Found


def custom(x: np.ndarray, functions: Sequence[Any], call: Callable[..., np.ndarray]) -> Found:
    """The solution that the user's solver finds; converged if the residual says so."""
    (f,) = functions
    with_arguments = lambda x, own, captured: np.array(f.f(x, *own, *captured)[0], np.float64)
    found = call(with_arguments, x, f.others)
    residual = float(np.linalg.norm(f(found)))
    fine = residual <= call.tol * max(1.0, float(np.linalg.norm(found)))  # type: ignore[attr-defined]
    return found, fine, residual, SimpleNamespace(x=found, success=fine, residual=residual)
