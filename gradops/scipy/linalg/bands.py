"""Matrices of which the diagonals are stored as rows, by SciPy's names."""

from collections.abc import Sequence
from typing import Any

from ...core.errors import OptionError
from ...core.types import shape_of, type_of
from ...library.elementwise.comparison import clip, where
from ...library.elementwise.logic import logical_and
from ...library.index.indexing import index, numbers
from ...library.linalg import eigen
from ...library.linalg.banded import shifted, solve_banded_op, transposed
from ...library.linalg.cholesky import cholesky
from ...library.linalg.matrices import conjugate
from ...library.shape.joining import concatenate, stack
from ...library.shape.movement import expand_dims
from .decompositions import subset
from .operands import hermitian_of, operand, operands, require_default, size_of

__all__ = [
    "cho_solve_banded", "cholesky_banded", "eig_banded", "eigh_tridiagonal", "eigvals_banded",
    "eigvalsh_tridiagonal", "solve_banded", "solveh_banded",
]  # fmt: skip


def solve_banded(
    l_and_u: Sequence[int], ab: Any, b: Any, overwrite_ab: bool = False, overwrite_b: bool = False,
    check_finite: bool = True,
) -> Any:  # fmt: skip
    """The solution x of a @ x = b, where a[i, j] is ab[u + i - j, j] up to l below and u above.

    Derivatives solve banded equations too. Raises LinAlgError for a singular matrix, ShapeError
    where the numbers of diagonals do not go together.

    >>> solve_banded((0, 1), np.array([[0.0, 1.0], [2.0, 4.0]]), np.array([4.0, 4.0]))
    array([1.5, 1. ])
    """
    ab, b = operands("solve_banded", ab, b, check_finite=check_finite)
    lower, upper = l_and_u
    return solve(ab, b, int(lower), int(upper))


def solve(ab: Any, b: Any, lower: int, upper: int) -> Any:
    """The solution for one right side, or for columns."""
    alone = len(shape_of(b)) == 1
    x = solve_banded_op(ab, expand_dims(b, axis=-1) if alone else b, lower=lower, upper=upper)
    return x[..., 0] if alone else x


def solveh_banded(
    ab: Any, b: Any, overwrite_ab: bool = False, overwrite_b: bool = False, lower: bool = False,
    check_finite: bool = True,
) -> Any:  # fmt: skip
    """The solution x of a @ x = b for a Hermitian matrix of which the upper diagonals are given.

    With `lower` these are the lower ones. An indefinite matrix, which SciPy refuses, is solved too.

    >>> solveh_banded(np.array([[0.0, 1.0], [2.0, 2.0]]), np.array([3.0, 3.0]))
    array([1., 1.])
    """
    ab, b = operands("solveh_banded", ab, b, check_finite=check_finite)
    k = size_of(ab, -2) - 1
    if lower:
        main, half = ab[..., 0, :], ab[..., 1:, :]
        other = [conjugate(shifted(ab[..., d, :], -d)) for d in range(k, 0, -1)]
        rows = [*other, real_of(main), *(half[..., d, :] for d in range(k))]
    else:
        other = [conjugate(shifted(ab[..., k - d, :], d)) for d in range(1, k + 1)]
        rows = [*(ab[..., d, :] for d in range(k)), real_of(ab[..., k, :]), *other]
    return solve(stack(rows, axis=-2), b, k, k)


def real_of(x: Any) -> Any:
    """The real part of complex entries, which remain complex."""
    return (x + conjugate(x)) / 2 if type_of(x).dtype.kind == "c" else x


def dense(ab: Any, lower: int, upper: int) -> Any:
    """The matrix whose diagonals are rows."""
    n = numbers(ab, -1)
    away = expand_dims(n, axis=-1) - n
    places = clip(away + upper, 0, lower + upper)
    entries = index(ab, (..., places, n))
    return where(logical_and(away <= lower, away >= -upper), entries, 0.0)


def diagonals(a: Any, lower: int, upper: int) -> Any:
    """The diagonals of a matrix as rows, with zeros where they are shorter."""
    n = numbers(a, -1)
    rows = []
    for d in range(-upper, lower + 1):
        place = n + d
        inside = logical_and(place >= 0, place <= n[-1])
        rows.append(where(inside, index(a, (..., clip(place, 0, n[-1]), n)), 0.0))
    return stack(rows, axis=-2)


def hermitian(ab: Any, lower: bool) -> Any:
    """The Hermitian matrix of which diagonals of one triangle are given."""
    k = size_of(ab, -2) - 1
    return hermitian_of(dense(ab, k, 0) if lower else dense(ab, 0, k), lower)


