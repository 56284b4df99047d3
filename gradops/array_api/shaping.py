"""Functions that move, join, repeat and pick entries."""

from typing import Any

import numpy as np

import gradops as ops

from ..types import ArrayType, as_shape, normalize_axis, shape_of, type_of
from ..types import broadcast_shapes as common_shape
from .signatures import Functions


def broadcast_shapes(*shapes: Any) -> tuple[Any, ...]:
    """The shape that shapes broadcast to."""
    return common_shape("broadcast_shapes", [ArrayType(as_shape(s), bool) for s in shapes])


def broadcast_arrays(*arrays: Any) -> tuple[Any, ...]:
    """The arrays in the shape that theirs broadcast to."""
    shape = broadcast_shapes(*map(shape_of, arrays))
    return tuple([ops.broadcast_to(x, shape=shape) for x in arrays])


def meshgrid(*arrays: Any, indexing: str = "xy") -> tuple[Any, ...]:
    """Coordinates of the points of a grid, from those along each axis."""
    if indexing not in ("xy", "ij"):
        raise ops.OptionError("meshgrid", [], f"indexing is 'xy' or 'ij', not {indexing!r}")
    rank = len(arrays)
    order = list(range(rank))
    if indexing == "xy" and rank > 1:
        order[:2] = 1, 0
    spread = [
        ops.reshape(x, shape=tuple(-1 if order[k] == i else 1 for k in range(rank)))
        for i, x in enumerate(arrays)
    ]
    return broadcast_arrays(*spread)


def concat(arrays: Any, /, *, axis: int | None = 0) -> Any:
    """The arrays one after the other along an axis, or all their entries in a row."""
    if axis is None:
        arrays, axis = [ops.reshape(x, shape=(-1,)) for x in arrays], 0
    return ops.concatenate(list(arrays), axis=axis)


def reshape(x: Any, /, shape: Any, *, copy: bool | None = None) -> Any:
    """The entries in another shape; ValueError if that takes a copy which is not allowed."""
    found = ops.reshape(ops.copy(x) if copy else x, shape=shape)
    if copy is False:
        before, after = held(x), held(found)
        known = isinstance(before, np.ndarray) and before.size
        if known and not np.may_share_memory(before, after):
            raise ops.OptionError(
                "reshape", [type_of(x)], f"the shape {shape} takes a copy", hint="leave copy out"
            )
    return found


def held(x: Any) -> Any:
    """What a tensor holds; of anything else, itself."""
    return getattr(x, "value", x)


def matrix_transpose(x: Any, /) -> Any:
    """The last two axes exchanged."""
    return ops.swapaxes(x, -1, -2)


def unstack(x: Any, /, *, axis: int = 0) -> tuple[Any, ...]:
    """The parts of an array along an axis."""
    k = normalize_axis("unstack", type_of(x), axis)
    lead = (slice(None),) * k
    return tuple([ops.index(x, (*lead, i)) for i in range(shape_of(x)[k])])


SHAPING: Functions = {
    "broadcast_arrays": broadcast_arrays,
    "broadcast_shapes": broadcast_shapes,
    "broadcast_to": lambda x, /, shape: ops.broadcast_to(x, shape=shape),
    "concat": concat,
    "expand_dims": lambda x, /, axis: ops.expand_dims(x, axis=axis),
    "flip": lambda x, /, *, axis=None: ops.flip(x, axis=axis),
    "matrix_transpose": matrix_transpose,
    "meshgrid": meshgrid,
    "moveaxis": lambda x, source, destination, /: ops.moveaxis(x, source, destination),
    "permute_dims": lambda x, /, axes: ops.transpose(x, axes=axes),
    "repeat": lambda x, repeats, /, *, axis=None: ops.repeat(x, repeats, axis=axis),
    "reshape": reshape,
    "roll": lambda x, /, shift, *, axis=None: ops.roll(x, shift, axis=axis),
    "squeeze": lambda x, /, axis: ops.squeeze(x, axis=axis),
    "stack": lambda arrays, /, *, axis=0: ops.stack(list(arrays), axis=axis),
    "take": lambda x, indices, /, *, axis=None: ops.take(x, indices, axis=axis),
    "take_along_axis": (
        lambda x, indices, /, *, axis=-1: ops.take_along_axis(x, indices, axis=axis)
    ),
    "tile": lambda x, repetitions, /: ops.tile(x, repetitions),
    "tril": lambda x, /, *, k=0: ops.tril(x, k=k),
    "triu": lambda x, /, *, k=0: ops.triu(x, k=k),
    "unstack": unstack,
    "where": lambda condition, x1, x2, /: ops.where(condition, x1, x2),
}  # fmt: skip
