"""Conversion of values to operands, refused where it would silently lose information."""

from typing import TYPE_CHECKING, Any

import numpy as np

from gradops import FeedError, type_of
from gradops.core.op import SEQUENCES, as_operand
from gradops.core.types import PYTHON_SCALARS

from .errors import made_line

if TYPE_CHECKING:
    from .expr import Expr


def lost_meaning(value: object) -> tuple[str, str] | None:
    """The information that the entries of an array subclass lack, and the way out.

    A graph represents neither masks nor units nor another meaning of `*`. None for what is safe:
    plain arrays, memory-mapped arrays, and values that are not arrays.
    """
    kind = type(value)
    if kind is np.ndarray or not isinstance(value, np.ndarray) or isinstance(value, np.memmap):
        return None
    if isinstance(value, np.ma.MaskedArray):
        return "a masked array, whose mask would be lost", "fill it: value.filled(0.0)"
    return f"a {kind.__name__}, which is more than an array", "take np.asarray(value)"


def fits(array: np.ndarray, dtype: np.dtype) -> bool:
    """True if `array` converts without loss of kind: floats to floats, integers within range."""
    if not array.size:
        return True
    if array.dtype.kind in "iu" and dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return bool(limits.min <= array.min() and array.max() <= limits.max)
    return array.dtype.kind in "biufc" and np.can_cast(array.dtype, dtype, "same_kind")


def operand_for(e: "Expr", a: Any) -> Any:
    """`a` as an operand of any kind that has the dtype, the rank and the known sizes of `e`."""
    result = as_array_for(e, a)
    t = type_of(result)
    same = t.dtype == e.dtype and t.ndim == len(e.shape)
    if not same or any(isinstance(m, int) and m != n for m, n in zip(e.shape, t.shape)):
        raise FeedError(f"{e.label} was given {getattr(a, 'label', t)}{made_line(e)}")
    return result


def as_array_for(e: "Expr", a: Any) -> Any:
    """A number, or a sequence of them, as an array of the dtype of `e` if that loses nothing."""
    if type(a) not in PYTHON_SCALARS and type(a) not in SEQUENCES:
        return a
    result = np.asarray(as_operand(a))
    return result.astype(e.dtype) if fits(result, e.dtype) else result
