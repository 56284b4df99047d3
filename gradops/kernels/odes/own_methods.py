"""Explicit schemes as methods of SciPy's `solve_ivp`, which finds steps and events of all methods.

They take the steps that `trajectory` takes. SciPy's own would search for ever for a step where the
derivative is no number.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from .stepping import Control, Failed, Taken, steps
from .stiff import NO_NUMBERS, matrices, of_scipy, options_of, solve_ivp
from .tableaus import EXPLICIT, Tableau, tableau
from .trajectories import combined

Function = Callable[..., Sequence[np.ndarray]]


def run(
    f: Function, second: Function, others: Sequence[np.ndarray], span: np.ndarray, y: np.ndarray,
    method: str, control: Control, times: Any = None, events: Any = None,
) -> Any:  # fmt: skip
    """The report of SciPy's `solve_ivp`: times of steps or the `times` asked for, and events.

    `second` is a step of an explicit scheme, and else the Jacobian by the state.
    """

    def at(g: Function) -> Callable[..., np.ndarray]:
        return lambda t, x: g(np.asarray(x), np.float64(t), *others)[0]

    if method in EXPLICIT:
        advance = lambda x, during: second(x, during, *others)
        own = {"advance": advance, "scheme": tableau(method), "control": control}
        return solve_ivp()(at(f), span, y, own_method(), times, events=events, **own)
    options = options_of(control, y.size) | {"jac": matrices(second, others, method)}
    return of_scipy(at(f), span, y, method, times, events=events, **options)


@cache
def within_step() -> Any:
    """The class of the state within a step of our schemes."""
    from scipy.integrate import DenseOutput

    class WithinStep(DenseOutput):  # type: ignore[misc]
        """The state within a step."""

        def __init__(self, taken: Taken, scheme: Tableau) -> None:
            super().__init__(taken.step.t, taken.step.last)
            self.taken, self.weights_at = taken, scheme.weights_at

        def _call_impl(self, t: np.ndarray) -> np.ndarray:
            step, y, stages, _ = self.taken
            weights = self.weights_at((np.atleast_1d(t) - step.t) / step.h)
            states: np.ndarray = (y + step.h * combined(weights, stages)).T
            return states if t.ndim else states[:, 0]

    return WithinStep


@cache
def own_method() -> Any:
    """The class of our schemes, as SciPy has one for each of its methods."""
    from scipy.integrate import OdeSolver

    class OwnMethod(OdeSolver):  # type: ignore[misc]
        """An explicit scheme with steps of its own."""

        y: np.ndarray

        def __init__(
            self, fun: Any, t0: float, y0: Any, t_bound: float, vectorized: bool, advance: Any,
            scheme: Tableau, control: Control,
        ) -> None:  # fmt: skip
            super().__init__(fun, t0, y0, t_bound, vectorized)
            self.scheme, self.bare = scheme, advance
            slope = lambda y, t: self.fun(t, y)
            span = np.array([t0, t_bound])
            self.steps = steps(slope, self.advance, span, self.y, scheme, control)

        def advance(self, y: np.ndarray, during: np.ndarray) -> Sequence[np.ndarray]:
            """The state after a step, and its stages, which count as evaluations."""
            new, stages = self.bare(y, during)
            self.nfev += len(stages)
            return new, stages

        def _step_impl(self) -> tuple[bool, str | None]:
            try:
                self.taken = next(self.steps)
            except Failed as error:
                return False, str(error)
            except StopIteration:
                return False, NO_NUMBERS
            self.t, self.y = self.taken.step.last, self.taken.new
            return True, None

        def _dense_output_impl(self) -> Any:
            return within_step()(self.taken, self.scheme)

    return OwnMethod


def event_times(
    *operands: np.ndarray, functions: Sequence[Function], marks: Sequence[tuple[int, float]],
    method: str, control: tuple[Any, ...],
) -> np.ndarray:  # fmt: skip
    """The times of events, one after the other: of each as many as its mark says, or NaN.

    Operands are the span, the start, and what the equation depends on. Of `functions` the first two
    are those of a trajectory, the others the events. Marks are the number of times after which the
    solution ends, and the direction.
    """
    span, y, *others = operands
    f, second, *events = functions
    lent = [marked(e, others, *mark) for e, mark in zip(events, marks, strict=True)]
    report = run(f, second, others, span, y, method, Control(*control), events=lent)
    found = [np.full(count, np.nan) for count, _ in marks]
    for row, times in zip(found, report.t_events, strict=True):
        row[: len(times)] = times
    return np.concatenate(found)


def marked(
    event: Function, others: Sequence[np.ndarray], terminal: float | None, direction: float
) -> Callable[..., float]:
    """A function of time and state as SciPy takes events, with their attributes."""

    def of_state(t: float, y: np.ndarray) -> float:
        return float(event(np.asarray(y), np.float64(t), *others)[0][0])

    of_state.terminal, of_state.direction = terminal, direction  # type: ignore[attr-defined]
    return of_state
