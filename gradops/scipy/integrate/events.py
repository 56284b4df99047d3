"""The times at which functions of the solution become zero, with derivatives."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...library.index.indexing import index
from ...library.shape.joining import concatenate
from ..optimize.custom_solvers import implicit
from .problems import Problem

Function = Callable[..., Any]


def as_list(events: Any) -> list[Function]:
    """The functions of an argument `events`: none, one or several."""
    if events is None:
        return []
    return [events] if callable(events) else list(events)


def lent(p: Problem, events: Sequence[Function]) -> list[Function]:
    """The functions on arrays, with the directions that SciPy reads from them."""
    return [marked(p.on_arrays(body), e) for body, e in zip(p.more, events, strict=True)]


def marked(f: Function, event: Function) -> Function:
    """A function on arrays that is terminal, or has a direction, as `event` has."""

    def of_state(t: Any, y: Any) -> float:
        return float(f(t, y)[0])

    for name in ("terminal", "direction"):
        if hasattr(event, name):
            setattr(of_state, name, getattr(event, name))
    return of_state


def event_times(p: Problem, number: int, found: np.ndarray) -> Any:
    """The times at which an event was found, as functions of what the equation depends on."""
    if not len(found):
        return found
    event = p.more[number]

    def at(times: Any) -> Any:
        states = p.states(times)
        return concatenate(
            [event(index(states, i), index(times, i), *p.others)[0] for i in range(len(found))]
        )

    return implicit(at, lambda f, x: found)(found)
