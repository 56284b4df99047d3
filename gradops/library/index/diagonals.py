"""Diagonals and triangles of matrices."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.dims import UNKNOWN, Shape, Size
from ...core.errors import AxisError, ShapeError
from ...core.op import Op
from ...core.samples import cases, complexes, reals
from ...core.traits import Trait
from ...core.types import ArrayType, conflict, normalize_axes, shape_of, type_of
from ...kernels.linalg.triangular import triangle
from ...kernels.native_kernels import native
from ...typing import AnyArray, Arrays, Attrs, Flags, OperandLike
from ..families import invalid, linear
from ..shape.movement import VIEW, reshape, shape_text

__all__ = ["diag", "diag_embed", "diagflat", "diagonal", "tril", "triu"]


def diagonal_length(rows: Size, columns: Size, offset: int) -> Size:
    """The length of a diagonal; with unknown sizes, known only if their difference is."""
    rows, columns = (rows, columns - offset) if offset >= 0 else (rows + offset, columns)
    left = rows - columns
    if not isinstance(left, int):
        return UNKNOWN
    shorter = columns if left > 0 else rows
    return max(shorter, 0) if isinstance(shorter, int) else shorter


def matrix_axes(op: str, x: ArrayType, axis1: int, axis2: int) -> tuple[int, int]:
    """The axes of rows and columns, counted from the front."""
    if x.ndim < 2:
        raise AxisError(op, [x], f"a matrix has two axes, not {x.ndim}", hint="diag(x) makes one")
    a, b = normalize_axes(op, x, (axis1, axis2))
    return a, b


def diagonal_type(op: str, x: ArrayType, offset: int, axis1: int, axis2: int) -> ArrayType:
    """The type of a diagonal."""
    a, b = matrix_axes(op, x, axis1, axis2)
    rest = (n for i, n in enumerate(x.shape) if i not in (a, b))
    return ArrayType((*rest, diagonal_length(x.shape[a], x.shape[b], offset)), x.dtype)


def diagonal_kernel(x: np.ndarray, offset: int = 0, axis1: int = 0, axis2: int = 1) -> np.ndarray:
    """A writable view of the diagonal; NumPy's is read-only."""
    y = x.diagonal(offset, axis1, axis2)
    if x.flags.writeable:
        y.flags.writeable = True
    return y


def batch_attrs(op: Op, xs: Arrays, attrs: Attrs, ndim: int) -> Any:
    """The attributes for stacks of arrays with `ndim` axes each."""
    kind = ArrayType((1,) * ndim, bool)
    axes = matrix_axes(op.name, kind, attrs["axis1"], attrs["axis2"])
    return {**attrs, "axis1": axes[0] + 1, "axis2": axes[1] + 1}


diagonal = linear(
    "diagonal", diagonal_kernel, infer=lambda x, **attrs: diagonal_type("diagonal", x, **attrs),
    transpose=lambda g, y, x, **attrs: place_diagonal(g, shape=shape_of(x), **attrs),
    batch=lambda op, xs, batched, attrs: op(
        xs[0], **batch_attrs(op, xs, attrs, len(shape_of(xs[0])) - 1)
    ),
    traits=VIEW | {Trait.OF_MATRICES},
    samples=cases(
        reals((3, 4)), reals((3, 4), offset=1), reals((4, 3), offset=-2),
        reals((2, 3, 4), axis1=-1, axis2=0), reals((3, 2), offset=5), reals((0, 3)),
        complexes((2, 3)),
    ),
    error_samples=[
        invalid((3,), says="two axes, not 1"),
        invalid((3, 3), axis1=2, says="axis 2 is out of range"),
        invalid((3, 3), axis1=-1, says="named twice"),
    ],
    doc="The diagonal with an offset of two axes, along a new last axis: a view.",
)


def place_diagonal_infer(g: ArrayType, shape: Shape, **attrs: int) -> ArrayType:
    found = diagonal_type("place_diagonal", ArrayType(shape, g.dtype), **attrs)
    if found.ndim != g.ndim or conflict(found.shape, g.shape):
        reason = f"the diagonal of {shape_text(shape)} has the type {found}"
        raise ShapeError("place_diagonal", [g], reason)
    return ArrayType(shape, g.dtype)


def place_diagonal_kernel(
    g: np.ndarray, shape: tuple[int, ...], offset: int = 0, axis1: int = 0, axis2: int = 1
) -> np.ndarray:
    y = np.zeros(shape, g.dtype)
    diagonal_kernel(y, offset, axis1, axis2)[...] = g
    return y


