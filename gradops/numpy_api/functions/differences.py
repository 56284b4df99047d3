"""NumPy's differences along axes, and sums of products along them."""

from typing import Any

import numpy as np

import gradops as ops

from ...core.types import is_inexact, shape_of, type_of
from ...library.index.indexing import index
from ...typing import AnyArray, Axis, OperandLike
from ..refusals import length
from .joining import as_array, concatenate

__all__ = ["convolve", "correlate", "ediff1d", "gradient", "unwrap"]


def between(x: Any, start: Any, stop: Any, axis: int) -> Any:
    """The slice `start:stop` along an axis."""
    return index(x, (*(slice(None),) * (axis % len(shape_of(x))), slice(start, stop)))


def ediff1d(ary: OperandLike, to_end: object = None, to_begin: object = None) -> AnyArray:
    """The differences of all entries in a row, with more before and after."""
    found = ops.diff(ops.reshape(ary, shape=(-1,)))
    more = [None if v is None else beside(v, ary) for v in (to_begin, to_end)]
    parts = [part for part in (more[0], found, more[1]) if part is not None]
    return concatenate(parts) if parts[1:] else found


def beside(values: Any, ary: OperandLike) -> Any:
    """Values for either end of the differences, in their dtype."""
    dtype, row = type_of(ary).dtype, np.ravel(values)
    if not np.can_cast(type_of(row).dtype, dtype, "same_kind"):
        raise ops.DTypeError("ediff1d", [type_of(row)], f"the entries beside it are {dtype}")
    return ops.astype(row, dtype=dtype)


def gradient(f: OperandLike, *varargs: OperandLike, axis: Axis = None, edge_order: int = 1) -> Any:
    """Derivatives along each axis, estimated by second-order differences."""
    rank = len(shape_of(f))
    f = f if is_inexact(type_of(f).dtype) else ops.astype(f, dtype=np.float64)
    axes = [int(i) % rank for i in (range(rank) if axis is None else np.atleast_1d(axis))]
    steps = list(varargs) * len(axes) if len(varargs) == 1 else list(varargs) or [1.0] * len(axes)
    found = [slopes(f, as_array(h), i, edge_order) for h, i in zip(steps, axes, strict=True)]
    found = [ops.astype(y, dtype=type_of(f).dtype) for y in found]
    return found[0] if len(found) == 1 else tuple(found)


def slopes(f: object, h: AnyArray, axis: int, edge_order: int) -> AnyArray:
    """The estimates along one axis, for a step or for coordinates; the formulas are NumPy's."""
    before, here, after = (between(f, i, j, axis) for i, j in ((None, -2), (1, -1), (2, None)))
    if shape_of(h):
        first, last, middle = of_places(f, ops.diff(h), axis, edge_order, (before, here, after))
    else:
        first, last = of_step(f, h, axis, edge_order)
        middle = (after - before) / (2.0 * h)
    return concatenate([first, middle, last], axis)


def of_step(f: object, h: AnyArray, axis: int, edge_order: int) -> tuple[AnyArray, AnyArray]:
    """The estimates at both ends, for equal steps."""
    p, q, r, u, v, w = (ops.take(f, np.array([i]), axis=axis) for i in (0, 1, 2, -3, -2, -1))
    if edge_order == 1:
        return (q - p) / h, (w - v) / h
    return -1.5 / h * p + 2.0 / h * q + -0.5 / h * r, 0.5 / h * u + -2.0 / h * v + 1.5 / h * w


def of_places(f: Any, steps: Any, axis: int, edge_order: int, rows: Any) -> tuple[Any, Any, Any]:
    """The estimates at both ends and between them, for coordinates with these differences."""
    p, q, r, u, v, w = (ops.take(f, np.array([i]), axis=axis) for i in (0, 1, 2, -3, -2, -1))
    shape = [-1 if i == axis else 1 for i in range(len(shape_of(f)))]
    d, e = (ops.reshape(x, shape=shape) for x in (steps[:-1], steps[1:]))
    before, here, after = rows
    middle = -e / (d * (d + e)) * before + (e - d) / (d * e) * here + d / (e * (d + e)) * after
    if edge_order == 1:
        return (q - p) / steps[0], (w - v) / steps[-1], middle
    d, e = steps[0], steps[1]
    first = -(2.0 * d + e) / (d * (d + e)) * p + (d + e) / (d * e) * q - d / (e * (d + e)) * r
    d, e = steps[-2], steps[-1]
    last = e / (d * (d + e)) * u - (e + d) / (d * e) * v + (2.0 * e + d) / (e * (d + e)) * w
    return first, last, middle


def convolve(a: OperandLike, v: OperandLike, mode: str = "full") -> AnyArray:
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


def correlate(a: OperandLike, v: OperandLike, mode: str = "valid") -> AnyArray:
    """The cross-correlation of two vectors."""
    v = ops.conj(ops.flip(as_array(v)))
    if length(v) > length(a) and mode != "full":
        turned = convolve(ops.flip(as_array(a)), ops.flip(v), mode)
        return ops.flip(turned)
    return convolve(a, v, mode)


def unwrap(
    p: OperandLike, discont: float | None = None, axis: int = -1, period: float = 2 * np.pi
) -> AnyArray:
    """Angles without jumps: multiples of the period are added."""
    step = ops.diff(p, axis=axis)
    half = period / 2
    wrapped = ops.remainder(step + half, period) - half
    wrapped = ops.where(ops.logical_and(ops.equal(wrapped, -half), step > 0), half, wrapped)
    jump = ops.where(ops.abs(step) < (half if discont is None else discont), 0.0, wrapped - step)
    later = between(p, 1, None, axis) + ops.cumsum(jump, axis)
    return concatenate([between(p, None, 1, axis), later], axis)
