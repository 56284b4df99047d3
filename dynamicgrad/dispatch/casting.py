"""Values to be written among entries of a tensor: numbers cut to its dtype, or tensors of it."""

from functools import cache
from typing import Any

import numpy as np

import gradops as ops
from gradops import ArrayType, DTypeError, ShapeError
from gradops.core.types import operand_types

from ..engine.handle import REAL_NUMBERS, Handle
from ..engine.tensor import as_tensor


def as_entry(name: str, x: Any, value: Any) -> Any:
    """A number as an entry of `x`: fractions are cut off integers, what does not fit is refused."""
    if hasattr(value, "gradop_level") or np.ndim(value):
        return one_entry(name, x, value)
    return number_in(name, x.dtype, value)


def as_mask(name: str, mask: Any) -> Any:
    """A tensor of truth values, which says where something is written; others are refused."""
    mask = as_tensor(mask)
    if mask.dtype != np.bool_:
        raise DTypeError(
            name, operand_types([mask]), "a mask is of truth values", hint="use mask != 0",
            known_as=f"masked_fill_ only supports boolean masks, but got mask with dtype"
            f" {mask.dtype}",
        )  # fmt: skip
    return mask


def number_in(name: str, of: Any, value: Any) -> Any:
    """A number in a dtype, as it is among entries that have that."""
    number = value.item() if isinstance(value, np.generic | np.ndarray) else value
    dtype = np.dtype(of)
    if isinstance(number, complex) and not number.imag and dtype.kind != "c":
        number = number.real
    if (dtype.kind not in "bc" and isinstance(number, complex)) or not in_range(dtype, number):
        raise DTypeError(
            name, [ArrayType((), dtype)], f"{number} is no {dtype}",
            hint="give the tensor another dtype first, as by x.float()",
            known_as=f"value cannot be converted to type {dtype} without overflow",
        )  # fmt: skip
    if dtype.kind not in "iu":
        return dtype.type(number)
    return np.asarray(int(number)).astype(dtype)[()]  # negative numbers wrap among unsigned ones


def require_range(name: str, of: Any, *numbers: Any) -> None:
    """Refuse numbers of Python's that a dtype does not have, where it keeps their category."""
    dtype = np.dtype(of)
    if dtype.kind in "bc" or (dtype.kind in "iu" and any(map(is_float, numbers))):
        return  # it has all of them, or they become floats
    for number in numbers:
        if type(number) in REAL_NUMBERS and not in_range(dtype, number):
            number_in(name, dtype, number)


def is_float(number: Any) -> bool:
    """Whether a number is a float of Python's or NumPy's."""
    return isinstance(number, float | np.floating)


def in_range(dtype: np.dtype[Any], number: Any) -> bool:
    """Whether a dtype has a number, or one near to it."""
    if dtype.kind in "bc":
        return True
    if dtype.kind == "f":
        return bool(abs(number) <= largest(dtype) or not np.isfinite(number))
    info = np.iinfo(dtype)
    wraps = dtype.kind == "u" and isinstance(number, int)
    least = -info.max if wraps else info.min
    return bool(np.isfinite(number) and least <= number <= info.max)


@cache
def largest(dtype: np.dtype[Any]) -> float:
    """The largest number of a dtype of floats."""
    return float(np.finfo(dtype).max)


def one_entry(name: str, x: Any, value: Any) -> Any:
    """A tensor without dimensions in the dtype of `x`."""
    if value.shape:
        raise ShapeError(
            name, operand_types([x, value]), "the value is a number, or a tensor of one",
            known_as="only supports a 0-dimensional value tensor",
        )  # fmt: skip
    if value.dtype.kind == "c" and x.dtype.kind != "c":
        raise DTypeError(name, operand_types([x, value]), f"a complex number is no {x.dtype}")
    return value if value.dtype == x.dtype else ops.astype(value, dtype=x.dtype)


def require_dtype(name: str, x: Any, source: Any) -> None:
    """Refuse a tensor of another dtype than that of `x`, which it is to be written to."""
    if isinstance(source, Handle) and source.dtype != x.dtype:
        raise DTypeError(
            name, operand_types([x, source]), "the two must have one dtype",
            hint=f"convert the source: source.to({x.dtype})",
            known_as="Index put requires the source and destination dtypes match"
            if name == "setitem"
            else "self and source expected to have the same dtype",
        )  # fmt: skip
