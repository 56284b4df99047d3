"""NumPy's functions that make arrays like others, or between others."""

from typing import Any

import numpy as np

import gradops as ops

from ..library.movement import in_dtype
from ..types import as_shape, shape_of, type_of

__all__ = [
    "empty_like", "full_like", "geomspace", "linspace", "logspace", "ones_like",
    "zeros_like",
]  # fmt: skip


def filled(a: Any, value: Any, dtype: Any, shape: Any) -> Any:
    """An operand like another one, filled with a value; of another shape it has its own memory."""
    if shape is None:
        return ops.zeros_like(a, dtype=dtype) if value == 0 else ops.ones_like(a, dtype=dtype)
    dtype = type_of(a).dtype if dtype is None else dtype
    none = ops.astype(ops.sum(ops.zeros_like(a)), dtype=dtype)  # zero, and of the kind of `a`
    return ops.copy(ops.broadcast_to(none if value == 0 else none + 1, shape=as_shape(shape)))


def zeros_like(a: Any, dtype: Any = None, shape: Any = None) -> Any:
    """Zeros of the type of an operand."""
    return filled(a, 0, dtype, shape)


empty_like = zeros_like


def ones_like(a: Any, dtype: Any = None, shape: Any = None) -> Any:
    """Ones of the type of an operand."""
    return filled(a, 1, dtype, shape)


def full_like(a: Any, fill_value: Any, dtype: Any = None, shape: Any = None) -> Any:
    """One value, which may be differentiated, in the type of an operand."""
    value = ops.astype(np.asarray(fill_value) if not hasattr(fill_value, "gradop_level")
                       else fill_value, dtype=dtype or type_of(a).dtype)  # fmt: skip
    return ops.broadcast_to(value, shape=shape_of(a) if shape is None else shape)


def linspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, retstep: bool = False,
    dtype: Any = None, axis: int = 0,
) -> Any:  # fmt: skip
    """Numbers at equal steps from one to another."""
    parts = num - 1 if endpoint else num
    start, stop = (ops.mul(x, np.float64(1.0)) for x in (start, stop))
    width = ops.sub(stop, start)
    rank = max(len(shape_of(start)), len(shape_of(stop)))
    place = ops.reshape(np.arange(num, dtype=np.float64), shape=(-1, *(1,) * rank))
    step = width / parts if parts else width * np.nan
    found = start + place * step
    if endpoint and num > 1:
        found = ops.where(np.arange(num).reshape(place.shape) == num - 1, stop, found)
    found = in_dtype(ops.moveaxis(found, 0, axis) if axis else found, dtype)
    return (found, step) if retstep else found


def logspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, base: Any = 10.0,
    dtype: Any = None, axis: int = 0,
) -> Any:  # fmt: skip
    """Powers of a base, their exponents at equal steps."""
    return in_dtype(ops.power(base, linspace(start, stop, num, endpoint, axis=axis)), dtype)


def geomspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0
) -> Any:
    """Numbers at equal ratios from one positive number to another."""
    low, high = (ops.log(ops.mul(x, np.float64(1.0))) for x in (start, stop))
    return in_dtype(ops.exp(linspace(low, high, num, endpoint, axis=axis)), dtype)
