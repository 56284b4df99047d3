"""The solvers that the op `solver` runs, by name."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import roots
from .running import packed

Run = Callable[..., Any]
SOLVERS: dict[str, Run] = {"root": roots.root}


def run_solver(
    *operands: Any, functions: Sequence[Run], how: str, options: Sequence[tuple[str, Any]] = ()
) -> np.ndarray:
    """What a solver finds, as one array: see Note [Solved].

    The first operand is where it starts, the others are arguments of the functions.
    """
    x, *others = operands
    start, lent = np.array(x, np.float64), [Lent(f, others) for f in functions]
    try:
        x, success, residual, report = SOLVERS[how](start, lent, **dict(options))
    finally:
        for f in lent:
            f.take_back()
    return packed(x, success, residual, report)


class Lent:
    """A function of the unknowns while a solver runs, which may keep it for longer.

    SciPy's wrappers refer to themselves, and would keep all that the function reads until the
    garbage collector runs.
    """

    def __init__(self, f: Run, others: Sequence[Any]) -> None:
        self.f, self.others = f, others

    def __call__(self, x: np.ndarray) -> Any:
        return self.f(x, *self.others)[0]

    def take_back(self) -> None:
        """Let go of the function."""
        del self.f, self.others
