"""Pooling: one number for each window."""

from typing import Any, ClassVar

import gradops as ops
from gradops.typing import Sizes

from ...engine.tensor import Tensor, as_tensor
from .. import functional as F
from ..modules.function_module import REQUIRED, Applied
from ..modules.module import Module
from ..modules.text import format_attributes

__all__ = [
    "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d", "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d", "AdaptiveMaxPool3d", "AvgPool1d", "AvgPool2d", "AvgPool3d", "LPPool1d",
    "LPPool2d", "LPPool3d", "MaxPool1d", "MaxPool2d", "MaxPool3d",
]  # fmt: skip


def check(module: Any, x: Tensor) -> Tensor:
    """Refuse inputs that have not the axes of a batch and of channels, or of channels, in front."""
    if x.ndim not in (module.axes + 1, module.axes + 2):
        raise ops.ShapeError(
            type(module).__name__, [x.type],
            f"expected {module.axes + 1}D or {module.axes + 2}D input (got {x.ndim}D input)",
        )  # fmt: skip
    return x


class MaxPool(Module):
    """The greatest number of each window."""

    axes: ClassVar[int]

    def __init__(
        self, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0,
        dilation: Sizes = 1, return_indices: bool = False, ceil_mode: bool = False,
    ) -> None:  # fmt: skip
        super().__init__()
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding, self.dilation = padding, dilation
        self.return_indices, self.ceil_mode = return_indices, ceil_mode

    def forward(self, input: Tensor) -> Tensor | tuple[Tensor, Tensor]:
        """The maxima, and their indices if `return_indices`."""
        x, window = check(self, as_tensor(input)), (self.kernel_size, self.stride, self.padding)
        options = (*window, self.dilation, self.axes, self.ceil_mode)
        y = ops.max_pooling(x, *options)
        return (y, ops.max_pool_places(x, *options)) if self.return_indices else y

    def extra_repr(self) -> str:
        """The window and how it slides."""
        return format_attributes(self, "kernel_size", "stride", "padding", "dilation", "ceil_mode")


class MaxPool1d(MaxPool):
    """`MaxPool2d` for inputs (batch, channels, length).

    >>> dg.nn.MaxPool1d(2)(dg.tensor([[1.0, 3.0, 2.0, 0.0]]))
    tensor([[3., 2.]])
    """

    axes = 1


class MaxPool2d(MaxPool):
    """The maximum of each window of inputs (batch, channels, height, width).

    Windows move by `stride`, by default their size; there are `padding` entries that are never the
    greatest around the input. With `return_indices` there are also the places of these numbers, and
    with `ceil_mode` a window may reach beyond the end.

    >>> dg.nn.MaxPool2d(2)(dg.ones(2, 3, 8, 8)).shape
    (2, 3, 4, 4)
    """

    axes = 2


class MaxPool3d(MaxPool):
    """`MaxPool2d` for inputs (batch, channels, depth, height, width).

    >>> dg.nn.MaxPool3d(2)(dg.ones(2, 3, 4, 4, 4)).shape
    (2, 3, 2, 2, 2)
    """

    axes = 3


