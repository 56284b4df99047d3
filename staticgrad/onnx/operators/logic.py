"""Tests of entries."""

from typing import Any

import numpy as np

import gradops as ops
from gradops import OPS

from ..reading.registry import operator
from ..reading.size_arithmetic import are_equal, combined, known_sizes, vector_of
from ..reading.values import Value, filled


@operator("Equal", 7)
def equal(a: Value, b: Value) -> Any:
    """Whether entries are equal; of unknown sizes it may be certain."""
    found = combined(are_equal, a, b)
    return OPS["equal"](a, b) if found is None else found


@operator("Where", 9)
def where(condition: Value, a: Value, b: Value) -> Any:
    """The second input where the first holds, else the third; of sizes a known choice."""
    if isinstance(condition, np.ndarray) and (found := known_sizes(a, b)) is not None:
        chosen = np.where(condition, *found)
        return vector_of(list(chosen.ravel()), chosen.shape)
    return OPS["where"](condition, a, b)


@operator("IsInf", 10)
def isinf(x: Value, *, detect_negative: int = 1, detect_positive: int = 1) -> Any:
    """Whether entries are infinite, of the signs that are detected."""
    if detect_negative and detect_positive:
        return OPS["isinf"](x)
    if not detect_negative and not detect_positive:
        return filled(x.shape, False)
    return ops.isposinf(x) if detect_positive else ops.isneginf(x)
