"""Products with sparse matrices, and solutions of equations with them.

Note [Sparse]. The entries of a matrix are an operand, and their places an attribute. A derivative
by the entries is computed on the pattern alone, never as a dense matrix.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.errors import ShapeError
from ...core.foreign import FOREIGN
from ...core.op import ErrorSample, Op
from ...core.samples import cases, reals
from ...core.types import ArrayType, conflict, shape_of
from ...kernels.sparse import patterns as kernels
from ...kernels.sparse.patterns import Pattern
from ...typing import AnyArray, Arrays, Attrs, Flags
from ..families import multilinear
from ..index.indexing import index
from ..reduce.reduction import sum
from ..shape.movement import moveaxis, reshape
from ..shape.rearrange import matrix_transpose
from ..solvers.examples import each_example

__all__: list[str] = []

SAMPLE = Pattern(np.array([0, 2, 3, 3]), np.array([0, 3, 1]), (3, 4))
SQUARE = Pattern(np.array([0, 2, 3, 5]), np.array([0, 1, 1, 0, 2]), (3, 3))


def transposed(data: AnyArray, pattern: Pattern) -> tuple[AnyArray, Pattern]:
    """The entries and the pattern of the transposed matrix."""
    other, order = pattern.transposed
    return index(data, order), other


def pairs(left: AnyArray, right: AnyArray, pattern: Pattern) -> AnyArray:
    """The products of rows of two matrices, or of entries of vectors, at the places of entries."""
    both = index(left, pattern.rows) * index(right, np.asarray(pattern.indices))
    return both if len(shape_of(both)) == 1 else sum(both, axis=1)


def says(pattern: Pattern) -> str:
    """The size of a matrix, for errors."""
    m, n = pattern.shape
    return f"the matrix is {m} x {n}, with {len(pattern.indices)} entries"


def require_fit(op: str, data: ArrayType, x: ArrayType, pattern: Pattern) -> None:
    """Raise ShapeError unless entries and operand fit the matrix, as far as sizes are known."""
    entries = (len(pattern.indices),)
    fits = x.ndim in (1, 2) and data.ndim == 1 and not conflict(x.shape[:1], pattern.shape[1:])
    if not fits or conflict(data.shape, entries):
        raise ShapeError(op, [data, x], says(pattern))


def product_type(data: ArrayType, x: ArrayType, pattern: Pattern) -> ArrayType:
    require_fit("sparse_matmul", data, x, pattern)
    return ArrayType((pattern.shape[0], *x.shape[1:]), np.result_type(data.dtype, x.dtype))


def to_operand(g: AnyArray, y: AnyArray, data: AnyArray, x: AnyArray, pattern: Pattern) -> AnyArray:
    entries, other = transposed(data, pattern)
    return sparse_matmul(entries, g, pattern=other)


def product_batch(op: Op, xs: Arrays, batched: Flags, attrs: Attrs) -> AnyArray:
    """Batch as further columns; entries of their own, example by example."""
    data, x = xs
    if batched[0]:
        return each_example(op, xs, batched, attrs)
    count, n, *more = shape_of(x)
    columns = reshape(moveaxis(x, 0, -1), shape=(n, -1))
    y = sparse_matmul(data, columns, **attrs)
    return moveaxis(reshape(y, shape=(shape_of(y)[0], *more, count)), -1, 0)


sparse_matmul = multilinear(
    "sparse_matmul", kernels.product, infer=product_type,
    flops=lambda y, data, x, pattern: 2 * len(pattern.indices) * y.size // max(pattern.shape[0], 1),
    transpose=[
        lambda g, y, data, x, pattern: pairs(g, x, pattern),
        to_operand,
    ],
    batch=product_batch,
    samples=cases(reals((3,), (4,), pattern=SAMPLE), reals((3,), (4, 2), pattern=SAMPLE)),
    error_samples=[ErrorSample([np.ones(3), np.ones(3)], {"pattern": SAMPLE}, ShapeError, "3 x 4")],
    doc="The product of a sparse matrix, given by its entries, with a vector or a matrix.",
)  # fmt: skip


def solution_type(data: ArrayType, b: ArrayType, pattern: Pattern) -> ArrayType:
    require_fit("sparse_solve", data, b, pattern)
    if pattern.shape[0] != pattern.shape[1]:
        raise ShapeError("sparse_solve", [data, b], says(pattern))
    dtype = np.result_type(data.dtype, b.dtype, np.float32)
    return ArrayType((pattern.shape[0], *b.shape[1:]), dtype)


def to_right_side(g: AnyArray, data: AnyArray, pattern: Pattern) -> AnyArray:
    entries, other = transposed(data, pattern)
    return sparse_solve(entries, g, pattern=other)


sparse_solve = Op(
    "sparse_solve", kernels.solution, arity=2, infer=solution_type,
    vjp=[
        lambda g, y, data, b, pattern: -pairs(to_right_side(g, data, pattern), y, pattern),
        lambda g, y, data, b, pattern: to_right_side(g, data, pattern),
    ],
    jvp=[
        lambda t, y, data, b, pattern: -sparse_solve(
            data, sparse_matmul(t, y, pattern=pattern), pattern=pattern
        ),
        lambda t, y, data, b, pattern: sparse_solve(data, t, pattern=pattern),
    ],
    batch=each_example,
    samples=cases(reals((5,), (3,), pattern=SQUARE), reals((5,), (3, 2), pattern=SQUARE)),
    error_samples=[ErrorSample([np.ones(3), np.ones(4)], {"pattern": SAMPLE}, ShapeError, "3 x 4")],
    doc="The solution of equations with a sparse matrix, given by its entries.",
)  # fmt: skip


def is_sparse(x: Any) -> bool:
    """True for SciPy's sparse arrays and matrices."""
    return type(x).__module__.startswith("scipy.sparse") and hasattr(x, "tocsr")


def of_scipy(a: Any) -> tuple[np.ndarray, Pattern]:
    """The entries and the pattern of one of SciPy's sparse arrays, entries of one place added."""
    a = a.tocsr()
    if not a.has_canonical_format:
        a = a.copy()
        a.sum_duplicates()
    return a.data, Pattern(a.indptr, a.indices, a.shape)


def times(a: Any, x: AnyArray) -> AnyArray:
    """One of SciPy's sparse arrays times an operand."""
    data, pattern = of_scipy(a)
    return sparse_matmul(data, x, pattern=pattern)


def product_with_sparse(operands: Sequence[Any]) -> Any:
    """The product of two operands of which one is sparse; NotImplemented for others."""
    a, b = operands
    if is_sparse(a):
        return times(a, b)
    if not is_sparse(b):
        return NotImplemented
    if len(shape_of(a)) == 1:
        return times(b.T, a)
    return matrix_transpose(times(b.T, matrix_transpose(a)))


FOREIGN["matmul"] = product_with_sparse