def place_diagonal_batch(op: Op, xs: Any, batched: Flags, attrs: dict[str, Any]) -> AnyArray:
    attrs = batch_attrs(op, xs, attrs, len(attrs["shape"]))
    return op(xs[0], **{**attrs, "shape": (shape_of(xs[0])[0], *attrs["shape"])})


place_diagonal = linear(
    "place_diagonal", place_diagonal_kernel, infer=place_diagonal_infer,
    traits=[Trait.C_CONTIGUOUS, Trait.MOVING, Trait.OF_MATRICES],
    transpose=lambda g, y, x, shape, **attrs: diagonal(g, **attrs), batch=place_diagonal_batch,
    samples=cases(
        reals((3,), shape=(3, 4)), reals((2,), shape=(4, 3), offset=-2),
        reals((3, 2), shape=(2, 3, 4), axis1=-1, axis2=0),
    ),
    error_samples=[
        invalid((3,), shape=(2, 2), says="has the type float64[2]"),
        invalid((3,), shape=(3,), says="two axes, not 1"),
    ],
    doc="Zeros of a shape with the operand on a diagonal.",
)


def triangular(name: str, side: str, mask: Callable[[int, int, int], Any]) -> Op:
    """An op that keeps the entries on one side of a diagonal of each matrix."""

    @native("matrices", "triangle", f"x, k, {int(name == 'tril')}, None")
    def kernel(x: np.ndarray, k: int = 0) -> Any:
        rows, columns = x.shape[-2:]
        return np.where(mask(rows, columns, k), x, np.zeros((), x.dtype))

    def infer(x: ArrayType, k: int) -> ArrayType:
        matrix_axes(name, x, -2, -1)
        return x

    op = linear(
        name, kernel, infer=infer, traits=[Trait.MOVING, Trait.OF_MATRICES],
        transpose=lambda g, y, x, k: op(g, k=k),
        batch=lambda op, xs, batched, attrs: op(xs[0], **attrs),
        samples=cases(
            reals((3, 4)), reals((2, 3, 3), k=1), reals((4, 3), k=-2), reals((0, 2)),
            complexes((2, 2)),
        ),
        error_samples=[invalid((3,), says="two axes, not 1")],
        doc=f"The entries on and {side} diagonal number k of each matrix, and zeros elsewhere.",
    )  # fmt: skip
    return op


tril = triangular("tril", "below", triangle)
triu = triangular("triu", "above", lambda n, m, k: ~triangle(n, m, k - 1))


def diag(v: OperandLike, k: int = 0) -> Any:
    """A matrix with `v` on its diagonal number `k`; for a matrix `v`, that diagonal.

    Raises ShapeError unless `v` is a vector or a matrix.

    >>> diag(np.array([1, 2]))
    array([[1, 0],
           [0, 2]])
    """
    ndim = len(shape_of(v))
    if ndim == 2:
        return diagonal(v, offset=k)
    if ndim != 1:
        raise ShapeError(
            "diag", [type_of(v)], f"it takes a vector or a matrix, not {ndim} axes",
            hint="diagonal and diag_embed take stacks of them",
        )
    return diag_embed(v, offset=k)


def diag_embed(x: OperandLike, offset: int = 0, axis1: int = -2, axis2: int = -1) -> Any:
    """Square matrices with the last axis of `x` on their diagonal number `offset`.

    `axis1` and `axis2` are the places of rows and columns in the result. Raises ShapeError if they
    are the same, or if `x` has no axis.

    >>> diag_embed(np.ones((5, 2)), 1).shape
    (5, 3, 3)
    """
    kind = type_of(x)
    if not kind.ndim:
        raise AxisError("diag_embed", [kind], "the operand has no axes")
    a, b = matrix_axes("diag_embed", ArrayType((*kind.shape, 1), kind.dtype), axis1, axis2)
    shape = list(kind.shape[:-1])
    for place in sorted((a, b)):
        shape.insert(place, kind.shape[-1] + abs(offset))
    return place_diagonal(x, shape=tuple(shape), offset=offset, axis1=a, axis2=b)


def diagflat(v: OperandLike, k: int = 0) -> Any:
    """A matrix with all entries of `v`, in a row, on its diagonal number `k`.

    >>> diagflat(np.ones((2, 2))).shape
    (4, 4)
    """
    return diag_embed(reshape(v, shape=(-1,)), offset=k)
