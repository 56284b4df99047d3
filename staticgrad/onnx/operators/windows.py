"""The options that convolutions and poolings share: windows, strides, dilations and padding."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gradops.core.dims import Dim, Size

from ..errors import Unsupported

Ints = Sequence[int] | None
Pairs = tuple[tuple[Any, Any], ...]


@dataclass(frozen=True)
class Windows:
    """Windows over axes of space: their sizes, steps, gaps, and the padding before and after."""

    window: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    pads: Pairs

    @property
    def attributes(self) -> dict[str, Any]:
        """The attributes of pooling ops."""
        return {"window": self.window, "strides": self.strides, "pads": self.pads,
                "dilations": self.dilations}  # fmt: skip

    def extents(self) -> list[int]:
        """How many entries each window spans."""
        return [(k - 1) * d + 1 for k, d in zip(self.window, self.dilations, strict=True)]


def windows_of(
    sizes: Sequence[Size], window: Sequence[int], auto_pad: str, dilations: Ints, pads: Ints,
    strides: Ints, ceil: bool = False,
) -> Windows:  # fmt: skip
    """The windows that ONNX's options mean for axes of these sizes."""
    k = len(window)
    plain = Windows(tuple(window), tuple(strides or (1,) * k), tuple(dilations or (1,) * k), ())
    match auto_pad:
        case "NOTSET":
            given = tuple(pads or (0,) * (2 * k))
            pairs = tuple(zip(given[:k], given[k:], strict=True))
        case "VALID":
            pairs = ((0, 0),) * k
        case "SAME_UPPER" | "SAME_LOWER":
            pairs = tuple(
                same(n, e, s, auto_pad)
                for n, e, s in zip(sizes, plain.extents(), plain.strides, strict=True)
            )
        case _:
            raise Unsupported(f"the padding {auto_pad!r}")
    if ceil and auto_pad == "NOTSET":
        pairs = tuple(
            with_partial(n, e, s, pair)
            for n, e, s, pair in zip(sizes, plain.extents(), plain.strides, pairs, strict=True)
        )
    return Windows(plain.window, plain.strides, plain.dilations, pairs)


def same(n: Size, extent: int, stride: int, auto_pad: str) -> tuple[int, int]:
    """The padding with which there are n / stride windows, rounded up."""
    if isinstance(n, Dim):
        if stride != 1:
            raise Unsupported(f"the padding {auto_pad!r} of an axis of unknown size, with strides")
        total = extent - 1
    else:
        total = max((-(-n // stride) - 1) * stride + extent - n, 0)
    small, large = total // 2, total - total // 2
    return (small, large) if auto_pad == "SAME_UPPER" else (large, small)


def with_partial(n: Size, extent: int, stride: int, pad: tuple[int, int]) -> tuple[int, int]:
    """The padding, longer at the end where a last partial window starts inside."""
    if isinstance(n, Dim):
        if stride == 1:
            return pad
        raise Unsupported("partial windows of an axis of unknown size")
    before, after = pad
    count = -(-(n + before + after - extent) // stride) + 1
    if (count - 1) * stride >= n + before:
        count -= 1
    return before, max(after, (count - 1) * stride + extent - n - before)
