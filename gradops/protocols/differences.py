"""NumPy's differences along axes, and sums of products along them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

import gradops as ops

from ..library.indexing import index
from ..types import shape_of
from .joining import as_array, concatenate
from .refusals import length

__all__ = [
    "convolve", "correlate", "ediff1d", "gradient", "unwrap",
]  # fmt: skip


def between(x: Any, start: Any, stop: Any, axis: int) -> Any:
    """The entries from one place to another along an axis."""
    return index(x, (*(slice(None),) * (axis % len(shape_of(x))), slice(start, stop)))


def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    """The differences of all entries in a row, with more before and after."""
    found = [ops.diff(ops.reshape(ary, shape=(-1,)))]
    found = found if to_end is None else [*found, np.ravel(to_end)]
    found = found if to_begin is None else [np.ravel(to_begin), *found]
    return concatenate(found) if len(found) > 1 else found[0]


def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """Second-order differences along each axis, as estimates of a derivative."""
    rank = len(shape_of(f))
    axes = [int(i) % rank for i in (range(rank) if axis is None else np.atleast_1d(axis))]
    steps = list(varargs) * len(axes) if len(varargs) == 1 else list(varargs) or [1.0] * len(axes)
    found = [slopes(f, as_array(h), i, edge_order) for h, i in zip(steps, axes, strict=True)]
    return found[0] if len(found) == 1 else tuple(found)


def slopes(f: Any, h: Any, axis: int, edge_order: int) -> Any:
    """The estimates along one axis, for a step or for places."""
    shape = [1] * len(shape_of(f))
    shape[axis] = -1
    step = ops.reshape(ops.diff(h), shape=shape) if shape_of(h) else h
    before, here, after = (between(f, i, j, axis) for i, j in ((None, -2), (1, -1), (2, None)))
    if not shape_of(h):
        middle = (after - before) / (2.0 * step)
        a = b = step
    else:
        a, b = between(step, None, -1, axis), between(step, 1, None, axis)
        middle = -b / (a * (a + b)) * before + (b - a) / (a * b) * here + a / (b * (a + b)) * after
    ends = [
        edge(f, axis, [0, 1, 2], edge_order, *(steps_at(v, axis, 0, shape_of(h)) for v in (a, b))),
        edge(f, axis, [-1, -2, -3], edge_order,
             *(-steps_at(v, axis, -1, shape_of(h)) for v in (b, a))),
    ]  # fmt: skip
    return concatenate([ends[0], middle, ends[1]], axis)


def steps_at(v: Any, axis: int, place: int, places: Any) -> Any:
    """The step at one end."""
    return ops.take(v, np.array([place]), axis=axis) if places else v


def edge(f: Any, axis: int, order: Sequence[int], edge_order: int, a: Any, b: Any) -> Any:
    """The estimate at an end, from the entry there and the next ones."""
    p, q, r = (ops.take(f, np.array([i]), axis=axis) for i in order)
    if edge_order == 1:
        return (q - p) / a
    return -(2.0 * a + b) / (a * (a + b)) * p + (a + b) / (a * b) * q - a / (b * (a + b)) * r


def convolve(a: Any, v: Any, mode: str = "full") -> Any:
    """The convolution of two vectors."""
    a, v = as_array(a), as_array(v)
    if length(v) > length(a):
        a, v = v, a
    n, m = length(a), length(v)
    windows = np.arange(n + m - 1)[:, None] + np.arange(m)
    full = ops.matmul(ops.take(ops.pad(a, (m - 1, m - 1)), windows, axis=0), ops.flip(v))
    match mode:
        case "full":
            return full
        case "same":
            return full[(m - 1) // 2 : (m - 1) // 2 + n]
        case "valid":
            return full[m - 1 : n]
    raise ops.OptionError("convolve", [ops.type_of(a), ops.type_of(v)],
                          f"mode is full, same or valid, not {mode!r}")  # fmt: skip


def correlate(a: Any, v: Any, mode: str = "valid") -> Any:
    """The cross-correlation of two vectors."""
    v = ops.conj(ops.flip(as_array(v)))
    if length(v) > length(a) and mode != "full":
        turned = convolve(ops.flip(as_array(a)), ops.flip(v), mode)
        return ops.flip(turned)
    return convolve(a, v, mode)


def unwrap(p: Any, discont: Any = None, axis: int = -1, period: float = 2 * np.pi) -> Any:
    """Angles without jumps: multiples of the period are added."""
    step = ops.diff(p, axis=axis)
    half = period / 2
    wrapped = ops.remainder(step + half, period) - half
    wrapped = ops.where(ops.logical_and(ops.equal(wrapped, -half), step > 0), half, wrapped)
    jump = ops.where(ops.abs(step) < (half if discont is None else discont), 0.0, wrapped - step)
    later = between(p, 1, None, axis) + ops.cumsum(jump, axis)
    return concatenate([between(p, None, 1, axis), later], axis)
