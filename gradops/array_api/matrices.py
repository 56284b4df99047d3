"""Linear algebra: four functions of the standard itself, and its extension `linalg`."""

from collections.abc import Callable
from typing import Any

import gradops
import gradops.linalg

from .reducing import widened
from .shaping import matrix_transpose

ops: Any = gradops
linalg: Any = gradops.linalg


def tensordot(x1: Any, x2: Any, /, *, axes: Any = 2) -> Any:
    """Products summed over axes of both arrays."""
    return linalg.tensordot(x1, x2, axes=axes)


def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    """Products of vectors along an axis, the first conjugated."""
    return linalg.vecdot(x1, x2, axis=axis)


PRODUCTS: dict[str, Callable[..., Any]] = {
    "matmul": lambda x1, x2, /: ops.matmul(x1, x2),
    "matrix_transpose": matrix_transpose,
    "tensordot": tensordot,
    "vecdot": vecdot,
}
LINALG: dict[str, Callable[..., Any]] = {
    **PRODUCTS,
    "cholesky": lambda x, /, *, upper=False: linalg.cholesky(x, upper=upper),
    "cross": lambda x1, x2, /, *, axis=-1: linalg.cross(x1, x2, axis=axis),
    "det": lambda x, /: linalg.det(x),
    "diagonal": lambda x, /, *, offset=0: ops.diagonal(x, offset=offset, axis1=-2, axis2=-1),
    "eig": lambda x, /: linalg.eig(x),
    "eigh": lambda x, /: linalg.eigh(x),
    "eigvals": lambda x, /: linalg.eigvals(x),
    "eigvalsh": lambda x, /: linalg.eigvalsh(x),
    "inv": lambda x, /: linalg.inv(x),
    "matrix_norm": lambda x, /, *, keepdims=False, ord="fro": linalg.matrix_norm(
        x, keepdims=keepdims, ord=ord
    ),
    "matrix_power": lambda x, n, /: linalg.matrix_power(x, n),
    "matrix_rank": lambda x, /, *, rtol=None: linalg.matrix_rank(x, rtol=rtol),
    "outer": lambda x1, x2, /: linalg.outer(x1, x2),
    "pinv": lambda x, /, *, rtol=None: linalg.pinv(x, rtol=rtol),
    "qr": lambda x, /, *, mode="reduced": linalg.qr(x, mode=mode),
    "slogdet": lambda x, /: linalg.slogdet(x),
    "solve": lambda x1, x2, /: linalg.solve(x1, x2),
    "svd": lambda x, /, *, full_matrices=True: linalg.svd(x, full_matrices=full_matrices),
    "svdvals": lambda x, /: linalg.svdvals(x),
    "trace": lambda x, /, *, offset=0, dtype=None: linalg.trace(widened(x, dtype), offset=offset),
    "vector_norm": lambda x, /, *, axis=None, keepdims=False, ord=2: linalg.vector_norm(
        x, axis=axis, keepdims=keepdims, ord=ord
    ),
}
