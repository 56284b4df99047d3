"""Indexing of arrays, and type inference of indexing.

Note [Index form]. An index is an attribute, so it consists of plain values: a tuple of integers,
None (a new axis), "..." (the axes between), ("slice", start, stop, step), and "array", which stands
for the next of the index operands. A bound may be a `Dim`.

Note [Placement]. Next to an index array, integers count as arrays too. All of them broadcast
together, to the "advanced" axes. These replace the first array if the arrays are adjacent; else
they come first of all. An ellipsis separates arrays even if it stands for no axis.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ...core.dims import UNKNOWN, Dim, Shape, Size, at_least_zero
from ...core.errors import IndexingError, ShapeError
from ...core.types import ArrayType, broadcast_shapes, operand_types
from ...typing import DTypeLike
from ..numpy_versions import INDICES

FULL = ("slice", None, None, None)

Index = tuple[Any, ...]


class Entry(NamedTuple):
    """One entry of an index, the first axis it indexes, and its array if it has one."""

    what: Any
    axis: int
    array: ArrayType | None

    @property
    def advanced(self) -> bool:
        """True for an array, or an integer, which counts as one next to an array."""
        return self.array is not None or isinstance(self.what, int | Dim)


class Placement(NamedTuple):
    """The shape of an indexing result, and the position of its advanced axes."""

    shape: Shape
    first: int
    many: int
    together: bool


def placement(op: str, index: Index, x: ArrayType, arrays: Sequence[ArrayType]) -> Placement:
    """The placement of `index` on `x`, or an IndexingError. See Note [Placement]."""
    entries = locate_entries(op, index, x, arrays)
    shape: list[Size] = []
    numbers, first = [], None
    for number, e in enumerate(entries):
        if e.advanced:
            check(op, e, x, arrays)
            numbers.append(number)
            first = len(shape) if first is None else first
        elif e.what != "...":
            shape.append(1 if e.what is None else slice_size(op, e, x))
    together = not arrays or numbers[-1] - numbers[0] < len(numbers)
    place = first if together and first is not None else 0
    added = advanced_shape(op, x, arrays)
    return Placement((*shape[:place], *added, *shape[place:]), place, len(added), together)


def locate_entries(op: str, index: Index, x: ArrayType, arrays: Sequence[ArrayType]) -> list[Entry]:
    """The entries of an index, with full slices for the axes that `...` or its end leaves out."""
    if index.count("array") != len(arrays):
        raise IndexingError(op, [x, *arrays], f"{len(arrays)} arrays do not fit the index {index}")
    found = pair_arrays(index, arrays)
    used = sum(axes_used(op, x, e, a) for e, a in found)
    if used > x.ndim:
        raise IndexingError(op, [x, *arrays], f"too many indices: {used} for {x.ndim} axes")
    if index.count("...") > 1:
        raise IndexingError(op, [x, *arrays], "an index has only one ellipsis")
    at = index.index("...") if "..." in index else len(index)
    left = [(FULL, None)] * (x.ndim - used)
    found[at : at + 1] = left or found[at : at + 1]
    axis, entries = 0, []
    for e, a in found:
        entries.append(Entry(e, axis, a))
        axis += axes_used(op, x, e, a)
    return entries


def pair_arrays(index: Index, arrays: Sequence[Any]) -> list[tuple[Any, Any]]:
    """The entries of an index, each with its array or None."""
    rest = iter(arrays)
    return [(e, next(rest) if e == "array" else None) for e in index]


def axes_used(op: str, x: ArrayType, what: Any, array: ArrayType | None) -> int:
    """The number of axes of `x` that an entry indexes."""
    if what is None or what == "...":
        return 0
    if array is None or array.dtype.kind in "iu":
        return 1
    if array.dtype.kind == "b":
        return array.ndim
    raise IndexingError(
        op,
        [x, array],
        f"{array.dtype} is not a dtype for an index",
        hint="index with integers, truth values, slices, None or ...",
    )


def check(op: str, e: Entry, x: ArrayType, arrays: Sequence[ArrayType]) -> None:
    """Raise an IndexingError for an integer out of range, or a mask of another shape."""
    if e.array is None:
        check_range(op, [x, *arrays], e.what, e.axis, x.shape[e.axis])
    elif e.array.dtype.kind == "b":
        for i, n in enumerate(e.array.shape, start=e.axis):
            if n != x.shape[i] and isinstance(n, int) and isinstance(x.shape[i], int):
                raise IndexingError(
                    op, [x, *arrays], f"the mask has size {n} where axis {i} has size {x.shape[i]}"
                )


def check_range(op: str, types: Sequence[ArrayType], i: Size, axis: int, n: Size) -> None:
    """Raise an IndexingError if `i` is out of range for `axis` with size `n`."""
    if isinstance(i, int) and isinstance(n, int) and not -n <= i < n:
        raise IndexingError(op, types, f"index {i} is out of range for axis {axis} with size {n}")


def slice_size(op: str, e: Entry, x: ArrayType) -> Size:
    """The number of entries of a slice.

    `x[1:]` of `n` entries has `nonnegative(n - 1)`; a bound that is a `Dim` lies within the axis.
    """
    n, (_, start, stop, step) = x.shape[e.axis], e.what
    step = 1 if step is None else step
    if step == 0:
        raise IndexingError(op, [x], "the step of a slice is zero")
    if all(isinstance(i, int | None) for i in (n, start, stop)):
        return len(range(*slice(start, stop, step).indices(n)))
    if step < 0:
        return (n - step - 1) // -step if start is None and stop is None else UNKNOWN
    first, last = start or 0, n if stop is None else stop
    if isinstance(last, int) and last < 0:
        last = n + last
    elif isinstance(last, int) and isinstance(n, Dim) and n.least < last:
        return UNKNOWN
    if isinstance(first, int) and first < 0:
        return UNKNOWN
    many = last - first
    if isinstance(first, int) and (stop is None or isinstance(stop, int)):
        many = at_least_zero(many)
    many = (many + step - 1) // step
    return max(many, 0) if isinstance(many, int) else many


def advanced_shape(op: str, x: ArrayType, arrays: Sequence[ArrayType]) -> Shape:
    """The shape to which index arrays broadcast; a mask counts as its list of true entries."""
    lists = [ArrayType((UNKNOWN,), np.intp) if a.dtype.kind == "b" else a for a in arrays]
    try:
        return broadcast_shapes(op, lists)
    except ShapeError as error:
        raise IndexingError(op, [x, *arrays], f"as indices, {error.reason}") from None


def numpy_key(index: Index, arrays: Sequence[np.ndarray] = ()) -> tuple[np.ndarray, ...]:
    """The index as a NumPy key."""
    rest = iter(arrays)
    return tuple([numpy_entry(e, rest) for e in index])


def numpy_entry(e: Any, arrays: Iterator[Any]) -> Any:
    """One entry of a NumPy key."""
    if type(e) is int or e is None:
        return e
    if type(e) is tuple:
        return slice(e[1], e[2], e[3])
    return next(arrays) if e == "array" else ...


@lru_cache(maxsize=4096)
def basic_key(index: Index) -> tuple[Any, ...]:
    """A basic index as a NumPy key; an ellipsis makes a view of a single entry."""
    key = numpy_key(index)
    return key if "..." in index else (*key, ...)


def view(x: Any, index: Index) -> Any:
    """`x` at a basic index, always as a view."""
    x = x if hasattr(x, "shape") else np.asarray(x)
    return x[basic_key(index)]


def pick(*operands: np.ndarray, index: Index) -> np.ndarray:
    """The first operand at an index that contains arrays."""
    x, *arrays = operands
    try:
        if takes_one(x, arrays, index):
            return x.take(arrays[0], len(index) - 1)
        found = x[numpy_key(index, arrays)]
        is_view = all(a.ndim == 0 for a in arrays)  # as integers without axes are no lists
        return found.copy() if is_view or not found.flags.c_contiguous else found
    except IndexError:
        check_values("getitem", index, x.shape, x.dtype, arrays)
        raise


def takes_one(x: np.ndarray, arrays: Sequence[np.ndarray], index: Index) -> bool:
    """True if `x.take` can do it, which is up to three times as fast.

    It looks at no index where there are no entries.
    """
    if len(arrays) != 1 or index[-1] != "array" or arrays[0].dtype not in INDICES:
        return False
    return x.flags.c_contiguous and x.size > 0 and index.count(FULL) == len(index) - 1


def check_values(
    op: str, index: Index, shape: Shape, dtype: DTypeLike, arrays: Sequence[np.ndarray]
) -> None:
    """Raise an IndexingError for the first entry of an index array that is out of range."""
    x, types = ArrayType(shape, dtype), operand_types(arrays)
    values = iter(arrays)
    for e in locate_entries(op, index, x, types):
        if e.array is not None and (a := np.asarray(next(values))).dtype.kind in "iu":
            n = shape[e.axis]
            for i in a[(a < -n) | (a >= n)].flat:
                check_range(op, [x, *types], int(i), e.axis, n)
