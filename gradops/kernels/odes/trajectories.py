"""States of ordinary differential equations at given times, and their cotangents.

Note [Discrete adjoint]. The cotangents of an explicit scheme are those of the steps that it took,
whose sizes are constants: each step is a function with a derivative, and the steps are pulled back
from the last to the first. They are run once more for that; only some of the states are kept, and
the ones between are computed from them again, so that memory grows with the root of the number of
steps where it is limited.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from .reports import Report, tell, warn_of_gradient
from .stepping import Advance, Control, Failed, Step, Taken, steps
from .stiff import implicit, pull_solution
from .tableaus import EXPLICIT, Tableau, tableau

Function = Callable[..., Sequence[np.ndarray]]


def trajectory(
    *operands: np.ndarray, functions: Sequence[Function], method: str, control: tuple[Any, ...],
    memory: int | None = None,
) -> np.ndarray:  # fmt: skip
    """The states at times, a row each; NaN after a time that the solver did not reach.

    Operands are the times, the span, the start, and what the equation depends on. The first of
    `functions` is the derivative f(y, t, *others). The second one is a step of an explicit scheme,
    and the Jacobian by y for others.
    """
    times, span, y, *others = operands
    f, second = functions
    limits = Control(*control)
    if method in EXPLICIT:
        states, report = explicit(times, span, y, others, f, second, tableau(method), limits)
    else:
        states, report = implicit(times, span, y, others, f, second, method, limits)
    tell(report)
    return states


def explicit(
    times: np.ndarray, span: np.ndarray, y: np.ndarray, others: Sequence[np.ndarray], f: Function,
    advance: Function, scheme: Tableau, control: Control,
) -> tuple[np.ndarray, Any]:  # fmt: skip
    """The states at times by an explicit scheme, and a report."""
    states = np.full((len(times), y.size), np.nan)
    states[times == span[0]] = y
    report = Report(f, advance, others)
    try:
        for taken in steps(report.slope, report.advance, span, y, scheme, control):
            step = taken.step
            report.taken.append(step.last)
            if (inside := places_in(step, times)).size:
                weights = scheme.weights_at((times[inside] - step.t) / step.h)
                states[inside] = taken.y + step.h * combined(weights, taken.stages)
    except Failed as error:
        report.fail(str(error))
    return states, report


def combined(weights: np.ndarray, stages: Any) -> Any:
    """The sums of stages by rows of weights, term by term: with the same bits in graphs."""
    total = weights[:, :1] * stages[0]
    for j in range(1, weights.shape[1]):
        total = total + weights[:, j : j + 1] * stages[j]
    return total


def places_in(step: Step, times: np.ndarray) -> np.ndarray:
    """The indices of the times that a step reaches."""
    t, h, last = step
    inside = (times > t) & (times <= last) if h > 0 else (times < t) & (times >= last)
    return np.flatnonzero(inside)


def pull_trajectory(
    *operands: np.ndarray, functions: Sequence[Function], method: str, control: tuple[Any, ...],
    asked: Sequence[int], memory: int | None = None,
) -> np.ndarray:  # fmt: skip
    """The cotangents of the start and of the operands `asked`, for those of the states, as one.

    Operands are the cotangents of the states, and after them those of `trajectory`.
    The third of `functions` gives the cotangents of y and of these operands, for those of what
    the second one returns for an explicit scheme, and else of what the first one returns.
    """
    g, times, span, y, *others = operands
    limits = Control(*control)
    found = [np.zeros(y.shape), *[np.zeros(np.shape(others[i])) for i in asked]]
    if method in EXPLICIT:
        pull_steps(found, g, times, span, y, others, functions, tableau(method), limits, memory)
    else:
        pull_solution(found, g, times, span, y, others, functions, method, limits)
    return np.concatenate([np.ravel(ct) for ct in found])


def pull_steps(
    found: list[np.ndarray], g: np.ndarray, times: np.ndarray, span: np.ndarray, y: np.ndarray,
    others: Sequence[np.ndarray], functions: Sequence[Function], scheme: Tableau, control: Control,
    memory: int | None,
) -> None:  # fmt: skip
    """Add up the cotangents of all steps. See Note [Discrete adjoint]."""
    f, advance, pull = functions
    report = Report(f, advance, others)
    kept = Kept(report.advance, y.nbytes, memory)
    try:
        for taken in steps(report.slope, report.advance, span, y, scheme, control):
            kept.add(taken)
    except Failed as error:
        warn_of_gradient(str(error))
    ct = found[0]
    for step, state in kept.backwards():
        of_start, of_stages = seeds(g, times, step, scheme)
        own, *more = pull(state, step.during, *others, ct, of_stages)
        ct = own + of_start
        for total, each in zip(found[1:], more, strict=True):
            if each is not None:
                total += each
    found[0] = ct + g[times == span[0]].sum(axis=0)


def seeds(
    g: np.ndarray, times: np.ndarray, step: Step, scheme: Tableau
) -> tuple[np.ndarray, np.ndarray]:
    """The cotangents that the start and the stages of a step have through interpolation."""
    inside = places_in(step, times)
    of_states = g[inside]
    weights = scheme.weights_at((times[inside] - step.t) / step.h)
    return of_states.sum(axis=0), np.ascontiguousarray(step.h * (weights.T @ of_states))


class Kept:
    """The states at the begins of steps, of which some are kept. See Note [Discrete adjoint]."""

    def __init__(self, advance: Advance, bytes: int, memory: int | None) -> None:
        self.advance, self.stride = advance, 1
        self.states: list[np.ndarray] = []
        self.steps: list[Step] = []
        self.most = np.inf if memory is None else max(2, memory // (2 * max(bytes, 1)))

    def add(self, taken: Taken) -> None:
        """Note a step; once too many states are kept, every second one goes."""
        if len(self.steps) % self.stride == 0:
            self.states.append(taken.y)
        self.steps.append(taken.step)
        if len(self.states) > self.most:
            self.states, self.stride = self.states[::2], 2 * self.stride

    def backwards(self) -> Iterator[tuple[Step, np.ndarray]]:
        """The steps from the last to the first, and the state at the begin of each."""
        for k in reversed(range(len(self.states))):
            steps = self.steps[k * self.stride : (k + 1) * self.stride]
            states = [self.states.pop()]
            for step in steps[:-1]:
                states.append(self.advance(states[-1], step.during)[0])
            yield from zip(reversed(steps), reversed(states), strict=True)
