"""Linear algebra: four functions of the standard itself, and its extension `linalg`."""

from typing import Any

import gradops as ops

from .. import linalg
from ..library.shape.movement import compute_in
from ..typing import AnyArray, Axis, Operand, OperandLike
from .signatures import Functions, each, one, two


def tensordot(x1: OperandLike, x2: OperandLike, /, *, axes: Axis = 2) -> AnyArray:
    """Products summed over axes of both arrays."""
    return linalg.tensordot(x1, x2, axes=axes)


def vecdot(x1: OperandLike, x2: OperandLike, /, *, axis: int = -1) -> AnyArray:
    """Products of vectors along an axis, the first conjugated."""
    return linalg.vecdot(x1, x2, axis=axis)


def matrix_norm(x: Operand, /, *, keepdims: bool = False, ord: Any = "fro") -> Any:
    """A norm of matrices: of their entries, of their singular values, or of sums along an axis."""
    return linalg.matrix_norm(x, keepdims, ord)


def vector_norm(
    x: OperandLike, /, *, axis: Axis = None, keepdims: bool = False, ord: object = 2
) -> AnyArray:
    """A norm of vectors along axes, or of all entries."""
    return linalg.vector_norm(x, axis=axis, keepdims=keepdims, ord=ord)


PRODUCTS: Functions = {
    "matmul": two(ops.matmul),
    "matrix_transpose": one(ops.matrix_transpose),
    "tensordot": tensordot,
    "vecdot": vecdot,
}
LINALG: Functions = {
    **PRODUCTS,
    **each(one, "det eig eigh eigvals eigvalsh inv slogdet svdvals", linalg),
    **each(two, "outer solve", linalg),
    "cholesky": lambda x, /, *, upper=False: linalg.cholesky(x, upper=upper),
    "cross": lambda x1, x2, /, *, axis=-1: linalg.cross(x1, x2, axis=axis),
    "diagonal": lambda x, /, *, offset=0: linalg.diagonal(x, offset),
    "matrix_norm": matrix_norm,
    "matrix_power": lambda x, n, /: linalg.matrix_power(x, n),
    "matrix_rank": lambda x, /, *, rtol=None: linalg.matrix_rank(x, rtol=rtol),
    "pinv": lambda x, /, *, rtol=None: linalg.pinv(x, rtol=rtol),
    "qr": lambda x, /, *, mode="reduced": linalg.qr(x, mode=mode),
    "svd": lambda x, /, *, full_matrices=True: linalg.svd(x, full_matrices=full_matrices),
    "trace": lambda x, /, *, offset=0, dtype=None: compute_in(
        dtype, linalg.trace, x, offset=offset
    ),
    "vector_norm": vector_norm,
}
