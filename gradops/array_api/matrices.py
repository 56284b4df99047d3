"""Linear algebra: four functions of the standard itself, and its extension `linalg`."""

import math
from collections.abc import Callable
from typing import Any

import gradops as ops

from .. import linalg
from ..types import shape_of, type_of
from .reducing import widened
from .shaping import matrix_transpose


def tensordot(x1: Any, x2: Any, /, *, axes: Any = 2) -> Any:
    """Products summed over axes of both arrays."""
    return linalg.tensordot(x1, x2, axes=axes)


def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    """Products of vectors along an axis, the first conjugated."""
    return linalg.vecdot(x1, x2, axis=axis)


def most(x: Any, *, axis: Any, keepdims: bool = False) -> Any:
    """The largest of numbers none of which is negative; of no numbers, 0."""
    largest = ops.sum if 0 in shape_of(x) else ops.max
    return largest(x, axis=axis, keepdims=keepdims)


def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Any:
    """A norm of matrices: of their entries, of their singular values, or of sums along an axis.

    Raises OptionError for an `ord` that is none of "fro", "nuc", 1, 2, inf and their negatives.
    """
    if ord is None or ord == "fro":
        return ops.vector_norm(x, axis=(-2, -1), keepdims=keepdims)
    if ord in OF_SINGULAR_VALUES:
        found = OF_SINGULAR_VALUES[ord](linalg.svdvals(x), axis=-1)
        return ops.expand_dims(found, axis=(-2, -1)) if keepdims else found
    if ord not in ALONG:
        raise ops.OptionError("matrix_norm", [type_of(x)], f"there is no norm of order {ord!r}")
    extreme = most if ord > 0 else ops.min
    sums = ops.sum(ops.abs(x), axis=ALONG[ord], keepdims=True)
    return extreme(sums, axis=(-2, -1), keepdims=keepdims)


OF_SINGULAR_VALUES: dict[Any, Callable[..., Any]] = {"nuc": ops.sum, 2: most, -2: ops.min}
ALONG = {1: -2, -1: -2, math.inf: -1, -math.inf: -1}  # the axis of the sums, of which one is chosen
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
    "matrix_norm": matrix_norm,
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
