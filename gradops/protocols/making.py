"""NumPy's functions that make arrays like others, or between others."""

import operator
from typing import Any

import numpy as np

import gradops as ops

from ..library.movement import in_dtype
from ..types import shape_of, type_of
from .joining import as_array

__all__ = [
    "empty_like", "full_like", "geomspace", "linspace", "logspace", "ones_like",
    "zeros_like",
]  # fmt: skip


def filled(a: Any, value: Any, dtype: Any, shape: Any) -> Any:
    """An operand like another one, filled with a value."""
    if shape is None:
        return ops.zeros_like(a, dtype=dtype) if value == 0 else ops.ones_like(a, dtype=dtype)
    return np.full(shape, value, type_of(a).dtype if dtype is None else dtype)


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


def inexact(*ends: Any) -> Any:
    """The dtype of floats in which numbers between the ends are found; Python's are weak."""
    weak = (int, float, complex)
    given = [x if type(x) in weak else type_of(as_array(x)).dtype for x in ends]
    return np.result_type(*given, 0.0)


def linspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, retstep: bool = False,
    dtype: Any = None, axis: int = 0,
) -> Any:  # fmt: skip
    """Numbers at equal steps from one to another."""
    num = operator.index(num)
    parts, found_in = num - 1 if endpoint else num, inexact(start, stop)
    start, stop = (ops.astype(as_array(x), dtype=found_in) for x in (start, stop))
    width = ops.sub(stop, start)
    places = np.arange(num, dtype=found_in).reshape((-1, *(1,) * len(shape_of(width))))
    step, found = np.nan, ops.mul(places, width)  # of one number, or none, there is no step
    if parts > 0:
        step = width / parts
        whole = ops.mul(places / found_in.type(parts), width)  # as NumPy does it for tiny steps
        found = ops.where(ops.any(ops.equal(step, 0)), whole, ops.mul(places, step))
    found = found + start
    if endpoint and num > 1:
        found = ops.where(np.equal(places, num - 1), stop, found)
    found = ops.moveaxis(found, 0, axis) if axis else found
    if dtype is not None and np.dtype(dtype).kind in "iu":
        found = ops.floor(found)
    found = in_dtype(found, dtype)
    return (found, step) if retstep else found


def logspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, base: Any = 10.0,
    dtype: Any = None, axis: int = 0,
) -> Any:  # fmt: skip
    """Powers of a base, their exponents at equal steps."""
    if len(shape_of(as_array(base))):
        rank = max(len(shape_of(as_array(x))) for x in (start, stop, base))
        start, stop, base = (deepened(x, rank) for x in (start, stop, base))
        base = ops.expand_dims(base, axis=axis)
    return in_dtype(ops.power(base, linspace(start, stop, num, endpoint, axis=axis)), dtype)


def deepened(x: Any, rank: int) -> Any:
    """An operand with axes of size 1 in front, so that it has `rank` of them."""
    shape = shape_of(as_array(x))
    return ops.reshape(as_array(x), shape=(*(1,) * (rank - len(shape)), *shape))


def geomspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0
) -> Any:
    """Numbers at equal ratios from one to another, in the direction that the first one has."""
    given = [type_of(as_array(x)).dtype for x in (start, stop)]
    found_in = np.result_type(*given, 0.0, np.dtype(dtype))
    start, stop = (ops.astype(as_array(x), dtype=found_in) for x in (start, stop))
    turn = ops.sign(start)
    start, stop = start / turn, stop / turn
    found = logspace(ops.log10(start), ops.log10(stop), num, endpoint)
    places = np.arange(num).reshape((-1, *(1,) * (len(shape_of(found)) - 1)))
    found = ops.where(np.equal(places, 0), start, found)
    if endpoint and num > 1:
        found = ops.where(np.equal(places, num - 1), stop, found)
    found = found * turn
    return in_dtype(ops.moveaxis(found, 0, axis) if axis else found, dtype)
