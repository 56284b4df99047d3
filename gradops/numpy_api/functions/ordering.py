"""NumPy's functions that order entries in part: ours order them in full."""

from typing import Any

import gradops as ops

__all__ = ["argpartition", "partition"]


def partition(a: Any, kth: Any, axis: int | None = -1) -> Any:
    """The entries, in order: so the one at each place is the one that belongs there."""
    return ops.sort(a, axis)


def argpartition(a: Any, kth: Any, axis: int | None = -1) -> Any:
    """The places of the entries in order."""
    return ops.argsort(a, axis)
