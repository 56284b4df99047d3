"""How runs of solvers of differential equations went, and what is said of those that failed."""

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from ...core.errors import ConvergenceWarning
from ...core.source_location import warn
from ..solvers.running import REPORTS

Function = Callable[..., Sequence[np.ndarray]]

DONE = "The solver successfully reached the end of the integration interval."
HINT = "\n  hint: look at success and message of the result; a stiff problem wants Radau or BDF"


class Report(SimpleNamespace):
    """How a run went: the numbers of evaluations, the ends of its steps, and its message."""

    def __init__(self, f: Function, step: Function, others: Sequence[np.ndarray]) -> None:
        super().__init__(nfev=0, njev=0, nlu=0, taken=[], status=0, success=True, message=DONE)
        self.f, self.step, self.others = f, step, others

    def slope(self, y: np.ndarray, t: float) -> np.ndarray:
        """The derivative of the state."""
        self.nfev += 1
        result: np.ndarray = self.f(y, np.float64(t), *self.others)[0]
        return result

    def advance(self, y: np.ndarray, during: np.ndarray) -> Sequence[np.ndarray]:
        """The state after a step, and its stages."""
        new, stages = self.step(y, during, *self.others)
        self.nfev += len(stages)
        return new, stages

    def fail(self, message: str) -> None:
        """Note that the end was not reached."""
        self.status, self.success, self.message = -1, False, message

    def close(self) -> "Report":
        """Let go of the functions."""
        del self.f, self.step, self.others
        return self


def tell(report: Any) -> None:
    """Leave the report for who asks for it in this context; else warn of a failure."""
    if isinstance(report, Report):
        report.close()
    found = REPORTS.get()
    if found is not None:
        found.append(report)
    elif not report.success:
        warn("the solution of a differential equation ends early: " + report.message + HINT,
             ConvergenceWarning)  # fmt: skip


def warn_of_gradient(message: str) -> None:
    """Warn that a derivative is taken of a solution that ends early."""
    warn("a gradient is taken of a solution that ends early: " + message + HINT, ConvergenceWarning)
