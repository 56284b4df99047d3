"""The times at which functions of the solution become zero, with derivatives.

Note [Events]. Where the values are known, a run of SciPy's finds how often an event happens. In a
graph each event says it itself, by `terminal`, the number of times after which the solution ends:
so many times are in the result, NaN where there were fewer, and states after the end are NaN.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.linalg import norm

from ...core.errors import OptionError
from ...core.types import shape_of
from ...kernels.odes.own_methods import marked
from ...library.elementwise.comparison import greater, where
from ...library.elementwise.logic import isnan
from ...library.index.indexing import index
from ...library.shape.joining import concatenate
from ...library.shape.movement import expand_dims
from ...library.solvers.event_times import event_times
from ...library.solvers.implicit import solution
from ...library.solvers.trajectories import trajectory
from ...transforms.closing import close
from ...transforms.layers import constant
from .problems import Problem

Function = Callable[..., Any]


def as_list(events: Any) -> list[Function]:
    """The functions of an argument `events`: none, one or several."""
    if events is None:
        return []
    return [events] if callable(events) else list(events)


def lent(p: Problem, events: Sequence[Function]) -> list[Function]:
    """The functions on arrays, with the marks that SciPy reads from them."""
    others = [constant(x) for x in p.others]
    return [
        marked(body, others, getattr(e, "terminal", None), getattr(e, "direction", 0))
        for body, e in zip(p.more, events, strict=True)
    ]


def differentiable(p: Problem, number: int, found: Any, missing: Any = None) -> Any:
    """The times at which an event was found, as functions of what the equation depends on.

    Those that are `missing` are constants.
    """
    count: Any = shape_of(found)[0]
    if not count:
        return found
    event = p.more[number]

    def at(times: Any, span: Any, start: Any, *others: Any) -> Any:
        states = trajectory(times, span, start, *others, **p.attrs)
        rows = [event(index(states, i), index(times, i), *others)[0] for i in range(count)]
        values = concatenate(rows)
        return values if missing is None else where(missing, times - found, values)

    closed = close(at, (found, p.span, p.start, *p.others))
    known = [constant(x) for x in closed.operands]
    size = norm(closed.body(*known)[0]) if p.is_known else 0.0
    # see Note [Solved] of kernels/solvers/running.py
    solved = concatenate([known[0], np.array([1.0, size, np.nan, np.nan])])
    return solution(solved, *closed.operands[1:], function=closed.body, by="entries")


class EventsOfGraph:
    """The times of events in a graph, and where they end the solution. See Note [Events]."""

    def __init__(self, p: Problem, events: Sequence[Function]) -> None:
        counts = [int(getattr(e, "terminal", None) or 0) for e in events]
        if 0 in counts:
            number = counts.index(0)
            raise OptionError(
                "solve_ivp", [], f"in a graph it is not known how often event {number} happens",
                hint="event.terminal = n ends the solution at its n-th time, and NaN follows",
            )  # fmt: skip
        marks = [
            (n, float(getattr(e, "direction", 0))) for n, e in zip(counts, events, strict=True)
        ]
        functions = (*p.attrs["functions"], *p.more)
        operands = map(constant, [p.span, p.start, *p.others])
        found = event_times(*operands, functions=functions, marks=tuple(marks), method=p.method,
                            control=p.attrs["control"])  # fmt: skip
        ends = np.cumsum([0, *counts])
        rows = [index(found, slice(int(a), int(b))) for a, b in pairwise(ends)]
        self.times = [self.of_one(p, i, row) for i, row in enumerate(rows)]
        self.last = [index(row, -1) for row in rows]
        self.ahead = index(p.span, 1) - index(p.span, 0)

    @staticmethod
    def of_one(p: Problem, number: int, found: Any) -> Any:
        """The times of one event, NaN where it did not happen."""
        missing = isnan(found)
        begin = constant(index(p.span, slice(0, 1)))
        found = where(missing, begin, found)
        return where(missing, np.nan, differentiable(p, number, found, missing))

    def ended(self, rows: Any, times: Any) -> Any:
        """The states at times, but NaN after the end."""
        for last in self.last:
            after = greater((times - last) * self.ahead, 0.0)
            rows = where(expand_dims(after, axis=1), np.nan, rows)
        return rows
