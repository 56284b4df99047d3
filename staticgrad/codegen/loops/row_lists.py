"""Lists of the rows of an array, which loops of generated code iterate over and write."""

from typing import Any

import numpy as np


class RowList(list[Any]):
    """The rows of an array, and the array."""

    __slots__ = ("array",)

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        super().__init__(array)
        self.array = array


def row_lists(array: np.ndarray[Any, Any], shift: int) -> Any:
    """The rows of an array; those after a step and those before it, if they are `shift` apart.

    The shift is 1 if steps go from the first row to the last, -1 if they go backwards.
    """
    if not shift:
        return RowList(array)
    first, last = RowList(array[:-1]), RowList(array[1:])
    return (last, first) if shift > 0 else (first, last)


def new_rows(shape: tuple[int, ...], dtype: Any, shift: int) -> Any:
    """The rows of a new array. See `row_lists`."""
    return row_lists(np.empty(shape, dtype), shift)
