"""Tests of entries that are formulas of comparisons."""

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
    """Which entries have no imaginary part.

    >>> isreal(np.array([1, 1j]))
    array([ True, False])
    """
    return equal(imag(x), 0)


def iscomplex(x: OperandLike) -> Any:
    """Which entries have an imaginary part.

    >>> iscomplex(np.array([1, 1j]))
    array([False,  True])
    """
    return not_equal(imag(x), 0)


def isposinf(x: OperandLike) -> Any:
    """Which entries are infinite and positive.

    >>> isposinf(np.array([np.inf, -np.inf]))
    array([ True, False])
    """
    return equal(x, np.inf)


def isneginf(x: OperandLike) -> Any:
    """Which entries are infinite and negative.

    >>> isneginf(np.array([np.inf, -np.inf]))
    array([False,  True])
    """
    return equal(x, -np.inf)


def isclose(
    a: OperandLike, b: OperandLike, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: bool = False
) -> Any:
    """Which entries are close to those of `b`, relative to these.

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
    """Whether all entries are close.

    >>> bool(allclose(np.ones(2), np.ones(2) + 1e-9))
    True
    """
    return all(isclose(a, b, rtol, atol, equal_nan))
