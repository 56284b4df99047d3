"""TensorFlow's functions that rearrange entries, in terms of `gradops`."""

import operator
from collections.abc import Iterable
from itertools import accumulate
from typing import Any

import numpy as np

import gradops as ops
from gradops import OptionError, ShapeError
from gradops.core.dims import Size, at_least_zero, product, sum_of
from gradops.core.types import as_shape, as_size, conflict, normalize_axis, shape_of, type_of
from gradops.library.index.index_keys import index_array
from gradops.library.shape import ensure_shape as sizes_of
from gradops.typing import AnyArray, DTypeLike, Operand, ShapeLike, SizeLike

from ..build.inputs import default_dtype
from ..ir.expr import Expr
from .creation import ensure_shape, numbers
from .pointwise import of_type
from .sorting import numbers_in_one_dtype

FULL = slice(None)


def tile(input: Operand, multiples: ShapeLike) -> AnyArray:
    """Repeat the operand along each axis.

    >>> sg.tile(np.array([1.0, 2.0]), [2])
    array([1., 2., 1., 2.])
    """
    ndim, times = len(shape_of(input)), as_shape(multiples)
    if ndim != len(times):
        raise ShapeError("tile", [type_of(input)], f"{len(times)} multiples for {ndim} axes")
    return ops.tile(input, times)


def pad(
    tensor: Operand, paddings: Any, mode: str = "CONSTANT", constant_values: Operand = 0
) -> AnyArray:
    """Pad each axis with `paddings` entries before and after it.

    `mode` is "CONSTANT", "REFLECT" or "SYMMETRIC", or another of `gradops.pad`, in any case.

    >>> sg.pad(np.array([1, 2, 3]), [[1, 1]], "REFLECT")
    array([2, 1, 2, 3, 2])
    """
    return ops.pad(tensor, paddings, mode.lower(), constant_values)


def diag(diagonal: Operand) -> AnyArray:
    """A diagonal tensor: a matrix, if the operand is a vector.

    >>> sg.diag(np.array([1, 2]))
    array([[1, 0],
           [0, 2]])
    """
    return ops.reshape(ops.diagflat(diagonal), shape=shape_of(diagonal) * 2)


def diag_part(input: Operand) -> AnyArray:
    """The diagonal of a matrix, or of a tensor with an even number of axes; reverses `diag`.

    >>> sg.diag_part(np.array([[1, 2], [3, 4]]))
    array([1, 4])
    """
    half, odd = divmod(len(shape_of(input)), 2)
    own = shape_of(input)[:half]
    if odd or not half or conflict(own, shape_of(input)[half:]):
        raise ShapeError("diag_part", [type_of(input)], "the second half of the shape is another")
    n = product(own)
    return ops.reshape(ops.diagonal(ops.reshape(input, shape=(n, n))), shape=own)


def matrix_diag_part(input: Operand) -> AnyArray:
    """The diagonal of each matrix.

    >>> sg.matrix_diag_part(np.ones((5, 2, 3))).shape
    (5, 2)
    """
    return ops.diagonal(input, axis1=-2, axis2=-1)


def matrix_band_part(input: Operand, num_lower: int, num_upper: int) -> Operand:
    """Set each matrix to zero outside a band around its main diagonal.

    A negative number of diagonals keeps all of them.

    >>> sg.matrix_band_part(np.ones((3, 3)), 0, 1)
    array([[1., 1., 0.],
           [0., 1., 1.],
           [0., 0., 1.]])
    """
    lower = input if num_lower < 0 else ops.triu(input, k=-num_lower)
    return lower if num_upper < 0 else ops.tril(lower, k=num_upper)


def meshgrid(*args: Any, indexing: str = "xy") -> list[AnyArray]:
    """The coordinate arrays of a grid, from the coordinates along each axis.

    >>> sg.meshgrid(np.arange(2), np.arange(3))[1]
    array([[0, 0],
           [1, 1],
           [2, 2]])
    """
    return list(ops.meshgrid(*args, indexing=indexing))


def sequence_mask(
    lengths: Operand, maxlen: SizeLike | None = None, dtype: DTypeLike = "bool"
) -> AnyArray:
    """For each length, a row of `maxlen` truth values of which the first `length` are true.

    For expressions `maxlen` is required.

    >>> sg.sequence_mask(np.array([1, 2]), 3)
    array([[ True, False, False],
           [ True,  True, False]])
    """
    if maxlen is None:
        if isinstance(lengths, Expr):
            raise lengths.unknown("the greatest length", "give it: maxlen=")
        maxlen = int(np.max(np.asarray(lengths), initial=0))
    result = ops.less(numbers(as_size(maxlen)), ops.expand_dims(lengths, axis=-1))
    return of_type(result, dtype)


