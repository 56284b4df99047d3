"""Decompositions of matrices, and what is computed from them, by SciPy's names."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.errors import OptionError, ShapeError
from ...core.types import shape_of, type_of
from ...library.index.diagonals import diag_embed
from ...library.linalg import determinants, eigen, inverses, norms
from ...library.linalg import svd as singular
from ...library.linalg.cholesky import cholesky as cholesky_factor
from ...library.linalg.matrices import adjoint, require_square, times
from ...library.linalg.solve import solve_triangular
from ...library.shape.padding import pad
from ...typing import AnyArray
from ..promotion import promoted
from .operands import double, hermitian_of, operand, require_default, size_of

__all__ = [
    "det", "diagsvd", "eig", "eigh", "eigvals", "eigvalsh", "norm", "pinv", "pinvh", "svd",
    "svdvals",
]  # fmt: skip


def det(a: Any, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """The determinant of each matrix.

    >>> float(det(np.diag([2.0, 3.0])))
    6.0
    """
    return determinants.det(double(operand("det", a, check_finite)))


def norm(
    a: Any, ord: Any = None, axis: Any = None, keepdims: bool = False,
    check_finite: bool = True,
) -> Any:  # fmt: skip
    """A norm of vectors along an axis, or of matrices along two; of all entries without `axis`.

    >>> float(norm(np.array([3.0, 4.0])))
    5.0
    """
    return norms.norm(operand("norm", a, check_finite), ord=ord, axis=axis, keepdims=keepdims)


def eigh(
    a: Any, b: Any = None, *, lower: bool = True,
    eigvals_only: bool = False, overwrite_a: bool = False, overwrite_b: bool = False,
    type: int = 1, check_finite: bool = True, subset_by_index: Sequence[int] | None = None,
    subset_by_value: Any = None, driver: str | None = None,
) -> Any:  # fmt: skip
    """The eigenvalues of Hermitian matrices, ascending, and the eigenvectors as columns.

    With `b`, positive definite, those of the problem of `type`: 1 is a @ v = w * b @ v, 2 is
    a @ b @ v = w * v, 3 is b @ a @ v = w * v. `subset_by_index=(first, last)` selects some, the
    last included. Raises OptionError for `subset_by_value`, for which sizes depend on values.

    >>> eigh(np.array([[2.0, 1.0], [1.0, 2.0]]), eigvals_only=True)
    array([1., 3.])
    """
    a = operand("eigh", a, check_finite)
    require_square("eigh", type_of(a))
    require_default("eigh", "subset_by_value", subset_by_value, None, "use subset_by_index")
    chosen = subset("eigh", subset_by_index, size_of(a))
    a = hermitian_of(a, lower)
    if b is None:
        if eigvals_only:
            return eigen.eigvalsh(a)[..., chosen]
        w, v = eigen.eigh(a)
        return w[..., chosen], v[..., :, chosen]
    if type not in (1, 2, 3):
        raise OptionError("eigh", [type_of(a)], f"type is 1, 2 or 3, not {type!r}")
    a, b = promoted(a, operand("eigh", b, check_finite))
    require_square("eigh", type_of(b))
    half = cholesky_factor(hermitian_of(b, lower), upper=False)
    c = standard_problem(a, half, type)
    if eigvals_only:
        return eigen.eigvalsh(c)[..., chosen]
    w, v = eigen.eigh(c)
    v = times(half, v) if type == 3 else solve_triangular(adjoint(half), v, lower=False)
    return w[..., chosen], v[..., :, chosen]


def standard_problem(a: AnyArray, half: AnyArray, type: int) -> AnyArray:
    """The matrix whose eigenvalues are those of a generalised problem with b = half @ half.H."""
    if type > 1:
        c = times(adjoint(half), a, half)
    else:
        left = solve_triangular(half, a, lower=True)
        c = solve_triangular(half, adjoint(left), lower=True)
    return (c + adjoint(c)) / 2


def subset(call: str, chosen: Sequence[int] | None, n: Any) -> slice:
    """The slice of eigenvalues from the first to the last that are asked for."""
    if chosen is None:
        return slice(None)
    first, last = chosen
    if not 0 <= first <= last < n:
        raise OptionError(
            call, [], f"subset_by_index={tuple(chosen)} is not a range in 0 to {n - 1}"
        )
    return slice(first, last + 1)


def eigvalsh(
    a: Any, b: Any = None, *, lower: bool = True, overwrite_a: bool = False,
    overwrite_b: bool = False, type: int = 1, check_finite: bool = True,
    subset_by_index: Sequence[int] | None = None, subset_by_value: Any = None,
    driver: str | None = None,
) -> Any:  # fmt: skip
    """The eigenvalues of Hermitian matrices, ascending; see `eigh`.

    >>> eigvalsh(np.diag([3.0, 1.0]))
    array([1., 3.])
    """
    return eigh(
        a, b, lower=lower, eigvals_only=True, type=type, check_finite=check_finite,
        subset_by_index=subset_by_index, subset_by_value=subset_by_value,
    )  # fmt: skip


def eig(
    a: Any, b: Any = None, left: bool = False, right: bool = True,
    overwrite_a: bool = False, overwrite_b: bool = False, check_finite: bool = True,
    homogeneous_eigvals: bool = False,
) -> Any:  # fmt: skip
    """The complex eigenvalues of square matrices, and the right eigenvectors as columns.

    Raises OptionError for `b`, `left` and `homogeneous_eigvals`, which are not here.

    >>> w, v = eig(np.diag([1.0, 2.0]))
    >>> w
    array([1.+0.j, 2.+0.j])
    """
    require_default("eig", "b", None if b is None else "an array", None, "eig(solve(b, a))")
    require_default("eig", "left", bool(left), False, "eig(a.T) has the left eigenvectors of a")
    require_default("eig", "homogeneous_eigvals", bool(homogeneous_eigvals), False, "leave it out")
    a = operand("eig", a, check_finite)
    if not right:
        return eigen.eigvals(a)
    return tuple(eigen.eig(a))


def eigvals(
    a: Any, b: Any = None, overwrite_a: bool = False,
    check_finite: bool = True, homogeneous_eigvals: bool = False,
) -> Any:  # fmt: skip
    """The complex eigenvalues of square matrices; see `eig`.

    >>> eigvals(np.diag([1.0, 2.0]))
    array([1.+0.j, 2.+0.j])
    """
    return eig(
        a, b, right=False, check_finite=check_finite, homogeneous_eigvals=homogeneous_eigvals
    )


def svd(
    a: Any, full_matrices: bool = True, compute_uv: bool = True, overwrite_a: bool = False,
    check_finite: bool = True, lapack_driver: str = "gesdd",
) -> Any:  # fmt: skip
    """The singular value decomposition of each matrix: U, the values descending, and V.H.

    >>> svd(np.diag([1.0, 2.0]), compute_uv=False)
    array([2., 1.])
    """
    a = operand("svd", a, check_finite)
    if not compute_uv:
        return singular.svdvals(a)
    return tuple(singular.svd(a, full_matrices=bool(full_matrices)))


def svdvals(a: Any, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """The singular values of each matrix, descending.

    >>> svdvals(np.diag([1.0, 2.0]))
    array([2., 1.])
    """
    return singular.svdvals(operand("svdvals", a, check_finite))


def diagsvd(s: Any, M: int, N: int) -> Any:
    """The M by N matrix with singular values on its diagonal.

    Raises ShapeError unless their number is the smaller size.

    >>> diagsvd(np.array([2.0, 1.0]), 2, 3)
    array([[2., 0., 0.],
           [0., 1., 0.]])
    """
    s = operand("diagsvd", s)
    n = size_of(s)
    if n not in (M, N):
        raise ShapeError("diagsvd", [type_of(s)], f"{n} values are not {M} or {N}")
    return pad(diag_embed(s), ((0, 0),) * (len(shape_of(s)) - 1) + ((0, M - n), (0, N - n)))


def cutoff(a: AnyArray, rtol: float | None) -> float:
    """The part of the largest singular value below which SciPy takes one for zero."""
    return float(
        max(size_of(a, -2), size_of(a)) * np.finfo(type_of(a).dtype).eps if rtol is None else rtol
    )


def pinv(
    a: Any, *, atol: float | None = None, rtol: float | None = None,
    return_rank: bool = False, check_finite: bool = True,
) -> Any:  # fmt: skip
    """The pseudoinverse of each matrix; singular values up to `rtol` times the largest are zero.

    Raises OptionError for an `atol`, which is not here.

    >>> pinv(np.diag([2.0, 0.0]))
    array([[0.5, 0. ],
           [0. , 0. ]])
    """
    return pseudoinverse("pinv", operand("pinv", a, check_finite), atol, rtol, return_rank, False)


def pinvh(
    a: Any, atol: float | None = None, rtol: float | None = None, lower: bool = True,
    return_rank: bool = False, check_finite: bool = True,
) -> Any:  # fmt: skip
    """The pseudoinverse of Hermitian matrices, of which one triangle is read; see `pinv`.

    >>> pinvh(np.diag([2.0, 0.0]))
    array([[0.5, 0. ],
           [0. , 0. ]])
    """
    a = operand("pinvh", a, check_finite)
    require_square("pinvh", type_of(a))
    return pseudoinverse("pinvh", hermitian_of(a, lower), atol, rtol, return_rank, True)


def pseudoinverse(
    call: str, a: AnyArray, atol: float | None, rtol: float | None, return_rank: bool,
    hermitian: bool,
) -> Any:  # fmt: skip
    """The pseudoinverse, and with `return_rank` the rank."""
    require_default(call, "atol", atol, None, "give rtol, a part of the largest singular value")
    attrs = {"rtol": cutoff(a, rtol), "hermitian": hermitian}
    y = inverses.pinv(a, **attrs)
    return (y, inverses.matrix_rank(a, **attrs)) if return_rank else y
