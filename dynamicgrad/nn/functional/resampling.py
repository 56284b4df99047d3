"""Other sizes of images, as functions."""

from collections.abc import Sequence
from typing import Any

import gradops as ops
from gradops.typing import Sizes

from ...engine.piecewise import mark_kinked
from ...engine.tensor import Tensor, as_tensor

__all__ = ["channel_shuffle", "interpolate", "pad", "pixel_shuffle", "pixel_unshuffle"]

METHODS = {
    "nearest": ("nearest", None), "nearest-exact": ("nearest-exact", None),
    "linear": ("linear", 1), "bilinear": ("linear", 2), "trilinear": ("linear", 3),
    "bicubic": ("cubic", 2),
}  # fmt: skip


def interpolate(
    input: Tensor, size: Sizes | None = None, scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest", align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None, antialias: bool = False,
) -> Tensor:  # fmt: skip
    """The input (examples, channels, ...) resampled to other spatial sizes.

    These are `size`, or the old ones times `scale_factor`; modes are "nearest", "nearest-exact",
    "linear", "bilinear", "trilinear", "bicubic" and "area".

    >>> dg.nn.functional.interpolate(dg.tensor([[[0.0, 1.0]]]), size=4, mode="linear")
    tensor([[[0.0000, 0.2500, 0.7500, 1.0000]]])
    """
    x = as_tensor(input)
    n = x.ndim - 2
    sizes, scales = for_each(size, n), for_each(scale_factor, n)
    if scales is not None and sizes is None and (recompute_scale_factor or mode == "area"):
        sizes, scales = [int(m * s) for m, s in zip(x.shape[2:], scales, strict=True)], None
    if mode == "area":
        return ops.adaptive_avg_pool(x, sizes, n)
    method, rank = METHODS.get(mode, (None, None))
    if method is None or (rank is not None and rank != n) or antialias:
        raise ops.OptionError(
            "interpolate", [x.type], f"mode {mode!r} is none for {n} dimensions"
            + (" with antialias" if antialias else ""),
        )  # fmt: skip
    return ops.interpolate(x, sizes, scales, method, bool(align_corners))


def for_each(value: object, n: int) -> Sequence[Any] | None:
    """One value for each of `n` dimensions; None stays None."""
    if value is None or isinstance(value, Sequence):
        return value
    return (value,) * n


def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """Channels (..., c f f, h, w) as places (..., c, h f, w f).

    >>> tuple(dg.nn.functional.pixel_shuffle(dg.ones(1, 4, 2, 2), 2).shape)
    (1, 1, 4, 4)
    """
    return ops.pixel_shuffle(as_tensor(input), upscale_factor)


def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """Places (..., c, h f, w f) as channels (..., c f f, h, w).

    >>> tuple(dg.nn.functional.pixel_unshuffle(dg.ones(1, 1, 4, 4), 2).shape)
    (1, 4, 2, 2)
    """
    return ops.pixel_unshuffle(as_tensor(input), downscale_factor)


def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """Channels, the second dimension, in the order in which groups of them take turns.

    >>> dg.nn.functional.channel_shuffle(dg.arange(4).reshape(1, 4), 2)
    tensor([[0, 2, 1, 3]])
    """
    x = as_tensor(input)
    n, channels, *rest = x.shape
    if groups < 1 or channels % groups:
        raise ops.ShapeError("channel_shuffle", [x.type], f"{groups} groups cannot share channels")
    parted = ops.reshape(x, shape=(n, groups, channels // groups, *rest))
    return ops.reshape(ops.swapaxes(parted, 1, 2), shape=x.shape)


def pad(x: Tensor, pad: Any, mode: str = "constant", value: float | None = None) -> Tensor:
    """`x` with entries around it: `pad` has a pair of widths per dimension, the last one first.

    With mode "constant" they are `value`, and a negative width takes entries away. Else they are
    entries of `x`: with "reflect", back from the end; with "replicate", the last ones; with
    "circular", from the other end.

    >>> dg.nn.functional.pad(dg.ones(2), (1, 0))
    tensor([0., 1., 1.])
    >>> dg.nn.functional.pad(dg.arange(3), (2, 1), mode="circular")
    tensor([1, 2, 0, 1, 2, 0])
    """
    x = as_tensor(x)
    if len(pad) % 2 or len(pad) > 2 * len(x.shape):
        raise ops.ShapeError(
            "pad", [ops.type_of(x)], f"{tuple(pad)} has no pair of widths for some dimensions",
            known_as="Padding length must be divisible by 2 and at most twice the number of",
        )  # fmt: skip
    pairs = list(zip(pad[::2], pad[1::2], strict=True))[::-1]
    pairs = [(0, 0)] * (len(x.shape) - len(pairs)) + pairs
    if any(min(pair) < 0 for pair in pairs):
        x = x[tuple(slice(max(-a, 0), min(b, 0) or None) for a, b in pairs)]
    widths = [(max(a, 0), max(b, 0)) for a, b in pairs]
    found = ops.pad(x, widths, mode, 0.0 if value is None else value)
    return mark_kinked(found, x) if mode in ("reflect", "replicate") else found
