"""The solvers that the op `solver` runs, by name."""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from .running import packed

MODULES = {
    "root": "roots", "newton": "roots", "root_scalar": "scalar_roots",
    "fixed_point": "fixed_points", "anderson": "fixed_points",
    "minimize": "minima", "minimize_scalar": "minima",
    "least_squares": "residuals", "leastsq": "residuals", "custom": "custom", "krylov": "krylov",
}  # fmt: skip
"""The modules of the solvers, which have the solvers' names there."""


def run_solver(
    *operands: Any, functions: Sequence[Callable[..., Any]], how: str,
    options: Sequence[tuple[str, Any]] = (), extra: int = 0,
) -> np.ndarray:  # fmt: skip
    """The result of a solver, as one array: see Note [Solved].

    The first operand is where it starts, the others are arguments of the functions: `extra` of them
    are for the solver, as bounds are.
    """
    x, *others = operands
    lent = [Lent(f, others) for f in functions]
    given = [np.asarray(a) for a in others[:extra]]
    try:
        solver = getattr(import_module(f".{MODULES[how]}", __package__), how)
        return packed(*solver(np.array(x, np.float64), lent, *given, **dict(options)))
    finally:
        for f in lent:
            f.take_back()


class Lent:
    """A function of the unknowns while a solver runs, which may keep it for longer.

    SciPy's wrappers refer to themselves, and would keep all that the function reads until the
    garbage collector runs.
    """

    def __init__(self, f: Callable[..., Sequence[Any]], others: Sequence[Any]) -> None:
        self.f, self.others = f, others

    def __call__(self, x: Any, *directions: Any) -> np.ndarray:
        """The output as a new array of floats, as solvers may write into it."""
        return np.array(self.f(np.asarray(x, np.float64), *self.others, *directions)[0], np.float64)

    def take_back(self) -> None:
        """Let go of the function."""
        del self.f, self.others
