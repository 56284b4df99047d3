"""Elementwise tests made of comparisons."""

from typing import Any

import numpy as np

from ...core.types import is_inexact, type_of
from ...typing import OperandLike
from ..reduce.reduction import all
from ..shape.movement import astype
from .arithmetic import abs, sub
from .comparison import equal, less_equal, not_equal
from .complexes import imag
from .logic import isfinite, isnan, logical_and, logical_or

__all__ = ["allclose", "isclose", "iscomplex", "isneginf", "isposinf", "isreal"]


def isreal(x: OperandLike) -> Any:
    """True for entries without an imaginary part.

    >>> isreal(np.array([1, 1j]))
    array([ True, False])
    """
    return equal(imag(x), 0)


def iscomplex(x: OperandLike) -> Any:
    """True for entries with an imaginary part other than 0.

    >>> iscomplex(np.array([1, 1j]))
    array([False,  True])
    """
    return not_equal(imag(x), 0)


def isposinf(x: OperandLike) -> Any:
    """True for entries that are positive infinity.

    >>> isposinf(np.array([np.inf, -np.inf]))
    array([ True, False])
    """
    return equal(x, np.inf)


def isneginf(x: OperandLike) -> Any:
    """True for entries that are negative infinity.

    >>> isneginf(np.array([np.inf, -np.inf]))
    array([False,  True])
    """
    return equal(x, -np.inf)


def isclose(
    a: OperandLike, b: OperandLike, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: bool = False
) -> Any:
    """True for entries within `atol` + `rtol` * abs(b) of those of `b`.

    >>> isclose(np.array([1.0, 2.0]), np.array([1.0, 2.1]))
    array([ True, False])
    """
    if not is_inexact(type_of(b).dtype):
        a, b = (astype(x, dtype=np.float64) for x in (a, b))  # integers would wrap around
    near = less_equal(abs(sub(a, b)), atol + rtol * abs(b))
    found = logical_or(logical_and(near, isfinite(b)), equal(a, b))
    if equal_nan:
        found = logical_or(found, logical_and(isnan(a), isnan(b)))
    return found


def allclose(
    a: OperandLike, b: OperandLike, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: bool = False
) -> Any:
    """True if all entries are close; see `isclose`.

    >>> bool(allclose(np.ones(2), np.ones(2) + 1e-9))
    True
    """
    return all(isclose(a, b, rtol, atol, equal_nan))
