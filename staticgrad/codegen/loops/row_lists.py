"""Lists of the rows of an array, which loops of generated code iterate over and write."""

from collections.abc import Sequence
from typing import Any

import numpy as np

Span = tuple[int, int, int]
"""An axis of an array, and where a part of it begins and ends along that axis."""


class RowList(list[Any]):
    """The rows of an array, and the array."""

    __slots__ = ("array",)

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        super().__init__(array)
        self.array = array


def row_lists(array: np.ndarray[Any, Any], shift: int, spans: Sequence[Span] = ()) -> Any:
    """The rows of an array; those after a step and those before it, if they are `shift` apart.

    The shift is 1 if steps go from the first row to the last, -1 if they go backwards. Lists of the
    parts of rows in `spans` follow.
    """
    arrays = [array]
    if shift:
        arrays = [array[1:], array[:-1]][::shift]
    parts = [arrays[0][(*[slice(None)] * axis, slice(a, b))] for axis, a, b in spans]
    result = [*map(RowList, arrays), *map(list, parts)]
    return result if len(result) > 1 else result[0]


def new_rows(shape: tuple[int, ...], dtype: Any, shift: int, spans: Sequence[Span] = ()) -> Any:
    """The rows of a new array. See `row_lists`."""
    return row_lists(np.empty(shape, dtype), shift, spans)
