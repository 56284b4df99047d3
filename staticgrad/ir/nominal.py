"""Bytes of values, where each unknown size counts as a nominal one."""

from collections.abc import Mapping

from gradops import ArrayType
from gradops.core.dims import Size, eval_terms

from .tuple_types import HistoryType, TupleType

NOMINAL = 64
"""The value of an unknown size where only the proportions matter."""


def nominal_bytes(type: ArrayType) -> int:
    """The bytes of a value, where each unknown size is `NOMINAL`."""
    return bytes_of(type, {})


def bytes_of(type: ArrayType, sizes: Mapping[str, int]) -> int:
    """The bytes of a value, given sizes by name; those missing are `NOMINAL`."""
    if isinstance(type, TupleType):
        return sum(bytes_of(t, sizes) for t in type.parts)
    count = 1
    for n in type.shape:
        count *= n if isinstance(n, int) else size_of(n, sizes)
    if type.dtype.kind == "O" and not isinstance(type, HistoryType):
        return 0  # residuals do not list what they contain
    return int(count * type.dtype.itemsize)


def size_of(n: Size, sizes: Mapping[str, int]) -> int:
    """A size, given some by name."""
    return max(0, eval_terms(n, lambda name: sizes.get(name, NOMINAL)))
