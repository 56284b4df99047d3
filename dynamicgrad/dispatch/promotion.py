"""PyTorch's type promotion: the dtype that operands have in common.

Note [Categories]. Dtypes fall into categories: truth values, integers, floats, complex numbers. In
each, tensors with dimensions count before tensors without, and these before numbers of Python's
and NumPy's: what counts less decides only if its category is higher. An integer number beside
floats, or a float number beside integers, gives the default dtype or the floats'.
"""

from collections.abc import Sequence
from functools import lru_cache, reduce
from typing import Any

import numpy as np

from .default_dtype import get_default_dtype

CATEGORIES = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}
NUMBERS = (bool, int, float, complex, np.generic)


def common_dtype(args: Sequence[Any]) -> np.dtype[Any]:
    """The dtype that operands have in common. See Note [Categories]."""
    ranked: list[list[np.dtype[Any]]] = [[], [], []]
    for a in args:
        if isinstance(a, NUMBERS):
            ranked[2].append(dtype_of_number(a))
        else:
            ranked[0 if a.shape else 1].append(a.dtype)
    found = [reduce(promote_types, dtypes) for dtypes in ranked if dtypes]
    return reduce(lambda lower, higher: combined(higher, lower), reversed(found))


@lru_cache(maxsize=1024)
def promote_types(type1: Any, type2: Any) -> np.dtype[Any]:
    """The dtype of two tensors' sum; floats and complex numbers keep theirs beside integers.

    >>> dg.promote_types(dg.int64, dg.float16)
    dtype('float16')
    """
    low, high = sorted((np.dtype(type1), np.dtype(type2)), key=category)
    return high if low.kind in "biu" and high.kind in "fc" else np.result_type(low, high)


def result_type(tensor1: Any, tensor2: Any) -> np.dtype[Any]:
    """The dtype of an operation on two operands, each a tensor or a number.

    >>> dg.result_type(dg.tensor([1, 2]), 1.0)
    dtype('float32')
    """
    return common_dtype([number(tensor1), number(tensor2)])


def can_cast(from_: Any, to: Any) -> bool:
    """Whether an operation in place may write results of one dtype to a tensor of another.

    >>> dg.can_cast(dg.float64, dg.float32), dg.can_cast(dg.float32, dg.int64)
    (True, False)
    """
    lower, higher = category(np.dtype(from_)), category(np.dtype(to))
    return lower <= higher


def combined(higher: np.dtype[Any], lower: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype of two of which the first counts more."""
    if category(lower) <= category(higher):
        return higher
    return complex_of(higher) if higher.kind == "f" else promote_types(higher, lower)


def complex_of(dtype: Any) -> np.dtype[Any]:
    """The dtype of complex numbers whose parts have a dtype of floats, or have more digits."""
    return np.result_type(dtype, np.complex64)


def category(dtype: np.dtype[Any]) -> int:
    """The category of a dtype; the higher one decides."""
    return CATEGORIES[dtype.kind]


def number(a: Any) -> Any:
    """A number of NumPy's as Python's, which says its category and nothing else."""
    return a.item() if isinstance(a, np.generic) else a


def dtype_of_number(x: Any) -> np.dtype[Any]:
    """The dtype that a number of Python's has where it decides."""
    if isinstance(x, bool | np.bool_):
        return np.dtype(bool)
    if isinstance(x, int | np.integer):
        return np.dtype(np.int64)
    default = get_default_dtype()
    return default if isinstance(x, float | np.floating) else complex_of(default)
