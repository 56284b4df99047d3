"""TensorFlow's reductions and cumulative ops that have more options than those of `gradops`."""

from collections.abc import Callable
from typing import Any

import numpy as np

import gradops as ops
from gradops import OptionError, linalg
from gradops.core.types import normalize_axis, type_of
from gradops.library.reduce.cumulative import before
from gradops.typing import AnyArray, Axis, Operand

from .declarations import implemented_by


def cumulative(op: Callable[..., Any], start: float) -> Callable[..., AnyArray]:
    """A cumulative op that may be reversed, or exclude the entry itself and begin at `start`."""

    def call(x: Operand, axis: int = 0, exclusive: bool = False, reverse: bool = False) -> AnyArray:
        k = normalize_axis(op, type_of(x), axis)
        x = ops.flip(x, axis=k) if reverse else x
        result = op(before(x, k, start) if exclusive else x, axis=k)
        return ops.flip(result, axis=k) if reverse else result

    return call


@implemented_by(cumulative(ops.cumsum, 0))
def cumsum() -> None:
    """Cumulative sums along an axis, without the entry itself if `exclusive`.

    `reverse` sums from the end.

    >>> sg.cumsum(np.array([1, 2, 3]), exclusive=True)
    array([0, 1, 3])
    """


@implemented_by(cumulative(ops.cumprod, 1))
def cumprod() -> None:
    """Cumulative products along an axis, without the entry itself if `exclusive`.

    `reverse` multiplies from the end.

    >>> sg.cumprod(np.array([2, 3, 4]), reverse=True)
    array([24, 12,  4])
    """


@implemented_by(cumulative(ops.logcumsumexp, -np.inf))
def cumulative_logsumexp() -> None:
    """log(cumsum(exp(x))) along an axis without overflow; see `cumsum` for the options.

    >>> sg.cumulative_logsumexp(np.array([-1000.0, 0.0]))
    array([-1000.,     0.])
    """


def reduce_variance(input_tensor: Operand, axis: Axis = None, keepdims: bool = False) -> AnyArray:
    """The mean squared distance from the mean, over axes or over all entries.

    >>> float(sg.reduce_variance(np.array([1.0, 3.0])))
    1.0
    """
    return ops.var(input_tensor, axis=axis, keepdims=keepdims)


def reduce_std(input_tensor: Operand, axis: Axis = None, keepdims: bool = False) -> AnyArray:
    """The square root of the variance, over axes or over all entries.

    >>> float(sg.reduce_std(np.array([1.0, 3.0])))
    1.0
    """
    return ops.std(input_tensor, axis=axis, keepdims=keepdims)


def norm(
    tensor: Operand, ord: str | float = "euclidean", axis: Axis = None, keepdims: bool = False
) -> AnyArray:
    """The Euclidean norm, or a vector norm of another order above 0 or `np.inf`.

    Along two axes it is a matrix norm: see `gradops.linalg.matrix_norm`.

    >>> float(sg.norm(np.array([3.0, 4.0]))), float(sg.norm(np.array([3.0, 4.0]), ord=np.inf))
    (5.0, 4.0)
    """
    axes = tuple(axis) if isinstance(axis, list | tuple) else None
    if ord == "euclidean" or (axes is not None and len(axes) != 2):
        return ops.vector_norm(tensor, axis=axis if axes is None else axes, keepdims=keepdims)
    if axes is not None:
        return linalg.norm(tensor, ord, axes, keepdims)
    if isinstance(ord, str) or not ord > 0:
        reason = f"there is no norm of order {ord!r} along {axis}"
        raise OptionError("norm", [type_of(tensor)], reason)
    return ops.vector_norm(tensor, axis=axis, keepdims=keepdims, ord=ord)
