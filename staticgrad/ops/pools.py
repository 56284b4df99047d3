"""TensorFlow's pooling and normalization of images, whose channels come last."""

from collections.abc import Callable, Sequence

import gradops as ops
from gradops import ShapeError
from gradops.core.types import shape_of, type_of
from gradops.typing import AnyArray, Operand

from .declarations import implemented_by
from .images import Padding, Strides, channels_last, channels_second, is_last, spatial_option

Pool = Callable[..., AnyArray]
Window = int | Sequence[int]
Given = Operand | None


def pooling(pool: Pool, n: int | None = None) -> Callable[..., AnyArray]:
    """The pooling over `n` spatial axes, or as many as there are, with TensorFlow's options."""

    def call(
        input: Operand, ksize: Strides, strides: Strides, padding: Padding,
        data_format: str | None = None,
    ) -> AnyArray:  # fmt: skip
        axes = len(shape_of(input)) - 2 if n is None else n
        if len(shape_of(input)) != axes + 2 or axes < 1:
            raise ShapeError("pool", [type_of(input)], f"it takes {axes + 2} axes")
        last = is_last(data_format, axes)
        options = [spatial_option("pool", v, axes, last) for v in (ksize, strides, padding)]
        return channels_last(pool(channels_second(input, last), *options, axes), last)

    return call


def max_of_windows(
    x: Operand, window: Window, stride: Window, padding: Padding, n: int
) -> AnyArray:
    """The largest entry of each window."""
    return ops.max_pooling(x, window, stride, padding, 1, n)


def mean_of_windows(
    x: Operand, window: Window, stride: Window, padding: Padding, n: int
) -> AnyArray:
    """The mean of each window; padding does not count."""
    return ops.avg_pool(x, window, stride, padding, n, count_padding=False)


@implemented_by(pooling(max_of_windows))
def max_pool() -> None:
    """The largest entry of each window of images (batch, height, width, channels).

    Sequences and volumes are pooled likewise. `padding` is "SAME" or "VALID".

    >>> sg.nn.max_pool(np.arange(9.0).reshape(1, 3, 3, 1), 2, 2, "SAME")[0, ..., 0]
    array([[4., 5.],
           [7., 8.]])
    """


@implemented_by(pooling(mean_of_windows))
def avg_pool() -> None:
    """The mean of each window of images (batch, height, width, channels), without padding.

    >>> sg.nn.avg_pool(np.arange(9.0).reshape(1, 3, 3, 1), 2, 2, "SAME")[0, ..., 0]
    array([[2. , 3.5],
           [6.5, 8. ]])
    """


@implemented_by(pooling(max_of_windows, 1))
def max_pool1d() -> None:
    """`max_pool` of sequences (batch, width, channels)."""


@implemented_by(pooling(max_of_windows, 2))
def max_pool2d() -> None:
    """`max_pool` of images (batch, height, width, channels)."""


@implemented_by(pooling(max_of_windows, 3))
def max_pool3d() -> None:
    """`max_pool` of volumes (batch, depth, height, width, channels)."""


@implemented_by(pooling(mean_of_windows, 1))
def avg_pool1d() -> None:
    """`avg_pool` of sequences (batch, width, channels)."""


@implemented_by(pooling(mean_of_windows, 2))
def avg_pool2d() -> None:
    """`avg_pool` of images (batch, height, width, channels)."""


@implemented_by(pooling(mean_of_windows, 3))
def avg_pool3d() -> None:
    """`avg_pool` of volumes (batch, depth, height, width, channels)."""


def batch_normalization(
    x: Operand,
    mean: Operand,
    variance: Operand,
    offset: Given,
    scale: Given,
    variance_epsilon: float,
) -> AnyArray:
    """scale * (x - mean) / sqrt(variance + variance_epsilon) + offset.

    >>> sg.nn.batch_normalization(np.array([3.0]), 1.0, 4.0, 1.0, None, 0.0)
    array([2.])
    """
    factor = ops.div(1, ops.sqrt(ops.add(variance, variance_epsilon)))
    if scale is not None:
        factor = ops.mul(factor, scale)
    y = ops.mul(ops.sub(x, mean), factor)
    return y if offset is None else ops.add(y, offset)


def fused_batch_norm(
    x: Operand, scale: Operand, offset: Operand, mean: Given = None, variance: Given = None,
    epsilon: float = 0.001, data_format: str = "NHWC", is_training: bool = True,
) -> tuple[AnyArray, Given, Given]:  # fmt: skip
    """Batch normalization of images: the result, the mean and the variance of each channel.

    Training uses the statistics of the batch, and returns the unbiased variance. Otherwise the
    given statistics are used and returned.

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
    batch_mean = ops.mean(images, axis=axes)
    inverse_std = ops.inverse_spread(images, axis=axes, epsilon=0.0)
    n, _, h, w = shape_of(images)
    entries = n * h * w
    unbiased = ops.mul(ops.div(1, ops.square(inverse_std)), ops.div(entries, entries - 1))
    y = ops.batch_norm(images, scale, offset, epsilon)
    return channels_last(y, last), batch_mean, ops.reshape(unbiased, shape=(-1,))


def local_response_normalization(
    input: Operand, depth_radius: int = 5, bias: float = 1.0, alpha: float = 1.0, beta: float = 0.5
) -> AnyArray:
    """Divide images by a power of the sum of squares over neighbouring channels.

    >>> sg.nn.local_response_normalization(np.full((1, 1, 1, 1), 2.0), bias=0.0).ravel()
    array([1.])
    """
    size = 2 * depth_radius + 1
    x = channels_second(input, True)
    return channels_last(ops.local_response_norm(x, size, alpha * size, beta, bias), True)


def embedding_lookup(params: Operand, ids: Operand) -> AnyArray:
    """The rows of a table at integer indices.

    >>> sg.nn.embedding_lookup(np.array([[1.0], [2.0]]), np.array([1, 0]))
    array([[2.],
           [1.]])
    """
    return ops.embedding(ids, params)
