"""Functions that move, join, repeat and pick entries."""

from typing import Any

import numpy as np

import gradops as ops

from ..core.types import ArrayType, as_shape, type_of
from ..core.types import broadcast_shapes as common_shape
from ..typing import AnyArray, OperandLike, ShapeLike
from .signatures import Functions, one


def broadcast_shapes(*shapes: object) -> tuple[object, ...]:
    """The shape that shapes broadcast to."""
    return common_shape("broadcast_shapes", [ArrayType(as_shape(s), bool) for s in shapes])


def reshape(x: OperandLike, /, shape: ShapeLike, *, copy: bool | None = None) -> AnyArray:
    """The entries in another shape; ValueError if that takes a copy which is not allowed."""
    found = ops.reshape(ops.copy(x) if copy else x, shape=shape)
    if copy is False:
        before, after = value_of(x), value_of(found)
        known = isinstance(before, np.ndarray) and before.size
        if known and not np.may_share_memory(before, after):
            raise ops.OptionError(
                "reshape", [type_of(x)], f"the shape {shape} takes a copy", hint="leave copy out"
            )
    return found


def value_of(x: OperandLike) -> Any:
    """The value in a tensor; anything else is returned as it is."""
    return getattr(x, "value", x)


SHAPING: Functions = {
    "broadcast_arrays": lambda *arrays: ops.broadcast_arrays(*arrays),
    "broadcast_shapes": broadcast_shapes,
    "broadcast_to": lambda x, /, shape: ops.broadcast_to(x, shape=shape),
    "concat": lambda arrays, /, *, axis=0: ops.concatenate(arrays, axis=axis),
    "expand_dims": lambda x, /, axis: ops.expand_dims(x, axis=axis),
    "flip": lambda x, /, *, axis=None: ops.flip(x, axis=axis),
    "matrix_transpose": one(ops.matrix_transpose),
    "meshgrid": lambda *arrays, indexing="xy": ops.meshgrid(*arrays, indexing=indexing),
    "moveaxis": lambda x, source, destination, /: ops.moveaxis(x, source, destination),
    "permute_dims": lambda x, /, axes: ops.transpose(x, axes=axes),
    "repeat": lambda x, repeats, /, *, axis=None: ops.repeat(x, repeats, axis=axis),
    "reshape": reshape,
    "roll": lambda x, /, shift, *, axis=None: ops.roll(x, shift, axis=axis),
    "squeeze": lambda x, /, axis: ops.squeeze(x, axis=axis),
    "stack": lambda arrays, /, *, axis=0: ops.stack(arrays, axis=axis),
    "take": lambda x, indices, /, *, axis=None: ops.take(x, indices, axis=axis),
    "take_along_axis": (
        lambda x, indices, /, *, axis=-1: ops.take_along_axis(x, indices, axis=axis)
    ),
    "tile": lambda x, repetitions, /: ops.tile(x, repetitions),
    "tril": lambda x, /, *, k=0: ops.tril(x, k=k),
    "triu": lambda x, /, *, k=0: ops.triu(x, k=k),
    "unstack": lambda x, /, *, axis=0: ops.unstack(x, axis),
    "where": lambda condition, x1, x2, /: ops.where(condition, x1, x2),
}  # fmt: skip
