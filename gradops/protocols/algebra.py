"""`numpy.linalg` on tensors and expressions, where it differs from what `gradops` offers."""

from typing import Any

import numpy as np

import gradops as ops
from gradops import linalg

from ..types import product, shape_of
from .refusals import lengths, refusal

__all__ = [
    "cond", "diagonal", "matrix_norm", "norm", "qr", "svd", "tensorinv", "tensorsolve", "trace",
]  # fmt: skip


def diagonal(x: Any, offset: int = 0) -> Any:
    """The diagonals of matrices, which lie in the last two axes."""
    return ops.diagonal(x, offset=offset, axis1=-2, axis2=-1)


def trace(x: Any, offset: int = 0, dtype: Any = None) -> Any:
    """The sums of the diagonals of matrices, which lie in the last two axes."""
    found = diagonal(x, offset)
    return ops.sum(found if dtype is None else ops.astype(found, dtype=dtype), axis=-1)


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """The norm of a vector or a matrix, or of those along one axis or two."""
    rank = len(shape_of(x))
    if axis is None:
        if ord is None or rank == 1:
            return linalg.vector_norm(x, ord=2 if ord is None else ord, keepdims=keepdims)
        axis = tuple(range(rank))
    axes = (int(axis),) if isinstance(axis, int | np.integer) else tuple(axis)
    if len(axes) == 1:
        power = 2 if ord is None else ord
        return linalg.vector_norm(x, axis=axes[0], ord=power, keepdims=keepdims)
    if len(axes) != 2:
        raise ops.AxisError("norm", [ops.type_of(x)], f"{axes} are not the axes of matrices")
    found = matrix_norm(ops.moveaxis(x, axes, (-2, -1)), ord="fro" if ord is None else ord)
    return ops.expand_dims(found, axis=tuple(i % rank for i in axes)) if keepdims else found


def matrix_norm(x: Any, keepdims: bool = False, ord: Any = "fro") -> Any:
    """The norms of matrices, which lie in the last two axes."""
    found = norm_of_matrices(x, ord)
    return ops.expand_dims(found, axis=(-2, -1)) if keepdims else found


def norm_of_matrices(x: Any, ord: Any) -> Any:
    """The same, without these axes."""
    if ord == "fro":
        return linalg.vector_norm(x, axis=(-2, -1))
    if ord == "nuc":
        return ops.sum(linalg.svdvals(x), axis=-1)
    extreme = ops.max if ord in (1, 2, np.inf) else ops.min
    if ord in (2, -2):
        return extreme(linalg.svdvals(x), axis=-1)
    if ord in (1, -1, np.inf, -np.inf):
        along = -2 if abs(ord) == 1 else -1
        return extreme(ops.sum(ops.abs(x), axis=along), axis=-1)
    raise ops.OptionError("norm", [ops.type_of(x)], f"there is no norm {ord!r} of matrices",
                          hint="there are 'fro', 'nuc', 1, 2, inf and their negatives")  # fmt: skip


def cond(x: Any, p: Any = None) -> Any:
    """How much a system of equations may enlarge errors: the norm times that of the inverse."""
    if p in (None, 2, -2):
        s = linalg.svdvals(x)
        found = ops.max(s, axis=-1) / ops.min(s, axis=-1)
        return 1 / found if p == -2 else found
    return matrix_norm(x, ord=p) * matrix_norm(linalg.inv(x), ord=p)


def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    """The singular value decomposition, or the singular values alone."""
    return linalg.svd(a, full_matrices=full_matrices) if compute_uv else linalg.svdvals(a)


def qr(a: Any, mode: str = "reduced") -> Any:
    """An orthogonal and a triangular factor, or the latter alone."""
    if mode == "raw":
        raise refusal("numpy.linalg.qr(..., mode='raw')", "it gives LAPACK's form", "use reduced")
    return linalg.qr(a)[1] if mode == "r" else linalg.qr(a, mode=mode)


def tensorsolve(a: Any, b: Any, axes: Any = None) -> Any:
    """The solution of a linear equation whose unknown has several axes."""
    if axes is not None:
        a = ops.moveaxis(a, axes, range(-len(axes), 0))
    unknown = lengths(a)[len(shape_of(b)) :]
    square = ops.reshape(a, shape=(-1, product(unknown)))
    found = linalg.solve(square, ops.reshape(b, shape=(-1,)))
    return ops.reshape(found, shape=unknown)


def tensorinv(a: Any, ind: int = 2) -> Any:
    """The inverse of a linear map between arrays, of which the first axes of `a` are the result."""
    out, into = lengths(a)[:ind], lengths(a)[ind:]
    return ops.reshape(linalg.inv(ops.reshape(a, shape=(product(out), -1))), shape=(*into, *out))
