"""Entries in other places: TensorFlow's ops on shapes, in terms of those of `gradops`."""

import operator
from collections.abc import Iterable
from itertools import accumulate
from typing import Any

import gradops as ops
from gradops import OptionError, ShapeError
from gradops.library import reduction
from gradops.library.indexing import index_array
from gradops.types import (
    Size,
    as_shape,
    as_size,
    conflict,
    native,
    normalize_axis,
    shape_of,
    type_of,
)

from ..ir.expr import Expr
from .creation import ensure_shape, numbers
from .leaves import DEFAULT_DTYPE

FULL = slice(None)


def tile(input: Any, multiples: Any) -> Any:
    """The operand repeated along each axis, so many times.

    >>> sg.tile(np.array([1.0, 2.0]), [2])
    array([1., 2., 1., 2.])
    """
    sizes, times = shape_of(input), as_shape(multiples)
    if len(sizes) != len(times):
        raise ShapeError("tile", [type_of(input)], f"{len(times)} multiples for {len(sizes)} axes")
    apart = [n for size in sizes for n in (1, size)]
    repeated = [n for pair in zip(times, sizes, strict=True) for n in pair]
    wide = ops.broadcast_to(ops.reshape(input, shape=apart), shape=repeated)
    return ops.reshape(wide, shape=[m * n for m, n in zip(times, sizes, strict=True)])


def unstack(value: Any, num: int | None = None, axis: int = 0) -> list[Any]:
    """The parts of the operand along an axis, without that axis, of which there are `num`.

    >>> sg.unstack(np.array([[1, 2], [3, 4]]), axis=1)
    [array([1, 3]), array([2, 4])]
    """
    k = normalize_axis("unstack", type_of(value), axis)
    sizes = list(shape_of(value))
    if num is not None:
        if conflict([sizes[k]], [num]):
            raise ShapeError(
                "unstack", [type_of(value)], f"axis {k} has {sizes[k]} entries, not num={num}"
            )
        sizes[k] = num
        value = ensure_shape(value, sizes) if isinstance(value, Expr) else value
    if not isinstance(sizes[k], int):
        raise ShapeError("unstack", [type_of(value)], f"the size of axis {k} is not known",
                         hint="give it: unstack(x, num=3)")  # fmt: skip
    return [ops.index(value, (*(FULL,) * k, i)) for i in range(sizes[k])]


def split(value: Any, num_or_size_splits: Any, axis: int = 0) -> list[Any]:
    """Parts of the operand along an axis: so many equal ones, or ones of the sizes in a list.

    One of the sizes may be -1, and is what is left. Raises ShapeError if they do not add up.

    >>> [p.tolist() for p in sg.split(np.arange(5), [1, -1, 2])]
    [[0], [1, 2], [3, 4]]
    """
    if not isinstance(num_or_size_splits, Iterable):
        return ops.split(value, operator.index(as_size(num_or_size_splits)), axis=axis)
    n = shape_of(value)[normalize_axis("split", type_of(value), axis)]
    sizes = complete(value, list(as_shape(num_or_size_splits)), n)
    return ops.split(value, list(accumulate(sizes))[:-1], axis=axis)


def complete(x: Any, sizes: list[Size], total: Size) -> list[Size]:
    """The sizes of parts that make up a total, with a number for -1."""
    if sizes.count(-1) == 1:
        rest = total - sum_of(n for n in sizes if n != -1)
        sizes = [rest if n == -1 else n for n in sizes]
    both = (sum_of(sizes), total)
    if any(isinstance(n, int) and n < 0 for n in sizes) or (both[0] != total and known(both)):
        raise ShapeError("split", [type_of(x)], f"the sizes {sizes} do not add up to {total}")
    return sizes


def sum_of(sizes: Iterable[Size]) -> Size:
    """The sum of sizes, known or not."""
    total: Size = 0
    for n in sizes:
        total = total + n
    return total


def known(sizes: Iterable[Size]) -> bool:
    """Whether all sizes are numbers."""
    return all(isinstance(n, int) for n in sizes)


def slice_of(input_: Any, begin: Any, size: Any) -> Any:
    """The part of the operand that begins at a place and has a size, along each axis.

    A size of -1 is all that is left.

    >>> sg.slice(np.arange(6).reshape(2, 3), [0, 1], [-1, 2])
    array([[1, 2],
           [4, 5]])
    """
    pairs = zip(as_shape(begin), as_shape(size), strict=True)
    return ops.index(input_, tuple(slice(b, None if n == -1 else b + n) for b, n in pairs))


def boolean_mask(tensor: Any, mask: Any, axis: int = 0) -> Any:
    """The entries where a mask is true, which stands for the axes from `axis` on.

    How many there are, only the data tell.

    >>> x = sg.placeholder("float32", [3, 2], name="x")
    >>> sg.boolean_mask(x, x[:, 0] > 0, name="kept")
    <getitem kept: float32[getitem.0, 2]>
    """
    mask = index_array(tensor, mask)
    if mask.dtype.kind != "b":
        raise OptionError("boolean_mask", [type_of(mask)], "a mask is of truth values")
    k = normalize_axis("boolean_mask", type_of(tensor), axis or 0)
    return ops.index(tensor, ((FULL,) * k + (mask,)))


def gather(params: Any, indices: Any, axis: int | None = 0) -> Any:
    """The entries at some indices along an axis, by default the first.

    >>> sg.gather(np.array([1.0, 2.0, 3.0]), [2, 0])
    array([3., 1.])
    """
    return ops.take(params, indices, axis=axis or 0)


def one_hot(
    indices: Any, depth: Any, on_value: Any = None, off_value: Any = None, axis: int = -1,
    dtype: Any = None,
) -> Any:  # fmt: skip
    """For each index a one in its place along a new axis of size `depth`, zeros elsewhere.

    `on_value` and `off_value` are other numbers for one and zero. An index that is none of 0 to
    `depth` - 1 has no one.

    >>> sg.one_hot(np.array([1, 0]), 2)
    array([[0., 1.],
           [1., 0.]], dtype=float32)
    """
    hot = ops.equal(ops.expand_dims(indices, axis=-1), numbers(as_size(depth)))
    found = hot if axis in (-1, None) else ops.moveaxis(hot, -1, axis)
    if on_value is None and off_value is None:
        return ops.astype(found, dtype=native(dtype or DEFAULT_DTYPE.get()))
    chosen = ops.where(found, 1 if on_value is None else on_value, off_value or 0)
    return chosen if dtype is None else ops.astype(chosen, dtype=native(dtype))


def cumsum(x: Any, axis: int = 0, exclusive: bool = False, reverse: bool = False) -> Any:
    """The sums of the entries up to each one along an axis, without that one if `exclusive`.

    With `reverse`, of the entries from each one on.

    >>> sg.cumsum(np.array([1, 2, 3]), exclusive=True)
    array([0, 1, 3])
    """
    k = normalize_axis("cumsum", type_of(x), axis)
    x = ops.flip(x, axis=k) if reverse else x
    if exclusive:
        lead, widths = (FULL,) * k, [(int(i == k), 0) for i in range(len(shape_of(x)))]
        x = ops.pad(x, widths)[(*lead, slice(None, -1))]
    found = reduction.cumsum(x, axis=k)
    return ops.flip(found, axis=k) if reverse else found
