"""Scatter-add and other updates of an array at an index.

Entries are addressed in the flattened array, for which `ufunc.at` is several times faster.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...core.types import ArrayType, operand_types
from ..native_kernels import LibraryCall, run_for
from .indexing import (
    Index,
    axes_used,
    basic_key,
    check_values,
    numpy_key,
    pair_arrays,
    placement,
    view,
)

Sizes = tuple[int, ...]
SIGNED = frozenset({np.dtype(f"i{n}") for n in (1, 2, 4, 8)})


def put_by_numpy(*operands: np.ndarray, index: Index, shape: Sizes) -> np.ndarray:
    """`put` by NumPy alone."""
    g, *arrays = operands
    if not arrays:
        y = np.zeros(shape, g.dtype)
        y[basic_key(index)] = g
        return y
    places = flat_places("scatter", index, shape, arrays)
    if places.shape != g.shape:
        raise ValueError(f"{g.shape} entries for {places.shape} places")
    flat = np.zeros(math.prod(shape), g.dtype)
    np.add.at(flat, places.reshape(-1), g.reshape(-1))
    return flat.reshape(shape)


def put(*operands: np.ndarray, index: Index, shape: Sizes) -> Any:
    """Zeros of `shape` with the first operand added at an index."""
    if index == ("array",):
        y = with_added_rows(operands[0], operands[1], shape)
        if y is not None:
            return y
    return put_by_numpy(*operands, index=index, shape=shape)


put.by_numpy = put_by_numpy  # type: ignore[attr-defined]
add_rows = LibraryCall("rows", "add_rows")


def with_added_rows(g: Any, numbers: Any, shape: Sizes) -> Any:
    """Zeros with rows added in machine code, in their order, as NumPy adds; None if it may not be.

    The zeros are memory that nobody has touched, and of most embeddings few rows are.
    """
    if not run_for(g.dtype) or numbers.dtype not in SIGNED or not g.size:
        return None
    if g.shape != (*numbers.shape, *shape[1:]):
        return None
    y = np.zeros((shape[0], math.prod(shape[1:])), g.dtype)
    places, rows = numbers.astype(np.int64).reshape(-1), np.ascontiguousarray(g)
    found = add_rows.call(places, rows.reshape(len(places), -1), len(y), y)
    return None if found is NotImplemented else y.reshape(shape)


def flat_places(op: str, index: Index, shape: Sizes, arrays: Sequence[np.ndarray]) -> np.ndarray:
    """The flat positions of the entries at an index."""
    k = len(shape)
    if "..." not in index:  # the axes that the index does not name come last and need no table
        k = sum(axes_used(op, a, e, a) for e, a in pair_arrays(index, arrays))
    inner = math.prod(shape[k:])
    try:
        outer = leading_places(index, shape[:k], arrays)
    except IndexError:
        check_values(op, index, shape, np.float64, arrays)
        raise
    if k == len(shape):
        return outer
    places = np.add.outer(outer * inner, np.arange(inner))
    return places.reshape(*outer.shape, *shape[k:])


def leading_places(index: Index, shape: Sizes, arrays: Sequence[np.ndarray]) -> np.ndarray:
    """The flat positions along the axes that an index names, from a table unless it is large.

    They can only be computed if the index consists of integer arrays.
    """
    total = math.prod(shape)
    simple = len(arrays) == len(index) and all(a.dtype.kind in "iu" for a in arrays)
    if not simple or total < 1000 + 4 * max(a.size for a in arrays):
        return np.arange(total).reshape(shape)[numpy_key(index, arrays)]
    places: Any = 0
    for a, n in zip(arrays, shape, strict=True):
        if a.size and not -n <= a.min() <= a.max() < n:
            raise IndexError("the caller says which")
        places = places * n + np.where(a < 0, a + n, a).astype(np.intp)
    return places


def update_kernel(op: str, ufunc: np.ufunc) -> Callable[..., Any]:
    """A kernel that combines the first operand at an index with the second by `ufunc`."""

    def kernel(*operands: np.ndarray, index: Index) -> Any:
        x, v, *arrays = operands
        y, v = np.array(x, order="C"), cast_values(op, x, v, arrays, index)
        if not arrays:
            part = view(y, index)
            ufunc(part, v, out=part)
            return y
        places = flat_places(op, index, y.shape, arrays)
        values = np.broadcast_to(v, places.shape)
        ufunc.at(y.reshape(-1), places.reshape(-1), values.reshape(-1))
        return y

    return kernel


def set_entries(*operands: np.ndarray, index: Index) -> np.ndarray:
    """The first operand with the second at an index; for an entry named twice, the last value."""
    x, v, *arrays = operands
    y, v = np.array(x, order="C"), cast_values("set_at", x, v, arrays, index)
    try:
        y[numpy_key(index, arrays)] = v
    except IndexError:
        check_values("set_at", index, y.shape, y.dtype, arrays)
        raise
    return y


def cast_values(
    op: str, x: np.ndarray, v: np.ndarray, arrays: Sequence[np.ndarray], index: Index
) -> np.ndarray:
    """The values, cast to the dtype of the entries, or an error if they do not fit."""
    dtype = np.asarray(x).dtype
    if not hasattr(v, "dtype"):
        v = np.asarray(v, np.result_type(dtype, v))
    if v.ndim and v.shape[0] == 1:  # NumPy would drop such axes
        place = placement(op, index, ArrayType(np.shape(x), dtype), operand_types(arrays))
        if v.ndim > len(place.shape):
            raise ValueError("type inference has the words for the user")
    return v.astype(dtype, casting="same_kind", copy=False)


def survivors(*arrays: np.ndarray, index: Index, shape: Sizes) -> np.ndarray:
    """True for values at an index that no later value overwrites."""
    places = flat_places("survivors", index, shape, arrays)
    last, order = np.empty(math.prod(shape), np.intp), np.arange(places.size)
    last[places.reshape(-1)] = order
    return last[places] == order.reshape(places.shape)
