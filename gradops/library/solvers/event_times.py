"""The times at which functions of the solution of a differential equation become zero."""

from typing import Any

import numpy as np

from ...core.op import Op
from ...core.rules import NO_RULES
from ...core.traits import Trait
from ...core.types import ArrayType
from ...kernels.odes import own_methods
from .examples import each_example, no_samples

__all__: list[str] = []


def infer(*operands: ArrayType, marks: Any, **attrs: object) -> ArrayType:
    """A time for each of the counts in the marks."""
    return ArrayType((sum(count for count, _ in marks),), np.float64)


event_times = Op(
    "event_times", own_methods.event_times, arity=None, traits=[Trait.CONTROL], infer=infer,
    vjp=NO_RULES, jvp=NO_RULES, batch=each_example, samples=no_samples,
    doc="The times of events of a differential equation, without a derivative.",
)
