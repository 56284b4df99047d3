"""Schemes of fixed steps in graphs: a scan over the steps, which is compiled with all else.

The steps have to be known when the graph is built: the span, and the times of the result. The
results have the bits of the op `trajectory`, which is there for all other cases.
"""

from typing import Any

import numpy as np

from ...core.op import PLAIN
from ...kernels.odes.stepping import fixed_spans
from ...kernels.odes.tableaus import FIXED, tableau
from ...kernels.odes.trajectories import combined, places_in
from ...library.index.indexing import index
from ...library.shape.joining import concatenate
from ...library.shape.movement import expand_dims
from ...transforms.bodies import is_traced


def is_scanned(p: Any, times: Any) -> bool:
    """True if the states of a problem at times are made by a scan."""
    if p.method not in FIXED or p.attrs["memory"] is not None or not p.has_known_span:
        return False
    if type(times) not in PLAIN or not np.size(times):
        return False
    operands = [p.start, *p.others]
    inside = (times - p.span[0]) * (times - p.span[1]) <= 0
    in_graph = any(map(is_traced, operands)) and all(
        is_traced(x) or type(x) in PLAIN for x in operands
    )
    return in_graph and bool(inside.all()) and p.span[0] != p.span[1]


def times_of(p: Any) -> np.ndarray:
    """The times of all steps, the begin of the span included."""
    steps = fixed_spans(p.span, p.options["step"])
    return np.array([p.span[0], *(step.last for step in steps)])


def states(p: Any, times: np.ndarray) -> Any:
    """The states at times, as rows."""
    steps = list(fixed_spans(p.span, p.options["step"]))
    during = np.stack([step.during for step in steps])
    lift = next(x for x in (p.start, *p.others) if is_traced(x)).__gradop_lift__
    start = p.start if is_traced(p.start) else lift(p.start)

    def advance(y: Any, step: Any) -> Any:
        new, stages = p.helper(y, step, *p.others)
        return new, (new, stages)

    _, (after, stages) = start.scan_of(advance, start, lift(during))
    before = concatenate([expand_dims(start, axis=0), index(after, slice(None, -1))])
    at = np.zeros(len(times), int)
    for k, step in enumerate(steps):
        at[places_in(step, times)] = k
    begins, sizes = during[at].T
    weights = tableau(p.method).weights_at((times - begins) / sizes)
    rows = [index(stages, (at, j)) for j in range(weights.shape[1])]
    return index(before, at) + sizes[:, None] * combined(weights, rows)
