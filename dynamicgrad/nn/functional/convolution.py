"""Convolutions, and their windows as columns, as functions."""

from collections.abc import Callable

import numpy as np

import gradops as ops
from gradops.typing import Sizes

from ...dispatch.wrapping import set_name
from ...engine.tensor import Tensor, as_tensor

__all__ = [
    "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d",
    "fold", "unfold",
]  # fmt: skip


def require_rank(name: str, n: int, input: Tensor, weight: Tensor) -> None:
    """Refuse an input or a weight with another number of dimensions."""
    if weight.ndim != n + 2 or input.ndim not in (n + 1, n + 2):
        raise ops.ShapeError(
            name, [input.type, weight.type],
            f"its input has {n + 1} or {n + 2} dimensions, its weight {n + 2}",
            known_as=f"Expected {n + 1}D (unbatched) or {n + 2}D (batched) input to {name}",
        )  # fmt: skip


def convolution(n: int) -> Callable[..., Tensor]:
    """PyTorch's convolution over `n` dimensions."""

    def call(
        input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Sizes = 1,
        padding: Sizes | str = 0, dilation: Sizes = 1, groups: int = 1,
    ) -> Tensor:  # fmt: skip
        x, w = as_tensor(input), as_tensor(weight)
        require_rank(call.__name__, n, x, w)
        if padding == "same" and np.any(np.asarray(stride) != 1):
            raise ops.OptionError(
                call.__name__, [x.type, w.type],
                "padding='same' is not supported for strided convolutions",
                hint="give a number: kernel_size // 2 of an odd kernel divides sizes by the stride",
            )  # fmt: skip
        return ops.convolution(x, w, bias, stride, padding, dilation, groups)

    doc = (
        f"The filters `weight` (out, in / groups, ...) along the {n} last dimensions of `input`."
        "\n\n    `padding` is a number, one for each dimension, 'same' or 'valid'."
    )
    return set_name(call, f"conv{n}d", doc)


def conv_transpose(n: int) -> Callable[..., Tensor]:
    """PyTorch's transposed convolution over `n` dimensions."""

    def call(
        input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Sizes = 1,
        padding: Sizes = 0, output_padding: Sizes = 0, groups: int = 1, dilation: Sizes = 1,
    ) -> Tensor:  # fmt: skip
        x, w = as_tensor(input), as_tensor(weight)
        require_rank(call.__name__, n, x, w)
        return ops.conv_transposed(x, w, bias, stride, padding, output_padding, groups, dilation)

    doc = f"The transpose of `conv{n}d` in its input, with a weight (in, out / groups, ...)."
    return set_name(call, f"conv_transpose{n}d", doc)


conv1d, conv2d, conv3d = map(convolution, (1, 2, 3))
conv_transpose1d, conv_transpose2d, conv_transpose3d = map(conv_transpose, (1, 2, 3))


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


def with_examples(x: Tensor, ndim: int) -> tuple[Tensor, bool]:
    """`x` with an axis of examples, and True if it was added."""
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
