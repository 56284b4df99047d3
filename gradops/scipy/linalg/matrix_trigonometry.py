"""Trigonometric functions, signs and powers of matrices, by SciPy's names."""

from typing import Any

import numpy as np

from ...core.types import is_complex, type_of
from ...library.elementwise.complexes import imag, real
from ...library.linalg.matrices import require_square, times
from ...library.linalg.matrix_functions import matrix_exp, matrix_power
from ...library.linalg.solve import inv, solve
from ...library.linalg.sylvester import matrix_log, matrix_sqrt
from .operands import double, operand

__all__ = [
    "coshm", "cosm", "fractional_matrix_power", "signm", "sinhm", "sinm", "tanhm", "tanm",
]  # fmt: skip


def square(call: str, x: Any) -> Any:
    """`x` as an operand of square matrices in double precision."""
    x = double(operand(call, x))
    require_square(call, type_of(x))
    return x


def cos_and_sin(x: Any) -> tuple[Any, Any]:
    """The cosine and the sine of square matrices."""
    turned = matrix_exp(1j * x)
    if not is_complex(type_of(x).dtype):
        return real(turned), imag(turned)
    other = matrix_exp(-1j * x)
    return 0.5 * (turned + other), -0.5j * (turned - other)


def cosh_and_sinh(x: Any) -> tuple[Any, Any]:
    """The hyperbolic cosine and sine of square matrices."""
    up, down = matrix_exp(x), matrix_exp(-x)
    return 0.5 * (up + down), 0.5 * (up - down)


def cosm(A: Any) -> Any:
    """The cosine of each matrix.

    >>> cosm(np.zeros((1, 1)))
    array([[1.]])
    """
    return cos_and_sin(square("cosm", A))[0]


def sinm(A: Any) -> Any:
    """The sine of each matrix.

    >>> sinm(np.zeros((1, 1)))
    array([[0.]])
    """
    return cos_and_sin(square("sinm", A))[1]


def tanm(A: Any) -> Any:
    """The tangent of each matrix.

    >>> tanm(np.zeros((1, 1)))
    array([[0.]])
    """
    return solve(*cos_and_sin(square("tanm", A)))


def coshm(A: Any) -> Any:
    """The hyperbolic cosine of each matrix.

    >>> coshm(np.zeros((1, 1)))
    array([[1.]])
    """
    return cosh_and_sinh(square("coshm", A))[0]


def sinhm(A: Any) -> Any:
    """The hyperbolic sine of each matrix.

    >>> sinhm(np.zeros((1, 1)))
    array([[0.]])
    """
    return cosh_and_sinh(square("sinhm", A))[1]


def tanhm(A: Any) -> Any:
    """The hyperbolic tangent of each matrix.

    >>> tanhm(np.zeros((1, 1)))
    array([[0.]])
    """
    return solve(*cosh_and_sinh(square("tanhm", A)))


def signm(A: Any) -> Any:
    """The sign of each matrix: its eigenvalues become -1 or 1, by their real parts.

    Raises LinAlgError for a matrix with an imaginary or zero eigenvalue.

    >>> signm(np.diag([-2.0, 3.0]))
    array([[-1.,  0.],
           [ 0.,  1.]])
    """
    x = square("signm", A)
    return times(x, inv(matrix_sqrt(times(x, x))))


def fractional_matrix_power(A: Any, t: Any) -> Any:
    """The principal power of each matrix, exp(t log A); derivatives by the exponent, too.

    An integer exponent is one of products. Raises LinAlgError where the power of a real matrix is
    complex, where SciPy's result is complex.

    >>> fractional_matrix_power(np.diag([4.0, 9.0]), 0.5).round(12)
    array([[2., 0.],
           [0., 3.]])
    """
    x = square("fractional_matrix_power", A)
    if isinstance(t, int | float | np.integer | np.floating) and t == int(t):
        return matrix_power(x, int(t))
    return matrix_exp(t * matrix_log(x))
