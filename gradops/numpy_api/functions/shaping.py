"""NumPy's functions that move entries: other shapes, other orders, other borders."""

from collections.abc import Callable
from typing import Any

import numpy as np

import gradops as ops

from ...core.types import shape_of
from ...typing import AnyArray, OperandLike
from ..refusals import length, refusal

__all__ = [
    "apply_along_axis", "apply_over_axes", "argpartition", "partition", "ravel", "reshape",
    "resize", "rollaxis",
]  # fmt: skip


def reshape(a: OperandLike, shape: Any, order: str = "C") -> AnyArray:
    """The entries in another shape; in Fortran's order if asked for."""
    if not by_columns(a, order, "reshape"):
        return ops.reshape(a, shape=shape)
    sizes = tuple(reversed(np.atleast_1d(shape).tolist()))
    return ops.transpose(ops.reshape(ops.transpose(a), shape=sizes))


def ravel(a: Any, order: str = "C") -> Any:
    """All entries along one axis."""
    return ops.reshape(ops.transpose(a) if by_columns(a, order, "ravel") else a, shape=(-1,))


def by_columns(a: object, order: str | None, call: str) -> bool:
    """True for Fortran's order; refuses orders that depend on the memory layout."""
    if order in ("A", "K", "a", "k") and sum(n != 1 for n in shape_of(a)) > 1:
        raise refusal(
            f"numpy.{call}(..., order={order!r})",
            "the order depends on how the entries lie in memory, which need not be as in NumPy",
            'give order="C" or order="F"',
        )  # fmt: skip
    return order in ("F", "f")


def resize(a: OperandLike, new_shape: Any) -> AnyArray:
    """The entries repeated to fill another shape."""
    shape = tuple(np.atleast_1d(new_shape).tolist())
    flat = ravel(a)
    places = np.resize(np.arange(length(flat)), np.prod(shape, dtype=int))
    return ops.reshape(ops.take(flat, places, axis=0), shape=shape)


def rollaxis(a: OperandLike, axis: int, start: int = 0) -> AnyArray:
    """An axis moved to before another one."""
    rank = len(shape_of(a))
    axis, start = axis % rank, start + rank if start < 0 else start
    return ops.moveaxis(a, axis, start - 1 if axis < start else start)


def apply_along_axis(
    func1d: Callable[..., Any], axis: int, arr: OperandLike, *args: object, **kw: object
) -> AnyArray:
    """Apply a function to each row along an axis."""
    rest = ops.moveaxis(arr, axis, -1)
    shape = shape_of(rest)[:-1]
    rows = ops.reshape(rest, shape=(-1, shape_of(rest)[-1]))
    found = [func1d(rows[i], *args, **kw) for i in range(shape_of(rows)[0])]
    inner = shape_of(found[0])
    y = ops.reshape(ops.stack(found), shape=(*shape, *inner))
    places = range(len(shape), len(shape) + len(inner))
    axis %= len(shape_of(arr))
    return ops.moveaxis(y, tuple(places), tuple(range(axis, axis + len(inner)))) if inner else y


def apply_over_axes(func: Callable[..., Any], a: OperandLike, axes: Any) -> Any:
    """Apply a reduction along one axis after the other; the axes are kept."""
    for axis in np.atleast_1d(axes).tolist():
        y = func(a, axis)
        a = y if len(shape_of(y)) == len(shape_of(a)) else ops.expand_dims(y, axis=axis)
    return a


def partition(a: OperandLike, kth: object, axis: int | None = -1) -> AnyArray:
    """All entries sorted, which is a valid partition for every `kth`."""
    return ops.sort(a, axis)


def argpartition(a: OperandLike, kth: object, axis: int | None = -1) -> AnyArray:
    """The places of all entries in order."""
    return ops.argsort(a, axis)