def cholesky_banded(
    ab: Any, overwrite_ab: bool = False, lower: bool = False, check_finite: bool = True
) -> Any:
    """The Cholesky factor of a Hermitian matrix, in the same form as its diagonals.

    It is computed, and differentiated, as that of a dense matrix.

    >>> cholesky_banded(np.array([[0.0, 2.0], [4.0, 2.0]]))
    array([[0., 1.],
           [2., 1.]])
    """
    ab = operand("cholesky_banded", ab, check_finite)
    k = size_of(ab, -2) - 1
    factor = cholesky(hermitian(ab, lower), upper=not lower)
    return diagonals(factor, k if lower else 0, 0 if lower else k)


def cho_solve_banded(
    cb_and_lower: Any, b: Any, overwrite_b: bool = False, check_finite: bool = True
) -> Any:
    """The solution x of a @ x = b from `(cholesky_banded(a, lower=lower), lower)`.

    >>> cho_solve_banded((np.array([[2.0, 3.0]]), False), np.array([4.0, 9.0]))
    array([1., 1.])
    """
    cb, lower = cb_and_lower
    cb, b = operands("cho_solve_banded", cb, b, check_finite=check_finite)
    k = size_of(cb, -2) - 1
    low, high = (k, 0) if lower else (0, k)
    other = conjugate(transposed(cb, low, high))
    first, last = ((cb, low, high), (other, high, low))[:: 1 if lower else -1]
    half = solve(first[0], b, *first[1:])
    return solve(last[0], half, *last[1:])


def selected(call: str, select: Any, select_range: Any, n: Any) -> slice:
    """The slice of eigenvalues that are asked for."""
    if select in ("a", "all", 0):
        return slice(None)
    if select in ("i", "index", 2):
        return subset(call, select_range, n)
    raise OptionError(call, [], f"select={select!r} is not here, only 'a' and 'i'")


def eig_banded(
    a_band: Any, lower: bool = False, eigvals_only: bool = False, overwrite_a_band: bool = False,
    select: Any = "a", select_range: Any = None, max_ev: int = 0, check_finite: bool = True,
) -> Any:  # fmt: skip
    """The eigenvalues and eigenvectors of a Hermitian matrix of which diagonals are given.

    `select="i"` and `select_range=(first, last)` select some. Raises OptionError for a selection
    by values, for which sizes depend on values.

    >>> eig_banded(np.array([[0.0, 1.0], [2.0, 2.0]]), eigvals_only=True)
    array([1., 3.])
    """
    a = hermitian(operand("eig_banded", a_band, check_finite), lower)
    chosen = selected("eig_banded", select, select_range, size_of(a))
    if eigvals_only:
        return eigen.eigvalsh(a)[..., chosen]
    w, v = eigen.eigh(a)
    return w[..., chosen], v[..., :, chosen]


def eigvals_banded(
    a_band: Any, lower: bool = False, overwrite_a_band: bool = False, select: Any = "a",
    select_range: Any = None, check_finite: bool = True,
) -> Any:  # fmt: skip
    """The eigenvalues of a Hermitian matrix of which diagonals are given; see `eig_banded`.

    >>> eigvals_banded(np.array([[0.0, 1.0], [2.0, 2.0]]))
    array([1., 3.])
    """
    return eig_banded(
        a_band, lower, eigvals_only=True, select=select, select_range=select_range,
        check_finite=check_finite,
    )  # fmt: skip


def eigh_tridiagonal(
    d: Any, e: Any, eigvals_only: bool = False, select: Any = "a", select_range: Any = None,
    check_finite: bool = True, tol: float = 0.0, lapack_driver: str = "auto",
) -> Any:  # fmt: skip
    """The eigenvalues and eigenvectors of a real symmetric tridiagonal matrix; see `eig_banded`.

    >>> eigh_tridiagonal(np.array([2.0, 2.0]), np.array([1.0]), eigvals_only=True)
    array([1., 3.])
    """
    require_default("eigh_tridiagonal", "tol", tol, 0.0, "leave it out")
    d, e = operands("eigh_tridiagonal", d, e, check_finite=check_finite)
    bands = stack([d, concatenate([e, 0 * d[:1]])])
    return eig_banded(bands, True, eigvals_only, select=select, select_range=select_range)


def eigvalsh_tridiagonal(
    d: Any, e: Any, select: Any = "a", select_range: Any = None, check_finite: bool = True,
    tol: float = 0.0, lapack_driver: str = "auto",
) -> Any:  # fmt: skip
    """The eigenvalues of a real symmetric tridiagonal matrix; see `eig_banded`.

    >>> eigvalsh_tridiagonal(np.array([2.0, 2.0]), np.array([1.0]))
    array([1., 3.])
    """
    return eigh_tridiagonal(d, e, True, select, select_range, check_finite, tol)
