"""Linear algebra: four functions of the standard itself, and its extension `linalg`."""

import math
from typing import Any

import gradops as ops

from .. import linalg
from ..types import shape_of, type_of
from .shaping import matrix_transpose
from .signatures import Function, Functions, each, one, two, widened


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


def vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Any:
    """A norm of vectors along axes, or of all entries."""
    return linalg.vector_norm(x, axis=axis, keepdims=keepdims, ord=ord)


OF_SINGULAR_VALUES: dict[Any, Function] = {"nuc": ops.sum, 2: most, -2: ops.min}
ALONG = {1: -2, -1: -2, math.inf: -1, -math.inf: -1}  # the axis of the sums, of which one is chosen
PRODUCTS: Functions = {
    "matmul": two(ops.matmul),
    "matrix_transpose": matrix_transpose,
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
    "trace": lambda x, /, *, offset=0, dtype=None: linalg.trace(widened(x, dtype), offset),
    "vector_norm": vector_norm,
}
