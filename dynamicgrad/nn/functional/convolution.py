"""Convolutions, as functions."""

from collections.abc import Callable
from typing import Any

import numpy as np

import gradops as ops

from ...engine.tensor import as_tensor


def require_rank(name: str, n: int, input: Any, weight: Any) -> None:
    """Refuse an input or a weight with another number of dimensions."""
    if weight.ndim != n + 2 or input.ndim not in (n + 1, n + 2):
        raise ops.ShapeError(
            name, [input.type, weight.type],
            f"its input has {n + 1} or {n + 2} dimensions, its weight {n + 2}",
            known_as=f"Expected {n + 1}D (unbatched) or {n + 2}D (batched) input to {name}",
        )  # fmt: skip


def convolution(n: int) -> Callable[..., Any]:
    """PyTorch's convolution over `n` dimensions."""

    def call(
        input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0,
        dilation: Any = 1, groups: int = 1,
    ) -> Any:  # fmt: skip
        x, w = as_tensor(input), as_tensor(weight)
        require_rank(call.__name__, n, x, w)
        if padding == "same" and np.any(np.asarray(stride) != 1):
            raise ops.OptionError(
                call.__name__, [x.type, w.type],
                "padding='same' is not supported for strided convolutions",
                hint="give a number: kernel_size // 2 of an odd kernel divides sizes by the stride",
            )  # fmt: skip
        return ops.convolution(x, w, bias, stride, padding, dilation, groups)

    call.__name__ = call.__qualname__ = f"conv{n}d"
    call.__doc__ = (
        f"The filters `weight` (out, in / groups, ...) along the {n} last dimensions of `input`."
        "\n\n    `padding` is a number, one for each dimension, 'same' or 'valid'."
    )
    return call


def transposed(n: int) -> Callable[..., Any]:
    """PyTorch's transposed convolution over `n` dimensions."""

    def call(
        input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0,
        output_padding: Any = 0, groups: int = 1, dilation: Any = 1,
    ) -> Any:  # fmt: skip
        x, w = as_tensor(input), as_tensor(weight)
        require_rank(call.__name__, n, x, w)
        return ops.conv_transposed(
            x, w, bias, stride, padding, output_padding, groups, dilation
        )  # fmt: skip

    call.__name__ = call.__qualname__ = f"conv_transpose{n}d"
    call.__doc__ = (
        f"The transpose of `conv{n}d` in its input, with a weight (in, out / groups, ...)."
    )
    return call


conv1d, conv2d, conv3d = map(convolution, (1, 2, 3))
conv_transpose1d, conv_transpose2d, conv_transpose3d = map(transposed, (1, 2, 3))
