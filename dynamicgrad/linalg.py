"""Linear algebra, with the names and arguments of `torch.linalg`.

>>> A = dg.tensor([[2.0, 0.0], [0.0, 4.0]])
>>> dg.linalg.solve(A, dg.ones(2))
tensor([0.5000, 0.2500])
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import gradops as ops
from gradops import linalg, matrix_transpose
from gradops.core.errors import LinAlgError
from gradops.core.types import shape_of, type_of
from gradops.library.shape.movement import in_dtype
from gradops.typing import Axis, DTypeLike

from .dispatch.fast_path import operand
from .dispatch.operand_dtypes import check_all
from .dispatch.wrapping import Functions, by_name, set_name
from .dispatch.zero_dim import numbers_as_rows
from .engine.tensor import Tensor
from .ops.reductions import dims


def of_operands(function: Callable[..., Tensor], count: int = 1) -> Callable[..., Tensor]:
    """`function` of operands that may be anything that becomes a tensor."""

    def call(*args: Any, **kwargs: Any) -> Tensor:
        return function(*map(operand, args[:count]), *args[count:], **kwargs)

    return set_name(call, function.__name__, function.__doc__)


def solve(A: Tensor, B: Tensor, *, left: bool = True) -> Tensor:
    """The solution X of A @ X = B, or of X @ A = B if not `left`.

    `B` is a single right-hand side if it has one dimension, or the shape of `A` without the last.

    >>> dg.linalg.solve(dg.eye(2) * 2, dg.ones(3, 2, 1)).shape
    (3, 2, 1)
    """
    A, B = operand(A), operand(B)
    if not left:
        return matrix_transpose(linalg.solve(matrix_transpose(A), matrix_transpose(B)))
    rows = shape_of(A)[:-1]
    if len(shape_of(B)) > 1 and shape_of(B) == rows:
        return ops.squeeze(linalg.solve(A, ops.expand_dims(B, axis=-1)), axis=-1)
    return linalg.solve(A, B)


def solve_triangular(
    A: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False
) -> Tensor:
    """The solution X of A @ X = B, or of X @ A = B if not `left`, for a triangular `A`.

    >>> dg.linalg.solve_triangular(dg.eye(2) * 2, dg.ones(2, 1), upper=True)
    tensor([[0.5000],
            [0.5000]])
    """
    A, B = operand(A), operand(B)
    if left:
        return linalg.solve_triangular(A, B, not upper, unitriangular)
    A, B = matrix_transpose(A), matrix_transpose(B)
    return matrix_transpose(linalg.solve_triangular(A, B, upper, unitriangular))


def qr(A: Tensor, mode: str = "reduced") -> linalg.QRResult:
    """Factors A = Q @ R, Q with orthonormal columns, R upper triangular; with mode "r" only R.

    >>> dg.linalg.qr(dg.ones(4, 2)).Q.shape
    (4, 2)
    """
    A = operand(A)
    if mode != "r":
        return linalg.qr(A, mode=mode)
    q, r = linalg.qr(A)
    return linalg.QRResult(q[..., :0, :0], r)


def svd(A: Tensor, full_matrices: bool = True, *, driver: str | None = None) -> linalg.SVDResult:
    """Factors A = U @ diag(S) @ Vh, with singular values S in descending order.

    `driver` is accepted and ignored.

    >>> dg.linalg.svd(dg.ones(4, 2), full_matrices=False).U.shape
    (4, 2)
    """
    return linalg.svd(operand(A), full_matrices)


def lstsq(
    A: Tensor, B: Tensor, rcond: float | None = None, *, driver: str | None = None
) -> linalg.LstsqResult:
    """The X that minimizes the norm of A @ X - B, and the other results of `gradops.linalg.lstsq`.

    `driver` is accepted and ignored: matrices of any rank are solved.

    >>> dg.linalg.lstsq(dg.ones(3, 2), dg.ones(3, 1)).solution.shape
    (2, 1)
    """
    return linalg.lstsq(operand(A), operand(B), rcond)


def cutoff(A: Tensor, atol: Tensor | float | None, rtol: Tensor | float | None) -> Any:
    """The relative cutoff of singular values equivalent to an absolute and a relative one."""
    if atol is None:
        return rtol
    largest = ops.max(linalg.svdvals(A.detach()), axis=-1)
    return ops.maximum(atol / largest, 0.0 if rtol is None else rtol).numpy()


def pinv(
    A: Tensor, rcond: Tensor | float | None = None, hermitian: bool = False, *,
    atol: Tensor | float | None = None, rtol: Tensor | float | None = None,
) -> Tensor:  # fmt: skip
    """The pseudoinverse; singular values below `rtol` times the largest, or `atol`, count as zero.

    >>> dg.linalg.pinv(dg.tensor([[2.0], [0.0]]))
    tensor([[0.5000, 0.0000]])
    """
    A = operand(A)
    rtol = rcond if rtol is None else rtol
    least = cutoff(A, atol, rtol)
    return linalg.pinv(A, rtol=None if least is None else float(least), hermitian=hermitian)


def matrix_rank(
    A: Tensor, tol: Tensor | float | None = None, hermitian: bool = False, *,
    atol: Tensor | float | None = None, rtol: Tensor | float | None = None,
) -> Tensor:  # fmt: skip
    """The number of singular values above `rtol` times the largest, and above `atol`.

    >>> dg.linalg.matrix_rank(dg.ones(3, 3))
    tensor(1)
    """
    A = operand(A)
    atol = tol if atol is None else atol
    if atol is None:
        return linalg.matrix_rank(A, rtol=rtol, hermitian=hermitian)
    values = linalg.svdvals(A.detach())
    least = cutoff(A, atol, rtol) * ops.max(values, axis=-1)
    return ops.count_nonzero(values > ops.expand_dims(least, axis=-1), -1)


def vector_norm(
    x: Tensor, ord: float = 2, dim: Axis = None, keepdim: bool = False, *, dtype: DTypeLike = None
) -> Tensor:
    """The norm of vectors along dimensions, or of all entries.

    >>> dg.linalg.vector_norm(dg.tensor([3.0, 4.0]))
    tensor(5.)
    """
    axis = dims(x, dim)
    return linalg.vector_norm(in_dtype(operand(x), dtype), axis=axis, keepdims=keepdim, ord=ord)


def matrix_norm(
    A: Tensor, ord: Any = "fro", dim: Sequence[int] = (-2, -1), keepdim: bool = False, *,
    dtype: DTypeLike = None,
) -> Tensor:  # fmt: skip
    """The norm of matrices, which two dimensions hold.

    >>> dg.linalg.matrix_norm(dg.ones(2, 2), ord="nuc")
    tensor(2.)
    """
    return linalg.norm(in_dtype(operand(A), dtype), ord, tuple(dim), keepdim)


def norm(
    A: Tensor, ord: Any = None, dim: Axis = None, keepdim: bool = False, *, dtype: DTypeLike = None
) -> Tensor:
    """The norm of vectors along one dimension, of matrices in two, or of all entries.

    >>> dg.linalg.norm(dg.tensor([3.0, 4.0]))
    tensor(5.)
    """
    if not shape_of(A) and dim is not None:
        return vector_norm(A, 2 if ord is None else ord, dim, keepdim, dtype=dtype)
    axis = tuple(dim) if isinstance(dim, list) else dim
    return linalg.norm(in_dtype(operand(A), dtype), ord, axis, keepdim)


def diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """The diagonals of matrices.

    >>> dg.linalg.diagonal(dg.ones(5, 2, 2)).shape
    (5, 2)
    """
    return ops.diagonal(operand(A), offset=offset, axis1=dim1, axis2=dim2)


def cross(input: Tensor, other: Tensor, *, dim: int = -1) -> Tensor:
    """The cross product of vectors with three entries along a dimension.

    >>> dg.linalg.cross(dg.tensor([1.0, 0.0, 0.0]), dg.tensor([0.0, 1.0, 0.0]))
    tensor([0., 0., 1.])
    """
    return ops.cross(operand(input), operand(other), axis=dim)


@numbers_as_rows
def vecdot(x: Tensor, y: Tensor, *, dim: int = -1) -> Tensor:
    """The dot product of vectors along a dimension, those of `x` conjugated.

    >>> dg.linalg.vecdot(dg.ones(2, 3), dg.ones(2, 3))
    tensor([3., 3.])
    """
    return ops.vecdot(operand(x), operand(y), axis=dim)


def multi_dot(tensors: Sequence[Tensor]) -> Tensor:
    """The product of matrices, in the order of fewest multiplications.

    >>> dg.linalg.multi_dot([dg.ones(2, 3), dg.ones(3, 4), dg.ones(4, 5)]).shape
    (2, 5)
    """
    return linalg.multi_dot([operand(x) for x in tensors])


def tensorsolve(A: Tensor, B: Tensor, dims: Sequence[int] | None = None) -> Tensor:
    """The solution X of tensordot(A, X, X.ndim) = B.

    >>> dg.linalg.tensorsolve(dg.eye(4).reshape(2, 2, 4), dg.ones(2, 2))
    tensor([1., 1., 1., 1.])
    """
    return linalg.tensorsolve(operand(A), operand(B), dims)


def vander(x: Tensor, N: int | None = None) -> Tensor:
    """The powers of each entry, from 0 on, along a new last dimension.

    >>> dg.linalg.vander(dg.tensor([2.0, 3.0]), 3)
    tensor([[1., 2., 4.],
            [1., 3., 9.]])
    """
    x = operand(x)
    n: Any = shape_of(x)[-1] if N is None else N
    return ops.power(ops.expand_dims(x, axis=-1), np.arange(n, dtype=type_of(x).dtype))


OF_ONE = (
    "cholesky", "cond", "det", "eig", "eigh", "eigvals", "eigvalsh", "inv", "matrix_exp",
    "matrix_power", "slogdet", "svdvals", "tensorinv",
)  # fmt: skip
OFFERED: Functions = {
    "LinAlgError": LinAlgError, "matmul": of_operands(ops.matmul, 2),
    **{name: of_operands(getattr(linalg, name)) for name in OF_ONE},
    **by_name(
        cross, diagonal, lstsq, matrix_norm, matrix_rank, multi_dot, norm, pinv, qr, solve,
        solve_triangular, svd, tensorsolve, vander, vecdot, vector_norm,
    ),
}  # fmt: skip
globals().update(check_all(OFFERED))
__all__ = sorted(OFFERED)
