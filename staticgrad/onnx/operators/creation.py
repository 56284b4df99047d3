"""Constants, ranges, and shapes as values."""

import math
from typing import Any

import numpy as np

import gradops as ops
from gradops import OPS
from gradops.core.dims import Dim

from ..errors import NeedsValue, Unsupported
from ..reading.registry import operator
from ..reading.tensors import dtype_of
from ..reading.values import Value, as_expr, filled, known, shape_vector, sizes
from .elementwise import cast


@operator("Constant")
def constant(
    *, value: Any = None, value_float: float | None = None, value_floats: Any = None,
    value_int: int | None = None, value_ints: Any = None, value_string: Any = None,
    value_strings: Any = None, sparse_value: Any = None,
) -> Any:  # fmt: skip
    """A constant of the model."""
    if value is not None:
        return value
    if value_float is not None or value_floats is not None:
        return np.array(value_floats if value_float is None else value_float, np.float32)
    if value_int is not None or value_ints is not None:
        return np.array(value_ints if value_int is None else value_int, np.int64)
    raise Unsupported("a constant of strings, or a sparse one")


@operator("ConstantOfShape", 9)
def constant_of_shape(shape: Value, *, value: Any = None) -> Any:
    """An array of one value, 0 as float32 if none is given."""
    return filled(sizes(shape), np.float32(0) if value is None else np.asarray(value).reshape(()))


@operator("Shape")
def shape(x: Value, *, start: int = 0, end: int | None = None) -> Any:
    """The shape, or a part of it."""
    return shape_vector(tuple(x.shape)[slice(start, end)])


@operator("Size")
def size(x: Value) -> Any:
    """The number of entries."""
    n = math.prod(x.shape)
    return np.int64(n) if isinstance(n, int) else OPS["reshape"](shape_vector([n]), shape=())


@operator("Range", 11)
def range_of(start: Value, limit: Value, delta: Value, *, stash_type: int = 1) -> Any:
    """The numbers from `start` to before `limit`; those of half precision are rounded once."""
    first, last, step = (known(v).reshape(()).item() for v in (start, limit, delta))
    if isinstance(first, Dim) or isinstance(step, Dim):
        raise NeedsValue(as_expr(start))
    if not isinstance(last, Dim):
        count = max(math.ceil((last - first) / step), 0)
    elif step > 0:
        count = (last - first + step - 1) // step
    else:
        raise Unsupported("a range that runs down to an unknown size")
    places = OPS["positions"](filled([count], np.bool_(False)), axis=0)
    wide = np.dtype(np.float32) if stash_type == 1 and start.dtype == np.float16 else start.dtype
    numbers = cast(places, wide) * np.asarray(step, wide) + cast(start, wide)
    return cast(numbers, start.dtype)


@operator("EyeLike", 9)
def eye_like(x: Value, *, dtype: int | None = None, k: int = 0) -> Any:
    """Ones on a diagonal of a matrix of zeros."""
    rows, columns = (OPS["positions"](x, axis=axis) for axis in (0, 1))
    is_one = ops.equal(OPS["expand_dims"](rows, axis=1) + k, columns)
    return cast(is_one, x.dtype if dtype is None else dtype_of(dtype))
