"""Equations by way of a factor, and equations of tensors."""

from collections.abc import Sequence
from typing import Any

from ...core.dims import product
from ...core.errors import ShapeError
from ...core.types import shape_of, type_of
from ..elementwise.comparison import masked
from ..shape.creation import ones_like
from ..shape.movement import reshape, transpose
from .matrices import adjoint, on_diagonal, require_square, times
from .solve import inv, solve
from .triangular import solve_triangular

__all__: list[str] = []


def cholesky_solve(b: Any, factor: Any, upper: bool = False) -> Any:
    """The solution x of a @ x = b, from Cholesky's factor of `a`, by which it is L @ L.H.

    With `upper` the factor is U, and `a` is U.H @ U. Raises ShapeError where the shapes do not fit,
    LinAlgError for a factor with a zero on its diagonal.

    >>> cholesky_solve(np.array([[4.0], [9.0]]), np.diag([2.0, 3.0]))
    array([[1.],
           [1.]])
    """
    require_square("cholesky_solve", type_of(factor))
    first, last = (adjoint(factor), factor) if upper else (factor, adjoint(factor))
    return solve_triangular(last, solve_triangular(first, b, lower=True), lower=False)


def cholesky_inverse(factor: Any, upper: bool = False) -> Any:
    """The inverse of a matrix, from Cholesky's factor of it; see `cholesky_solve`.

    >>> cholesky_inverse(np.diag([2.0, 1.0]))
    array([[0.25, 0.  ],
           [0.  , 1.  ]])
    """
    require_square("cholesky_inverse", type_of(factor))
    one = masked(on_diagonal(factor), ones_like(factor))
    first = adjoint(factor) if upper else factor
    half = solve_triangular(first, one, lower=True)
    return times(adjoint(half), half)


def tensorsolve(a: Any, b: Any, axes: Sequence[int] | None = None) -> Any:
    """The solution x of tensordot(a, x, x.ndim) = b; `axes` of `a` are moved to the end first.

    Raises ShapeError where the entries of `b` are not as many as those of x.

    >>> tensorsolve(np.eye(4).reshape(2, 2, 4), np.ones((2, 2)))
    array([1., 1., 1., 1.])
    """
    if axes is not None:
        ndim = len(shape_of(a))
        last = [i % ndim for i in axes]
        a = transpose(a, axes=(*(i for i in range(ndim) if i not in last), *last))
    unknown = shape_of(a)[len(shape_of(b)) :]
    n = product(unknown)
    if product(shape_of(a)) != n * n:
        raise ShapeError(
            "tensorsolve", [type_of(a), type_of(b)], f"there are not {n} equations for {n} unknowns"
        )
    return reshape(solve(reshape(a, shape=(n, n)), reshape(b, shape=(n,))), shape=unknown)


def tensorinv(a: Any, ind: int = 2) -> Any:
    """The inverse of tensordot(a, x, ind): what gives x again, for an x with `ind` axes.

    Raises ShapeError if the first `ind` axes of `a` have not as many entries as the others.

    >>> tensorinv(np.eye(4).reshape(2, 2, 4), 2).shape
    (4, 2, 2)
    """
    shape = shape_of(a)
    rows, columns = product(shape[:ind]), product(shape[ind:])
    if ind <= 0 or rows != columns:
        raise ShapeError(
            "tensorinv", [type_of(a)], f"{ind} axes have {rows} entries, the others {columns}"
        )
    return reshape(inv(reshape(a, shape=(rows, columns))), shape=(*shape[ind:], *shape[:ind]))
