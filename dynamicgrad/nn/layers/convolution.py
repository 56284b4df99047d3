"""Convolutions and their transposes."""

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import gradops as ops
from gradops.library.nn.conv_layers import for_each, widths
from gradops.typing import DTypeLike, Sizes

from ...engine.tensor import Tensor, as_tensor
from ...ops.creation import empty
from ..modules.module import Module
from ..modules.parameter import Parameter
from .parameters import add_parameter, draw_uniformly

__all__ = ["Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"]

MODES = ("zeros", "reflect", "replicate", "circular")


class Filters(Module):
    """Base class of convolutions: filters, strides, paddings and dilations."""

    axes: ClassVar[int]
    transposed: ClassVar[bool] = False

    def __init__(
        self, channels: tuple[int, int], kernel_size: Sizes, stride: Sizes, padding: Sizes | str,
        dilation: Sizes, groups: int, bias: bool, padding_mode: str, dtype: DTypeLike,
    ) -> None:  # fmt: skip
        super().__init__()
        self.in_channels, self.out_channels = channels
        if groups < 1 or any(n % groups for n in channels):
            raise ValueError(f"in_channels and out_channels must be divisible by groups={groups}")
        if padding_mode not in MODES:
            raise ValueError(f"padding_mode must be one of {MODES}, but got {padding_mode!r}")
        self.groups, self.padding_mode = groups, padding_mode
        self.kernel_size = self.each("kernel_size", kernel_size)
        self.stride, self.dilation = self.each("stride", stride), self.each("dilation", dilation)
        self.padding: Any = padding if isinstance(padding, str) else self.each("padding", padding)
        first, second = channels if self.transposed else channels[::-1]
        self.weight = Parameter(empty(first, second // groups, *self.kernel_size, dtype=dtype))
        add_parameter(self, "bias", channels[1:] if bias else None, dtype)
        self.reset_parameters()

    def each(self, name: str, value: Sizes) -> tuple[int, ...]:
        """A number for each axis that filters slide along."""
        return for_each(type(self).__name__, name, value, self.axes)

    def reset_parameters(self) -> None:
        """Reinitialize filters and biases, uniform within 1 / sqrt(fan-in)."""
        draw_uniformly(self, math.prod(self.weight.shape[1:]))

    def check(self, x: Tensor) -> None:
        """Refuse inputs of another rank or number of channels."""
        if x.ndim not in (self.axes + 1, self.axes + 2):
            raise ops.ShapeError(
                type(self).__name__, [x.type],
                f"the layer takes {self.axes + 2} dimensions, or one less without a batch, not"
                f" {x.ndim}",
                known_as=f"Expected {self.axes + 1}D (unbatched) or {self.axes + 2}D (batched)"
                f" input to conv{self.axes}d, but got input of size: {list(x.shape)}",
            )  # fmt: skip
        if x.shape[-self.axes - 1] != self.in_channels:
            raise ops.ShapeError(
                type(self).__name__, [x.type],
                f"the layer takes {self.in_channels} channels, not {x.shape[-self.axes - 1]}",
                known_as=f"expected input{list(x.shape)} to have {self.in_channels} channels, but"
                f" got {x.shape[-self.axes - 1]} channels instead",
                hint="channels come before the places, not last: x.movedim(-1, 1)"
                if x.shape[-1] == self.in_channels and x.ndim == self.axes + 2 else None,
            )  # fmt: skip

    def extra_repr(self) -> str:
        """The channels, the window, and the options that are not the default ones."""
        said = [f"{self.in_channels}, {self.out_channels}"]
        said += [f"kernel_size={self.kernel_size}", f"stride={self.stride}"]
        zeros, ones = (0,) * self.axes, (1,) * self.axes
        usual = {"padding": zeros, "dilation": ones, "output_padding": zeros, "groups": 1,
                 "padding_mode": "zeros"}  # fmt: skip
        said += [f"{k}={getattr(self, k)!r}" for k, v in usual.items() if getattr(self, k, v) != v]
        return ", ".join([*said, *["bias=False"] * (self.bias is None)])


class Conv(Filters):
    """Filters that slide along inputs (batch, channels, ...)."""

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Sizes, stride: Sizes = 1,
        padding: Sizes | str = 0, dilation: Sizes = 1, groups: int = 1, bias: bool = True,
        padding_mode: str = "zeros", dtype: DTypeLike = None,
    ) -> None:  # fmt: skip
        super().__init__(
            (in_channels, out_channels), kernel_size, stride, padding, dilation, groups, bias,
            padding_mode, dtype,
        )  # fmt: skip
        if padding == "same" and any(s != 1 for s in self.stride):
            raise ValueError("padding='same' is not supported for strided convolutions")

    def forward(self, input: Tensor) -> Tensor:
        """The convolution of the input with the filters."""
        x = as_tensor(input)
        padding: Any = self.padding
        self.check(x)
        if self.padding_mode != "zeros":
            sizes = x.shape[-self.axes :]
            around = widths("conv", padding, sizes, self.kernel_size, self.stride, self.dilation)
            lead = ((0, 0),) * (x.ndim - self.axes)
            x, padding = ops.pad(x, (*lead, *around), mode=self.padding_mode), 0
        window = (self.stride, padding, self.dilation, self.groups)
        return ops.convolution(x, self.weight, self.bias, *window)


class Conv1d(Conv):
    """`Conv2d` for inputs (batch, channels, length).

    >>> dg.nn.Conv1d(3, 4, kernel_size=3, padding="same")(dg.ones(2, 3, 8)).shape
    (2, 4, 8)
    """

    axes = 1


class Conv2d(Conv):
    """Filters of the size `kernel_size` that slide along inputs (batch, channels, height, width).

    They move by `stride`, their entries are `dilation` apart, and around the input there are
    `padding` zeros, or what `padding_mode` says; "same" is as many as keep the size. Channels are
    split into `groups` that have filters of their own. Sizes are one number, or one for each axis.

    >>> layer = dg.nn.Conv2d(3, 4, kernel_size=3, stride=2, padding=1)
    >>> layer(dg.ones(2, 3, 8, 8)).shape
    (2, 4, 4, 4)
    >>> layer
    Conv2d(3, 4, kernel_size=(3, 3), stride=(2, 2), padding=(1, 1))
    """

    axes = 2


class Conv3d(Conv):
    """`Conv2d` for inputs (batch, channels, depth, height, width).

    >>> dg.nn.Conv3d(3, 4, kernel_size=2)(dg.ones(2, 3, 4, 4, 4)).shape
    (2, 4, 3, 3, 3)
    """

    axes = 3


class ConvTranspose(Filters):
    """The transposes of convolutions, which lead from their outputs to their inputs."""

    transposed = True

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Sizes, stride: Sizes = 1,
        padding: Sizes = 0, output_padding: Sizes = 0, groups: int = 1, bias: bool = True,
        dilation: Sizes = 1, padding_mode: str = "zeros", dtype: DTypeLike = None,
    ) -> None:  # fmt: skip
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        super().__init__(
            (in_channels, out_channels), kernel_size, stride, padding, dilation, groups, bias,
            padding_mode, dtype,
        )  # fmt: skip
        self.output_padding = for_each("conv", "output_padding", output_padding, self.axes)

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        """The transposed convolution; `output_size` chooses where several sizes are possible."""
        x = as_tensor(input)
        self.check(x)
        more = self.output_padding
        if output_size is not None:
            wanted = tuple(output_size)[-self.axes :]
            more = tuple(n - m for n, m in zip(wanted, self.least(x), strict=True))
            if any(not 0 <= m < max(s, d) for m, s, d in zip(more, self.stride, self.dilation)):
                raise ops.ShapeError(
                    type(self).__name__, [x.type],
                    f"it cannot have the sizes {wanted}, which begin with {self.least(x)}",
                )  # fmt: skip
        window = (self.stride, self.padding, more, self.groups, self.dilation)
        return ops.conv_transposed(x, self.weight, self.bias, *window)

    def least(self, x: Tensor) -> tuple[int, ...]:
        """The least sizes of an output."""
        window = (self.stride, self.padding, self.dilation, self.kernel_size)
        axes = zip(x.shape[-self.axes :], *window)
        return tuple((n - 1) * s - 2 * p + d * (k - 1) + 1 for n, s, p, d, k in axes)


class ConvTranspose1d(ConvTranspose):
    """`ConvTranspose2d` for inputs (batch, channels, length).

    >>> dg.nn.ConvTranspose1d(3, 4, kernel_size=2, stride=2)(dg.ones(2, 3, 4)).shape
    (2, 4, 8)
    """

    axes = 1


class ConvTranspose2d(ConvTranspose):
    """The transpose of a `Conv2d`, which leads from the sizes of its outputs to larger ones.

    >>> dg.nn.ConvTranspose2d(3, 4, kernel_size=2, stride=2)(dg.ones(2, 3, 4, 4)).shape
    (2, 4, 8, 8)
    """

    axes = 2


class ConvTranspose3d(ConvTranspose):
    """`ConvTranspose2d` for inputs (batch, channels, depth, height, width).

    >>> dg.nn.ConvTranspose3d(3, 4, kernel_size=2)(dg.ones(2, 3, 2, 2, 2)).shape
    (2, 4, 3, 3, 3)
    """

    axes = 3
