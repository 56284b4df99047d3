"""TensorFlow's gather, scatter and segment functions, in terms of `gradops.at`."""

from collections.abc import Callable
from typing import Any

import numpy as np

import gradops as ops
from gradops import ArrayType, DTypeError, ShapeError
from gradops.core.dims import Shape, Size, product
from gradops.core.types import as_shape, as_size, conflict, normalize_axis, shape_of, type_of
from gradops.library.index.index_keys import index_array
from gradops.typing import AnyArray, DTypeLike, Operand, ShapeLike

from .creation import numbers, zeros

FULL = slice(None)


def key_of(op: str, x: Operand, indices: Operand) -> tuple[Any, ...]:
    """The indexing key for rows of indices, each column of which indexes an axis."""
    kind, rows = type_of(x), type_of(indices)
    if not rows.ndim or not isinstance(rows.shape[-1], int) or rows.shape[-1] > kind.ndim:
        raise ShapeError(op, [kind, rows], f"the indices are not rows of at most {kind.ndim}")
    if rows.dtype.kind not in "iu":
        raise DTypeError(op, [kind, rows], "the indices are not integers")
    indices = indices if hasattr(indices, "gradop_level") else ops.copy(indices)
    return tuple([ops.index(indices, (..., i)) for i in range(rows.shape[-1])]) or (...,)


def gather(
    params: Operand, indices: Operand, axis: int | None = None, batch_dims: int = 0
) -> AnyArray:
    """The entries at indices along an axis, by default the first after `batch_dims` axes.

    The operand and the indices have these leading axes in common.

    >>> sg.gather(np.array([1.0, 2.0, 3.0]), [2, 0])
    array([3., 1.])
    """
    indices = index_array(params, indices)
    k = normalize_axis("gather", type_of(params), batch_dims if axis is None else axis)
    if not batch_dims:
        return ops.take(params, indices, axis=k)
    own, rank = shape_of(params), len(shape_of(indices))
    if k < batch_dims or rank < batch_dims or conflict(own[:batch_dims], shape_of(indices)):
        raise ShapeError(
            "gather", [type_of(params), type_of(indices)],
            f"{batch_dims} leading axes are not the same in both, and before axis {k}",
        )  # fmt: skip
    inner = [(1,) * (rank - 1 - i) for i in range(batch_dims)]
    rows = [ops.reshape(numbers(n), shape=(-1, *ones)) for n, ones in zip(own, inner)]
    result = ops.index(params, (*rows, *[FULL] * (k - batch_dims), indices))
    if k == batch_dims:
        return result
    order = [*range(batch_dims), *range(rank, rank + k - batch_dims), *range(batch_dims, rank)]
    return ops.transpose(result, axes=(*order, *range(rank + k - batch_dims, len(result.shape))))


def batch_gather(params: Operand, indices: Operand) -> AnyArray:
    """`gather` whose batch axes are all axes of the indices but the last.

    >>> sg.batch_gather(np.array([[1, 2], [3, 4]]), np.array([[1], [0]]))
    array([[2],
           [3]])
    """
    return gather(params, indices, batch_dims=len(shape_of(indices)) - 1)


def gather_nd(params: Operand, indices: Operand) -> AnyArray:
    """The slices of the operand at rows of indices.

    >>> sg.gather_nd(np.array([[1, 2], [3, 4]]), np.array([[1, 0], [0, 1]]))
    array([3, 2])
    """
    return ops.index(params, key_of("gather_nd", params, indices))


def full(shape: Shape, value: Operand, dtype: DTypeLike) -> AnyArray:
    """An array filled with a number; an expression if a size is unknown."""
    if all(isinstance(n, int) for n in shape):
        return np.full(shape, value, dtype)
    return ops.full_like(zeros(shape, dtype), value=value)


def scatter_nd(indices: Operand, updates: Operand, shape: ShapeLike) -> AnyArray:
    """Add slices to zeros of a shape at rows of indices; duplicates add up.

    >>> sg.scatter_nd(np.array([[1], [1]]), np.array([2.0, 3.0]), [3])
    array([0., 5., 0.])
    """
    made = full(as_shape(shape), 0, type_of(updates).dtype)
    return ops.at(made)[key_of("scatter_nd", made, indices)].add(updates)


