"""Reading and writing entries at indices."""

import math
from typing import Any

import numpy as np

import gradops as ops
from gradops import OPS

from ..errors import Unsupported
from ..reading.registry import operator
from ..reading.values import Value, along, as_expr, places, scalar
from .elementwise import cast, like


def wrapped(indices: Value, n: Any) -> Any:
    """Indices with those that count from the end turned into those from the start."""
    if isinstance(indices, np.ndarray) and not (indices.dtype != object and (indices < 0).any()):
        return indices
    indices = cast(indices, np.int64) if indices.dtype.kind == "u" else indices
    return OPS["where"](OPS["less"](indices, like(0, indices)), indices + n, indices)


@operator("Gather")
def gather(x: Value, indices: Value, *, axis: int = 0) -> Any:
    """The parts at indices along an axis."""
    return ops.take(x, indices, axis=axis)


@operator("GatherElements", 11)
def gather_elements(x: Value, indices: Value, *, axis: int = 0) -> Any:
    """The entry at an index along an axis, for each position on the other axes."""
    axis %= len(x.shape)
    part = tuple(slice(None) if i == axis else slice(0, n) for i, n in enumerate(indices.shape))
    if any(i != axis and x.shape[i] != n for i, n in enumerate(indices.shape)):
        x = x[part]
    return OPS["take_along_axis"](x, wrapped(indices, x.shape[axis]), axis=axis)


@operator("GatherND", 11)
def gather_nd(x: Value, indices: Value, *, batch_dims: int = 0) -> Any:
    """The parts at tuples of indices."""
    return x[places_of(x, indices, batch_dims)]


def places_of(x: Value, indices: Value, batch_dims: int = 0) -> tuple[Any, ...]:
    """The columns of `indices` as arrays of indices, after those of the batch axes."""
    depth = indices.shape[-1]
    columns = [wrapped(indices[..., i], x.shape[batch_dims + i]) for i in range(depth)]
    rank = len(indices.shape) - 1
    batch = [along(OPS["positions"](x, axis=i), i, rank) for i in range(batch_dims)]
    return (*batch, *columns)


def updated(x: Value, index: tuple[Any, ...], updates: Value, reduction: str) -> Any:
    """`x` with values at an index: set, added, multiplied, or where they are larger or smaller."""
    at = ops.at(as_expr(x))[index]
    match reduction:
        case "none":
            return at.set(updates)
        case "add":
            return at.add(updates)
        case "mul":
            return at.multiply(updates)
        case "max":
            return at.max(updates)
        case "min":
            return at.min(updates)
    raise Unsupported(f"the reduction {reduction!r}")


@operator("ScatterND", 11)
def scatter_nd(x: Value, indices: Value, updates: Value, *, reduction: str = "none") -> Any:
    """The array with parts at tuples of indices replaced."""
    return updated(x, places_of(x, indices), updates, reduction)


@operator("Scatter", 9)
@operator("ScatterElements", 11)
def scatter_elements(
    x: Value, indices: Value, updates: Value, *, axis: int = 0, reduction: str = "none"
) -> Any:
    """The array with entries at an index along an axis replaced, for each place on the others."""
    axis %= len(x.shape)
    at = [places(indices, i) for i in range(len(indices.shape))]
    at[axis] = wrapped(indices, x.shape[axis])
    return updated(x, tuple(at), updates, reduction)


@operator("TensorScatter", 24)
def tensor_scatter(
    past: Value, update: Value, starts: Value | None = None, *, axis: int = -2, mode: str = "linear"
) -> Any:
    """A cache with an update written from a place on, for each example."""
    rank = len(past.shape)
    axis %= rank
    at = [places(update, i) for i in range(rank)]
    if starts is not None:
        at[axis] = at[axis] + along(starts, 0, rank)
    if mode == "circular":
        at[axis] = OPS["remainder"](at[axis], past.shape[axis])
    return updated(past, tuple(at), update, "none")


@operator("OneHot", 9)
def one_hot(indices: Value, depth: Value, values: Value, *, axis: int = -1) -> Any:
    """The second value at each index along a new axis, the first elsewhere."""
    n = int(scalar(depth))
    found = cast(wrapped(indices, like(n, indices)), np.int64)
    at = axis % (len(indices.shape) + 1)
    numbers = np.arange(n).reshape(-1, *(1,) * (len(indices.shape) - at))
    is_hot = OPS["equal"](OPS["expand_dims"](found, axis=at), numbers)
    return OPS["where"](is_hot, values[1], values[0])


@operator("NonZero", 9)
def nonzero(x: Value) -> Any:
    """The indices of the entries that are not zero, a column for each."""
    return OPS["transpose"](OPS["argwhere"](x), axes=(1, 0))


@operator("Compress", 9)
def compress(x: Value, condition: Value, *, axis: int | None = None) -> Any:
    """The parts where a condition holds."""
    x = OPS["reshape"](x, shape=(-1,)) if axis is None else x
    return ops.take(x, OPS["argwhere"](condition)[:, 0], axis=axis or 0)


@operator("TopK")
def top_k_of_attribute(x: Value, *, k: int, axis: int = -1) -> Any:
    """The k largest entries along an axis, and their indices."""
    return top_k(x, np.array([k]), axis=axis)


@operator("TopK", 10)
def top_k(x: Value, k: Value, *, axis: int = -1, largest: int = 1, sorted: int = 1) -> Any:
    """The k largest or smallest entries along an axis, best first, and their indices."""
    best = OPS["argtopk"](x, k=int(scalar(k)), axis=axis, largest=bool(largest))
    return OPS["take_along_axis"](x, best, axis=axis), cast(best, np.int64)


@operator("Hardmax")
def hardmax_of_matrix(x: Value, *, axis: int = 1) -> Any:
    """1 at the first largest entry of each row, the axes from `axis` on being one."""
    axis %= len(x.shape)
    rows = OPS["reshape"](x, shape=(math.prod(x.shape[:axis]), math.prod(x.shape[axis:])))
    return OPS["reshape"](hardmax(rows), shape=x.shape)


@operator("Hardmax", 13)
def hardmax(x: Value, *, axis: int = -1) -> Any:
    """1 at the first largest entry along an axis, else 0."""
    first = OPS["argmax"](x, axis=axis, keepdims=True)
    return cast(OPS["equal"](places(x, axis), first), x.dtype)
