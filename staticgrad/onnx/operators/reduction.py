"""Reductions over axes, and cumulative sums."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import gradops as ops
from gradops import OPS
from gradops.core.dims import Size

from ..reading.registry import operator, register
from ..reading.values import Value, filled, integers
from .elementwise import cast, like

Reduce = Callable[..., Any]


def limits(dtype: np.dtype) -> tuple[Any, Any]:
    """The lowest and the highest value of a dtype, which are what max and min of nothing are."""
    if dtype.kind == "f":
        return -np.inf, np.inf
    if dtype.kind == "b":
        return False, True
    info = np.iinfo(dtype)
    return info.min, info.max


def has_no_entries(x: Value) -> bool:
    """Whether an array is known to be empty."""
    return any(n == 0 for n in x.shape)


def reduced_shape(x: Value, axis: tuple[int, ...], keepdims: bool) -> tuple[Size, ...]:
    """The shape of a reduction."""
    axes = {a % len(x.shape) for a in axis}
    kept = [1 if i in axes else n for i, n in enumerate(x.shape) if keepdims or i not in axes]
    return tuple(kept)


def largest(x: Value, axis: tuple[int, ...], keepdims: bool) -> Any:
    """The largest entries."""
    if has_no_entries(x):
        return filled(reduced_shape(x, axis, keepdims), like(limits(x.dtype)[0], x))
    return OPS["any" if x.dtype.kind == "b" else "max"](x, axis=axis, keepdims=keepdims)


def smallest(x: Value, axis: tuple[int, ...], keepdims: bool) -> Any:
    """The smallest entries."""
    if has_no_entries(x):
        return filled(reduced_shape(x, axis, keepdims), like(limits(x.dtype)[1], x))
    return OPS["all" if x.dtype.kind == "b" else "min"](x, axis=axis, keepdims=keepdims)


def total(x: Value, axis: tuple[int, ...], keepdims: bool) -> Any:
    """The sums."""
    return OPS["sum"](x, axis=axis, keepdims=keepdims)


def log_sum_exp(x: Value, axis: tuple[int, ...], keepdims: bool) -> Any:
    """The logarithms of the sums of exponentials."""
    if has_no_entries(x):
        return filled(reduced_shape(x, axis, keepdims), like(-math.inf, x))
    return OPS["logsumexp"](x, axis=axis, keepdims=keepdims)


REDUCTIONS: dict[str, Reduce] = {
    "ReduceMax": largest,
    "ReduceMin": smallest,
    "ReduceSum": total,
    "ReduceMean": lambda x, axis, keepdims: OPS["mean"](x, axis=axis, keepdims=keepdims),
    "ReduceProd": lambda x, axis, keepdims: OPS["prod"](x, axis=axis, keepdims=keepdims),
    "ReduceL1": lambda x, axis, keepdims: total(OPS["abs"](x), axis, keepdims),
    "ReduceL2": lambda x, axis, keepdims: OPS["sqrt"](total(x * x, axis, keepdims)),
    "ReduceLogSum": lambda x, axis, keepdims: OPS["log"](total(x, axis, keepdims)),
    "ReduceLogSumExp": log_sum_exp,
    "ReduceSumSquare": lambda x, axis, keepdims: total(x * x, axis, keepdims),
}
"""The reductions, of an operand, the axes, and whether these are kept."""


def enter(name: str, reduce: Reduce) -> None:
    """Enter a reduction into the table: with axes as an attribute, then as an input."""

    def by_attribute(x: Value, *, axes: tuple[int, ...] | None = None, keepdims: int = 1) -> Any:
        axis = axes or tuple(range(len(x.shape)))
        return cast(reduce(x, axis, bool(keepdims)), x.dtype)

    def by_input(
        x: Value, axes: Value | None = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0
    ) -> Any:
        given = None if axes is None else integers(axes)
        if not given and noop_with_empty_axes:
            return cast(reduce(x, (), False), x.dtype)
        return by_attribute(x, axes=given, keepdims=keepdims)

    register(name, 1, by_attribute)
    register(name, 13 if name == "ReduceSum" else 18, by_input)


for _name, _reduce in REDUCTIONS.items():
    enter(_name, _reduce)


def extreme_index(op: str) -> Callable[..., Any]:
    """The builder of ArgMax or ArgMin."""

    def build(x: Value, *, axis: int = 0, keepdims: int = 1, select_last_index: int = 0) -> Any:
        if not select_last_index:
            return cast(OPS[op](x, axis=axis, keepdims=bool(keepdims)), np.int64)
        first = OPS[op](ops.flip(x, axis), axis=axis, keepdims=bool(keepdims))
        return cast(x.shape[axis] - 1 - first, np.int64)

    return build


operator("ArgMax")(extreme_index("argmax"))
operator("ArgMin")(extreme_index("argmin"))


def cumulative(op: str, start: int) -> Callable[..., Any]:
    """The builder of CumSum or CumProd, which begins with `start` where it is exclusive."""

    def build(x: Value, axis: Value, *, exclusive: int = 0, reverse: int = 0) -> Any:
        (at,) = integers(axis)
        x = ops.flip(x, at) if reverse else x
        y = cast(OPS[op](x, axis=at), x.dtype)
        if exclusive:
            at %= len(x.shape)
            first = filled([1 if i == at else n for i, n in enumerate(x.shape)], like(start, x))
            y = OPS["concatenate"](first, take(y, at, slice(None, -1)), axis=at)
        return ops.flip(y, at) if reverse else y

    return build


def take(x: Value, axis: int, part: slice) -> Any:
    """A slice along one axis."""
    return x[(*[slice(None)] * axis, part)]


operator("CumSum", 11)(cumulative("cumsum", 0))
operator("CumProd", 26)(cumulative("cumprod", 1))
