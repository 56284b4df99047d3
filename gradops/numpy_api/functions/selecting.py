"""NumPy's functions that choose entries, or bring them near others."""

from collections.abc import Sequence
from typing import Any

import numpy as np

import gradops as ops

from ...core.types import shape_of, type_of
from ...typing import AnyArray, Axis, OperandLike
from ..refusals import UNSET, concrete, refusal
from .joining import as_array, flat_and_axis

__all__ = [
    "around", "choose", "clip", "compress", "extract", "interp", "piecewise", "round",
    "select", "where",
]  # fmt: skip


def where(condition: OperandLike, x: OperandLike = UNSET, y: OperandLike = UNSET) -> AnyArray:
    """The entries of `x` where the condition is true, else those of `y`."""
    if x is UNSET or x is None:
        raise refusal(
            "numpy.where(condition)", "the shape of its result depends on the values",
            "give what is chosen: np.where(condition, x, y)",
        )  # fmt: skip
    return ops.where(condition, as_array(x), as_array(y))


def clip(
    a: OperandLike, a_min: OperandLike = UNSET, a_max: OperandLike = UNSET,
    min: OperandLike = UNSET, max: OperandLike = UNSET,
) -> Any:  # fmt: skip
    """The entries limited to two bounds, each optional."""
    pairs = (a_min, min), (a_max, max)
    low, high = (next((v for v in pair if v is not UNSET), None) for pair in pairs)
    if (dtype := type_of(a).dtype).kind in "iu":  # bounds beyond all integers of the dtype are none
        low = None if type(low) is int and low <= np.iinfo(dtype).min else low
        high = None if type(high) is int and high >= np.iinfo(dtype).max else high
    numbers = all(v is None or isinstance(v, bool | int | float) for v in (low, high))
    if numbers and type_of(a).dtype.kind != "c":
        return ops.clip(a, low, high)
    a = a if low is None else ops.maximum(a, low)
    return a if high is None else ops.minimum(a, high)


def choose(a: OperandLike, choices: Sequence[OperandLike], mode: str = "raise") -> AnyArray:
    """For each entry of `a`, the corresponding entry of the choice with that index."""
    n = len(choices)
    if mode == "wrap":
        a = ops.remainder(a, n)
    elif mode == "clip":
        a = ops.minimum(ops.maximum(a, 0), n - 1)
    found = as_array(choices[-1])
    for i in reversed(range(n - 1)):
        found = ops.where(ops.equal(a, i), as_array(choices[i]), found)
    return found


def select(
    condlist: Sequence[OperandLike], choicelist: Sequence[OperandLike], default: OperandLike = 0
) -> Any:
    """For each entry, the first choice whose condition is true."""
    found = default
    for condition, choice in reversed(list(zip(condlist, choicelist, strict=True))):
        found = ops.where(condition, as_array(choice), found)
    return found


def piecewise(
    x: OperandLike, condlist: Any, funclist: Sequence[object], *args: object, **kw: object
) -> AnyArray:
    """For each entry, the function of the last true condition; each function gets all entries."""
    one = hasattr(condlist, "shape") and len(shape_of(condlist)) <= len(shape_of(x))
    conditions = [condlist] if one else list(condlist)
    if one and isinstance(condlist, list):
        conditions = condlist
    values = [f(x, *args, **kw) if callable(f) else f for f in funclist]
    default = values.pop() if len(values) > len(conditions) else 0
    found = ops.zeros_like(x) + default
    for condition, value in zip(conditions, values, strict=True):
        found = ops.where(condition, value, found)
    return ops.astype(found, dtype=type_of(x).dtype)


def compress(condition: OperandLike, a: OperandLike, axis: Axis = None) -> AnyArray:
    """The entries along an axis where a condition is true."""
    a, axis = flat_and_axis(as_array(a), axis)
    return ops.take(a, np.nonzero(concrete(condition))[0], axis=axis)


def extract(condition: OperandLike, arr: OperandLike) -> AnyArray:
    """The entries where a condition is true, as a vector."""
    return compress(np.ravel(concrete(condition)), arr)


def interp(x: Any, xp: AnyArray, fp: Any, left: Any = None, right: Any = None) -> Any:
    """The piecewise linear interpolation through the points (xp, fp), with increasing xp."""
    places, fp = as_array(xp), as_array(fp)
    n = shape_of(places)[0]
    above = ops.greater_equal(ops.reshape(x, shape=(*shape_of(x), 1)), places)
    at = ops.minimum(ops.maximum(ops.sum(above, axis=-1) - 1, 0), n - 2)
    x0, x1, f0, f1 = (ops.take(v, i, axis=0) for v in (places, fp) for i in (at, at + 1))
    y = f0 + (f1 - f0) * ((x - x0) / (x1 - x0))
    y = ops.where(ops.less(x, places[0]), fp[0] if left is None else left, y)
    return ops.where(ops.greater(x, places[-1]), fp[-1] if right is None else right, y)


def round(a: AnyArray, decimals: int = 0) -> AnyArray:
    """The entries rounded to a number of decimals."""
    dtype = type_of(a).dtype
    if not decimals or (dtype.kind in "iu" and decimals > 0):
        return ops.round(a)
    if dtype.kind == "c":
        return ops.complex(round(ops.real(a), decimals), round(ops.imag(a), decimals))
    power = 10.0 ** abs(decimals)
    y = ops.round(a * power) / power if decimals > 0 else ops.round(a / power) * power
    return ops.astype(y, dtype=dtype) if dtype.kind in "iu" else y


around = round
