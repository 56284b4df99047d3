"""NumPy's functions about shapes, dtypes and equality of arrays."""

from typing import Any

import numpy as np

import gradops as ops

from ...core.dims import product
from ...core.types import is_complex, is_inexact, shape_of, type_of
from ...typing import Operand, OperandLike
from ..refusals import length

__all__ = [
    "array2string", "array_equal", "array_equiv", "array_repr", "array_str", "can_cast",
    "common_type", "diag_indices_from", "iscomplexobj", "isrealobj", "ndim", "result_type",
    "shape", "size", "tril_indices_from", "triu_indices_from",
]  # fmt: skip


def shape(a: OperandLike) -> Any:
    """The size of each axis."""
    return shape_of(a)


def ndim(a: OperandLike) -> int:
    """The number of axes."""
    return len(shape_of(a))


def size(a: Operand, axis: int | None = None) -> Any:
    """The number of entries, in all or along an axis."""
    return product(shape_of(a)) if axis is None else shape_of(a)[axis]


def iscomplexobj(x: OperandLike) -> bool:
    """True if the dtype is complex."""
    return is_complex(type_of(x).dtype)


def isrealobj(x: OperandLike) -> bool:
    """True if the dtype is not complex."""
    return not iscomplexobj(x)


def array_equal(a1: OperandLike, a2: OperandLike, equal_nan: bool = False) -> Any:
    """True if two operands have the same shape and entries."""
    if shape_of(a1) != shape_of(a2):
        return False
    found = ops.equal(a1, a2)
    if equal_nan:
        found = ops.logical_or(found, ops.logical_and(ops.isnan(a1), ops.isnan(a2)))
    return ops.all(found)


def array_equiv(a1: OperandLike, a2: OperandLike) -> Any:
    """True if two operands are equal after broadcasting."""
    try:
        return ops.all(ops.equal(a1, a2))
    except ops.ShapeError:
        return False


def dtype_or(x: OperandLike) -> Any:
    """The dtype of a traced operand; anything else unchanged."""
    return type_of(x).dtype if hasattr(x, "gradop_level") else x


def result_type(*arrays_and_dtypes: OperandLike) -> Any:
    """The dtype that an operation on operands gives."""
    return np.result_type(*map(dtype_or, arrays_and_dtypes))


def can_cast(from_: Any, to: Any, casting: Any = "safe") -> bool:
    """True if a dtype can be cast to another under the casting rule."""
    return np.can_cast(dtype_or(from_), dtype_or(to), casting)


def common_type(*arrays: OperandLike) -> Any:
    """The scalar type of floats that all operands fit in."""
    found = np.result_type(*map(dtype_or, arrays))
    return found.type if is_inexact(found) else np.float64


def array_repr(arr: OperandLike) -> str:
    """The repr of an operand."""
    return repr(arr)


array_str = array2string = array_repr


def diag_indices_from(arr: OperandLike) -> Any:
    """The indices of the diagonal."""
    return np.diag_indices(length(arr), len(shape_of(arr)))


def tril_indices_from(arr: OperandLike, k: int = 0) -> Any:
    """The indices of the lower triangle."""
    return np.tril_indices(length(arr, -2), k, length(arr, -1))


def triu_indices_from(arr: OperandLike, k: int = 0) -> Any:
    """The indices of the upper triangle."""
    return np.triu_indices(length(arr, -2), k, length(arr, -1))
