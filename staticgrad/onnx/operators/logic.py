"""Tests of entries."""

from typing import Any

import gradops as ops
from gradops import OPS

from ..reading.registry import operator
from ..reading.values import Value, filled


@operator("IsInf", 10)
def isinf(x: Value, *, detect_negative: int = 1, detect_positive: int = 1) -> Any:
    """Whether entries are infinite, of the signs that are detected."""
    if detect_negative and detect_positive:
        return OPS["isinf"](x)
    if not detect_negative and not detect_positive:
        return filled(x.shape, False)
    return ops.isposinf(x) if detect_positive else ops.isneginf(x)
