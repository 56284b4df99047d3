"""Pooling, as functions: over the last dimensions of an input (examples, channels, ...)."""

from collections.abc import Callable

import gradops as ops
from gradops.typing import Sizes

from ...dispatch.wrapping import set_name
from ...engine.piecewise import mark_kinked
from ...engine.tensor import Tensor, as_tensor

__all__ = [
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool1d",
    "adaptive_max_pool2d", "adaptive_max_pool3d", "avg_pool1d", "avg_pool2d", "avg_pool3d",
    "lp_pool1d", "lp_pool2d", "lp_pool3d", "max_pool1d", "max_pool1d_with_indices", "max_pool2d",
    "max_pool2d_with_indices", "max_pool3d", "max_pool3d_with_indices",
]  # fmt: skip

WithIndices = Tensor | tuple[Tensor, Tensor]
"""The result of pooling, and on request the indices of the maxima."""


def none_if_empty(stride: Sizes | None) -> Sizes | None:
    """The stride, which PyTorch's functions take as () for that of the window; 0 is an error."""
    return None if stride in ((), []) else stride


def max_pool(n: int, with_indices: bool = False) -> Callable[..., WithIndices]:
    """PyTorch's max pooling over `n` dimensions."""

    def call(
        input: Tensor, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0,
        dilation: Sizes = 1, ceil_mode: bool = False, return_indices: bool = with_indices,
    ) -> WithIndices:  # fmt: skip
        x = as_tensor(input)
        given = (kernel_size, none_if_empty(stride), padding, dilation, n, ceil_mode)
        y = ops.max_pooling(x, *given)
        return (y, ops.max_pool_places(x, *given)) if return_indices else y

    name = f"max_pool{n}d" + "_with_indices" * with_indices
    return set_name(call, name, f"The greatest entry of each window over the last {n} dimensions.")


def avg_pool(n: int) -> Callable[..., WithIndices]:
    """PyTorch's average pooling over `n` dimensions."""

    def call(
        input: Tensor, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0,
        ceil_mode: bool = False, count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> Tensor:  # fmt: skip
        x, stride = as_tensor(input), none_if_empty(stride)
        options = (ceil_mode, count_include_pad, divisor_override)
        return mark_kinked(ops.avg_pool(x, kernel_size, stride, padding, n, *options), x)

    return set_name(call, f"avg_pool{n}d", f"The mean of each window over the last {n} dimensions.")


def lp_pool(n: int) -> Callable[..., WithIndices]:
    """PyTorch's power-average pooling over `n` dimensions."""

    def call(
        input: Tensor, norm_type: float, kernel_size: Sizes, stride: Sizes | None = None,
        ceil_mode: bool = False,
    ) -> Tensor:  # fmt: skip
        x = as_tensor(input)
        return ops.lp_pool(x, norm_type, kernel_size, none_if_empty(stride), n, ceil_mode)

    return set_name(call, f"lp_pool{n}d", f"The norm of each window over the last {n} dimensions.")


def adaptive_avg_pool(n: int) -> Callable[..., WithIndices]:
    """PyTorch's adaptive average pooling over `n` dimensions."""

    def call(input: Tensor, output_size: Sizes) -> Tensor:
        x = as_tensor(input)
        return mark_kinked(ops.adaptive_avg_pool(x, output_size, n), x)

    doc = f"Means of `output_size` windows that cover the last {n} dimensions."
    return set_name(call, f"adaptive_avg_pool{n}d", doc)


def adaptive_max_pool(n: int) -> Callable[..., WithIndices]:
    """PyTorch's adaptive max pooling over `n` dimensions."""

    def call(input: Tensor, output_size: Sizes, return_indices: bool = False) -> WithIndices:
        x = as_tensor(input)
        y = ops.adaptive_max_pool(x, output_size, n, return_indices)
        return (mark_kinked(y[0], x), y[1]) if return_indices else mark_kinked(y, x)

    doc = f"The greatest entries of `output_size` windows that cover the last {n} dimensions."
    return set_name(call, f"adaptive_max_pool{n}d", doc)


DIMENSIONS = (1, 2, 3)
max_pool1d, max_pool2d, max_pool3d = map(max_pool, DIMENSIONS)
max_pool1d_with_indices, max_pool2d_with_indices, max_pool3d_with_indices = (
    max_pool(n, with_indices=True) for n in DIMENSIONS
)
avg_pool1d, avg_pool2d, avg_pool3d = map(avg_pool, DIMENSIONS)
lp_pool1d, lp_pool2d, lp_pool3d = map(lp_pool, DIMENSIONS)
adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d = map(adaptive_avg_pool, DIMENSIONS)
adaptive_max_pool1d, adaptive_max_pool2d, adaptive_max_pool3d = map(adaptive_max_pool, DIMENSIONS)
