"""PyTorch's type promotion: the dtypes that operands of tensors are brought to.

Note [Categories]. Dtypes fall into categories: truth values, integers, floats, complex numbers. In
each, tensors with dimensions count before tensors without, and these before numbers of Python's
and NumPy's: what counts less decides only if its category is higher. An integer number beside
floats, or a float number beside integers, gives the default dtype or the floats'.
"""

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np

from gradops import OPS, Op
from gradops.types import result_dtype

from .dtypes import get_default_dtype
from .handle import Operands

CATEGORIES = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}
NUMBERS = (bool, int, float, complex, np.generic)


def promoted(op: Op, args: Sequence[Any], attrs: dict[str, Any]) -> Operands:
    """Operands of an op, of which some are tensors, in the dtype that PyTorch computes in."""
    bring = PROMOTIONS[op]
    return (args, attrs) if bring is None else bring(op, args, attrs)


def entrywise(op: Op, args: Sequence[Any], attrs: dict[str, Any]) -> Operands:
    """Operands of an op that works entry by entry: all in their common dtype, if that is one.

    An op that makes floats of integers makes them of the default dtype.
    """
    args = [number(a) for a in args]
    common = result_type(args)
    if common.kind in "biu" and makes_floats(op, common, len(args)):
        common = get_default_dtype()
    return [in_common(a, common) for a in args], attrs


def number(a: Any) -> Any:
    """A number of NumPy's as Python's, which says its category and nothing else."""
    return a.item() if isinstance(a, np.generic) else a


def result_type(args: Sequence[Any]) -> np.dtype[Any]:
    """The dtype that operands have in common. See Note [Categories]."""
    ranked: list[list[np.dtype[Any]]] = [[], [], []]
    for a in args:
        if isinstance(a, NUMBERS):
            ranked[2].append(dtype_of_number(a))
        else:
            ranked[0 if a.shape else 1].append(np.dtype(a.dtype))
    found = [reduce(promote, dtypes) for dtypes in ranked if dtypes]
    return reduce(lambda lower, higher: combined(higher, lower), reversed(found))


def promote(a: np.dtype[Any], b: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype of two that count alike; floats and complex numbers keep theirs beside integers."""
    low, high = sorted((a, b), key=category)
    return high if low.kind in "biu" and high.kind in "fc" else np.result_type(a, b)


def combined(higher: np.dtype[Any], lower: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype of two of which the first counts more."""
    if category(lower) <= category(higher):
        return higher
    return np.result_type(higher, np.complex64) if higher.kind == "f" else promote(higher, lower)


def category(dtype: np.dtype[Any]) -> int:
    """The category of a dtype; the higher one decides."""
    return CATEGORIES[dtype.kind]


def dtype_of_number(x: Any) -> np.dtype[Any]:
    """The dtype that a number of Python's has where it decides."""
    if isinstance(x, bool | np.bool_):
        return np.dtype(bool)
    if isinstance(x, int | np.integer):
        return np.dtype(np.int64)
    default = get_default_dtype()
    return default if isinstance(x, float | np.floating) else np.result_type(default, np.complex64)


def makes_floats(op: Op, dtype: np.dtype[Any], count: int) -> bool:
    """Whether an op gives floats for operands of a dtype of integers."""
    try:
        return result_dtype(op.kernel, (dtype,) * count).kind == "f"
    except TypeError:
        return False


def in_common(a: Any, dtype: np.dtype[Any]) -> Any:
    """An operand in a dtype; a number that fits below it stays one."""
    if isinstance(a, NUMBERS):
        weak = category(dtype_of_number(a)) <= category(dtype) and dtype.kind in "fc"
        return a if weak or type(a) is int else dtype.type(a)
    if a.dtype == dtype:
        return a
    return OPS["astype"](a, dtype=dtype)


class Promotions(dict[Op, Callable[..., Operands] | None]):
    """How each op promotes, None for those whose kernels do as PyTorch; made on demand."""

    def __missing__(self, op: Op) -> Callable[..., Operands] | None:
        self[op] = found = entrywise if "elementwise" in op.traits and not op.params else None
        return found


PROMOTIONS = Promotions()
