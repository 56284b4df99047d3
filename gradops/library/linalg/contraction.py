"""Matrix products."""

import math
from typing import Any

import numpy as np

from ...core import flops
from ...core.dims import Size, product
from ...core.errors import ShapeError
from ...core.op import Op
from ...core.samples import cases, complexes, reals
from ...core.traits import Trait
from ...core.types import ArrayType, broadcast_shapes, result_dtype, shape_of
from ...kernels.linalg.matmul import is_thin, multiply
from ...typing import AnyArray, Arrays, Attrs, Flags, Operand
from ..families import invalid, multilinear
from ..shape.movement import expand_dims, reshape, swapaxes

__all__ = ["matmul"]


def matmul_kernel(a: np.ndarray, b: np.ndarray, out: np.ndarray | None = None) -> Any:
    """`dot` up to two axes, at a third of the cost per call of `np.matmul`, which does the rest."""
    if type(a) is type(b) is np.ndarray:
        if a.ndim == b.ndim == 1:  # BLAS adds entries that lie apart in another order
            a = a if a.flags.c_contiguous else a.copy()
            return a.dot(b if b.flags.c_contiguous else b.copy(), out=out)
        if 0 < a.ndim < 3 and 0 < b.ndim < 3:
            return multiply(a, b, out) if a.ndim == b.ndim == 2 else a.dot(b, out=out)
        if 0 < b.ndim < 3 <= a.ndim and a.shape[-1] == b.shape[0]:
            return rows_times(a, b, out)
    return np.matmul(a, b, out=out)


def rows_times(a: Any, b: Any, out: Any) -> Any:
    """A stack of matrices times one matrix or vector, as one product of all rows."""
    rows, ends = a.reshape(math.prod(a.shape[:-1]), a.shape[-1]), b.shape[1:]
    into = None if out is None or not out.flags.c_contiguous else out.reshape(len(rows), *ends)
    y = multiply(rows, b, into) if ends else rows.dot(b, out=into)
    if out is None:
        return y.reshape(*a.shape[:-1], *ends)
    if into is None:
        np.copyto(out, y.reshape(out.shape))
    return out


def may_be_thin(*sizes: Size) -> bool:
    """True if a product of two matrices may be computed in tiles; see `is_thin`."""
    return not all(isinstance(n, int) for n in sizes) or is_thin(*map(int, sizes))


def matmul_source(a: ArrayType, b: ArrayType) -> str:
    in_tiles = a.ndim == b.ndim == 2 and may_be_thin(*a.shape, b.shape[1])
    if b.ndim < 3 <= a.ndim or a.ndim == b.ndim == 1 or in_tiles:
        return "matmul({0}, {1}{out})"
    return "{0}.dot({1}{out})" if max(a.ndim, b.ndim) < 3 else "np.matmul({0}, {1}{out})"


def product_type(op: str, a: ArrayType, b: ArrayType) -> ArrayType:
    """The type of a product of matrices or vectors, for an op of that name."""
    if not a.ndim or not b.ndim:
        raise ShapeError(op, [a, b], "an operand has no axes", hint="use * with a number")
    m, n = a.shape[-1], b.shape[-2] if b.ndim > 1 else b.shape[0]
    if m != n and isinstance(m, int) and isinstance(n, int):
        raise ShapeError(
            op, [a, b], f"the inner dimensions {m} and {n} differ",
            hint="transpose an operand, or check the order of the arguments",
        )
    stacks = [ArrayType(t.shape[:-2], t.dtype) for t in (a, b)]
    outer = a.shape[-2:-1] + (b.shape[-1:] if b.ndim > 1 else ())
    shape = broadcast_shapes(op, stacks) + outer
    return ArrayType(shape, result_dtype(np.multiply, (a.dtype, b.dtype)))


def matmul_infer(a: ArrayType, b: ArrayType) -> ArrayType:
    return product_type("matmul", a, b)


def matmul_left(g: Any, y: Operand, a: Any, b: Any) -> Any:
    """The cotangent of the left operand: g @ b.T."""
    n = len(b.shape)
    if n == 2:
        return product_of(g, b.T)  # a vector's cotangent is a vector, needing no more
    m = len(a.shape)
    if n == 1 and m == 2:
        return column(g) * b
    g = restore_axes(g, m, n)
    return drop_added_axis(g * b if n == 1 else matmul(g, swapaxes(b, -1, -2)), a)


