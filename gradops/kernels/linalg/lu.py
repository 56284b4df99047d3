"""LU factorizations with row exchanges: the kernel is SciPy's, imported when first called."""

import numpy as np

from .linalg import dtype_of
from .schur import scipy_linalg


def lu(x: np.ndarray) -> np.ndarray:
    """L below the diagonal and U above, and in a last column the row each row was exchanged with.

    L has ones on its diagonal. Rows that were not exchanged have their own number.
    """
    dtype = dtype_of(x)
    *batch, m, n = x.shape
    y = np.zeros((*batch, m, n + 1), dtype)
    y[..., n] = np.arange(m)
    if not x.size:
        return y
    (factor,) = scipy_linalg("lu").get_lapack_funcs(("getrf",), dtype=dtype)
    for i in np.ndindex(*batch):
        packed, exchanged, _ = factor(x[i].astype(dtype, copy=False))
        y[i][:, :n], y[i][: len(exchanged), n] = packed, exchanged
    return y


def row_order(exchanges: np.ndarray) -> np.ndarray:
    """The order of rows after each was exchanged, one after the other, with the one named."""
    y = np.empty(exchanges.shape, np.intp)
    y[...] = np.arange(exchanges.shape[-1])
    for i in np.ndindex(exchanges.shape[:-1]):
        order = y[i]
        for k, j in enumerate(exchanges[i].tolist()):
            order[k], order[j] = order[j], order[k]
    return y


def column_order(x: np.ndarray) -> np.ndarray:
    """The columns in the order in which a QR factorization with pivoting takes them."""
    x = x.astype(dtype_of(x), copy=False)
    y = np.empty((*x.shape[:-2], x.shape[-1]), np.intp)
    y[...] = np.arange(x.shape[-1])
    if not x.size:
        return y
    linalg = scipy_linalg("qr")
    for i in np.ndindex(x.shape[:-2]):
        y[i] = linalg.qr(x[i], mode="r", pivoting=True, check_finite=False)[-1]
    return y
