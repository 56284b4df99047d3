"""Linear equations, by SciPy's names."""

from typing import Any

import numpy as np

from ...core.errors import OptionError
from ...core.types import shape_of, type_of
from ...library.elementwise.comparison import where
from ...library.linalg import inverses
from ...library.linalg import solve as equations
from ...library.linalg.cholesky import cholesky as cholesky_factor
from ...library.linalg.matrices import adjoint, conjugate, require_square
from ...library.shape.rearrange import matrix_transpose
from ...typing import AnyArray
from ..known_entries import entries_of
from .operands import hermitian_of, operand, operands, symmetric, triangle

__all__ = ["cho_factor", "cho_solve", "cholesky", "inv", "lstsq", "solve", "solve_triangular"]

STRUCTURES = {
    None: "general", "general": "general", "gen": "general", "banded": "general",
    "symmetric": "symmetric", "sym": "symmetric", "hermitian": "hermitian", "her": "hermitian",
    "positive definite": "positive", "pos": "positive", "diagonal": "diagonal",
    "tridiagonal": "tridiagonal", "upper triangular": "upper", "lower triangular": "lower",
}  # fmt: skip
"""The structures of a matrix that `assume_a` may name."""

TRANSPOSES = {0: "N", 1: "T", 2: "C", "N": "N", "T": "T", "C": "C"}


def solve(
    a: Any, b: Any, lower: bool = False, overwrite_a: bool = False,
    overwrite_b: bool = False, check_finite: bool = True, assume_a: str | None = None,
    transposed: bool = False,
) -> Any:  # fmt: skip
    """The solution x of a @ x = b, or with `transposed` of a.T @ x = b.

    `assume_a` names a structure of `a`: then only that part of `a` is read, of a symmetric,
    Hermitian or positive definite matrix the triangle that `lower` says. Raises OptionError for an
    unknown structure, LinAlgError for a singular matrix.

    >>> solve(np.array([[2.0, 0.0], [0.0, 4.0]]), np.array([1.0, 1.0]))
    array([0.5 , 0.25])
    """
    a, b = operands("solve", a, b, check_finite=check_finite)
    require_square("solve", type_of(a))
    if assume_a not in STRUCTURES:
        raise OptionError(
            "solve", [type_of(a), type_of(b)], f"there is no structure {assume_a!r}",
            hint=f"assume_a is one of {', '.join(repr(k) for k in STRUCTURES)}",
        )  # fmt: skip
    return solve_structured(a, b, STRUCTURES[assume_a], lower, transposed)


def solve_structured(
    a: AnyArray, b: AnyArray, structure: str, lower: bool, transposed: bool
) -> AnyArray:
    """The solution for a matrix of which one part is read."""
    turned = matrix_transpose if transposed else lambda x: x
    match structure:
        case "positive":
            half = cholesky_factor(hermitian_of(a, lower), upper=False)
            half = conjugate(half) if transposed else half
            return equations.cholesky_solve(b, half)
        case "symmetric":
            a = symmetric(a, lower)
        case "hermitian":
            a = hermitian_of(a, lower)
        case "tridiagonal":
            a = triangle(triangle(a, True, -1), False, -1)
        case "diagonal":
            return equations.solve_triangular(triangle(triangle(a, True), False), b)
        case "upper" | "lower":
            is_lower = (structure == "lower") != transposed
            return equations.solve_triangular(turned(a), b, lower=is_lower)
    return equations.solve(turned(a), b)


