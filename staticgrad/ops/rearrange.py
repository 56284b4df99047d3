"""Entries in other places: TensorFlow's ops on shapes, in terms of those of `gradops`."""

import operator
from collections.abc import Iterable
from itertools import accumulate
from typing import Any

import numpy as np

import gradops as ops
from gradops import OptionError, ShapeError
from gradops.core.dims import Size, at_least_zero, product
from gradops.core.types import (
    as_shape,
    as_size,
    conflict,
    native,
    normalize_axis,
    shape_of,
    type_of,
)
from gradops.library.index.index_keys import index_array
from gradops.library.shape import ensure_shape as sizes_of

from ..build.inputs import default_dtype
from ..ir.expr import Expr
from .creation import ensure_shape, numbers
from .sorting import numbers_in_one_dtype

FULL = slice(None)


def tile(input: Any, multiples: Any) -> Any:
    """The operand repeated along each axis, so many times.

    >>> sg.tile(np.array([1.0, 2.0]), [2])
    array([1., 2., 1., 2.])
    """
    ndim, times = len(shape_of(input)), as_shape(multiples)
    if ndim != len(times):
        raise ShapeError("tile", [type_of(input)], f"{len(times)} multiples for {ndim} axes")
    return ops.tile(input, times)


def pad(tensor: Any, paddings: Any, mode: str = "CONSTANT", constant_values: Any = 0) -> Any:
    """Entries put around the operand, as many before and after each axis as `paddings` says.

    `mode` is "CONSTANT", "REFLECT" or "SYMMETRIC", or another of `gradops.pad`, in capitals or not.

    >>> sg.pad(np.array([1, 2, 3]), [[1, 1]], "REFLECT")
    array([2, 1, 2, 3, 2])
    """
    return ops.pad(tensor, paddings, mode.lower(), constant_values)


def diag(diagonal: Any) -> Any:
    """Zeros with the operand on the diagonal: a matrix, if the operand is a vector.

    >>> sg.diag(np.array([1, 2]))
    array([[1, 0],
           [0, 2]])
    """
    return ops.reshape(ops.diagflat(diagonal), shape=shape_of(diagonal) * 2)


def diag_part(input: Any) -> Any:
    """The diagonal of a matrix, or of what `diag` gives of an operand with more axes.

    >>> sg.diag_part(np.array([[1, 2], [3, 4]]))
    array([1, 4])
    """
    half, odd = divmod(len(shape_of(input)), 2)
    own = shape_of(input)[:half]
    if odd or not half or conflict(own, shape_of(input)[half:]):
        raise ShapeError("diag_part", [type_of(input)], "the second half of the shape is another")
    n = product(own)
    return ops.reshape(ops.diagonal(ops.reshape(input, shape=(n, n))), shape=own)


def matrix_diag_part(input: Any) -> Any:
    """The diagonal of each matrix.

    >>> sg.matrix_diag_part(np.ones((5, 2, 3))).shape
    (5, 2)
    """
    return ops.diagonal(input, axis1=-2, axis2=-1)


def matrix_band_part(input: Any, num_lower: int, num_upper: int) -> Any:
    """Each matrix with zeros but for so many diagonals below and above the main one.

    A negative number keeps them all.

    >>> sg.matrix_band_part(np.ones((3, 3)), 0, 1)
    array([[1., 1., 0.],
           [0., 1., 1.],
           [0., 0., 1.]])
    """
    lower = input if num_lower < 0 else ops.triu(input, k=-num_lower)
    return lower if num_upper < 0 else ops.tril(lower, k=num_upper)


def meshgrid(*args: Any, indexing: str = "xy") -> list[Any]:
    """The coordinates of the points of a grid, from those along each axis.

    >>> sg.meshgrid(np.arange(2), np.arange(3))[1]
    array([[0, 0],
           [1, 1],
           [2, 2]])
    """
    return list(ops.meshgrid(*args, indexing=indexing))


def sequence_mask(lengths: Any, maxlen: Any = None, dtype: Any = "bool") -> Any:
    """For each length a row of that many truths, and falsehoods up to `maxlen`.

    In a graph, `maxlen` has to be given.

    >>> sg.sequence_mask(np.array([1, 2]), 3)
    array([[ True, False, False],
           [ True,  True, False]])
    """
    if maxlen is None:
        if isinstance(lengths, Expr):
            raise lengths.unknown("the greatest length", "give it: maxlen=")
        maxlen = np.max(lengths, initial=0)
    result = ops.less(numbers(as_size(maxlen)), ops.expand_dims(lengths, axis=-1))
    return ops.astype(result, dtype=native(dtype))


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
    value = require_size(value, axis, sum_of(sizes))
    return ops.split(value, list(accumulate(sizes))[:-1], axis=axis)


def require_size(x: Any, axis: int, size: Size) -> Any:
    """The operand, which has a size along an axis; a run in which it has another is an error."""
    shape = list(shape_of(x))
    if shape[axis] == size:
        return x
    shape[axis] = size
    return sizes_of.ensure_shape(x, shape=tuple(shape))


def complete(x: Any, sizes: list[Size], total: Size) -> list[Size]:
    """The sizes of parts that make up a total, with a number for -1."""
    if sizes.count(-1) == 1:
        rest = total - sum_of(n for n in sizes if n != -1)
        rest = rest if isinstance(rest, int) else at_least_zero(rest)
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

    A size of -1 is all that is left. Raises ShapeError for a part that goes beyond the operand.

    >>> sg.slice(np.arange(6).reshape(2, 3), [0, 1], [-1, 2])
    array([[1, 2],
           [4, 5]])
    """
    wanted = as_shape(size)
    pairs = zip(as_shape(begin), wanted, strict=True)
    result = ops.index(input_, tuple(slice(b, None if n == -1 else b + n) for b, n in pairs))
    for axis, n in enumerate(wanted):
        result = require_size(result, axis, n) if n != -1 else result
    return result


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
    result = hot if axis in (-1, None) else ops.moveaxis(hot, -1, axis)
    if on_value is None and off_value is None:
        return ops.astype(result, dtype=native(dtype or default_dtype()))
    on, off = 1 if on_value is None else on_value, 0 if off_value is None else off_value
    chosen = ops.where(result, *numbers_in_one_dtype(on, off))
    return chosen if dtype is None else ops.astype(chosen, dtype=native(dtype))
