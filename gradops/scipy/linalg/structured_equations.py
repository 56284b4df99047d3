"""Equations with Toeplitz and circulant matrices, by SciPy's names."""

from typing import Any

import numpy as np

from ...core.errors import LinAlgError, OptionError, ShapeError
from ...core.types import is_complex, shape_of, type_of
from ...library.elementwise.arithmetic import abs
from ...library.elementwise.comparison import where
from ...library.elementwise.complexes import real
from ...library.linalg import solve as equations
from ...library.linalg.matrices import conjugate
from ...library.reduce.reduction import max
from ...library.shape.joining import concatenate
from ...library.shape.movement import expand_dims, moveaxis
from ...library.signal import fourier
from ..known_entries import entries_of
from .operands import double, operand, size_of
from .special_matrices import require_vector, toeplitz, vector

__all__ = ["matmul_toeplitz", "solve_circulant", "solve_toeplitz"]


def column_and_row(call: str, given: Any, check_finite: bool) -> tuple[Any, Any]:
    """The first column and the first row, which is by default its conjugate."""
    column, row = given if isinstance(given, tuple) else (given, None)
    column = double(operand(call, vector(column), check_finite))
    require_vector(call, column)
    row = conjugate(column) if row is None else double(operand(call, vector(row), check_finite))
    return column, row


def solve_toeplitz(c_or_cr: Any, b: Any, check_finite: bool = True) -> Any:
    """The solution x of a @ x = b for a Toeplitz matrix: a column, or a pair of column and row.

    It is solved as a dense matrix, at a cost of n ** 3.

    >>> solve_toeplitz(np.array([2.0, 1.0]), np.array([3.0, 3.0]))
    array([1., 1.])
    """
    column, row = column_and_row("solve_toeplitz", c_or_cr, check_finite)
    b = double(operand("solve_toeplitz", b, check_finite))
    return equations.solve(toeplitz(column, row), b)


def matmul_toeplitz(
    c_or_cr: Any, x: Any, check_finite: bool = False, workers: int | None = None
) -> Any:
    """The product of a Toeplitz matrix, a column or a pair of column and row, with `x`.

    It is computed by Fourier transforms.

    >>> matmul_toeplitz(np.array([2.0, 1.0]), np.array([1.0, 1.0])).round(12)
    array([3., 3.])
    """
    column, row = column_and_row("matmul_toeplitz", c_or_cr, check_finite)
    x = double(operand("matmul_toeplitz", x, check_finite))
    m, n = size_of(column), size_of(row)
    if shape_of(x)[0] != n and isinstance(n, int):
        raise ShapeError("matmul_toeplitz", [type_of(x)], f"the matrix has {n} columns")
    alone = len(shape_of(x)) == 1
    whole = concatenate([column, row[:0:-1]])
    x = expand_dims(x, axis=-1) if alone else x
    of_matrix = expand_dims(fourier.fft(whole), axis=-1)
    y = fourier.ifft(of_matrix * fourier.fft(x, n=m + n - 1, axis=0), axis=0)[:m]
    y = y if any(is_complex(type_of(v).dtype) for v in (column, row, x)) else real(y)
    return y[:, 0] if alone else y


def solve_circulant(
    c: Any, b: Any, singular: str = "raise", tol: float | None = None, caxis: int = -1,
    baxis: int = 0, outaxis: int = 0,
) -> Any:  # fmt: skip
    """The solution x of a @ x = b for a circulant matrix, by its first column.

    It takes Fourier transforms. Coefficients of the matrix up to `tol`, by default in the order of
    rounding, are an error, or zeros of its pseudoinverse with `singular="lstsq"`. In a graph they
    give NaN in place of the error.

    >>> solve_circulant(np.array([2.0, 1.0]), np.array([3.0, 3.0]))
    array([1., 1.])
    """
    if singular not in ("raise", "lstsq"):
        raise OptionError("solve_circulant", [], f"singular is raise or lstsq, not {singular!r}")
    c = moveaxis(double(operand("solve_circulant", c)), caxis, -1)
    b = double(operand("solve_circulant", b))
    b = moveaxis(b, baxis, -1)
    if size_of(c) != size_of(b):
        raise ShapeError(
            "solve_circulant", [type_of(c), type_of(b)],
            f"the matrix has {size_of(c)} rows, the right side {size_of(b)}",
        )  # fmt: skip
    factors = fourier.fft(c)
    sizes = abs(factors)
    least = tol
    if least is None:
        least = max(sizes, axis=-1, keepdims=True) * size_of(c) * np.finfo(np.float64).eps
    small = sizes <= least
    known = entries_of(small)
    if singular == "raise" and known is not None and known.any():
        raise LinAlgError("solve_circulant", [type_of(c)], "the matrix is singular")
    missing = np.nan if singular == "raise" else 0.0
    x = fourier.ifft(where(small, missing, fourier.fft(b) / where(small, 1.0, factors)))
    is_real = not any(is_complex(type_of(v).dtype) for v in (c, b))
    return moveaxis(real(x) if is_real else x, -1, outaxis)
