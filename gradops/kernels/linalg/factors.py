"""Factorizations by LAPACK: SVD, QR, eigenvalues, pseudoinverse and least squares."""

from typing import Any

import numpy as np

from ...typing import DTypeLike
from .linalg import (
    DIVERGED,
    DOUBLE,
    NOT_FINITE,
    ROUTINES,
    call_routine,
    cast,
    dtype_of,
    failure,
    real_dtype,
)


def routine(name: str, m: int, n: int, kind: str = "") -> Any:
    """NumPy's wrapper of a LAPACK routine for m by n matrices; before NumPy 2.3 there are two."""
    found = getattr(ROUTINES, name + kind, None)
    return found or getattr(ROUTINES, f"{name}_{'m' if m < n else 'n'}{kind}")


def svd(x: Any, full_matrices: bool = True) -> np.ndarray:
    """U, the singular values as a row, and the transpose of Vh, one above the other."""
    dtype = dtype_of(x)
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
    call_routine("svd", call, x, signature, DIVERGED, out, finite=True)
    return y


def svdvals(x: np.ndarray) -> np.ndarray:
    dtype = dtype_of(x)
    signature = "D->d" if dtype.kind == "c" else "d->d"
    call = routine("svd", *x.shape[-2:])
    return cast(
        call_routine("svdvals", call, x, signature, DIVERGED, finite=True), real_dtype(dtype)
    )


def polar(x: np.ndarray) -> np.ndarray:
    """The product of the singular vectors: U @ Vh."""
    m, n = x.shape[-2:]
    if m < n:
        raise ValueError("type inference has the words for the user")
    y = svd(check_finite("polar", x), full_matrices=False)
    u, v = y[..., :m, :], y[..., m + 1 :, :]
    return u @ v.swapaxes(-1, -2)


FACTORED: dict[str, Any] = {
    "reduced": np.linalg.qr,
    "complete": lambda x: np.linalg.qr(x, "complete"),
}


def qr(x: np.ndarray, mode: str = "reduced") -> np.ndarray:
    """Q above the transpose of R."""
    dtype = dtype_of(x)
    *batch, m, n = x.shape
    q, r = FACTORED[mode](x)
    y = np.empty((*batch, m + n, q.shape[-1]), dtype)
    y[..., :m, :], y[..., m:, :] = q, r.swapaxes(-1, -2)
    return y


def complex_dtype(dtype: np.dtype[Any]) -> np.dtype:
    """The complex dtype with parts of the given dtype."""
    return np.dtype(dtype.char.upper())


def eig(x: Any) -> np.ndarray:
    """The eigenvalues as a row above the eigenvectors, always complex."""
    dtype = dtype_of(x)
    *batch, n, _ = x.shape
    y = np.empty((*batch, n + 1, n), complex_dtype(dtype))
    out = (y[..., 0, :], y[..., 1:, :])
    signature = "D->DD" if dtype.kind == "c" else "d->DD"
    call_routine("eig", ROUTINES.eig, x, signature, DIVERGED, out, finite=True)
    return y


def eigvals(x: np.ndarray) -> np.ndarray:
    dtype = dtype_of(x)
    signature = "D->D" if dtype.kind == "c" else "d->D"
    found = call_routine("eigvals", ROUTINES.eigvals, x, signature, DIVERGED, finite=True)
    return cast(found, complex_dtype(dtype))


def cutoff(m: int, n: int, rtol: float | None, dtype: DTypeLike = DOUBLE) -> Any:
    """The fraction of the largest singular value below which others count as zero."""
    return max(m, n) * np.finfo(dtype).eps if rtol is None else rtol


def check_finite(op: str, x: np.ndarray) -> np.ndarray:
    """Matrices in the dtype of the result, checked to be finite."""
    x = cast(x, dtype_of(x))
    if not (fine := np.isfinite(x)).all():
        raise failure(op, [x], NOT_FINITE, ~fine.all((-2, -1)))
    if x.ndim < 2:
        raise ValueError("no matrix")  # type inference has the words for the user
    return x


def pinv(x: np.ndarray, rtol: float | None = None, hermitian: bool = False) -> np.ndarray:
    x = check_finite("pinv", x)
    m, n = x.shape[-2:]
    return np.linalg.pinv(x, cutoff(m, n, rtol, x.dtype), hermitian)


def matrix_rank(x: np.ndarray, rtol: float | None = None, hermitian: bool = False) -> np.ndarray:
    x = check_finite("matrix_rank", x)
    return np.linalg.matrix_rank(x, hermitian=hermitian, rtol=rtol)


def lstsq(a: Any, b: Any, rcond: float | None = None) -> Any:
    dtype = dtype_of(a, b)
    m, n = a.shape[-2:]
    k = b.shape[-1]
    if k == 0:  # LAPACK wants a right side
        b = np.zeros((*b.shape[:-1], 1), b.dtype)
    small = cutoff(m, n, rcond)
    signature = "DDd->Ddid" if dtype.kind == "c" else "ddd->ddid"
    try:
        with np.errstate(invalid="raise", over="ignore", divide="ignore", under="ignore"):
            x, *_ = routine("lstsq", m, n)(a, b, small, signature=signature)
    except FloatingPointError:
        why = DIVERGED if np.isfinite(a).all() and np.isfinite(b).all() else NOT_FINITE
        raise failure("lstsq", [a, b], why, np.zeros(())) from None
    if m == 0:
        x[...] = 0
    return cast(x[..., :k], dtype)
