"""NumPy's functions that rearrange axes, made of other ops."""

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.dims import Size
from ...core.errors import OptionError, ShapeError
from ...core.types import broadcast_shapes, normalize_axes, normalize_axis, shape_of, type_of
from ...kernels.index.indexing import FULL
from ...typing import AnyArray, Arrays, OperandLike
from ..index.indexing import slice_
from .broadcasting import broadcast_to, expand_to
from .joining import concatenate, split
from .movement import flip, reshape, swapaxes

__all__ = [
    "array_split", "atleast_1d", "atleast_2d", "atleast_3d", "broadcast_arrays", "column_stack",
    "dstack", "fliplr", "flipud", "hstack", "matrix_transpose", "meshgrid", "ravel", "rot90",
    "unstack", "vstack",
]


def ravel(x: OperandLike) -> Any:
    """`x` flattened.

    >>> ravel(np.ones((2, 3))).shape
    (6,)
    """
    shape = shape_of(x)
    return x if len(shape) == 1 else reshape(x, shape=(-1,) if 0 not in shape else (0,))


def matrix_transpose(x: OperandLike) -> Any:
    """`x` with its last two axes exchanged; raises ShapeError if it has fewer.

    >>> matrix_transpose(np.zeros((2, 3, 4))).shape
    (2, 4, 3)
    """
    if type(x) is np.ndarray and x.ndim == 2:
        return x.T
    if len(shape_of(x)) < 2:
        raise ShapeError("matrix_transpose", [type_of(x)], "a matrix has two axes")
    return swapaxes(x, -1, -2)


def fliplr(x: OperandLike) -> Any:
    """`x` with its columns, axis 1, in reverse order.

    >>> fliplr(np.array([[1, 2], [3, 4]]))
    array([[2, 1],
           [4, 3]])
    """
    return flip(x, axis=(1,))


def flipud(x: OperandLike) -> Any:
    """`x` with its rows, axis 0, in reverse order.

    >>> flipud(np.array([1, 2]))
    array([2, 1])
    """
    return flip(x, axis=(0,))


def rot90(x: OperandLike, k: int = 1, axes: Sequence[int] = (0, 1)) -> Any:
    """`x` rotated `k` times by 90 degrees in the plane of two axes, from the first to the second.

    Raises ShapeError unless `axes` are two different axes of `x`.

    >>> rot90(np.array([[1, 2], [3, 4]]))
    array([[2, 4],
           [1, 3]])
    """
    found = normalize_axes("rot90", type_of(x), tuple(axes))
    if len(found) != 2:
        raise ShapeError("rot90", [type_of(x)], f"a plane has two axes, not {len(found)}")
    a, b = found
    match k % 4:
        case 1:
            return swapaxes(flip(x, axis=(b,)), a, b)
        case 2:
            return flip(x, axis=found)
        case 3:
            return flip(swapaxes(x, a, b), axis=(b,))
    return x


def with_ndim(x: Any, ndim: int) -> AnyArray:
    """`x` with axes of size 1 added, where NumPy adds them, up to `ndim` axes."""
    shape = shape_of(x)
    if len(shape) >= ndim:
        return x
    if ndim == 3 and shape:
        return reshape(x, shape=(1, *shape, 1) if len(shape) == 1 else (*shape, 1))
    return reshape(x, shape=(1,) * (ndim - len(shape)) + tuple(shape))


def one_or_all(xs: Arrays) -> Any:
    """The only element of `xs`, or all as a tuple."""
    return xs[0] if len(xs) == 1 else tuple(xs)


def atleast_1d(*xs: OperandLike) -> Any:
    """Each operand with at least one axis; several are returned as a tuple.

    >>> atleast_1d(2.0)
    array([2.])
    """
    return one_or_all([with_ndim(x, 1) for x in xs])


def atleast_2d(*xs: OperandLike) -> Any:
    """Each operand with at least two axes, new ones first; several are returned as a tuple.

    >>> atleast_2d(np.ones(3)).shape
    (1, 3)
    """
    return one_or_all([with_ndim(x, 2) for x in xs])


def atleast_3d(*xs: Any) -> Any:
    """Each operand with at least three axes; several are returned as a tuple.

    A vector of n entries gets the shape (1, n, 1), a matrix a new last axis.

    >>> atleast_3d(np.ones(3)).shape
    (1, 3, 1)
    """
    return one_or_all([with_ndim(x, 3) for x in xs])


