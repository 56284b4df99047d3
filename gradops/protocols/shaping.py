"""NumPy's functions that move entries: other shapes, other orders, other borders."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import gradops as ops

from ..types import shape_of
from .refusals import length, refusal

__all__ = [
    "apply_along_axis", "apply_over_axes", "diagflat", "fliplr", "flipud", "matrix_transpose",
    "moveaxis", "pad", "ravel", "reshape", "resize", "rollaxis", "rot90", "swapaxes",
]  # fmt: skip


def reshape(a: Any, shape: Any, order: str = "C") -> Any:
    """The entries in another shape; in Fortran's order if asked for."""
    if order != "F":
        return ops.reshape(a, shape=shape)
    sizes = tuple(reversed(np.atleast_1d(shape).tolist()))
    return ops.transpose(ops.reshape(ops.transpose(a), shape=sizes))


def ravel(a: Any, order: str = "C") -> Any:
    """All entries along one axis."""
    return ops.reshape(a if order != "F" else ops.transpose(a), shape=(-1,))


def resize(a: Any, new_shape: Any) -> Any:
    """The entries, again and again, in another shape."""
    shape = tuple(np.atleast_1d(new_shape).tolist())
    flat = ravel(a)
    return ops.reshape(
        ops.take(flat, np.resize(np.arange(length(flat)), np.prod(shape, dtype=int)), axis=0),
        shape=shape,
    )


def swapaxes(a: Any, axis1: int, axis2: int) -> Any:
    """Two axes exchanged."""
    return ops.swapaxes(a, axis1, axis2)


def matrix_transpose(x: Any) -> Any:
    """The last two axes exchanged."""
    return ops.swapaxes(x, -1, -2)


def moveaxis(a: Any, source: Any, destination: Any) -> Any:
    """Some axes at other places, the rest in their order."""
    rank = len(shape_of(a))
    begin = [int(i) % rank for i in np.atleast_1d(source)]
    end = [int(i) % rank for i in np.atleast_1d(destination)]
    order = [i for i in range(rank) if i not in begin]
    for to, at in sorted(zip(end, begin, strict=True)):
        order.insert(to, at)
    return ops.transpose(a, axes=tuple(order))


def rollaxis(a: Any, axis: int, start: int = 0) -> Any:
    """An axis moved to before another one."""
    rank = len(shape_of(a))
    axis, start = axis % rank, start + rank if start < 0 else start
    return moveaxis(a, axis, start - 1 if axis < start else start)


def flipud(m: Any) -> Any:
    """The entries upside down."""
    return ops.flip(m, axis=0)


def fliplr(m: Any) -> Any:
    """The entries from right to left."""
    return ops.flip(m, axis=1)


def rot90(m: Any, k: int = 1, axes: Any = (0, 1)) -> Any:
    """The entries turned by so many quarters, from one axis to another."""
    first, second = axes
    match k % 4:
        case 0:
            return m
        case 1:
            return ops.swapaxes(ops.flip(m, axis=second), first, second)
        case 2:
            return ops.flip(m, axis=(first, second))
    return ops.flip(ops.swapaxes(m, first, second), axis=second)


def diagflat(v: Any, k: int = 0) -> Any:
    """A matrix with all entries of an operand on a diagonal."""
    flat = ravel(v)
    rows = np.arange(length(flat)) + max(-k, 0)
    n = length(flat) + abs(k)
    zeros = np.zeros((n, n), ops.type_of(flat).dtype)
    return ops.scatter_add(zeros, (rows, rows + k), flat)


def apply_along_axis(func1d: Callable[..., Any], axis: int, arr: Any, *args: Any, **kw: Any) -> Any:
    """What a function gives for each row along an axis."""
    rest = moveaxis(arr, axis, -1)
    shape = shape_of(rest)[:-1]
    rows = ops.reshape(rest, shape=(-1, shape_of(rest)[-1]))
    found = [func1d(rows[i], *args, **kw) for i in range(shape_of(rows)[0])]
    inner = shape_of(found[0])
    y = ops.reshape(ops.stack(found), shape=(*shape, *inner))
    places = range(len(shape), len(shape) + len(inner))
    axis %= len(shape_of(arr))
    return moveaxis(y, tuple(places), tuple(range(axis, axis + len(inner)))) if inner else y


def apply_over_axes(func: Callable[..., Any], a: Any, axes: Any) -> Any:
    """What a function that takes an axis away gives for one axis after the other; axes are kept."""
    for axis in np.atleast_1d(axes).tolist():
        y = func(a, axis)
        a = y if len(shape_of(y)) == len(shape_of(a)) else ops.expand_dims(y, axis=axis)
    return a


def pad(array: Any, pad_width: Any, mode: Any = "constant", constant_values: Any = 0) -> Any:
    """An operand with more entries around it: a number, or its own ones as `mode` says."""
    widths = paired(pad_width, len(shape_of(array)))
    if mode == "constant":
        return bordered(array, widths, paired(constant_values, len(widths)))
    if mode not in ("edge", "reflect", "symmetric", "wrap"):
        raise refusal(
            f"numpy.pad(..., mode={mode!r})", "tensors and expressions do not take this mode",
            "there are constant, edge, reflect, symmetric and wrap",
        )  # fmt: skip
    for axis, (before, after) in enumerate(widths):
        if before or after:
            places = np.pad(np.arange(length(array, axis)), (before, after), mode)
            array = ops.take(array, places, axis=axis)
    return array


def paired(given: Any, rank: int) -> list[Any]:
    """Two numbers for each axis, given as NumPy takes them: one, a pair, or all; or a dict."""
    if isinstance(given, dict):
        found: list[Any] = [(0, 0)] * rank
        for axis, width in given.items():
            found[axis] = tuple(np.broadcast_to(width, 2).tolist())
        return found
    return [tuple(row) for row in np.broadcast_to(given, (rank, 2)).tolist()]


def bordered(x: Any, widths: Sequence[Any], values: Sequence[Any]) -> Any:
    """An operand with numbers around it, which may differ from border to border."""
    if len({v for pair in values for v in pair}) <= 1:
        return ops.pad(x, widths, value=values[0][0] if values else 0)
    for axis, ((before, after), (low, high)) in enumerate(zip(widths, values)):
        none = [(0, 0)] * len(widths)
        none[axis] = (before, 0)
        x = ops.pad(x, none, value=low)
        none[axis] = (0, after)
        x = ops.pad(x, none, value=high)
    return x
