"""Windows as columns, as functions."""

from typing import Any

import gradops as ops
from gradops.typing import Sizes

from ...engine.tensor import Tensor, as_tensor


def unfold(
    input: Tensor, kernel_size: Sizes, dilation: Sizes = 1, padding: Sizes = 0, stride: Sizes = 1
) -> Tensor:
    """The windows of images (examples, channels, rows, columns) as columns.

    >>> tuple(dg.nn.functional.unfold(dg.ones(1, 1, 3, 3), 2).shape)
    (1, 4, 4)
    """
    x, single = with_examples(as_tensor(input), 3)
    y = ops.unfold(x, kernel_size, stride, padding, dilation)
    return y[0] if single else y


def with_examples(x: Tensor, ndim: int) -> tuple[Any, bool]:
    """`x` with an axis of examples, and whether it had none."""
    return (x[None], True) if x.ndim == ndim else (x, False)


def fold(
    input: Tensor, output_size: Sizes, kernel_size: Sizes, dilation: Sizes = 1, padding: Sizes = 0,
    stride: Sizes = 1,
) -> Tensor:  # fmt: skip
    """Columns added up where `unfold` takes them from, in images of the size given.

    >>> tuple(dg.nn.functional.fold(dg.ones(1, 4, 4), 3, 2).shape)
    (1, 1, 3, 3)
    """
    sizes = (output_size,) * 2 if isinstance(output_size, int) else tuple(output_size)
    x, single = with_examples(as_tensor(input), 2)
    y = ops.fold(x, sizes, kernel_size, stride, padding, dilation)
    return y[0] if single else y
