"""PyTorch's type promotion: the common dtype of operands.

Note [Categories]. Dtypes fall into categories: booleans, integers, floats, complex numbers. Tensors
with dimensions take precedence over tensors without, and these over numbers: what has lower
precedence decides only if its category is higher. So an integer number with float tensors has
their dtype, and a float number with integer tensors gives the default dtype.
"""

from collections.abc import Sequence
from functools import lru_cache, reduce

import numpy as np

from gradops import MixedOperandsError
from gradops.typing import DTypeLike, Number, Operand

from ..engine.tensor import CATEGORIES
from .default_dtype import get_default_dtype

NUMBERS = (bool, int, float, complex, np.generic)


def common_dtype(args: Sequence[Operand]) -> np.dtype:
    """The common dtype of operands. See Note [Categories]."""
    ranked: list[list[np.dtype]] = [[], [], []]
    for a in args:
        if isinstance(a, NUMBERS):
            ranked[2].append(dtype_of_number(a))
        elif not hasattr(a, "dtype"):
            kinds = [type(x).__name__ for x in args]
            reason = f"{type(a).__name__} is neither a tensor nor a number"
            raise MixedOperandsError("operands", kinds, reason)
        else:
            ranked[0 if a.shape else 1].append(a.dtype)
    by_rank = [reduce(promote_types, dtypes) for dtypes in ranked if dtypes]
    return reduce(lambda lower, higher: combine(higher, lower), reversed(by_rank))


@lru_cache(maxsize=1024)
def promote_types(type1: DTypeLike, type2: DTypeLike) -> np.dtype:
    """The dtype of the sum of two tensors; integers take the other's float or complex dtype.

    >>> dg.promote_types(dg.int64, dg.float16)
    dtype('float16')
    """
    low, high = sorted((np.dtype(type1), np.dtype(type2)), key=category)
    return high if low.kind in "biu" and high.kind in "fc" else np.result_type(low, high)


def result_type(tensor1: Operand, tensor2: Operand) -> np.dtype:
    """The dtype of an operation on two operands, each a tensor or a number.

    >>> dg.result_type(dg.tensor([1, 2]), 1.0)
    dtype('float32')
    """
    return common_dtype([python_number(tensor1), python_number(tensor2)])


def can_cast(from_: DTypeLike, to: DTypeLike) -> bool:
    """True if an in-place operation may write results of one dtype to a tensor of another.

    >>> dg.can_cast(dg.float64, dg.float32), dg.can_cast(dg.float32, dg.int64)
    (True, False)
    """
    return category(np.dtype(from_)) <= category(np.dtype(to))


def combine(higher: np.dtype, lower: np.dtype) -> np.dtype:
    """The common dtype of two, of which the first takes precedence."""
    if category(lower) <= category(higher):
        return higher
    return complex_of(higher) if higher.kind == "f" else promote_types(higher, lower)


def complex_of(dtype: DTypeLike) -> np.dtype:
    """The complex dtype with parts of a float dtype, or of higher precision."""
    return np.result_type(dtype, np.complex64)


def category(dtype: np.dtype) -> int:
    """The category of a dtype; the higher one decides."""
    return CATEGORIES[dtype.kind]


def python_number(a: Operand) -> Operand:
    """A NumPy scalar as a Python number, of which only the category counts."""
    return a.item() if isinstance(a, np.generic) else a


def dtype_of_number(x: Number) -> np.dtype:
    """The dtype of a Python number where it decides."""
    if isinstance(x, bool | np.bool_):
        return np.dtype(bool)
    if isinstance(x, int | np.integer):
        return np.dtype(np.int64)
    default = get_default_dtype()
    return default if isinstance(x, float | np.floating) else complex_of(default)
