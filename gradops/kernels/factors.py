"""Factorisations of any matrix, and what is found by way of them."""

from typing import Any

import numpy as np

from .linalg import (
    DIVERGED,
    DOUBLE,
    NOT_FINITE,
    ROUTINES,
    WIDE,
    attempt,
    cast,
    dtype_of,
    failure,
    real_dtype,
)


def routine(name: str, m: int, n: int, kind: str = "") -> Any:
    """LAPACK's routine for m by n matrices; NumPy before 2.3 has two, by which size is smaller."""
    found = getattr(ROUTINES, name + kind, None)
    return found or getattr(ROUTINES, f"{name}_{'m' if m < n else 'n'}{kind}")


def svd(x: Any, full_matrices: bool = True) -> Any:
    """The matrix U, the singular values as a row, and the transpose of Vh, one above the other."""
    dtype = dtype_of("svd", x)
    *batch, m, n = x.shape
    k = min(m, n)
    if full_matrices:
        y = np.zeros((*batch, m + 1 + n, max(m, n)), dtype)
        u, s, v = y[..., :m, :m], y[..., m, :k], y[..., m + 1 :, :n]
    else:
        y = np.zeros((*batch, m + 1 + n, k), dtype)
        u, s, v = y[..., :m, :], y[..., m, :], y[..., m + 1 :, :]
    call = routine("svd", m, n, "_f" if full_matrices else "_s")
    out = u, s.real, v.swapaxes(-1, -2)
    signature = "D->DdD" if dtype.kind == "c" else "d->ddd"
    attempt("svd", call, x, signature, DIVERGED, out, finite=True)
    return y


def svdvals(x: Any) -> Any:
    dtype = dtype_of("svdvals", x)
    signature = "D->d" if dtype.kind == "c" else "d->d"
    call = routine("svd", *x.shape[-2:])
    return cast(attempt("svdvals", call, x, signature, DIVERGED, finite=True), real_dtype(dtype))


def qr(x: Any, mode: str = "reduced") -> Any:
    """The matrix Q above the transpose of R."""
    dtype = dtype_of("qr", x)
    *batch, m, n = x.shape
    q, r = np.linalg.qr(x, {"reduced": "reduced", "complete": "complete"}[mode])
    y = np.empty((*batch, m + n, q.shape[-1]), dtype)
    y[..., :m, :], y[..., m:, :] = q, r.swapaxes(-1, -2)
    return y


def complex_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype of complex numbers with parts of a dtype."""
    return np.dtype(dtype.char.upper())


def eig(x: Any) -> Any:
    """The eigenvalues as a row above the matrix of eigenvectors, complex in any case."""
    dtype = dtype_of("eig", x)
    *batch, n, _ = x.shape
    y = np.empty((*batch, n + 1, n), complex_dtype(dtype))
    out = (y[..., 0, :], y[..., 1:, :])
    signature = "D->DD" if dtype.kind == "c" else "d->DD"
    attempt("eig", ROUTINES.eig, x, signature, DIVERGED, out, finite=True)
    return y


def eigvals(x: Any) -> Any:
    dtype = dtype_of("eigvals", x)
    signature = "D->D" if dtype.kind == "c" else "d->D"
    found = attempt("eigvals", ROUTINES.eigvals, x, signature, DIVERGED, finite=True)
    return cast(found, complex_dtype(dtype))


def cutoff(x: Any, rtol: float | None) -> float:
    """What part of the largest singular value counts as zero."""
    return max(x.shape[-2:]) * float(np.finfo(x.dtype).eps) if rtol is None else rtol


def pinv(x: Any, rtol: float | None = None, hermitian: bool = False) -> Any:
    x = cast(x, dtype_of("pinv", x))
    if not np.isfinite(x).all():
        raise failure("pinv", [x], NOT_FINITE, ~np.isfinite(x).all((-2, -1)))
    return np.linalg.pinv(x, cutoff(x, rtol), hermitian)


def matrix_rank(x: Any, rtol: float | None = None, hermitian: bool = False) -> Any:
    x = cast(x, dtype_of("matrix_rank", x))
    if not np.isfinite(x).all():
        raise failure("matrix_rank", [x], NOT_FINITE, ~np.isfinite(x).all((-2, -1)))
    return np.linalg.matrix_rank(x, hermitian=hermitian, rtol=rtol)


def lstsq(a: Any, b: Any, rtol: float | None = None) -> Any:
    """In one row: the solutions, the singular values of `a`, its rank."""
    dtype = dtype_of("lstsq", a, b)
    m, n = a.shape[-2:]
    k = b.shape[-1]
    for x in (a, b):
        if not np.isfinite(x).all():
            raise failure("lstsq", [a, b], NOT_FINITE, ~np.isfinite(x).all((-2, -1)))
    small = cutoff(np.empty((m, n), DOUBLE), rtol)
    if k == 0:  # LAPACK wants a right side
        b = np.zeros((*b.shape[:-1], 1), b.dtype)
    signature = "DDd->Ddid" if dtype.kind == "c" else "ddd->ddid"
    with np.errstate(all="ignore"):
        x, _, rank, s = routine("lstsq", m, n)(a, b, small, signature=signature)
    if m == 0:
        x[...] = 0
    x = x[..., :k]
    batch = x.shape[:-2]
    y = np.empty((*batch, n * k + min(m, n) + 1), WIDE if dtype.kind == "c" else DOUBLE)
    y[..., : n * k] = x.reshape(*batch, n * k)
    y[..., n * k : -1], y[..., -1] = s, rank
    return cast(y, dtype)
