"""Products of vectors, matrices and tensors, made of other ops."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ...core.dims import Size, product
from ...core.errors import OptionError, ShapeError
from ...core.op import as_operand
from ...core.types import broadcast_shapes, conflict, normalize_axis, shape_of, type_of
from ...typing import AnyArray, Arrays, Operand, OperandLike
from ..elementwise.arithmetic import mul
from ..index.diagonals import diagonal
from ..reduce.reduction import sum
from ..shape.broadcasting import broadcast_to
from ..shape.joining import stack
from ..shape.movement import expand_dims, moveaxis, reshape, squeeze, transpose
from .contraction import matmul
from .matrices import conjugate

__all__ = ["cross", "inner", "kron", "matvec", "outer", "tensordot", "trace", "vecdot", "vecmat"]

Axes = int | tuple[Sequence[int], Sequence[int]]


def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """Products summed over axes of both: the last of `a` and first of `b`, or pairs from two lists.

    The other axes of `a` come first in the result. Raises ShapeError where axes do not match.

    >>> tensordot(np.ones((2, 3)), np.ones((4, 3)), axes=([1], [1])).shape
    (2, 4)
    """
    of_a, of_b = paired_axes(a, b, axes)
    rest_a, rest_b = (
        [i for i in range(len(shape_of(x))) if i not in of] for x, of in ((a, of_a), (b, of_b))
    )
    left = as_matrix(a, rest_a, of_a)
    right = as_matrix(b, of_b, rest_b)
    kept = [shape_of(a)[i] for i in rest_a] + [shape_of(b)[i] for i in rest_b]
    return reshape(matmul(left, right), shape=tuple(kept))


def inner(a: OperandLike, b: OperandLike) -> Any:
    """Products summed over the last axes of both; the plain product for a number.

    >>> inner(np.ones((2, 3)), np.ones((4, 3))).shape
    (2, 4)
    """
    if not shape_of(a) or not shape_of(b):
        return mul(a, b)
    return tensordot(a, b, ([-1], [-1]))


def as_matrix(x: Any, rows: Sequence[int], columns: Sequence[int]) -> AnyArray:
    """`x` as a matrix whose rows and columns are each several axes."""
    order = (*rows, *columns)
    if order != tuple(range(len(order))):
        x = transpose(x, axes=order)
    shape, k = shape_of(x), len(rows)
    return reshape(x, shape=(product(shape[:k]), product(shape[k:])))


def paired_axes(a: Operand, b: Operand, axes: tuple[int, ...]) -> tuple[list[int], list[int]]:
    """The axes of `a` and of `b` that are summed over together."""
    kinds = [type_of(a), type_of(b)]
    if not isinstance(axes, Iterable):
        n = kinds[0].ndim
        if not 0 <= axes <= min(n, kinds[1].ndim):
            raise ShapeError("tensordot", kinds, f"they have no {axes} axes to be summed over")
        axes = range(n - axes, n), range(axes)
    found = [
        [normalize_axis("tensordot", kind, int(i)) for i in np.atleast_1d(of)]
        for kind, of in zip(kinds, axes, strict=True)
    ]
    if len(found[0]) != len(found[1]) or any(len(set(of)) < len(of) for of in found):
        raise ShapeError("tensordot", kinds, f"the axes {axes} are not pairs")
    for i, j in zip(*found):
        m, n = kinds[0].shape[i], kinds[1].shape[j]
        if m != n and isinstance(m, int) and isinstance(n, int):
            raise ShapeError("tensordot", kinds, f"axes {i} and {j} have the sizes {m} and {n}")
    return found[0], found[1]


def vecdot(a: Any, b: Any, axis: int = -1) -> Any:
    """The inner products of vectors along an axis, with those of `a` conjugated.

    Raises ShapeError where the vectors differ in size.

    >>> vecdot(np.array([1j, 2]), np.array([1j, 2]))
    np.complex128(5+0j)
    """
    if axis != -1:
        a, b = (moveaxis(x, axis, -1) for x in (a, b))
    m, n = same_length("vecdot", a, b)
    if len(m) == len(n) == 1:
        return matmul(conjugate(a), b)
    shape = broadcast_shapes("vecdot", [type_of(a), type_of(b)])
    a, b = (x if shape_of(x) == shape else broadcast_to(x, shape=shape) for x in (a, b))
    rows, columns = expand_dims(conjugate(a), axis=-2), expand_dims(b, axis=-1)
    return squeeze(matmul(rows, columns), axis=(-2, -1))  # each by BLAS alone, as in NumPy


def same_length(op: str, a: Any, b: Any) -> tuple[Any, Any]:
    """The shapes of operands, checked to have last axes of one size."""
    m, n = shape_of(a), shape_of(b)
    if not m or not n or (m[-1] != n[-1] and isinstance(m[-1], int) and isinstance(n[-1], int)):
        raise ShapeError(op, [type_of(a), type_of(b)], "the vectors differ in size")
    return m, n


def matvec(a: OperandLike, b: OperandLike) -> Any:
    """The products of matrices and vectors along the last axes.

    >>> matvec(np.ones((5, 2, 3)), np.ones((5, 3))).shape
    (5, 2)
    """
    return squeeze(matmul(a, expand_dims(b, axis=-1)), axis=-1)


def vecmat(a: Any, b: Any) -> Any:
    """The products of conjugated vectors and matrices along the last axes.

    >>> vecmat(np.ones((5, 2)), np.ones((5, 2, 3))).shape
    (5, 3)
    """
    return squeeze(matmul(expand_dims(conjugate(a), axis=-2), b), axis=-2)


def outer(a: OperandLike, b: OperandLike) -> Any:
    """The outer product, a matrix: each entry of `a` times each of `b`.

    >>> outer(np.array([1, 2]), np.array([3, 4]))
    array([[3, 4],
           [6, 8]])
    """
    return reshape(a, shape=(-1, 1)) * reshape(b, shape=(1, -1))


def kron(a: OperandLike, b: OperandLike) -> Any:
    """The Kronecker product.

    >>> kron(np.array([1, 10]), np.array([1, 2, 3]))
    array([ 1,  2,  3, 10, 20, 30])
    """
    m, n = shape_of(a), shape_of(b)
    ndim = max(len(m), len(n))
    m, n = (1,) * (ndim - len(m)) + m, (1,) * (ndim - len(n)) + n
    left = reshape(a, shape=tuple(size for p in m for size in (p, 1)))
    right = reshape(b, shape=tuple(size for q in n for size in (1, q)))
    return reshape(left * right, shape=tuple(p * q for p, q in zip(m, n)))


def cross(a: Any, b: Any, axis: int = -1) -> Any:
    """The cross products of vectors of three entries along an axis.

    Raises ShapeError for vectors of another size.

    >>> cross(np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]))
    array([0., 0., 1.])
    """
    a, b = as_operand(a), as_operand(b)
    kinds = [type_of(a), type_of(b)]
    for kind in kinds:
        if conflict((kind.shape[normalize_axis("cross", kind, axis)],), (3,)):
            raise ShapeError("cross", kinds, "a vector has three entries, along the axis given")
    if axis != -1:
        a, b = (moveaxis(x, axis, -1) for x in (a, b))
    p, q, r = (a[..., i] for i in range(3))
    u, v, w = (b[..., i] for i in range(3))
    y = stack([q * w - r * v, r * u - p * w, p * v - q * u], axis=-1)
    return y if axis == -1 else moveaxis(y, -1, axis)


def trace(x: OperandLike, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """The sum of a diagonal along two axes.

    >>> float(trace(np.array([[1.0, 2.0], [3.0, 4.0]])))
    5.0
    """
    return sum(diagonal(x, offset=offset, axis1=axis1, axis2=axis2), axis=-1)


def multi_dot(arrays: Arrays) -> Any:
    """The product of two or more matrices, in the order that takes the fewest multiplications.

    The first may be a row vector and the last a column vector. Raises ShapeError where shapes do
    not fit.

    >>> multi_dot([np.ones((10, 100)), np.ones((100, 5)), np.ones(5)]).shape
    (10,)
    """
    xs = list(arrays)
    if len(xs) < 2:
        raise OptionError("multi_dot", map(type_of, xs), "it takes two matrices or more")
    first, last = len(shape_of(xs[0])), len(shape_of(xs[-1]))
    if first == 1:
        xs[0] = expand_dims(xs[0], axis=0)
    if last == 1:
        xs[-1] = expand_dims(xs[-1], axis=-1)
    types = [type_of(x) for x in xs]
    for x in types:
        if x.ndim != 2:
            raise ShapeError("multi_dot", types, f"a matrix has two axes, not {x.ndim}")
    y = multiply_split(xs, best_splits([*(x.shape[0] for x in types), types[-1].shape[1]]))
    if first == 1:
        y = squeeze(y, axis=0)
    return squeeze(y, axis=-1) if last == 1 else y


def best_splits(n: Sequence[Size]) -> dict[tuple[int, int], int]:
    """Where to split each product of matrices i to j; matrix i is n[i] by n[i + 1]."""
    known = [size if isinstance(size, int) else 1 for size in n]
    count = len(n) - 1
    cost = {(i, i): 0 for i in range(count)}
    split = {}
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            costs = {
                k: cost[i, k] + cost[k + 1, j]
                + known[i] * known[k + 1] * known[j + 1] for k in range(i, j)
            }
            split[i, j] = min(costs, key=costs.__getitem__)
            cost[i, j] = costs[split[i, j]]
    return split


def multiply_split(xs: Arrays, split: dict[tuple[int, int], int]) -> AnyArray:
    """The product of all matrices, split as `split` says."""

    def run(i: int, j: int) -> AnyArray:
        return xs[i] if i == j else matmul(run(i, split[i, j]), run(split[i, j] + 1, j))

    return run(0, len(xs) - 1)
