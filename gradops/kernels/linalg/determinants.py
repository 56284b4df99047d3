"""Determinants of matrices of any rank, and their first and second derivatives.

Note [Singular]. Where a matrix is far from singular, derivatives follow from its inverse. Else they
follow from the singular value decomposition: in the bases of the singular vectors the matrix is
diagonal, and derivatives of the determinant are products of all diagonal entries but one, or but
two.
"""

from typing import Any

import numpy as np

from .linalg import DOUBLE, ROUTINES, WIDE, cast, dtype_of, inv

REGULAR = 1e8  # condition numbers for which half of the digits are left


def det(x: np.ndarray) -> np.ndarray:
    dtype = dtype_of(x)
    return cast(ROUTINES.det(x, signature="D->D" if dtype.kind == "c" else "d->d"), dtype)


def slogdet(x: np.ndarray) -> np.ndarray:
    """The sign of the determinant and the logarithm of its absolute value, side by side."""
    dtype = dtype_of(x)
    sign, log = ROUTINES.slogdet(x, signature="D->Dd" if dtype.kind == "c" else "d->dd")
    y = np.empty((*x.shape[:-2], 2), dtype)
    y[..., 0], y[..., 1] = sign, log
    return y


def inverse_of(
    op: str, x: np.ndarray, *others: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A matrix in double precision, its inverse transposed, and a mask of inaccurate inverses."""
    dtype = dtype_of(x, *others)
    wide = x.astype(WIDE if dtype.kind == "c" else DOUBLE)
    inverse = inv(wide, checked=False).swapaxes(-1, -2)
    spread = np.abs(wide).sum(-1).max(-1, initial=0) * np.abs(inverse).sum(-2).max(-1, initial=0)
    bad = ~(spread < REGULAR) & np.isfinite(wide).all((-2, -1))  # NaN is bad, too
    return wide, inverse, bad if x.size else np.zeros(bad.shape, bool)


def cofactors(x: np.ndarray) -> np.ndarray:
    """The cofactors: det(x) inv(x).T where that is accurate. See Note [Singular]."""
    with np.errstate(all="ignore"):
        wide, inverse, bad = inverse_of("cofactors", x)
        y = ROUTINES.det(wide)[..., None, None] * inverse
        if bad.any():
            u, s, vh, sign = svd_with_signs(wide[bad])
            y[bad] = sign * ((u * products_without(s, 1)[..., None, :]) @ vh).conj()
    return np.ascontiguousarray(cast(y, dtype_of(x)))


def second_of_det(x: np.ndarray, t: np.ndarray) -> np.ndarray:
    """The derivative of the cofactors in the direction t."""
    x, t = np.broadcast_arrays(x, t)
    with np.errstate(all="ignore"):
        wide, inverse, bad = inverse_of("second_of_det", x, t)
        turned = inverse @ t.swapaxes(-1, -2)
        traces = np.trace(turned, axis1=-2, axis2=-1)[..., None, None]
        y = ROUTINES.det(wide)[..., None, None] * (traces * inverse - turned @ inverse)
        if bad.any():
            u, s, vh, sign = svd_with_signs(wide[bad])
            seen = u.swapaxes(-1, -2).conj() @ t[bad] @ vh.swapaxes(-1, -2).conj()
            pairs = products_without(s, 2)
            inner = -pairs * seen.swapaxes(-1, -2)
            n = s.shape[-1]
            diagonal = np.diagonal(seen, axis1=-2, axis2=-1)
            inner[..., range(n), range(n)] = (pairs @ diagonal[..., None])[..., 0]
            y[bad] = sign * (u.conj() @ inner @ vh.conj())
    return cast(y, dtype_of(x, t))


def svd_with_signs(x: np.ndarray) -> tuple[Any, Any, Any, Any]:
    """The singular value decomposition, and the determinants of U and V."""
    u, s, vh = np.linalg.svd(x)
    return u, s, vh, (np.linalg.det(u) * np.linalg.det(vh))[..., None, None]


def products_without(s: np.ndarray, but: int) -> np.ndarray:
    """The products of all entries but each one; or but each pair, 0 for a pair of equals."""
    n = s.shape[-1]
    one = np.eye(n, dtype=bool)
    if but == 1:
        return np.where(one, 1, s[..., None, :]).prod(-1)
    pairs = one[:, None, :] | one[None, :, :]
    return np.where(one, 0, np.where(pairs, 1, s[..., None, None, :]).prod(-1))
