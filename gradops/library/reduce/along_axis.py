"""take_along_axis and its transpose."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core import flops
from ...core.dims import Shape
from ...core.errors import IndexingError, ShapeError
from ...core.op import ErrorSample, Op
from ...core.samples import beside, cases, complexes, exactly, reals
from ...core.traits import Trait
from ...core.types import (
    ArrayType,
    broadcast_shapes,
    conflict,
    normalize_axis,
    operand_types,
    shape_of,
)
from ...kernels.index import along_axis as kernels
from ...kernels.index.indexing import check_range
from ...typing import AnyArray, Arrays, Attrs, Flags, OperandLike
from ..index.index_keys import index_array
from ..shape.broadcasting import broadcast_to
from ..shape.movement import flatten_without_axis, reshape

__all__ = ["add_along_axis", "take_along_axis"]

PLACES = [[2, 0, -1], [0, 0, 1], [1, 1, 1]]


def taken_type(op: str, x: ArrayType, indices: ArrayType, axis: int) -> ArrayType:
    """The type of the entries that indices take along an axis; the other axes broadcast."""
    types, k = [x, indices], normalize_axis(op, x, axis)
    if indices.ndim != x.ndim:
        reason = f"the indices have {indices.ndim} axes, the operand {x.ndim}"
        raise ShapeError(op, types, reason)
    if indices.dtype.kind not in "iu":
        raise IndexingError(op, types, f"{indices.dtype} is not a dtype for an index")
    one = ArrayType((*x.shape[:k], 1, *x.shape[k + 1 :]), x.dtype)
    return ArrayType(broadcast_shapes(op, [one, indices]), x.dtype)


def raise_for_index(
    op: str, types: Sequence[ArrayType], shape: Shape, indices: AnyArray, axis: int
) -> None:
    """Raise an IndexingError for the first index out of range, if there is one."""
    k = normalize_axis(op, ArrayType(shape, bool), axis)
    for i in np.asarray(indices).flat:
        check_range(op, types, int(i), k, shape[k])


def take_kernel(x: np.ndarray, indices: np.ndarray, axis: int) -> np.ndarray:
    try:
        return kernels.take_along_axis(x, indices, axis)
    except IndexError:
        raise_for_index("take_along_axis", operand_types([x, indices]), np.shape(x), indices, axis)
        raise


def add_kernel(g: np.ndarray, indices: np.ndarray, axis: int, shape: tuple[int, ...]) -> np.ndarray:
    try:
        return kernels.add_along_axis(g, indices, axis, shape)
    except IndexError:
        raise_for_index("add_along_axis", operand_types([g, indices]), shape, indices, axis)
        raise


def along_batch(op: Op, xs: Arrays, batched: Flags, attrs: Attrs) -> AnyArray:
    """Batch with broadcasting of shared operands, except a shared cotangent, which is repeated."""
    x, indices = (
        v if b else reshape(v, shape=(1, *shape_of(v))) for v, b in zip(xs, batched, strict=True)
    )
    ndim = len(shape_of(x)) - 1
    attrs = {**attrs, "axis": attrs["axis"] % ndim + 1}
    if "shape" in attrs:
        n = next(shape_of(v)[0] for v, b in zip(xs, batched) if b)
        attrs["shape"] = (n, *attrs["shape"])
        if not batched[0]:
            x = broadcast_to(x, shape=(n, *shape_of(xs[0])))
    return op(x, indices, **attrs)


def add_infer(g: ArrayType, indices: ArrayType, axis: int, shape: Shape) -> ArrayType:
    found = taken_type("add_along_axis", ArrayType(shape, g.dtype), indices, axis)
    if g.ndim != found.ndim or conflict(g.shape, found.shape):
        reason = f"the indices name places for {found}"
        raise ShapeError("add_along_axis", [g, indices], reason)
    return ArrayType(shape, g.dtype)


take_op = Op(
    "take_along_axis", take_kernel, arity=2,
    traits=[Trait.MOVING],
    infer=lambda x, indices, axis: taken_type("take_along_axis", x, indices, axis),
    vjp=[lambda g, y, x, i, axis: add_along_axis(g, i, axis=axis, shape=shape_of(x)), None],
    jvp=[lambda t, y, x, i, axis: take_op(t, i, axis=axis), None],
    batch=along_batch, family="indexing",
    samples=cases(
        beside(reals((3, 4)), exactly(PLACES, axis=-1)),
        beside(reals((3, 3)), exactly(PLACES, axis=0)),
        beside(reals((3, 4, 2)), exactly(np.reshape(PLACES, (3, 3, 1)), axis=1)),
        beside(reals((1, 4)), exactly(PLACES, axis=1)),
        beside(reals((3,)), exactly([2, 2], axis=0)),
        beside(reals((0, 3)), exactly(np.zeros((0, 1), int), axis=1)),
        beside(complexes((3, 4)), exactly(PLACES, axis=-1)),
    ),
    error_samples=[
        ErrorSample([np.ones((2, 3)), np.zeros((2, 1), int)], {"axis": 2}, ShapeError,
                    "axis 2 is out of range"),
        ErrorSample([np.ones((2, 3)), np.zeros(2, int)], {"axis": 1}, ShapeError,
                    "the indices have 1 axes, the operand 2"),
        ErrorSample([np.ones((2, 3)), np.zeros((3, 3), int)], {"axis": 1}, ShapeError,
                    "2 against 3"),
        ErrorSample([np.ones((2, 3)), np.full((2, 1), 3)], {"axis": 1}, IndexingError,
                    "index 3 is out of range for axis 1 with size 3"),
        ErrorSample([np.ones((2, 3)), np.zeros((2, 1))], {"axis": 1}, IndexingError,
                    "float64 is not a dtype for an index"),
    ],
    doc="The entries at indices along an axis, for each position on the other axes.",
)
add_along_axis = Op(
    "add_along_axis", add_kernel, arity=2, infer=add_infer,
    flops=flops.per_operand(1),
    vjp=[lambda g, y, x, i, axis, shape: take_op(g, i, axis=axis), None],
    jvp=[lambda t, y, x, i, axis, shape: add_along_axis(t, i, axis=axis, shape=shape), None],
    batch=along_batch, family="indexing",
    samples=cases(
        beside(reals((3, 3)), exactly(PLACES, axis=-1, shape=(3, 4))),
        beside(reals((3, 3, 2)), exactly(np.reshape(PLACES, (3, 3, 1)), axis=1, shape=(3, 4, 2))),
        beside(reals((3, 3)), exactly(PLACES, axis=1, shape=(1, 4))),
    ),
    error_samples=[
        ErrorSample([np.ones((2, 2)), np.zeros((2, 1), int)], {"axis": 1, "shape": (2, 3)},
                    ShapeError, "the indices name places for float64[2, 1]"),
        ErrorSample([np.ones((2, 1)), np.full((2, 1), 3)], {"axis": 1, "shape": (2, 3)},
                    IndexingError, "index 3 is out of range for axis 1 with size 3"),
    ],
    doc="Zeros of a shape with the operand added at indices along an axis.",
)


def take_along_axis(x: Any, indices: OperandLike, axis: int | None = -1) -> Any:
    """The entries of `x` at `indices` along `axis`, each index for its own position on other axes.

    It applies the result of an `argmax` with `keepdims`, for example. `indices` has as many axes as
    `x`, and sizes that broadcast with it except along `axis`; with axis None, `x` counts as one
    row. Raises ShapeError if the numbers of axes differ, IndexingError for an index out of range.

    >>> take_along_axis(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[1], [0]]), axis=1)
    array([[2.],
           [3.]])
    """
    x, axis = flatten_without_axis(x, axis)
    return take_op(x, index_array(x, indices), axis=axis)
