"""Algebraic Riccati equations: the kernels are SciPy's, imported when first called."""

from typing import Any

import numpy as np

from ...core.errors import LinAlgError
from ...core.types import type_of
from .linalg import common_dtype
from .schur import scipy_linalg


def solve_riccati(
    a: np.ndarray, b: np.ndarray, q: np.ndarray, r: np.ndarray, discrete: bool = False
) -> np.ndarray:
    """The stabilizing solution of a Riccati equation, for stacks that broadcast."""
    xs = a, b, *((x + x.conj().swapaxes(-1, -2)) / 2 for x in (q, r))
    dtype = common_dtype(*(x.dtype for x in xs))
    n, m = b.shape[-2:]
    if [x.shape[-2:] for x in (a, q, r)] != [(n, n), (n, n), (m, m)]:
        raise ValueError("the shapes do not fit")  # type inference has the words for the user
    batch = np.broadcast_shapes(*(x.shape[:-2] for x in xs))
    y = np.empty((*batch, *q.shape[-2:]), dtype)
    if not y.size:
        return y
    each = [np.broadcast_to(x, (*batch, *x.shape[-2:])) for x in xs]
    for i in np.ndindex(batch):
        y[i] = solution([x[i] for x in each], discrete)
    return y


def solution(xs: list[Any], discrete: bool) -> Any:
    """The solution for one set of matrices; a LinAlgError where there is none."""
    linalg = scipy_linalg("solve_riccati")
    solve = linalg.solve_discrete_are if discrete else linalg.solve_continuous_are
    try:
        return solve(*xs)
    except (np.linalg.LinAlgError, ValueError) as error:
        raise LinAlgError("solve_riccati", map(type_of, xs), str(error)) from None
