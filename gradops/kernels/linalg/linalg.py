"""NumPy's wrappers of LAPACK routines, which work on stacks of matrices in double precision.

NumPy's own functions call the same routines at some microseconds more; results are equal to the
bit. Where a routine fails, the error names the matrix of the stack.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ...core.errors import LinAlgError
from ...core.types import operand_types
from ..native_kernels import native

ROUTINES: Any = np.linalg._umath_linalg
DOUBLE, WIDE = np.dtype("f8"), np.dtype("c16")
SINGULAR = "the matrix is singular"
INDEFINITE = "the matrix is not positive definite"
DIVERGED = "the iteration does not converge"
NOT_FINITE = "the matrix has entries that are infinite or no numbers"
HINTS = {
    SINGULAR: "pinv and lstsq take singular matrices",
    INDEFINITE: "add a small multiple of the identity, or use eigh",
    DIVERGED: "scale the matrix, so that its entries are of moderate size",
    NOT_FINITE: "find out where they come from: np.isfinite(x)",
}


@lru_cache(maxsize=256)
def common_dtype(*dtypes: np.dtype) -> np.dtype:
    """The dtype of a result: single precision if every operand has it, else double."""
    for dtype in dtypes:
        if dtype.kind not in "biufc" or (dtype.kind in "fc" and dtype.char not in "fdFD"):
            raise TypeError(f"there is no linear algebra of {dtype}")
    single = all(dtype.char in "fF" for dtype in dtypes)
    if any(dtype.kind == "c" for dtype in dtypes):
        return np.dtype("c8") if single else WIDE
    return np.dtype("f4") if single else DOUBLE


def dtype_of(*xs: np.ndarray) -> np.dtype:
    """The dtype of a result for these operands."""
    if xs[0].dtype is DOUBLE and xs[-1].dtype is DOUBLE and len(xs) < 3:
        return DOUBLE
    return common_dtype(*(x.dtype for x in xs))


def real_dtype(dtype: np.dtype) -> np.dtype:
    """The dtype of real and imaginary parts."""
    return np.dtype(dtype.char.lower())


def call_routine(
    op: str, routine: Any, x: np.ndarray, signature: str, why: str, out: Any = None,
    finite: bool = False,
) -> np.ndarray:  # fmt: skip
    """The result of a routine, or a LinAlgError that names the matrix where it fails.

    With `finite`, infinities and NaN are refused: iterations do not terminate on them, or in
    nonsense.
    """
    try:
        with np.errstate(invalid="raise", over="ignore", divide="ignore", under="ignore"):
            if finite:
                total = np.add.reduce(x, axis=None)
                if total - total != 0:  # NaN; an infinity raises
                    raise FloatingPointError
            return routine(x, signature=signature, out=out)
    except FloatingPointError:
        return raise_for_failure(op, routine, x, signature, why, out, finite)


def raise_for_failure(
    op: str, routine: Any, x: np.ndarray, signature: str, why: str, out: np.ndarray | None,
    finite: bool,
) -> np.ndarray:  # fmt: skip
    """Raise the error for a failed routine, unless a mere overflow was reported."""
    if finite and not (fine := np.isfinite(x)).all():
        raise failure(op, [x], NOT_FINITE, ~fine.all((-2, -1)))
    with np.errstate(all="ignore"):
        found = routine(x, signature=signature, out=out)
    last = found[-1] if isinstance(found, tuple) else found
    bad = np.isnan(last).reshape(*x.shape[:-2], -1).all(-1)  # there the routine leaves NaN
    if bad.any():
        raise failure(op, [x], why, bad)
    return found


def failure(op: str, xs: Sequence[np.ndarray], why: str, where: Any) -> LinAlgError:
    """The error for the first matrix of a stack that `where` marks."""
    place = ", ".join(map(str, np.argwhere(where)[0])) if np.ndim(where) else ""
    said = f"{why}: number {place} of the stack" if place else why
    return LinAlgError(op, operand_types(xs), said, hint=HINTS[why])


def cast(y: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """A result in its dtype."""
    return y if y.dtype is dtype else y.astype(dtype, copy=False)


def solve(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    dtype = dtype_of(a, b)
    signature = "DD->D" if dtype.kind == "c" else "dd->d"
    try:
        with np.errstate(invalid="raise", over="ignore", divide="ignore", under="ignore"):
            return cast(ROUTINES.solve(a, b, signature=signature), dtype)
    except FloatingPointError:
        with np.errstate(all="ignore"):
            bad = np.isnan(ROUTINES.solve(a, b, signature=signature)).all((-2, -1))
        raise failure("solve", [a, b], SINGULAR, bad) from None


def inv(x: np.ndarray, checked: bool = True) -> np.ndarray:
    """The inverse; NaN for singular matrices, or an error if `checked`."""
    dtype = dtype_of(x)
    signature = "D->D" if dtype.kind == "c" else "d->d"
    if checked:
        return cast(call_routine("inv", ROUTINES.inv, x, signature, SINGULAR), dtype)
    with np.errstate(all="ignore"):
        return cast(ROUTINES.inv(x, signature=signature), dtype)


@native("matrices", "cholesky", "x, None", when="not upper")
def cholesky(x: np.ndarray, upper: bool = False) -> np.ndarray:
    dtype = dtype_of(x)
    routine = ROUTINES.cholesky_up if upper else ROUTINES.cholesky_lo
    signature = "D->D" if dtype.kind == "c" else "d->d"
    return cast(call_routine("cholesky", routine, x, signature, INDEFINITE), dtype)


EIGH = {"L": ROUTINES.eigh_lo, "U": ROUTINES.eigh_up}
EIGVALSH = {"L": ROUTINES.eigvalsh_lo, "U": ROUTINES.eigvalsh_up}


def eigh(x: Any, UPLO: str = "L") -> np.ndarray:
    """The eigenvalues as a row above the eigenvectors."""
    dtype = dtype_of(x)
    routine = EIGH[UPLO]
    *batch, n, _ = x.shape
    if dtype.kind != "c":
        y = np.empty((*batch, n + 1, n), dtype)
        out = (y[..., 0, :], y[..., 1:, :])
        call_routine("eigh", routine, x, "d->dd", DIVERGED, out, finite=True)
        return y
    y = np.zeros((*batch, n + 1, n), dtype)
    out = (y[..., 0, :].real, y[..., 1:, :])
    call_routine("eigh", routine, x, "D->dD", DIVERGED, out, finite=True)
    return y


def eigvalsh(x: np.ndarray, UPLO: str = "L") -> np.ndarray:
    dtype = dtype_of(x)
    routine = EIGVALSH[UPLO]
    signature = "D->d" if dtype.kind == "c" else "d->d"
    found = call_routine("eigvalsh", routine, x, signature, DIVERGED, finite=True)
    return cast(found, real_dtype(dtype))
