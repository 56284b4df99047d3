"""NumPy's functions that order entries, under its names."""

from typing import Any

import gradops as ops

from ..types import shape_of
from .binding import offered
from .refusals import refusal

__all__ = ["argpartition", "digitize", "partition"]


def partition(a: Any, kth: Any, axis: Any = -1) -> Any:
    """The entries, in order: so the one at each place is the one that belongs there."""
    return required("sort")(flat(a, axis), axis=-1 if axis is None else axis)


def argpartition(a: Any, kth: Any, axis: Any = -1) -> Any:
    """The places of the entries in order."""
    return required("argsort")(flat(a, axis), axis=-1 if axis is None else axis)


def flat(a: Any, axis: Any) -> Any:
    """The entries along one axis, if no axis is given."""
    return ops.reshape(a, shape=(-1,)) if axis is None else a


def required(name: str) -> Any:
    """An op that must be there."""
    if (found := offered(name)) is None:
        raise refusal(f"numpy.{name}", "tensors and expressions do not know it", "use arrays")
    return found


def digitize(x: Any, bins: Any, right: bool = False) -> Any:
    """In which of the bins, whose borders increase, each entry lies."""
    each = ops.reshape(x, shape=(*shape_of(x), 1))
    compare = ops.less if right else ops.less_equal
    return ops.sum(compare(bins, each), axis=-1)