def matmul_right(g: Any, y: Any, a: Any, b: Any) -> Any:
    """The cotangent of the right operand, a.T @ g; a stack `a` is flattened for one matrix `b`."""
    m, n = len(a.shape), len(b.shape)
    if m == 2 and n < 3:
        return product_of(a.T, g)
    if m == 1 and n == 2:
        return column(a) * g
    g = restore_axes(g, m, n)
    if m == 1:
        return drop_added_axis(column(a) * g, b)
    if n <= 2 < m:
        rows = product(shape_of(a)[:-1])
        a = reshape(a, shape=(rows, shape_of(a)[-1]))
        g = reshape(g, shape=(rows, shape_of(g)[-1]))
    return drop_added_axis(matmul(swapaxes(a, -1, -2), g), b)


def product_of(a: Any, b: Any) -> Any:
    """`matmul(a, b)`; for two matrices that are arrays at half of the cost of an op."""
    if type(a) is type(b) is np.ndarray and a.ndim == b.ndim == 2:
        return multiply(a, b)
    return matmul(a, b)


def column(a: Any) -> AnyArray:
    """A vector as a column; for arrays NumPy's own view, at a fifth of the cost of an op."""
    return a[:, None] if type(a) is np.ndarray else reshape(a, shape=(-1, 1))


def restore_axes(g: Any, m: int, n: int) -> Any:
    """The cotangent with the axes that matmul dropped for vector operands."""
    if m == 1 and n > 2:  # a row beside one matrix broadcasts by itself
        g = expand_dims(g, axis=-2)
    return expand_dims(g, axis=-1) if n == 1 else g


def drop_added_axis(ct: AnyArray, x: Operand) -> AnyArray:
    """The cotangent of `x`, without the axis that made a vector a matrix."""
    shape = shape_of(x)
    if len(shape) > 1:
        return ct
    return reshape(ct, shape=(*shape_of(ct)[:-2], *shape))


def matmul_batch(op: Op, xs: Arrays, batched: Flags, attrs: Attrs) -> AnyArray:
    """Batch by making vectors matrices and ranks equal, then dropping the added axes."""
    ranks = [len(shape_of(x)) - b for x, b in zip(xs, batched, strict=True)]
    a, b = xs
    if ranks[0] == 1:
        a = expand_dims(a, axis=-2)
    if ranks[1] == 1:
        b = expand_dims(b, axis=-1)
    ndim = max(2, *ranks) + 1
    a, b = (pad_rank(x, ndim) if is_batched else x for x, is_batched in zip((a, b), batched))
    y = matmul(a, b)
    if ranks[0] == 1:
        y = squeeze_axis(y, -2)
    return squeeze_axis(y, -1) if ranks[1] == 1 else y


def pad_rank(x: AnyArray, ndim: int) -> AnyArray:
    """The stack `x` with axes of size 1 after its first, up to `ndim` axes."""
    n, *rest = shape_of(x)
    return reshape(x, shape=(n, *(1,) * (ndim - 1 - len(rest)), *rest))


def squeeze_axis(x: AnyArray, axis: int) -> AnyArray:
    """`x` without an axis of size 1."""
    shape = list(shape_of(x))
    del shape[axis]
    return reshape(x, shape=tuple(shape))


matmul = multilinear(
    "matmul", matmul_kernel, infer=matmul_infer, transpose=[matmul_left, matmul_right],
    flops=flops.matmul,
    batch=matmul_batch, source=matmul_source, traits=[Trait.C_ORDER, Trait.PROPAGATING],
    samples=cases(
        complexes((2, 3), (3, 2)),
        reals((3, 4), (4, 2)), reals((4,), (4,)), reals((4,), (4, 2)), reals((3, 4), (4,)),
        reals((5, 3, 4), (4, 2)), reals((3, 4), (5, 4, 2)), reals((5, 3, 4), (5, 4, 2)),
        reals((2, 1, 3, 4), (5, 4, 2)), reals((5, 3, 4), (4,)), reals((4,), (5, 4, 2)),
        reals((0, 4), (4, 2)),
    ),
    error_samples=[
        invalid((3, 4), (5, 6), says="4 and 5 differ"), invalid((), (5,), says="no axes"),
        invalid((2, 3, 4), (5, 4, 6), says="2 against 5"),
    ],
    onnx="MatMul",
    doc="The matrix product; vectors are rows on the left and columns on the right; stacks of "
    "matrices broadcast.",
)
