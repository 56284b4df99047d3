"""TensorFlow's pooling and normalization, whose channels come last."""

from collections.abc import Callable
from typing import Any

import gradops as ops
from gradops import ShapeError
from gradops.core.types import shape_of, type_of

from .images import channels_last, channels_second, is_last, of_places


def pooling(
    pool: Any, n: int | None, input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any
) -> Any:
    """A pooling over `n` axes, in TensorFlow's terms."""
    n = len(shape_of(input)) - 2 if n is None else n
    if len(shape_of(input)) != n + 2 or n < 1:
        raise ShapeError("pool", [type_of(input)], f"it takes {n + 2} axes")
    last = is_last(data_format, n)
    given = (of_places("pool", v, n, last) for v in (ksize, strides, padding))
    window, stride, pads = given
    y = pool(channels_second(input, last), window, stride, pads, n)
    return channels_last(y, last)


def greatest(x: Any, window: Any, stride: Any, padding: Any, n: int) -> Any:
    """The greatest entry of each window."""
    return ops.max_pooling(x, window, stride, padding, 1, n)


def average(x: Any, window: Any, stride: Any, padding: Any, n: int) -> Any:
    """The mean of each window; padding does not count."""
    return ops.avg_pool(x, window, stride, padding, n, count_padding=False)


def max_pool(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None = None
) -> Any:
    """The greatest entry of each window of images (examples, height, width, channels).

    Also of sequences and volumes. `padding` is "SAME" or "VALID".

    >>> sg.nn.max_pool(np.arange(9.0).reshape(1, 3, 3, 1), 2, 2, "SAME")[0, ..., 0]
    array([[4., 5.],
           [7., 8.]])
    """
    return pooling(greatest, None, input, ksize, strides, padding, data_format)


def avg_pool(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None = None
) -> Any:
    """The mean of each window of images (examples, height, width, channels), padding apart.

    >>> sg.nn.avg_pool(np.arange(9.0).reshape(1, 3, 3, 1), 2, 2, "SAME")[0, ..., 0]
    array([[2. , 3.5],
           [6.5, 8. ]])
    """
    return pooling(average, None, input, ksize, strides, padding, data_format)


def along(pool: Any, n: int, like: str) -> Callable[..., Any]:
    """The function that pools along `n` axes, in words of the one that pools along any number."""
    letters, operands = KINDS[n]

    def call(
        input: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None = letters
    ) -> Any:
        return pooling(pool, n, input, ksize, strides, padding, data_format)

    call.__name__ = call.__qualname__ = f"{like}{n}d"
    call.__doc__ = f"`{like}` of {operands}."
    return call


KINDS = {
    1: ("NWC", "sequences (examples, width, channels)"),
    2: ("NHWC", "images (examples, height, width, channels)"),
    3: ("NDHWC", "volumes (examples, depth, height, width, channels)"),
}
max_pool1d, max_pool2d, max_pool3d = (along(greatest, n, "max_pool") for n in KINDS)
avg_pool1d, avg_pool2d, avg_pool3d = (along(average, n, "avg_pool") for n in KINDS)


def batch_normalization(
    x: Any, mean: Any, variance: Any, offset: Any, scale: Any, variance_epsilon: float
) -> Any:
    """The operand less a mean, over the root of a variance and epsilon; then scaled and moved.

    >>> sg.nn.batch_normalization(np.array([3.0]), 1.0, 4.0, 1.0, None, 0.0)
    array([2.])
    """
    factor = ops.div(1, ops.sqrt(ops.add(variance, variance_epsilon)))
    if scale is not None:
        factor = ops.mul(factor, scale)
    y = ops.mul(ops.sub(x, mean), factor)
    return y if offset is None else ops.add(y, offset)


def fused_batch_norm(
    x: Any, scale: Any, offset: Any, mean: Any = None, variance: Any = None,
    epsilon: float = 0.001, data_format: str = "NHWC", is_training: bool = True,
) -> tuple[Any, Any, Any]:  # fmt: skip
    """Images standardized by channel, and the mean and the variance that did it.

    While training these are those of the batch; the variance that is given back is the unbiased
    one. Else they are those given.

    >>> y, mean, variance = sg.nn.fused_batch_norm(
    ...     np.array([1.0, 3.0]).reshape(2, 1, 1, 1), np.ones(1), np.zeros(1), epsilon=0.0
    ... )
    >>> y.ravel(), mean, variance
    (array([-1.,  1.]), array([2.]), array([2.]))
    """
    last = is_last(data_format, 2)
    images = channels_second(x, last)
    if not is_training:
        y = ops.batch_norm(images, scale, offset, epsilon, (mean, variance))
        return channels_last(y, last), mean, variance
    axes = (0, 2, 3)
    middle = ops.mean(images, axis=axes)
    spread = ops.inverse_spread(images, axis=axes, epsilon=0.0)
    n, _, h, w = shape_of(images)
    entries = n * h * w
    unbiased = ops.mul(ops.div(1, ops.square(spread)), ops.div(entries, entries - 1))
    y = ops.batch_norm(images, scale, offset, epsilon)
    return channels_last(y, last), middle, ops.reshape(unbiased, shape=(-1,))


def local_response_normalization(
    input: Any, depth_radius: int = 5, bias: float = 1.0, alpha: float = 1.0, beta: float = 0.5
) -> Any:
    """Images over a power of the sum of squares of neighbouring channels.

    >>> sg.nn.local_response_normalization(np.full((1, 1, 1, 1), 2.0), bias=0.0).ravel()
    array([1.])
    """
    size = 2 * depth_radius + 1
    x = channels_second(input, True)
    return channels_last(ops.local_response_norm(x, size, alpha * size, beta, bias), True)


def embedding_lookup(params: Any, ids: Any) -> Any:
    """The rows of a table that integers name.

    >>> sg.nn.embedding_lookup(np.array([[1.0], [2.0]]), np.array([1, 0]))
    array([[2.],
           [1.]])
    """
    return ops.embedding(ids, params)
