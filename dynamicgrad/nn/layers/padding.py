"""Padding as modules."""

from collections.abc import Sequence
from typing import Any, ClassVar

from ...engine.tensor import Tensor
from .. import functional as F
from ..modules.module import Module

__all__ = [
    "CircularPad1d", "CircularPad2d", "CircularPad3d", "ConstantPad1d", "ConstantPad2d",
    "ConstantPad3d", "ReflectionPad1d", "ReflectionPad2d", "ReflectionPad3d", "ReplicationPad1d",
    "ReplicationPad2d", "ReplicationPad3d", "ZeroPad1d", "ZeroPad2d", "ZeroPad3d",
]  # fmt: skip


class Pad(Module):
    """Entries around the last dimensions: as many at each end, or in pairs, the last one first."""

    axes: ClassVar[int]
    mode: ClassVar[str] = "constant"

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__()
        ends = 2 * self.axes
        self.padding = (padding,) * ends if isinstance(padding, int) else tuple(padding)
        self.value: Any = 0.0 if self.mode == "constant" else None
        if len(self.padding) != ends:
            raise ValueError(f"padding is one width, or {ends} of them, not {padding}")

    def forward(self, input: Tensor) -> Tensor:
        """The input with entries around it."""
        return F.pad(input, self.padding, self.mode, self.value)

    def extra_repr(self) -> str:
        """The widths."""
        return str(self.padding)


class ConstantPad(Pad):
    """A number around the last dimensions."""

    def __init__(self, padding: int | Sequence[int], value: float) -> None:
        super().__init__(padding)
        self.value = value

    def extra_repr(self) -> str:
        """The widths and the number."""
        return f"padding={self.padding}, value={self.value}"


class ZeroPad1d(Pad):
    """Zeros around inputs (batch, channels, length).

    >>> dg.nn.ZeroPad1d(1)(dg.tensor([[[1.0, 2.0]]]))
    tensor([[[0., 1., 2., 0.]]])
    """

    axes = 1


class ZeroPad2d(Pad):
    """`ZeroPad1d` for inputs (batch, channels, height, width), with 4 widths.

    >>> dg.nn.ZeroPad2d(1)(dg.ones(1, 1, 2, 2)).shape
    (1, 1, 4, 4)
    """

    axes = 2


class ZeroPad3d(Pad):
    """`ZeroPad1d` for inputs (batch, channels, depth, height, width), with 6 widths.

    >>> dg.nn.ZeroPad3d(1)(dg.ones(1, 1, 2, 2, 2)).shape
    (1, 1, 4, 4, 4)
    """

    axes = 3


class ConstantPad1d(ConstantPad):
    """A number around inputs (batch, channels, length).

    >>> dg.nn.ConstantPad1d(1, 9.0)(dg.tensor([[[1.0, 2.0]]]))
    tensor([[[9., 1., 2., 9.]]])
    """

    axes = 1


class ConstantPad2d(ConstantPad):
    """`ConstantPad1d` for inputs (batch, channels, height, width), with 4 widths.

    >>> dg.nn.ConstantPad2d(1, 9.0)(dg.ones(1, 1, 2, 2)).shape
    (1, 1, 4, 4)
    """

    axes = 2


class ConstantPad3d(ConstantPad):
    """`ConstantPad1d` for inputs (batch, channels, depth, height, width), with 6 widths.

    >>> dg.nn.ConstantPad3d(1, 9.0)(dg.ones(1, 1, 2, 2, 2)).shape
    (1, 1, 4, 4, 4)
    """

    axes = 3


class ReflectionPad(Pad):
    """The reflection of the input at its ends."""

    mode = "reflect"


class ReflectionPad1d(ReflectionPad):
    """Pads inputs (batch, channels, length) with their reflection at the ends.

    >>> dg.nn.ReflectionPad1d(1)(dg.tensor([[[1.0, 2.0]]]))
    tensor([[[2., 1., 2., 1.]]])
    """

    axes = 1


class ReflectionPad2d(ReflectionPad):
    """`ReflectionPad1d` for inputs (batch, channels, height, width), with 4 widths.

    >>> dg.nn.ReflectionPad2d(1)(dg.ones(1, 1, 2, 2)).shape
    (1, 1, 4, 4)
    """

    axes = 2


class ReflectionPad3d(ReflectionPad):
    """`ReflectionPad1d` for inputs (batch, channels, depth, height, width), with 6 widths.

    >>> dg.nn.ReflectionPad3d(1)(dg.ones(1, 1, 2, 2, 2)).shape
    (1, 1, 4, 4, 4)
    """

    axes = 3


class ReplicationPad(Pad):
    """The first and last entries again."""

    mode = "replicate"


class ReplicationPad1d(ReplicationPad):
    """The first and last entries again around inputs (batch, channels, length).

    >>> dg.nn.ReplicationPad1d(1)(dg.tensor([[[1.0, 2.0]]]))
    tensor([[[1., 1., 2., 2.]]])
    """

    axes = 1


class ReplicationPad2d(ReplicationPad):
    """`ReplicationPad1d` for inputs (batch, channels, height, width), with 4 widths.

    >>> dg.nn.ReplicationPad2d(1)(dg.ones(1, 1, 2, 2)).shape
    (1, 1, 4, 4)
    """

    axes = 2


class ReplicationPad3d(ReplicationPad):
    """`ReplicationPad1d` for inputs (batch, channels, depth, height, width), with 6 widths.

    >>> dg.nn.ReplicationPad3d(1)(dg.ones(1, 1, 2, 2, 2)).shape
    (1, 1, 4, 4, 4)
    """

    axes = 3


class CircularPad(Pad):
    """The entries at the other end."""

    mode = "circular"


class CircularPad1d(CircularPad):
    """Pads inputs (batch, channels, length) with the entries at the other end.

    >>> dg.nn.CircularPad1d(1)(dg.tensor([[[1.0, 2.0]]]))
    tensor([[[2., 1., 2., 1.]]])
    """

    axes = 1


class CircularPad2d(CircularPad):
    """`CircularPad1d` for inputs (batch, channels, height, width), with 4 widths.

    >>> dg.nn.CircularPad2d(1)(dg.ones(1, 1, 2, 2)).shape
    (1, 1, 4, 4)
    """

    axes = 2


class CircularPad3d(CircularPad):
    """`CircularPad1d` for inputs (batch, channels, depth, height, width), with 6 widths.

    >>> dg.nn.CircularPad3d(1)(dg.ones(1, 1, 2, 2, 2)).shape
    (1, 1, 4, 4, 4)
    """

    axes = 3
