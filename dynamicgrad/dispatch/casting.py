"""Conversion of what is written to tensors to their dtype, and between numbers and tensors."""

from functools import cache
from typing import Any

import numpy as np

import gradops as ops
from gradops import ArrayType, DTypeError, ShapeError, type_of
from gradops.core.types import operand_types
from gradops.typing import DTypeLike

from ..engine.handle import REAL_NUMBERS, Handle, cut_off
from ..engine.tensor import Tensor, as_tensor, handle
from .default_dtype import natural_dtype
from .promotion import NUMBERS

FLOATS = (float, np.floating)


def as_entry(name: str, x: Handle, value: Any) -> Any:
    """A number in the dtype of `x`: fractions are truncated for integers, overflow is refused."""
    if hasattr(value, "gradop_level") or np.ndim(value):
        return one_entry(name, x, value)
    return number_in(name, x.dtype, value)


def as_mask(name: str, value: object) -> Handle:
    """A boolean mask as a tensor; raises DTypeError for another dtype."""
    mask: Handle = as_tensor(value)
    if mask.dtype != np.bool_:
        raise DTypeError(
            name, operand_types([mask]), "a mask is boolean", hint="use mask != 0",
            known_as="masked_fill_ only supports boolean masks, but got mask with dtype"
            f" {mask.dtype}",
        )  # fmt: skip
    return mask


def number_in(name: str, of: DTypeLike, value: Any) -> Any:
    """A number converted to a dtype; raises DTypeError if it is out of range."""
    number = require_number(name, value.item() if isinstance(value, np.ndarray) else value)
    number = number.item() if isinstance(number, np.generic) else number
    dtype = np.dtype(of)
    if isinstance(number, complex) and not number.imag and dtype.kind != "c":
        number = number.real
    if (dtype.kind not in "bc" and isinstance(number, complex)) or not in_range(dtype, number):
        raise DTypeError(
            name, [ArrayType((), dtype)], f"{number} is not a {dtype}",
            hint="convert the tensor first, as with x.float()",
            known_as=f"value cannot be converted to type {dtype} without overflow",
        )  # fmt: skip
    if dtype.kind not in "iu":
        return dtype.type(number)
    return np.asarray(int(number)).astype(dtype)[()]  # negative numbers wrap in unsigned dtypes


def require_number(name: str, value: Any) -> Any:
    """`value`; raises DTypeError unless it is a number of Python or NumPy."""
    if not isinstance(value, NUMBERS):
        raise DTypeError(name, [type(value).__name__], f"{value!r:.40} is not a number")
    return value


def require_range(name: str, of: DTypeLike, *numbers: object) -> None:
    """Refuse Python numbers that are out of the range of a dtype in whose category they are."""
    dtype = np.dtype(of)
    kind = dtype.kind
    if kind in "bc" or (kind in "iu" and any(isinstance(x, FLOATS) for x in numbers)):
        return  # all are in range, or become floats
    for number in numbers:
        if type(number) in REAL_NUMBERS and not in_range(dtype, number):
            number_in(name, dtype, number)


def in_range(dtype: np.dtype, number: Any) -> bool:
    """True if a number is in the range of a dtype."""
    if dtype.kind in "bc":
        return True
    if dtype.kind == "f":
        return bool(abs(number) <= largest(dtype) or not np.isfinite(number))
    info, wraps = np.iinfo(dtype), dtype.kind == "u" and isinstance(number, int)
    return bool(np.isfinite(number) and (-info.max if wraps else info.min) <= number <= info.max)


@cache
def largest(dtype: np.dtype) -> float:
    """The largest finite number of a float dtype."""
    return float(np.finfo(dtype).max)


def one_entry(name: str, x: Handle, value: Any) -> Any:
    """A tensor without dimensions, converted to the dtype of `x`."""
    if value.shape:
        raise ShapeError(
            name, operand_types([x, value]), "the value must be a number or a 0-d tensor",
            known_as="only supports a 0-dimensional value tensor",
        )  # fmt: skip
    if value.dtype.kind == "c" and x.dtype.kind != "c":
        raise DTypeError(name, operand_types([x, value]), f"a complex number is not a {x.dtype}")
    return value if value.dtype == x.dtype else ops.astype(value, dtype=x.dtype)


def require_dtype(name: str, x: Handle, source: object) -> None:
    """Refuse to write a tensor of another dtype than that of `x`."""
    if isinstance(source, Handle) and source.dtype != x.dtype:
        raise DTypeError(
            name, operand_types([x, source]), "the two dtypes must be equal",
            hint=f"convert the source: source.to({x.dtype})",
            known_as="Index put requires the source and destination dtypes match"
            if name == "setitem" else "self and source expected to have the same dtype",
        )  # fmt: skip


def is_plain_number(x: object) -> bool:
    """True if `x` is a number, or a tensor of an array without history."""
    if not hasattr(x, "gradop_level"):
        return True
    return isinstance(x, Handle) and x.node is None and isinstance(x.value, np.ndarray | np.generic)


def number(call: str, name: str, x: Any) -> Any:
    """The number in a tensor without dimensions; anything but a tensor unchanged.

    Raises DTypeError for a tensor with dimensions, or with a history that would be lost.
    """
    if not hasattr(x, "gradop_level"):
        return x if isinstance(x, np.ndarray) else require_number(call, x)
    if is_plain_number(x) and x.ndim == 0:
        return x.item()
    raise DTypeError(
        call, [type_of(x)], f"{name} is a tensor that has dimensions or a history, not a number",
        hint="compute the tensor with operations: x.expand(shape), start + step * dg.arange(n)",
        known_as=f"{call}(): argument '{name}' must be Number, not Tensor",
    )  # fmt: skip


def tensor_of_number(x: bool | int | float | complex) -> Tensor:
    """A Python number as a tensor, in the dtype that `dg.tensor` gives it."""
    value = np.array(x)
    return cut_off(handle(value.astype(natural_dtype(value), copy=False)), None, tracked=False)
