"""Logarithms of sums of exponentials, and what normalizes by them."""

import math
from collections.abc import Callable
from typing import Any

from ...core.types import shape_of
from ...library.elementwise.arithmetic import abs, sign
from ...library.elementwise.comparison import equal, less, where
from ...library.elementwise.exponential import exp, exp_difference, log
from ...library.elementwise.logic import isfinite, logical_and, logical_not
from ...library.families import zeros_like
from ...library.nn import softmax as normalizations
from ...library.reduce import reduction
from ...library.shape.movement import reshape
from ...typing import AnyArray
from .operands import operands

__all__ = ["log_softmax", "logsumexp", "softmax"]

Axis = int | tuple[int, ...] | None


def logsumexp(
    a: Any, axis: Axis = None, b: Any = None, keepdims: bool = False, return_sign: bool = False
) -> Any:
    """log(sum(b exp(a))) without overflow, NaN for negative sums.

    With `return_sign` it is the logarithm of the absolute value, and the sign is a second result.

    >>> size, sign = logsumexp([1.0, 2.0], b=[1.0, -1.0], return_sign=True)
    >>> round(float(size), 6), float(sign)
    (1.541325, -1.0)
    """
    a, b = operands(a, b)
    if b is None:
        found = reduction.logsumexp(a, axis=axis, keepdims=keepdims)
        return (found, sign(exp(zeros_like(found) + found))) if return_sign else found
    size, positive = weighted(a, b, axis, keepdims)
    return (size, positive) if return_sign else where(less(positive, 0), math.nan, size)


def weighted(a: Any, b: Any, axis: Axis, keepdims: bool) -> tuple[Any, Any]:
    """The logarithm of the size of a weighted sum, and its sign. Weights of 0 hide infinities."""
    hidden = logical_and(equal(b, 0), logical_not(isfinite(a)))
    a = where(hidden, -math.inf, a)
    top = reduction.max(a, axis=axis, keepdims=True)
    top = where(isfinite(top), top, 0.0)
    total = reduction.sum(b * exp(a - top), axis=axis, keepdims=keepdims)
    shift = top if keepdims else reshape(top, shape=shape_of(total))
    return log(abs(total)) + shift, sign(total)


def normalized(along_axis: Callable[..., Any], x: Any, axis: Axis) -> AnyArray:
    """`along_axis` over one axis, or over all."""
    (x,) = operands(x)
    if axis is not None:
        return along_axis(x, axis=axis)
    return reshape(along_axis(reshape(x, shape=(-1,)), axis=0), shape=shape_of(x))


def softmax(x: Any, axis: Axis = None) -> Any:
    """exp(x) divided by its sum over the given axes, or over all.

    >>> softmax([0.0, 0.0]).tolist()
    [0.5, 0.5]
    """
    if isinstance(axis, tuple):
        (x,) = operands(x)
        return exp_difference(x, logsumexp(x, axis, keepdims=True))
    return normalized(normalizations.softmax, x, axis)


def log_softmax(x: Any, axis: Axis = None) -> Any:
    """log(softmax(x, axis)), also where softmax underflows.

    >>> log_softmax([1000.0, 0.0]).tolist()
    [0.0, -1000.0]
    """
    if isinstance(axis, tuple):
        (x,) = operands(x)
        return x - logsumexp(x, axis, keepdims=True)
    return normalized(normalizations.log_softmax, x, axis)