def unstack(value: Operand, num: int | None = None, axis: int = 0) -> list[AnyArray]:
    """Unpack the operand along an axis into `num` parts without that axis.

    >>> sg.unstack(np.array([[1, 2], [3, 4]]), axis=1)
    [array([1, 3]), array([2, 4])]
    """
    k = normalize_axis("unstack", type_of(value), axis)
    sizes = list(shape_of(value))
    if num is not None:
        if conflict([sizes[k]], [num]):
            reason = f"axis {k} has {sizes[k]} entries, not num={num}"
            raise ShapeError("unstack", [type_of(value)], reason)
        sizes[k] = num
        value = ensure_shape(value, sizes) if isinstance(value, Expr) else value
    if not isinstance(sizes[k], int):
        raise ShapeError("unstack", [type_of(value)], f"the size of axis {k} is not known",
                         hint="give it: unstack(x, num=3)")  # fmt: skip
    return [ops.index(value, (*(FULL,) * k, i)) for i in range(sizes[k])]


def split(value: Operand, num_or_size_splits: Any, axis: int = 0) -> list[AnyArray]:
    """Split the operand along an axis into equal parts, or into parts of given sizes.

    One size may be -1, for the rest. Raises ShapeError if they do not add up.

    >>> [p.tolist() for p in sg.split(np.arange(5), [1, -1, 2])]
    [[0], [1, 2], [3, 4]]
    """
    if not isinstance(num_or_size_splits, Iterable):
        return ops.split(value, operator.index(as_size(num_or_size_splits)), axis=axis)
    n = shape_of(value)[normalize_axis("split", type_of(value), axis)]
    sizes = complete(value, list(as_shape(num_or_size_splits)), n)
    value = require_size(value, axis, sum_of(sizes))
    return ops.split(value, list(accumulate(sizes))[:-1], axis=axis)


def require_size(x: Operand, axis: int, size: Size) -> Operand:
    """The operand with a known size along an axis, which is checked at run time."""
    shape = list(shape_of(x))
    if shape[axis] == size:
        return x
    shape[axis] = size
    return sizes_of.ensure_shape(x, shape=tuple(shape))


def complete(x: Operand, sizes: list[Size], total: Size) -> list[Size]:
    """The sizes of parts, with -1 replaced; raises ShapeError unless they add up to `total`."""
    if sizes.count(-1) == 1:
        rest = total - sum_of(n for n in sizes if n != -1)
        rest = rest if isinstance(rest, int) else at_least_zero(rest)
        sizes = [rest if n == -1 else n for n in sizes]
    whole = sum_of(sizes)
    is_wrong = isinstance(whole, int) and isinstance(total, int) and whole != total
    if is_wrong or any(isinstance(n, int) and n < 0 for n in sizes):
        raise ShapeError("split", [type_of(x)], f"the sizes {sizes} do not add up to {total}")
    return sizes


def slice_of(input_: Operand, begin: ShapeLike, size: ShapeLike) -> AnyArray:
    """Slice each axis from a begin, with a size.

    A size of -1 takes all that is left. Raises ShapeError for a slice beyond the operand.

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


def boolean_mask(tensor: Operand, mask: Operand, axis: int = 0) -> AnyArray:
    """The entries where a mask over the axes from `axis` on is true.

    Their number depends on the data, and has a size of its own.

    >>> x = sg.placeholder("float32", [3, 2], name="x")
    >>> sg.boolean_mask(x, x[:, 0] > 0, name="kept")
    <getitem kept: float32[getitem.0, 2]>
    """
    key = index_array(tensor, mask)
    if key.dtype.kind != "b":
        raise OptionError("boolean_mask", [type_of(key)], "a mask is of truth values")
    k = normalize_axis("boolean_mask", type_of(tensor), axis or 0)
    return ops.index(tensor, ((FULL,) * k + (key,)))


def one_hot(
    indices: Operand, depth: SizeLike, on_value: Operand | None = None,
    off_value: Operand | None = None, axis: int = -1, dtype: DTypeLike = None,
) -> AnyArray:  # fmt: skip
    """One-hot vectors of the indices, along a new axis of size `depth`.

    `on_value` and `off_value` replace one and zero. An index outside of 0 to `depth` - 1 gives a
    vector of zeros.

    >>> sg.one_hot(np.array([1, 0]), 2)
    array([[0., 1.],
           [1., 0.]], dtype=float32)
    """
    hot = ops.equal(ops.expand_dims(indices, axis=-1), numbers(as_size(depth)))
    result = hot if axis in (-1, None) else ops.moveaxis(hot, -1, axis)
    if on_value is None and off_value is None:
        return of_type(result, dtype or default_dtype())
    on, off = 1 if on_value is None else on_value, 0 if off_value is None else off_value
    values = ops.where(result, *numbers_in_one_dtype(on, off))
    return values if dtype is None else of_type(values, dtype)
