"""NumPy's functions that order entries in part: ours order them in full."""

import gradops as ops

from ...typing import AnyArray, OperandLike

__all__ = ["argpartition", "partition"]


def partition(a: OperandLike, kth: object, axis: int | None = -1) -> AnyArray:
    """The sorted entries, which are a valid partition for every `kth`."""
    return ops.sort(a, axis)


def argpartition(a: OperandLike, kth: object, axis: int | None = -1) -> AnyArray:
    """The places of the entries in order."""
    return ops.argsort(a, axis)