class AvgPool(Module):
    """The mean of each window."""

    axes: ClassVar[int]

    def __init__(
        self, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0,
        ceil_mode: bool = False, count_include_pad: bool = True,
        divisor_override: float | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding, self.ceil_mode = padding, ceil_mode
        self.count_include_pad, self.divisor_override = count_include_pad, divisor_override

    def forward(self, input: Tensor) -> Tensor:
        """The means."""
        return ops.avg_pool(
            check(self, as_tensor(input)), self.kernel_size, self.stride, self.padding, self.axes,
            self.ceil_mode, self.count_include_pad, self.divisor_override,
        )  # fmt: skip

    def extra_repr(self) -> str:
        """The window and how it slides."""
        return format_attributes(self, "kernel_size", "stride", "padding")


class AvgPool1d(AvgPool):
    """`AvgPool2d` for inputs (batch, channels, length).

    >>> dg.nn.AvgPool1d(2)(dg.tensor([[1.0, 3.0, 2.0, 0.0]]))
    tensor([[2., 1.]])
    """

    axes = 1


class AvgPool2d(AvgPool):
    """The mean of each window of inputs (batch, channels, height, width); see `MaxPool2d`.

    Zeros around the input count if `count_include_pad`; `divisor_override` stands in for the count.

    >>> dg.nn.AvgPool2d(2)(dg.ones(2, 3, 8, 8)).shape
    (2, 3, 4, 4)
    """

    axes = 2


class AvgPool3d(AvgPool):
    """`AvgPool2d` for inputs (batch, channels, depth, height, width).

    >>> dg.nn.AvgPool3d(2)(dg.ones(2, 3, 4, 4, 4)).shape
    (2, 3, 2, 2, 2)
    """

    axes = 3


class Adaptive(Module):
    """Pooling to given output sizes; None keeps the input's."""

    axes: ClassVar[int]

    def __init__(self, output_size: Sizes) -> None:
        super().__init__()
        self.output_size = output_size

    def extra_repr(self) -> str:
        """The sizes."""
        return f"output_size={self.output_size}"


class AdaptiveAvgPool(Adaptive):
    """Average pooling to a given number of windows."""

    def forward(self, input: Tensor) -> Tensor:
        """The means."""
        return ops.adaptive_avg_pool(check(self, as_tensor(input)), self.output_size, self.axes)


class AdaptiveAvgPool1d(AdaptiveAvgPool):
    """`AdaptiveAvgPool2d` for inputs (batch, channels, length).

    >>> dg.nn.AdaptiveAvgPool1d(2)(dg.tensor([[1.0, 3.0, 2.0, 0.0]]))
    tensor([[2., 1.]])
    """

    axes = 1


class AdaptiveAvgPool2d(AdaptiveAvgPool):
    """The means of windows that cover inputs (batch, channels, height, width), of given number.

    >>> dg.nn.AdaptiveAvgPool2d(1)(dg.ones(2, 3, 8, 8)).shape
    (2, 3, 1, 1)
    """

    axes = 2


class AdaptiveAvgPool3d(AdaptiveAvgPool):
    """`AdaptiveAvgPool2d` for inputs (batch, channels, depth, height, width).

    >>> dg.nn.AdaptiveAvgPool3d((1, None, 2))(dg.ones(2, 3, 4, 4, 4)).shape
    (2, 3, 1, 4, 2)
    """

    axes = 3


class AdaptiveMaxPool(Adaptive):
    """Max pooling to a given number of windows."""

    def __init__(self, output_size: Sizes, return_indices: bool = False) -> None:
        super().__init__(output_size)
        self.return_indices = return_indices

    def forward(self, input: Tensor) -> Tensor | tuple[Tensor, Tensor]:
        """The maxima, and their indices if `return_indices`."""
        x = check(self, as_tensor(input))
        return ops.adaptive_max_pool(x, self.output_size, self.axes, self.return_indices)


class AdaptiveMaxPool1d(AdaptiveMaxPool):
    """`AdaptiveMaxPool2d` for inputs (batch, channels, length).

    >>> dg.nn.AdaptiveMaxPool1d(2)(dg.tensor([[1.0, 3.0, 2.0, 0.0]]))
    tensor([[3., 2.]])
    """

    axes = 1


class AdaptiveMaxPool2d(AdaptiveMaxPool):
    """The greatest numbers of windows that cover inputs (batch, channels, height, width).

    >>> dg.nn.AdaptiveMaxPool2d(2)(dg.ones(2, 3, 8, 8)).shape
    (2, 3, 2, 2)
    """

    axes = 2


class AdaptiveMaxPool3d(AdaptiveMaxPool):
    """`AdaptiveMaxPool2d` for inputs (batch, channels, depth, height, width).

    >>> dg.nn.AdaptiveMaxPool3d(1)(dg.ones(2, 3, 4, 4, 4)).shape
    (2, 3, 1, 1, 1)
    """

    axes = 3


class LPPool1d(
    Applied,
    function=F.lp_pool1d,
    norm_type=REQUIRED,
    kernel_size=REQUIRED,
    stride=None,
    ceil_mode=False,
):
    """The norm, of order `norm_type`, of each window of inputs (batch, channels, length).

    >>> dg.nn.LPPool1d(2, 2)(dg.tensor([[3.0, 4.0, 0.0, 1.0]]))
    tensor([[5., 1.]])
    """


class LPPool2d(
    Applied,
    function=F.lp_pool2d,
    norm_type=REQUIRED,
    kernel_size=REQUIRED,
    stride=None,
    ceil_mode=False,
):
    """`LPPool1d` for inputs (batch, channels, height, width).

    >>> dg.nn.LPPool2d(2, 2)(dg.ones(2, 3, 8, 8)).shape
    (2, 3, 4, 4)
    """


class LPPool3d(
    Applied,
    function=F.lp_pool3d,
    norm_type=REQUIRED,
    kernel_size=REQUIRED,
    stride=None,
    ceil_mode=False,
):
    """`LPPool1d` for inputs (batch, channels, depth, height, width).

    >>> dg.nn.LPPool3d(2, 2)(dg.ones(2, 3, 4, 4, 4)).shape
    (2, 3, 2, 2, 2)
    """
