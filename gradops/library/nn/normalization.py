"""Normalization: entries relative to the mean and the spread of those they belong to."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.errors import OptionError, ShapeError
from ...core.types import conflict, shape_of, type_of
from ..elementwise.arithmetic import abs, sqrt, square
from ..elementwise.comparison import maximum
from ..reduce.reduction import max, mean, sum
from ..shape.movement import reshape
from .pooling import sum_pool
from .standardize import standardize

__all__ = [
    "batch_norm", "group_norm", "instance_norm", "layer_norm", "local_response_norm", "normalize",
    "rms_norm",
]


def affine(y: Any, weight: Any, bias: Any) -> Any:
    """`y` scaled and moved, by what is given."""
    y = y if weight is None else y * weight
    return y if bias is None else y + bias


def by_channel(v: Any, x: Any) -> Any:
    """A number for each channel, in a shape that broadcasts with `x` (examples, channels, ...)."""
    shape = shape_of(x)
    if v is None:
        return v
    if len(shape) < 2 or len(shape_of(v)) != 1 or conflict(shape_of(v), shape[1:2]):
        raise ShapeError(
            "normalize", [type_of(x), type_of(v)], "there must be a number for each channel",
            hint="channels are the second axis",
        )
    return reshape(v, shape=(-1, *(1,) * (len(shape) - 2)))


def last_axes(op: str, x: Any, sizes: Sequence[Any], *parameters: Any) -> tuple[int, ...]:
    """The last axes of `x`, which must have these sizes, as must the parameters."""
    shape, n = shape_of(x), len(sizes)
    if not 0 < n <= len(shape) or conflict(shape[len(shape) - n :], sizes):
        raise ShapeError(op, [type_of(x)], f"its last axes have not the sizes {tuple(sizes)}")
    for v in parameters:
        if v is not None and (len(shape_of(v)) != n or conflict(shape_of(v), sizes)):
            raise ShapeError(op, [type_of(x), type_of(v)], f"a parameter has not sizes {sizes}")
    return tuple(range(-n, 0))


def layer_norm(
    x: Any, sizes: Sequence[int], weight: Any = None, bias: Any = None, epsilon: float = 1e-5
) -> Any:
    """Each example standardized over its last axes, of the sizes given; then scaled and moved.

    Raises ShapeError if the axes have other sizes.

    >>> layer_norm(np.array([[1.0, 3.0]]), (2,), epsilon=0.0)
    array([[-1.,  1.]])
    """
    axes = last_axes("layer_norm", x, sizes, weight, bias)
    return affine(standardize(x, axis=axes, epsilon=epsilon), weight, bias)


def rms_norm(x: Any, sizes: Sequence[int], weight: Any = None, epsilon: float = 1e-6) -> Any:
    """Each example over the root of the mean of its squares, along its last axes; then scaled.

    >>> rms_norm(np.array([[3.0, 3.0]]), (2,), epsilon=0.0)
    array([[1., 1.]])
    """
    axes = last_axes("rms_norm", x, sizes, weight)
    return affine(x / sqrt(mean(square(x), axis=axes, keepdims=True) + epsilon), weight, None)


def batch_norm(
    x: Any, weight: Any = None, bias: Any = None, epsilon: float = 1e-5,
    moments: tuple[Any, Any] | None = None,
) -> Any:
    """Each channel of `x` (examples, channels, ...) standardized over all examples and places.

    `moments` are the mean and the variance of each channel where they are not those of `x`. Then
    channels are scaled by `weight` and moved by `bias`.

    >>> batch_norm(np.array([[1.0], [3.0]]), epsilon=0.0)
    array([[-1.],
           [ 1.]])
    """
    weight, bias = by_channel(weight, x), by_channel(bias, x)
    if moments is None:
        return affine(standardize(x, axis=all_but_channels(x), epsilon=epsilon), weight, bias)
    middle, variance = (by_channel(v, x) for v in moments)
    scale = affine(1 / sqrt(variance + epsilon), weight, None)
    return affine((x - middle) * scale, None, bias)


def all_but_channels(x: Any) -> tuple[int, ...]:
    """All axes but the second."""
    n = len(shape_of(x))
    if n < 2:
        raise ShapeError("batch_norm", [type_of(x)], "there is no axis of channels, the second")
    return (0, *range(2, n))


def instance_norm(x: Any, weight: Any = None, bias: Any = None, epsilon: float = 1e-5) -> Any:
    """Each channel of each example (examples, channels, ...) standardized over its places.

    >>> instance_norm(np.array([[[1.0, 3.0]]]), epsilon=0.0)
    array([[[-1.,  1.]]])
    """
    axes = tuple(range(2, len(shape_of(x))))
    if not axes:
        raise ShapeError("instance_norm", [type_of(x)], "there are no axes after the channels")
    return affine(
        standardize(x, axis=axes, epsilon=epsilon), by_channel(weight, x), by_channel(bias, x)
    )


def group_norm(
    x: Any, groups: int, weight: Any = None, bias: Any = None, epsilon: float = 1e-5
) -> Any:
    """Groups of channels of each example (examples, channels, ...) standardized together.

    Raises ShapeError if groups do not share the channels equally.

    >>> group_norm(np.array([[1.0, 3.0, 2.0, 2.0]]), 2, epsilon=1.0)
    array([[-0.70710678,  0.70710678,  0.        ,  0.        ]])
    """
    shape = shape_of(x)
    if len(shape) < 2 or groups < 1 or (isinstance(shape[1], int) and shape[1] % groups):
        raise ShapeError(
            "group_norm", [type_of(x)], f"{groups} groups cannot share its channels equally",
            known_as="Expected number of channels in input to be divisible by num_groups",
        )
    parted = reshape(x, shape=(shape[0], groups, shape[1] // groups, *shape[2:]))
    axes = tuple(range(2, len(shape) + 1))
    y = reshape(standardize(parted, axis=axes, epsilon=epsilon), shape=shape)
    return affine(y, by_channel(weight, x), by_channel(bias, x))


def normalize(x: Any, p: float = 2.0, axis: Any = 1, epsilon: float = 1e-12) -> Any:
    """`x` over its norm of order `p` along an axis, which counts as at least `epsilon`.

    >>> normalize(np.array([3.0, 4.0]), axis=0)
    array([0.6, 0.8])
    """
    return x / maximum(length(x, p, axis, True), epsilon)


def length(x: Any, p: float, axis: Any, keepdims: bool = False) -> Any:
    """The norm of order `p` of the vectors along an axis."""
    if p == 2:
        return sqrt(sum(square(x), axis=axis, keepdims=keepdims))
    if p == 1:
        return sum(abs(x), axis=axis, keepdims=keepdims)
    if p == np.inf:
        return max(abs(x), axis=axis, keepdims=keepdims)
    if not p > 0:
        raise OptionError("norm", [type_of(x)], f"its order is greater than 0, not {p}")
    return sum(abs(x) ** p, axis=axis, keepdims=keepdims) ** (1 / p)


def local_response_norm(
    x: Any, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> Any:
    """`x` (examples, channels, ...) over (k + alpha m) ** beta, m being the mean of squares.

    It is that of `size` neighbouring channels, of which those there are not are zero.

    >>> local_response_norm(np.ones((1, 1)), 1, alpha=3.0, beta=0.5)
    array([[0.5]])
    """
    rest = len(shape_of(x)) - 2
    if rest < 0 or size < 1:
        raise ShapeError("local_response_norm", [type_of(x)], "it needs channels, and a size")
    window, ones = (size, *(1,) * rest), (1,) * (rest + 1)
    pads = ((size // 2, (size - 1) // 2), *((0, 0),) * rest)
    total = sum_pool(square(x), window=window, strides=ones, pads=pads)
    return x / (k + total * (alpha / size)) ** beta