def hstack(xs: Arrays) -> Any:
    """Operands joined along the second axis, or the first if they have just one.

    >>> hstack([np.ones((2, 1)), np.zeros((2, 2))]).shape
    (2, 3)
    """
    found = [with_ndim(x, 1) for x in xs]
    return concatenate(found, axis=0 if not found or len(shape_of(found[0])) == 1 else 1)


def vstack(xs: Arrays) -> Any:
    """Operands joined along the first axis, vectors as rows.

    >>> vstack([np.ones(3), np.zeros((2, 3))]).shape
    (3, 3)
    """
    return concatenate([with_ndim(x, 2) for x in xs], axis=0)


def dstack(xs: Arrays) -> Any:
    """Operands joined along the third axis, which is added if missing.

    >>> dstack([np.ones((2, 3)), np.zeros((2, 3))]).shape
    (2, 3, 2)
    """
    return concatenate([with_ndim(x, 3) for x in xs], axis=2)


def column_stack(xs: Arrays) -> Any:
    """Operands joined as columns of a matrix; vectors are columns.

    >>> column_stack([np.ones(3), np.zeros((3, 2))]).shape
    (3, 3)
    """
    columns = [reshape(x, shape=(-1, 1)) if len(shape_of(x)) < 2 else x for x in xs]
    return concatenate(columns, axis=1)


def unstack(x: OperandLike, axis: int = 0) -> tuple[Any, ...]:
    """The slices of `x` along an axis, as views without that axis.

    Raises ShapeError if the size of the axis is unknown.

    >>> unstack(np.array([[1, 2], [3, 4]]), axis=1)
    (array([1, 3]), array([2, 4]))
    """
    k = normalize_axis("unstack", type_of(x), axis)
    return tuple([slice_(x, index=(*(FULL,) * k, i)) for i in range(known_size("unstack", x, k))])


def array_split(x: OperandLike, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """`x` split along an axis into sections, the first ones larger by one, or at indices.

    Raises ShapeError if the size of the axis is unknown, OptionError for less than one section.

    >>> [p.tolist() for p in array_split(np.arange(5), 2)]
    [[0, 1, 2], [3, 4]]
    """
    if np.ndim(indices_or_sections):
        return split(x, indices_or_sections, axis)
    many, k = operator.index(indices_or_sections), normalize_axis("array_split", type_of(x), axis)
    if many < 1:
        raise OptionError("array_split", [type_of(x)], f"{many} parts are less than one")
    each, more = divmod(known_size("array_split", x, k), many)
    return split(x, [each * i + min(i, more) for i in range(1, many)], k)


def known_size(op: str, x: Any, axis: int) -> int:
    """The size of an axis, or a ShapeError if it is unknown."""
    n = shape_of(x)[axis]
    if not isinstance(n, int):
        raise ShapeError(op, [type_of(x)], f"the size of axis {axis} is not known")
    return n


def broadcast_arrays(*xs: OperandLike) -> tuple[Any, ...]:
    """The operands broadcast to their common shape; raises ShapeError if there is none.

    >>> [x.shape for x in broadcast_arrays(np.ones(3), np.ones((2, 1)))]
    [(2, 3), (2, 3)]
    """
    shape = broadcast_shapes("broadcast_arrays", [type_of(x) for x in xs])
    return tuple([x if shape_of(x) == shape else broadcast_to(x, shape=shape) for x in xs])


def meshgrid(*xs: OperandLike, indexing: str = "xy") -> tuple[Any, ...]:
    """Coordinate arrays of a grid, from coordinates along each axis.

    With `indexing="ij"`, operand i varies along axis i; with "xy", the first two are exchanged.
    Raises ShapeError for an operand with more than one axis, OptionError for another `indexing`.

    >>> meshgrid(np.arange(2), np.arange(3))[0]
    array([[0, 1],
           [0, 1],
           [0, 1]])
    """
    types = [type_of(x) for x in xs]
    if indexing not in ("xy", "ij"):
        raise OptionError("meshgrid", types, f"indexing is 'xy' or 'ij', not {indexing!r}")
    if any(t.ndim > 1 for t in types):
        raise ShapeError("meshgrid", types, "an operand has more than one axis", hint="ravel it")
    order = list(range(len(xs)))
    if indexing == "xy":
        order[:2] = reversed(order[:2])
    sizes: list[Size] = [(*t.shape, 1)[0] for t in types]
    shape = tuple(sizes[i] for i in order)
    rows = [tuple(n if j == i else 1 for j in order) for i, n in enumerate(sizes)]
    return tuple(
        [expand_to(reshape(x, shape=row), shape=shape) for x, row in zip(xs, rows, strict=True)]
    )
