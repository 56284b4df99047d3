"""Normalization by layers, groups, and root mean squares."""

from collections.abc import Sequence

import numpy as np

import gradops as ops
from gradops.typing import DTypeLike

from ...engine.tensor import Tensor, as_tensor
from .. import init
from ..modules.module import Module
from ..modules.text import format_attributes
from .parameters import add_parameter

__all__ = ["GroupNorm", "LayerNorm", "RMSNorm"]


class Normalization(Module):
    """Base class of normalizations, which may scale and move what is normalized."""

    def reset_parameters(self) -> None:
        """The weight is ones, the bias zeros."""
        for name, p in self.named_parameters(recurse=False):
            (init.zeros_ if name == "bias" else init.ones_)(p)


class LayerNorm(Normalization):
    """Each example less its mean, over its spread, along its last dimensions; scaled and moved.

    `normalized_shape` are the sizes of these dimensions.

    >>> dg.nn.LayerNorm(2)(dg.tensor([[1.0, 3.0]]))
    tensor([[-1.0000,  1.0000]], grad_fn=<AddBackward0>)
    """

    def __init__(
        self, normalized_shape: int | Sequence[int], eps: float = 1e-5,
        elementwise_affine: bool = True, bias: bool = True, dtype: DTypeLike = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.normalized_shape = sizes_of(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        shape = self.normalized_shape if elementwise_affine else None
        add_parameter(self, "weight", shape, dtype)
        add_parameter(self, "bias", shape if bias else None, dtype)
        self.reset_parameters()

    def forward(self, input: Tensor) -> Tensor:
        """The normalized input."""
        x, shape = as_tensor(input), self.normalized_shape
        return ops.layer_norm(x, shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """The sizes and options."""
        options = format_attributes(self, "eps", "elementwise_affine")
        return f"{self.normalized_shape}, {options}"


def sizes_of(shape: int | Sequence[int]) -> tuple[int, ...]:
    """Sizes from one number or several."""
    return (int(shape),) if isinstance(shape, int | np.integer) else tuple(map(int, shape))


class RMSNorm(Normalization):
    """Each example over the root of the mean of its squares, along its last dimensions; scaled.

    With `eps=None` it is the smallest step of the input's dtype.

    >>> dg.nn.RMSNorm(2)(dg.tensor([[3.0, 3.0]]))
    tensor([[1., 1.]], grad_fn=<MulBackward0>)
    """

    def __init__(
        self, normalized_shape: int | Sequence[int], eps: float | None = None,
        elementwise_affine: bool = True, dtype: DTypeLike = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.normalized_shape = sizes_of(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        add_parameter(self, "weight", self.normalized_shape if elementwise_affine else None, dtype)
        self.reset_parameters()

    def forward(self, input: Tensor) -> Tensor:
        """The normalized input."""
        x = as_tensor(input)
        eps = float(np.finfo(x.dtype).eps) if self.eps is None else self.eps
        return ops.rms_norm(x, self.normalized_shape, self.weight, eps)

    def extra_repr(self) -> str:
        """The sizes and options."""
        options = format_attributes(self, "eps", "elementwise_affine")
        return f"{self.normalized_shape}, {options}"


class GroupNorm(Normalization):
    """Groups of channels of each example less their mean, over their spread; scaled and moved.

    Channels are the dimension 1; each has a scale and an offset of its own.

    >>> dg.nn.GroupNorm(2, 4)(dg.ones(3, 4, 5)).shape
    (3, 4, 5)
    """

    def __init__(
        self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True,
        dtype: DTypeLike = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if num_channels % num_groups:
            raise ValueError("num_channels must be divisible by num_groups")
        self.num_groups, self.num_channels = num_groups, num_channels
        self.eps, self.affine = eps, affine
        for name in ("weight", "bias"):
            add_parameter(self, name, [num_channels] if affine else None, dtype)
        self.reset_parameters()

    def forward(self, input: Tensor) -> Tensor:
        """The normalized input."""
        return ops.group_norm(as_tensor(input), self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """The sizes and options."""
        return f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}"