def update(name: str, method: str, doc: str) -> Callable[..., Any]:
    """A function that updates slices of an operand at rows of indices."""

    def call(tensor: Operand, indices: Operand, updates: Operand) -> AnyArray:
        return getattr(ops.at(tensor)[key_of(name, tensor, indices)], method)(updates)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = doc
    return call


UPDATES = {
    name: update(name, method, f"The operand with slices {said} at rows of indices.")
    for name, method, said in (
        ("tensor_scatter_nd_update", "set", "written"), ("tensor_scatter_nd_add", "add", "added"),
        ("tensor_scatter_nd_sub", "subtract", "subtracted"),
        ("tensor_scatter_nd_max", "max", "taken if they are larger"),
        ("tensor_scatter_nd_min", "min", "taken if they are smaller"),
    )
}  # fmt: skip


def segments(name: str, method: str, doc: str) -> Callable[..., Any]:
    """A function that reduces slices along the leading axes of an operand by segment."""

    def call(data: Operand, segment_ids: Operand, num_segments: ShapeLike) -> AnyArray:
        kind, ids = type_of(data), type_of(segment_ids)
        if conflict(ids.shape, kind.shape) or ids.ndim > kind.ndim:
            raise ShapeError(name, [kind, ids], "segment_ids do not match the leading axes")
        inner: tuple[Size, ...] = kind.shape[ids.ndim :]
        parts = ops.reshape(data, shape=(product(ids.shape), *inner))
        numbers = ops.reshape(segment_ids, shape=(-1,))
        made = full((as_size(num_segments), *inner), neutral(kind, method), kind.dtype)
        return getattr(ops.at(made)[numbers], method)(parts)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = doc
    return call


def neutral(kind: ArrayType, method: str) -> float:
    """The result for a segment without entries: the neutral element of the reduction."""
    if method in ("add", "multiply"):
        return int(method == "multiply")
    limits: Any = np.finfo if kind.dtype.kind == "f" else np.iinfo
    result = limits(kind.dtype)
    return np.asarray(result.min if method == "max" else result.max).item()


SEGMENTS = {
    f"unsorted_segment_{what}": segments(
        f"unsorted_segment_{what}", method,
        f"The {said} of the slices of each segment, given the segment of each slice.",
    )
    for what, method, said in (
        ("sum", "add", "sum"), ("prod", "multiply", "product"), ("max", "max", "largest"),
        ("min", "min", "smallest"),
    )
}  # fmt: skip


def unsorted_segment_mean(data: Operand, segment_ids: Operand, num_segments: ShapeLike) -> AnyArray:
    """The mean of the slices of each segment, 0 if it has none.

    >>> sg.unsorted_segment_mean(np.array([1.0, 3.0, 5.0]), np.array([0, 0, 1]), 3)
    array([2., 5., 0.])
    """
    total = SEGMENTS["unsorted_segment_sum"](data, segment_ids, num_segments)
    ones = ops.ones_like(segment_ids, dtype=type_of(data).dtype)
    counts = SEGMENTS["unsorted_segment_sum"](ones, segment_ids, num_segments)
    shape = (*shape_of(counts), *(1,) * (len(shape_of(total)) - 1))
    return total / ops.reshape(ops.maximum(counts, 1), shape=shape)


def reverse_sequence(
    input: Operand, seq_lengths: Operand, seq_axis: int, batch_axis: int = 0
) -> AnyArray:
    """Reverse the first `seq_lengths` entries along `seq_axis`, for each batch entry.

    >>> sg.reverse_sequence(np.array([[1, 2, 3], [4, 5, 6]]), np.array([2, 3]), seq_axis=1)
    array([[2, 1, 3],
           [6, 5, 4]])
    """
    kind = type_of(input)
    axis, batch = (normalize_axis("reverse_sequence", kind, a) for a in (seq_axis, batch_axis))
    along = np.where(np.eye(kind.ndim, dtype=bool), -1, 1).tolist()  # the shape of a row, by axis
    places = ops.reshape(numbers(as_shape(kind.shape)[axis]), shape=along[axis])
    lengths = ops.reshape(seq_lengths, shape=along[batch])
    turned = ops.where(ops.less(places, lengths), lengths - 1 - places, places)
    return ops.take_along_axis(input, turned, axis)
