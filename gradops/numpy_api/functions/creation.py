"""NumPy's functions that create arrays like others, and ranges."""

from typing import Any

import numpy as np

import gradops as ops

from ...core.types import as_shape, shape_of, type_of
from ...library.shape.movement import in_dtype
from ...typing import AnyArray, DTypeLike, OperandLike, ShapeLike
from .joining import as_array

__all__ = [
    "empty_like", "full_like", "geomspace", "linspace", "logspace", "ones_like",
    "zeros_like",
]  # fmt: skip


def constant_like(
    a: OperandLike, value: int, dtype: DTypeLike, shape: ShapeLike | None
) -> AnyArray:
    """Zeros or ones like an operand, with its own memory if it has another shape."""
    if shape is None:
        return ops.zeros_like(a, dtype=dtype) if value == 0 else ops.ones_like(a, dtype=dtype)
    dtype = type_of(a).dtype if dtype is None else dtype
    none = ops.astype(ops.sum(ops.zeros_like(a)), dtype=dtype)  # zero, and of the kind of `a`
    return ops.copy(ops.broadcast_to(none if value == 0 else none + 1, shape=as_shape(shape)))


def zeros_like(a: OperandLike, dtype: DTypeLike = None, shape: ShapeLike | None = None) -> AnyArray:
    """Zeros of the type of an operand."""
    return constant_like(a, 0, dtype, shape)


empty_like = zeros_like


def ones_like(a: OperandLike, dtype: DTypeLike = None, shape: ShapeLike | None = None) -> AnyArray:
    """Ones of the type of an operand."""
    return constant_like(a, 1, dtype, shape)


def full_like(
    a: OperandLike, fill_value: OperandLike, dtype: DTypeLike = None, shape: ShapeLike | None = None
) -> AnyArray:
    """A value, which may be traced, in the shape and dtype of an operand."""
    value = ops.astype(np.asarray(fill_value) if not hasattr(fill_value, "gradop_level")
                       else fill_value, dtype=dtype or type_of(a).dtype)  # fmt: skip
    return ops.broadcast_to(value, shape=shape_of(a) if shape is None else shape)


def in_common_float(*ends: OperandLike) -> list[Any]:
    """Operands in their common float dtype; Python's numbers are weakly typed."""
    dtypes = [type_of(x).dtype if hasattr(x, "shape") else x for x in map(as_array, ends)]
    dtype = np.result_type(*dtypes, 1.0)
    return [ops.astype(as_array(x), dtype=dtype) for x in ends]


def linspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, retstep: bool = False,
    dtype: DTypeLike = None, axis: int = 0,
) -> Any:  # fmt: skip
    """Evenly spaced numbers, rounded as in NumPy."""
    parts = num - 1 if endpoint else num
    start, stop = in_common_float(start, stop)
    width = ops.sub(stop, start)
    place = np.arange(num, dtype=type_of(width).dtype).reshape(-1, *(1,) * len(shape_of(width)))
    step = width / parts if parts > 0 else np.nan
    found = start + (steps_from(place, step, width, parts) if parts > 0 else place * width)
    if endpoint and num > 1:
        found = ops.where(place == num - 1, stop, found)
    found = ops.moveaxis(found, 0, axis) if axis else found
    found = ops.floor(found) if dtype is not None and np.dtype(dtype).kind in "iu" else found
    return (in_dtype(found, dtype), step) if retstep else in_dtype(found, dtype)


def steps_from(place: Any, step: Any, width: Any, parts: int) -> Any:
    """The distance of each place from the start, also where a single step underflows."""
    vanish = ops.any(ops.equal(step, 0))
    return ops.where(vanish, place / parts * width, place * step)


def logspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, base: Any = 10.0,
    dtype: DTypeLike = None, axis: int = 0,
) -> AnyArray:  # fmt: skip
    """Powers of a base, their exponents at equal steps."""
    if len(shape_of(as_array(base))):
        rank = max(len(shape_of(as_array(x))) for x in (start, stop, base))
        start, stop, base = (expand_to_rank(x, rank) for x in (start, stop, base))
        base = ops.expand_dims(base, axis=axis)
    return in_dtype(ops.power(base, linspace(start, stop, num, endpoint, axis=axis)), dtype)


def expand_to_rank(x: OperandLike, rank: int) -> AnyArray:
    """An operand with leading axes of size 1 up to `rank` axes."""
    shape = shape_of(as_array(x))
    return ops.reshape(as_array(x), shape=(*(1,) * (rank - len(shape)), *shape))


def geomspace(
    start: OperandLike, stop: OperandLike, num: int = 50, endpoint: bool = True,
    dtype: DTypeLike = None, axis: int = 0,
) -> AnyArray:  # fmt: skip
    """Numbers at equal ratios between two ends, rounded as in NumPy."""
    ends = (x if hasattr(x, "shape") else np.asarray(x) for x in (start, stop))  # not weakly typed
    start, stop, _ = in_common_float(*ends, np.zeros((), dtype))
    turn = ops.sign(start)
    low, high = start / turn, stop / turn
    found = logspace(ops.log10(low), ops.log10(high), num, endpoint)
    place = np.arange(num).reshape(-1, *(1,) * (len(shape_of(found)) - 1))
    found = ops.where(place == 0, low, found)
    found = ops.where(place == num - 1, high, found) if endpoint and num > 1 else found
    return in_dtype(ops.moveaxis(found * turn, 0, axis) if axis else found * turn, dtype)
