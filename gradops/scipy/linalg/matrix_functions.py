"""Functions of matrices and matrix equations, by SciPy's names."""

from typing import Any

import numpy as np

from ...core.errors import OptionError
from ...core.types import shape_of, type_of
from ...library.linalg import matrix_functions, sylvester
from ...library.linalg import solve as equations
from ...library.linalg.matrices import adjoint, conjugate, require_square, times
from ...library.shape.movement import reshape
from ...typing import AnyArray
from .operands import double, operand, operands, size_of

__all__ = [
    "expm", "expm_frechet", "logm", "solve_continuous_lyapunov", "solve_discrete_lyapunov",
    "solve_lyapunov", "solve_sylvester", "sqrtm",
]  # fmt: skip

SMALL = 10  # rows, below which SciPy solves a discrete equation as linear equations


def expm(A: Any) -> Any:
    """The exponential of each matrix, the sum of A**k / k!.

    >>> expm(np.zeros((2, 2)))
    array([[1., 0.],
           [0., 1.]])
    """
    return matrix_functions.matrix_exp(operand("expm", A, False))


def expm_frechet(
    A: Any, E: Any, method: str | None = None, compute_expm: bool = True,
    check_finite: bool = True,
) -> Any:  # fmt: skip
    """The exponential of a matrix, and its derivative in the direction E.

    >>> _, change = expm_frechet(np.zeros((2, 2)), np.eye(2))
    >>> change
    array([[1., 0.],
           [0., 1.]])
    """
    x = double(operand("expm_frechet", A, check_finite))
    t = double(operand("expm_frechet", E, check_finite))
    require_square("expm_frechet", type_of(x))
    if method not in (None, "SPS", "blockEnlarge"):
        raise OptionError(
            "expm_frechet", [type_of(x)], f"method is 'SPS' or 'blockEnlarge', not {method!r}"
        )
    change = matrix_functions.exp_derivative(x, t)
    return (matrix_functions.matrix_exp(x), change) if compute_expm else change


def sqrtm(A: Any) -> Any:
    """The principal square root of each matrix, of the same dtype.

    Raises LinAlgError for a real matrix whose root is complex, where SciPy's result is complex.

    >>> sqrtm(np.diag([4.0, 9.0]))
    array([[2., 0.],
           [0., 3.]])
    """
    return sylvester.matrix_sqrt(operand("sqrtm", A, False))


def logm(A: Any) -> Any:
    """The principal logarithm of each matrix, of the same dtype.

    Raises LinAlgError for a real matrix whose logarithm is complex, where SciPy's result is
    complex.

    >>> logm(np.eye(2))
    array([[0., 0.],
           [0., 0.]])
    """
    return sylvester.matrix_log(operand("logm", A))


def solve_sylvester(a: Any, b: Any, q: Any) -> Any:
    """The solution x of Sylvester's equation a @ x + x @ b = q.

    Raises LinAlgError where an eigenvalue of `a` is minus one of `b`.

    >>> solve_sylvester(np.array([[1.0]]), np.array([[2.0]]), np.array([[6.0]]))
    array([[2.]])
    """
    return sylvester.solve_sylvester(*operands("solve_sylvester", a, b, q))


def solve_continuous_lyapunov(a: Any, q: Any) -> Any:
    """The solution x of Lyapunov's equation a @ x + x @ a.H = q.

    >>> solve_continuous_lyapunov(np.array([[1.0]]), np.array([[6.0]]))
    array([[3.]])
    """
    a, q = operands("solve_continuous_lyapunov", a, q)
    return sylvester.solve_sylvester(a, adjoint(a), q)


solve_lyapunov = solve_continuous_lyapunov


def solve_discrete_lyapunov(a: Any, q: Any, method: str | None = None) -> Any:
    """The solution x of a @ x @ a.H - x + q = 0.

    `method` is "direct", by linear equations in all entries and the default for small matrices, or
    "bilinear", by a continuous equation. Raises OptionError for another.

    >>> solve_discrete_lyapunov(np.array([[0.5]]), np.array([[3.0]]))
    array([[4.]])
    """
    a, q = map(double, operands("solve_discrete_lyapunov", a, q))
    require_square("solve_discrete_lyapunov", type_of(a))
    require_square("solve_discrete_lyapunov", type_of(q))
    method = method or ("direct" if size_of(a) < SMALL else "bilinear")
    if method not in METHODS:
        raise OptionError(
            "solve_discrete_lyapunov", [type_of(a), type_of(q)],
            f"method is 'direct' or 'bilinear', not {method!r}",
        )  # fmt: skip
    return METHODS[method](a, q)


def direct(a: AnyArray, q: AnyArray) -> AnyArray:
    """The solution of the linear equations in all entries."""
    n = size_of(a)
    other: Any = conjugate(a)
    products = a[..., :, None, :, None] * other[..., None, :, None, :]
    products = reshape(products, shape=(*shape_of(a)[:-2], n * n, n * n))
    column = reshape(q, shape=(*shape_of(q)[:-2], n * n, 1))
    found = equations.solve(np.eye(n * n, dtype=type_of(a).dtype) - products, column)
    return reshape(found, shape=(*shape_of(found)[:-2], n, n))


def bilinear(a: AnyArray, q: AnyArray) -> AnyArray:
    """The solution of the continuous equation that has it too."""
    one = np.eye(size_of(a), dtype=type_of(a).dtype)
    right = equations.inv(adjoint(a) + one)
    b = times(adjoint(a) - one, right)
    c = times(2 * equations.inv(a + one), q, right)
    return sylvester.solve_sylvester(adjoint(b), b, -c)


METHODS = {"direct": direct, "bilinear": bilinear}
