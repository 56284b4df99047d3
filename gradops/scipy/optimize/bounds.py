"""Bounds of unknowns, and the equations of a minimum within them.

Note [Active bounds]. At a minimum within bounds, each unknown either has a gradient of zero, or
lies at a bound while the gradient leads out of it. These are the equations of a minimum, of
which the implicit function theorem gives the derivative, by the bounds too. A bound is active
where a step along the gradient would cross it; so a solver that ends near a bound, as interior
methods do, need not be exactly there. Where both hold, the unknown counts as free.
"""

from typing import Any

import numpy as np

from ...core.op import OPS
from ...core.types import shape_of, type_of
from ...library.elementwise.logic import logical_and
from ...library.shape.broadcasting import broadcast_to
from ...library.shape.joining import stack


def limits(start: Any, bounds: Any) -> tuple[Any, Any]:
    """The lower and upper bounds as vectors, infinite where there is none."""
    if bounds is None:
        return filled(start, -np.inf), filled(start, np.inf)
    if hasattr(bounds, "lb"):
        low, high = bounds.lb, bounds.ub
    elif len(bounds) == 2 and not is_list_of_pairs(bounds):
        low, high = bounds
    else:
        low = stack([as_double(-np.inf if a is None else a) for a, _ in bounds])
        high = stack([as_double(np.inf if b is None else b) for _, b in bounds])
    return tuple(broadcast_to(as_double(x), shape=shape_of(start)) for x in (low, high))


def is_list_of_pairs(bounds: Any) -> bool:
    """True for bounds as `minimize` takes them: a pair for each unknown."""
    return all(isinstance(b, list | tuple) and len(b) == 2 for b in bounds)


def filled(start: Any, value: float) -> Any:
    """A vector like the start with one value."""
    return OPS["full_like"](start, value=value)


def as_double(x: Any) -> Any:
    """Bounds in double precision."""
    x = x if hasattr(x, "gradop_level") else np.asarray(x, np.float64)
    return x if type_of(x).dtype == np.float64 else OPS["astype"](x, dtype=np.float64)


def optimality(gradient: Any, x: Any, low: Any, high: Any) -> Any:
    """The equations of a minimum within bounds. See Note [Active bounds]."""
    where = OPS["where"]
    at_low = logical_and(x - low <= gradient, gradient > 0)
    at_high = logical_and(high - x <= -gradient, gradient < 0)
    return where(at_low, x - low, where(at_high, x - high, gradient))