def solve_triangular(
    a: Any, b: Any, trans: int | str = 0, lower: bool = False,
    unit_diagonal: bool = False, overwrite_b: bool = False, check_finite: bool = True,
) -> Any:  # fmt: skip
    """The solution x of a @ x = b for a triangular matrix; the other triangle is not read.

    With `trans` 1 or "T" the matrix is a.T, with 2 or "C" its conjugate. Raises OptionError for
    another `trans`, LinAlgError where the diagonal has a zero.

    >>> solve_triangular(np.array([[2.0, 1.0], [0.0, 4.0]]), np.array([4.0, 4.0]))
    array([1.5, 1. ])
    """
    a, b = operands("solve_triangular", a, b, check_finite=check_finite)
    require_square("solve_triangular", type_of(a))
    if trans not in TRANSPOSES:
        raise OptionError(
            "solve_triangular", [type_of(a), type_of(b)],
            f"trans is 0, 1, 2, 'N', 'T' or 'C', not {trans!r}",
        )  # fmt: skip
    kind = TRANSPOSES[trans]
    if kind != "N":
        a, lower = adjoint(a) if kind == "C" else matrix_transpose(a), not lower
    return equations.solve_triangular(a, b, lower=bool(lower), unit_diagonal=bool(unit_diagonal))


def cholesky(
    a: Any, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> Any:
    """The Cholesky factor U of a = U.H @ U, or with `lower` L of L @ L.H; one triangle is read.

    Raises LinAlgError for a matrix that is not positive definite.

    >>> cholesky([[4.0, 2.0], [2.0, 2.0]])
    array([[2., 1.],
           [0., 1.]])
    """
    a = operand("cholesky", a, check_finite)
    require_square("cholesky", type_of(a))
    half = cholesky_factor(hermitian_of(a, bool(lower)), upper=False)
    return half if lower else adjoint(half)


def cho_factor(
    a: Any, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> tuple[Any, bool]:
    """A Cholesky factor for `cho_solve`, and `lower`.

    The other triangle is of zeros, where SciPy leaves what was there: `cho_solve` does not read it.

    >>> cho_solve(cho_factor(np.diag([4.0, 2.0])), np.array([4.0, 4.0]))
    array([1., 2.])
    """
    return cholesky(a, lower=lower, check_finite=check_finite), lower


def cho_solve(
    c_and_lower: tuple[Any, bool], b: Any, overwrite_b: bool = False,
    check_finite: bool = True,
) -> Any:  # fmt: skip
    """The solution x of a @ x = b, from the Cholesky factor of `a` that `cho_factor` gives.

    >>> cho_solve((np.diag([2.0, 3.0]), True), np.array([4.0, 9.0]))
    array([1., 1.])
    """
    c, lower = c_and_lower
    c, b = operands("cho_solve", c, b, check_finite=check_finite)
    return equations.cholesky_solve(b, c, upper=not lower)


def inv(a: Any, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """The inverse of each matrix. Raises LinAlgError for a singular one.

    >>> inv(np.diag([2.0, 4.0]))
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    a = operand("inv", a, check_finite)
    require_square("inv", type_of(a))
    return equations.inv(a)


def lstsq(
    a: Any, b: Any, cond: float | None = None, overwrite_a: bool = False,
    overwrite_b: bool = False, check_finite: bool = True, lapack_driver: str | None = None,
) -> Any:  # fmt: skip
    """The least-squares solution of a @ x = b, the sums of squares left, the rank, singular values.

    Singular values up to `cond` times the largest count as zero. The sums are empty unless there
    are more equations than unknowns and the rank is full; in a graph, where that is not known, NaN
    for a smaller rank.

    >>> x, left, rank, s = lstsq(np.array([[1.0], [1.0]]), np.array([1.0, 3.0]))
    >>> x, float(left)
    (array([2.]), 2.0)
    """
    a, b = operands("lstsq", a, b, check_finite=check_finite)
    part = np.finfo(type_of(a).dtype).eps if cond is None else cond
    x, left, rank, s = inverses.lstsq(a, b, rcond=part)
    full = rank == shape_of(a)[-1]
    if 0 not in shape_of(left):
        left = left[..., 0] if len(shape_of(b)) == 1 else left
        known = entries_of(full)
        if known is None:
            left = where(full, left, np.nan)
        elif not known.all():
            left = np.empty(0, dtype=type_of(left).dtype)
    return x, left, rank, s
