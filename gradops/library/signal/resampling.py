"""Interpolation, and pixel shuffling."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...core.dims import Dim, Shape
from ...core.errors import OptionError, ShapeError
from ...core.types import shape_of, type_of
from ...typing import AnyArray, OperandLike
from ..elementwise.arithmetic import add, mul
from ..index.indexing import take
from ..shape.movement import reshape, transpose
from ..shape.repeating import repeat

__all__ = ["interpolate", "pixel_shuffle", "pixel_unshuffle"]

CUBIC = -0.75  # the slope that PyTorch's cubic kernel has at 1
Places = tuple[Any, Any]


def weighted_sum(x: Any, axis: int, places: Any, weights: Any) -> Any:
    """Weighted sums of entries along an axis, with a row of indices and weights per term."""
    total = None
    rest = (1,) * (len(shape_of(x)) - 1 - axis)
    for place, weight in zip(places, weights, strict=True):
        part = take(x, place, axis=axis)
        if not np.all(weight == 1):
            part = mul(part, weight.reshape(-1, *rest).astype(type_of(x).dtype))
        total = part if total is None else add(total, part)
    return total


def positions(size: int, count: int, scale: float | None, align_corners: bool) -> Any:
    """The positions of the centres of `count` new entries among `size` old ones."""
    if align_corners:
        return np.arange(count) * ((size - 1) / (count - 1) if count > 1 else 0.0)
    return (np.arange(count) + 0.5) * (1 / scale if scale else size / count) - 0.5


def nearest(size: int, count: int, scale: float | None, align_corners: bool) -> Places:
    """The entry in which each new one begins."""
    step = np.float32(1 / scale if scale else size / count)  # PyTorch rounds like this
    places = np.floor(np.arange(count, dtype=np.float32) * step).astype(int)
    return np.minimum(places, size - 1)[None], np.ones((1, count))


def nearest_exact(size: int, count: int, scale: float | None, align_corners: bool) -> Places:
    """The entry in which the centre of each new one lies."""
    step = np.float32(1 / scale if scale else size / count)
    centres = (np.arange(count, dtype=np.float32) + np.float32(0.5)) * step
    return np.clip(np.floor(centres).astype(int), 0, size - 1)[None], np.ones((1, count))


def linear(size: int, count: int, scale: float | None, align_corners: bool) -> Places:
    """The two entries around each new one, and their weights."""
    at = np.maximum(positions(size, count, scale, align_corners), 0)
    low = np.minimum(np.floor(at).astype(int), size - 1)
    part = at - low
    return np.stack([low, np.minimum(low + 1, size - 1)]), np.stack([1 - part, part])


def cubic(size: int, count: int, scale: float | None, align_corners: bool) -> Places:
    """The four entries around each new one, and their weights."""
    at = positions(size, count, scale, align_corners)
    low = np.floor(at).astype(int)
    part = at - low
    places = np.clip(np.stack([low + k for k in (-1, 0, 1, 2)]), 0, size - 1)
    return places, np.stack([far(part + 1), near(part), near(1 - part), far(2 - part)])


def near(t: AnyArray) -> Any:
    """The cubic kernel up to a distance of 1."""
    return ((CUBIC + 2) * t - (CUBIC + 3)) * t * t + 1


def far(t: AnyArray) -> Any:
    """The cubic kernel from a distance of 1 to one of 2."""
    return CUBIC * (((t - 5) * t + 8) * t - 4)


METHODS: dict[str, Callable[[int, int, float | None, bool], Places]] = {
    "nearest": nearest, "nearest-exact": nearest_exact, "linear": linear, "cubic": cubic,
}


def interpolate(
    x: OperandLike, sizes: Sequence[int] | None = None, scales: Sequence[float] | None = None,
    method: str = "nearest", align_corners: bool = False,
) -> Any:
    """`x` with its last axes resampled to `sizes`, or to the old sizes times `scales`.

    Methods are "nearest" (the entry in which a new one begins), "nearest-exact" (in which its
    centre lies), "linear" and "cubic", along one axis after the other. With `align_corners` the
    first and last entries keep their positions.

    >>> interpolate(np.array([0.0, 1.0]), sizes=(4,), method="linear")
    array([0.  , 0.25, 0.75, 1.  ])
    """
    if method not in METHODS:
        raise OptionError("interpolate", [type_of(x)], f"no method is called {method!r}")
    if (sizes is None) == (scales is None):
        raise OptionError("interpolate", [type_of(x)], "it takes either sizes or scales")
    wanted: Any = sizes if sizes is not None else scales
    first = len(shape_of(x)) - len(wanted)
    old: Any = shape_of(x)[max(first, 0) :]
    if first < 0 or any(isinstance(n, Dim) for n in old):
        raise ShapeError("interpolate", [type_of(x)], f"{wanted} are not for axes of known sizes")
    counts = wanted if scales is None else [math.floor(n * s) for n, s in zip(old, scales)]
    if any(n < 1 for n in (*counts, *old)):
        raise ShapeError("interpolate", [type_of(x)], f"sizes {tuple(counts)} have no entries")
    for i, (size, count) in enumerate(zip(old, counts, strict=True)):
        scale = None if scales is None else scales[i]
        x = resample_axis(x, first + i, size, count, scale, method, align_corners)
    return x


def resample_axis(
    x: Any, axis: int, size: int, count: int, scale: float | None, method: str, align_corners: bool
) -> Any:
    """`x` resampled to `count` entries along one axis, of `size` entries."""
    if method == "nearest" and count % size == 0 and scale in (None, count // size):
        return x if count == size else repeat(x, count // size, axis=axis)
    if method == "linear" and count == size and scale in (None, 1):
        return x
    return weighted_sum(x, axis, *METHODS[method](size, count, scale, align_corners))


def channel_sizes(op: str, x: Any, factor: int) -> tuple[Shape, Shape, Any]:
    """The shape of `x` before channels, its spatial sizes, and the number of channels."""
    shape = shape_of(x)
    if len(shape) < 3 or factor < 1:
        raise ShapeError(op, [type_of(x)], "it has axes (..., channels, rows, columns)")
    return shape[:-3], shape[-2:], shape[-3]


def pixel_shuffle(x: OperandLike, factor: int) -> Any:
    """Rearranges channels (..., c f f, h, w) to pixels (..., c, h f, w f), for a factor f.

    >>> pixel_shuffle(np.arange(4.0).reshape(4, 1, 1), 2)
    array([[[0., 1.],
            [2., 3.]]])
    """
    front, (h, w), channels = channel_sizes("pixel_shuffle", x, factor)
    if isinstance(channels, int) and channels % (factor * factor):
        reason = f"{channels} channels are not a multiple of {factor}**2"
        raise ShapeError("pixel_shuffle", [type_of(x)], reason)
    c, n = channels // (factor * factor), len(front)
    parted = reshape(x, shape=(*front, c, factor, factor, h, w))
    moved = transpose(parted, axes=(*range(n + 1), n + 3, n + 1, n + 4, n + 2))
    return reshape(moved, shape=(*front, c, h * factor, w * factor))


def pixel_unshuffle(x: OperandLike, factor: int) -> Any:
    """Rearranges pixels (..., c, h f, w f) to channels (..., c f f, h, w), for a factor f.

    >>> pixel_unshuffle(np.arange(4.0).reshape(1, 2, 2), 2).shape
    (4, 1, 1)
    """
    front, (h, w), c = channel_sizes("pixel_unshuffle", x, factor)
    if any(isinstance(m, int) and m % factor for m in (h, w)):
        raise ShapeError("pixel_unshuffle", [type_of(x)], f"sizes are not multiples of {factor}")
    n = len(front)
    parted = reshape(x, shape=(*front, c, h // factor, factor, w // factor, factor))
    moved = transpose(parted, axes=(*range(n + 1), n + 2, n + 4, n + 1, n + 3))
    return reshape(moved, shape=(*front, c * factor * factor, h // factor, w // factor))
