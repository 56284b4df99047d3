"""Matrix equations and functions by Schur forms: SciPy's, imported when first called."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.errors import LinAlgError, MissingExtraError
from ...core.types import type_of
from .linalg import common_dtype

INACCURATE = 1e-6  # parts of the largest entry


def scipy_linalg(name: str) -> Any:
    """The module `scipy.linalg`, or a MissingExtraError."""
    try:
        from scipy import linalg
    except ImportError as error:
        raise MissingExtraError(name, "SciPy", "scipy") from error
    return linalg


def solve_sylvester(
    a: np.ndarray, b: np.ndarray, q: np.ndarray, checked: bool = True
) -> np.ndarray:
    """The solutions x of a @ x + x @ b = q, for stacks that broadcast; NaN, or an error, for none.

    It is an error if `checked`.
    """
    dtype = common_dtype(a.dtype, b.dtype, q.dtype)
    stack = np.broadcast_shapes(a.shape[:-2], b.shape[:-2], q.shape[:-2])
    y = np.empty((*stack, *q.shape[-2:]), dtype)
    if not y.size:
        return y
    xs = [np.broadcast_to(x.astype(dtype, copy=False), (*stack, *x.shape[-2:])) for x in (a, b, q)]
    for k in np.ndindex(stack):
        y[k] = one_sylvester(xs[0][k], xs[1][k], xs[2][k], checked)
    return y


def one_sylvester(a: np.ndarray, b: np.ndarray, q: np.ndarray, checked: bool) -> np.ndarray:
    """The solution for matrices of one dtype, by the method of R. Bartels and G. Stewart (1972).

    A real Schur form beside a complex one, which SciPy passes on, would be read as triangular.
    """
    linalg = scipy_linalg("solve_sylvester")
    if not all(np.isfinite(x).all() for x in (a, b, q)):
        return np.full_like(q, np.nan)
    r, u = linalg.schur(a, output="real")
    s, v = linalg.schur(b.conj().T, output="real")
    trsyl = linalg.get_lapack_funcs("trsyl", (r, s, q))
    y, scale, info = trsyl(r, s, u.conj().T @ q @ v, tranb="C")
    if info and not checked:
        return np.full_like(q, np.nan)
    if info:
        raise LinAlgError(
            "solve_sylvester", map(type_of, (a, b, q)),
            "the equations are singular: an eigenvalue of a is close to minus one of b",
        )  # fmt: skip
    return u @ (scale * y) @ v.conj().T


def principal(op: str, name: str, what: str, inverse: Any) -> Callable[[np.ndarray], np.ndarray]:
    """The kernel of a function of `scipy.linalg` from matrices to matrices of the same dtype.

    SciPy warns of results that may be inaccurate. Here `inverse`, which gives the operand from the
    result, decides: it is an error if it does not.
    """

    def kernel(x: np.ndarray) -> np.ndarray:
        dtype = common_dtype(x.dtype)
        wide = np.result_type(dtype, np.float64)
        y = np.empty(x.shape, dtype)
        for k in np.ndindex(x.shape[:-2] if x.size else (0,)):
            y[k] = one_matrix(x[k].astype(wide, copy=False))
        return y

    def is_accurate(linalg: Any, y: np.ndarray, x: np.ndarray) -> bool:
        return bool(np.abs(inverse(linalg, y) - x).max() <= INACCURATE * np.abs(x).max())

    def one_matrix(x: np.ndarray) -> np.ndarray:
        if not np.isfinite(x).all():
            return np.full_like(x, np.nan)
        linalg = scipy_linalg(op)
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            y = getattr(linalg, name)(x)
            if np.isrealobj(x) and np.iscomplexobj(y) and is_accurate(linalg, y.real, x):
                y = y.real  # older SciPys leave imaginary parts of rounding
            accurate = is_accurate(linalg, y, x)
        if not accurate:
            raise LinAlgError(op, [type_of(x)], f"the matrix has no accurate {what}")
        if np.iscomplexobj(y) and not np.iscomplexobj(x):
            raise LinAlgError(
                op, [type_of(x)], f"the {what} of this real matrix is complex",
                hint="give a complex matrix: x.astype(complex)",
            )  # fmt: skip
        return y

    kernel.__name__ = kernel.__qualname__ = op
    return kernel


matrix_sqrt = principal("matrix_sqrt", "sqrtm", "square root", lambda linalg, y: y @ y)
matrix_log = principal("matrix_log", "logm", "logarithm", lambda linalg, y: linalg.expm(y))
