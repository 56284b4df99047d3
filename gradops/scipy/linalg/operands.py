"""Operands as SciPy's functions of linear algebra take them: lists, small floats, finite or not."""

from typing import Any

import numpy as np

from ...core.errors import LinAlgError, OptionError
from ...core.tracer_protocol import held
from ...core.types import is_inexact, shape_of, type_of
from ...library.index.diagonals import tril, triu
from ...library.linalg.matrices import adjoint
from ...library.shape.movement import astype
from ...library.shape.rearrange import matrix_transpose
from ...typing import AnyArray
from ..promotion import promoted

__all__: list[str] = []


def operand(call: str, x: Any, check_finite: bool = True) -> Any:
    """`x` as an operand of floats; a LinAlgError, which is a ValueError, unless it is finite.

    Only values that are known are checked: those of an expression are not.
    """
    x = np.asarray(x) if isinstance(x, list | tuple | int | float | complex) else x
    kind = type_of(x)
    if not is_inexact(kind.dtype):
        x = astype(x, dtype=np.float64)
    elif kind.dtype == np.float16:
        x = astype(x, dtype=np.float32)
    value = held(x)
    if check_finite and isinstance(value, np.ndarray) and not np.isfinite(value).all():
        raise LinAlgError(
            call, [kind], "the array must not contain infs or NaNs",
            hint="check_finite=False lets them pass",
        )  # fmt: skip
    return x


def operands(call: str, *xs: Any, check_finite: bool = True) -> list[Any]:
    """Operands of floats of one dtype; see `operand`."""
    return promoted(*(operand(call, x, check_finite) for x in xs))


def size_of(x: AnyArray, axis: int = -1) -> Any:
    """The number of entries along an axis."""
    return shape_of(x)[axis]


def double(x: AnyArray) -> AnyArray:
    """`x` in double precision, for functions whose results SciPy gives in that."""
    return astype(x, dtype=np.result_type(type_of(x).dtype, np.float64))


def triangle(x: AnyArray, lower: bool, k: int = 0) -> AnyArray:
    """The entries of a triangle, those off the `k` nearest diagonals to the main one."""
    return tril(x, k=-k) if lower else triu(x, k=k)


def symmetric(x: AnyArray, lower: bool) -> AnyArray:
    """The symmetric matrices of which one triangle is read."""
    return triangle(x, lower) + matrix_transpose(triangle(x, lower, 1))


def hermitian_of(x: AnyArray, lower: bool) -> AnyArray:
    """The Hermitian matrices of which one triangle is read, and the real part of the diagonal."""
    strict = triangle(x, lower, 1)
    diagonal = tril(triu(x))
    if type_of(x).dtype.kind == "c":
        diagonal = (diagonal + adjoint(diagonal)) / 2
    return strict + adjoint(strict) + diagonal


def require_default(call: str, name: str, value: object, default: object, hint: str) -> None:
    """Raise an OptionError for an argument of SciPy's whose other values are not here."""
    if value is not default and value != default:
        raise OptionError(call, [], f"{name}={value!r} is not here, only {default!r}", hint=hint)
