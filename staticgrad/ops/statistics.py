"""TensorFlow's reductions and running results that take more than ours do."""

from collections.abc import Callable
from typing import Any

import numpy as np

import gradops as ops
from gradops import OptionError, linalg
from gradops.core.types import normalize_axis, type_of
from gradops.library.reduce.linear_scan import before


def running(
    op: Callable[..., Any], start: float, x: Any, axis: int, turn: tuple[bool, bool]
) -> Any:
    """A running result along an axis: of the entries before each one, or from each one on."""
    exclusive, reverse = turn
    k = normalize_axis(op, type_of(x), axis)
    x = ops.flip(x, axis=k) if reverse else x
    result = op(before(x, k, start) if exclusive else x, axis=k)
    return ops.flip(result, axis=k) if reverse else result


def cumsum(x: Any, axis: int = 0, exclusive: bool = False, reverse: bool = False) -> Any:
    """The sums of the entries up to each one along an axis, without that one if `exclusive`.

    With `reverse`, of the entries from each one on.

    >>> sg.cumsum(np.array([1, 2, 3]), exclusive=True)
    array([0, 1, 3])
    """
    return running(ops.cumsum, 0, x, axis, (exclusive, reverse))


def cumprod(x: Any, axis: int = 0, exclusive: bool = False, reverse: bool = False) -> Any:
    """The products of the entries up to each one along an axis, without that one if `exclusive`.

    With `reverse`, of the entries from each one on.

    >>> sg.cumprod(np.array([2, 3, 4]), reverse=True)
    array([24, 12,  4])
    """
    return running(ops.cumprod, 1, x, axis, (exclusive, reverse))


def cumulative_logsumexp(
    x: Any, axis: int = 0, exclusive: bool = False, reverse: bool = False
) -> Any:
    """log(cumsum(exp(x))) along an axis without overflow, without each entry if `exclusive`.

    >>> sg.cumulative_logsumexp(np.array([-1000.0, 0.0]))
    array([-1000.,     0.])
    """
    return running(ops.logcumsumexp, -np.inf, x, axis, (exclusive, reverse))


def reduce_variance(input_tensor: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The mean squared distance from the mean, over the axes given, or over all.

    >>> float(sg.reduce_variance(np.array([1.0, 3.0])))
    1.0
    """
    return ops.var(input_tensor, axis=axis, keepdims=keepdims)


def reduce_std(input_tensor: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The square root of the variance, over the axes given, or over all.

    >>> float(sg.reduce_std(np.array([1.0, 3.0])))
    1.0
    """
    return ops.std(input_tensor, axis=axis, keepdims=keepdims)


def norm(tensor: Any, ord: Any = "euclidean", axis: Any = None, keepdims: bool = False) -> Any:
    """The root of the sum of squares, or a norm of vectors: of an order above 0, or `np.inf`.

    Along two axes it is one of matrices: see `gradops.linalg.matrix_norm`.

    >>> float(sg.norm(np.array([3.0, 4.0]))), float(sg.norm(np.array([3.0, 4.0]), ord=np.inf))
    (5.0, 4.0)
    """
    several = isinstance(axis, list | tuple)
    if ord == "euclidean" or (several and len(axis) != 2):
        axis = tuple(axis) if several else axis
        return ops.vector_norm(tensor, axis=axis, keepdims=keepdims)
    if several:
        return linalg.norm(tensor, ord, tuple(axis), keepdims)
    if isinstance(ord, str) or not ord > 0:
        raise OptionError("norm", [type_of(tensor)], f"there is no norm {ord!r} along {axis}")
    return ops.vector_norm(tensor, axis=axis, keepdims=keepdims, ord=ord)
