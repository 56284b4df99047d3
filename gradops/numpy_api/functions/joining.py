"""NumPy's functions that join and split arrays."""

from collections.abc import Iterable
from typing import Any

import numpy as np

import gradops as ops

from ...core.types import as_shape, broadcast_shapes, shape_of, type_of
from ...typing import AnyArray, Axis, DTypeLike, OperandLike, ShapeLike
from ..refusals import cast, concrete, length

__all__ = [
    "append", "block", "broadcast_arrays", "broadcast_to", "concat", "concatenate", "delete",
    "dsplit", "hsplit", "hstack", "insert", "ix_", "meshgrid", "split", "stack", "vsplit", "vstack",
]  # fmt: skip

ArrayLikes = Iterable[OperandLike]


def each_in(call: str, arrays: ArrayLikes, dtype: DTypeLike, casting: str) -> list[Any]:
    """The arrays, cast to a dtype if one is given."""
    found = [as_array(x) for x in arrays]
    return found if dtype is None else [cast(call, x, np.dtype(dtype), casting) for x in found]


def concatenate(
    arrays: ArrayLikes, axis: Any = 0, dtype: DTypeLike = None, casting: str = "same_kind"
) -> AnyArray:
    """The arrays one after the other along an axis, or all flat."""
    return ops.concatenate(each_in("numpy.concatenate", arrays, dtype, casting), axis=axis)


concat = concatenate


def stack(
    arrays: ArrayLikes, axis: int = 0, dtype: DTypeLike = None, casting: str = "same_kind"
) -> AnyArray:
    """The arrays along a new axis."""
    return ops.stack(each_in("numpy.stack", arrays, dtype, casting), axis=axis)


def hstack(tup: ArrayLikes, dtype: DTypeLike = None, casting: str = "same_kind") -> AnyArray:
    """The arrays side by side."""
    return ops.hstack(each_in("numpy.hstack", tup, dtype, casting))


def vstack(tup: ArrayLikes, dtype: DTypeLike = None, casting: str = "same_kind") -> AnyArray:
    """The arrays one above the other."""
    return ops.vstack(each_in("numpy.vstack", tup, dtype, casting))


def as_array(x: object) -> Any:
    """A list as an array."""
    return np.asarray(x) if isinstance(x, list | tuple) else x


def append(arr: OperandLike, values: OperandLike, axis: Axis = None) -> AnyArray:
    """The values after those of an array."""
    return concatenate([as_array(arr), as_array(values)], axis)


def block(arrays: object) -> AnyArray:
    """An array assembled from nested lists of blocks."""
    depth, first = 0, arrays
    while isinstance(first, list):
        depth, first = depth + 1, first[0]
    rank = max(depth, *(len(shape_of(x)) for x in parts(arrays)))
    return concatenate_blocks(arrays, depth, rank)


def parts(arrays: Any) -> list[Any]:
    """The blocks in nested lists, and one more."""
    stack, found = [arrays], [0.0]
    while stack:
        x = stack.pop()
        (stack if isinstance(x, list) else found).extend(x if isinstance(x, list) else [x])
    return found


def concatenate_blocks(arrays: object, depth: int, rank: int) -> Any:
    """Nested lists of blocks, the innermost along the last axis."""
    if not isinstance(arrays, list):
        missing = rank - len(shape_of(arrays))
        return ops.expand_dims(arrays, axis=tuple(range(missing))) if missing else arrays
    return concatenate([concatenate_blocks(x, depth - 1, rank) for x in arrays], axis=rank - depth)


def broadcast_to(array: OperandLike, shape: ShapeLike, subok: bool = False) -> AnyArray:
    """A view of an array in a shape in which entries are repeated."""
    return ops.expand_to(as_array(array), shape=as_shape(shape))


def broadcast_arrays(*args: OperandLike, subok: bool = False) -> tuple[object, ...]:
    """Views of arrays in the shape that they have together."""
    arrays = list(map(as_array, args))
    shape = broadcast_shapes("broadcast_arrays", list(map(type_of, arrays)))
    return tuple([x if shape_of(x) == shape else broadcast_to(x, shape) for x in arrays])


def meshgrid(*xi: object, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> Any:
    """Coordinates of a grid, from those along each of its axes."""
    n = len(xi)
    shapes = [[-1 if j == i else 1 for j in range(n)] for i in range(n)]
    if indexing == "xy" and n > 1:
        shapes[0][0], shapes[0][1] = shapes[1][1], shapes[1][0] = 1, -1
    found = tuple([ops.reshape(x, shape=s) for x, s in zip(xi, shapes)])
    found = found if sparse else broadcast_arrays(*found)
    return tuple(map(ops.copy, found)) if copy else found


def ix_(*args: object) -> tuple[AnyArray, ...]:
    """Index arrays that pick the entries at all their combinations."""
    places = [np.nonzero(concrete(x))[0] if type_of(x).dtype.kind == "b" else x for x in args]
    return meshgrid(*places, sparse=True, indexing="ij")


def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """The parts of an array along an axis: a number of equal ones, or split at indices."""
    return list(ops.split(ary, indices_or_sections, axis=axis))


def vsplit(ary: OperandLike, indices_or_sections: object) -> list[AnyArray]:
    """The parts along the first axis."""
    return split(ary, indices_or_sections, 0)


def hsplit(ary: OperandLike, indices_or_sections: object) -> list[AnyArray]:
    """The parts along the second axis, or the only one."""
    return split(ary, indices_or_sections, 1 if len(shape_of(ary)) > 1 else 0)


def dsplit(ary: OperandLike, indices_or_sections: object) -> list[AnyArray]:
    """The parts along the third axis."""
    return split(ary, indices_or_sections, 2)


def flat_and_axis(arr: object, axis: Any) -> tuple[Any, int]:
    """An array and an axis of it; the array flat if no axis is given."""
    return (ops.reshape(arr, shape=(-1,)), 0) if axis is None else (arr, axis % len(shape_of(arr)))


def delete(arr: OperandLike, obj: Any, axis: int | None = None) -> Any:
    """An array without its entries at some places along an axis."""
    arr, axis = flat_and_axis(arr, axis)
    return ops.take(arr, np.delete(np.arange(length(arr, axis)), obj), axis=axis)


def insert(arr: OperandLike, obj: Any, values: OperandLike, axis: int | None = None) -> AnyArray:
    """An array with values inserted before one index along an axis, or before each of several."""
    arr, axis = flat_and_axis(arr, axis)
    values, rank, n = as_array(values), len(shape_of(arr)), length(arr, axis)
    single = isinstance(obj, int | np.integer)
    if single:
        missing = rank - len(shape_of(values))
        values = ops.expand_dims(values, axis=tuple(range(missing))) if missing else values
        values = ops.moveaxis(values, 0, axis)
    count = length(values, axis) if single else len(obj)
    shape = tuple(count if i == axis else size for i, size in enumerate(shape_of(arr)))
    new = ops.astype(ops.broadcast_to(values, shape=shape), dtype=ops.type_of(arr).dtype)
    order = np.insert(np.arange(n), obj, n + np.arange(count))
    return ops.take(concatenate([arr, new], axis), order, axis=axis)
