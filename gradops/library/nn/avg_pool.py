"""Average, norm and adaptive pooling, and max pooling with user-facing options."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.dims import Dim, Shape
from ...core.errors import OptionError, ShapeError
from ...core.types import shape_of, type_of
from ...kernels.nn.windows import extent, places
from ...typing import OperandLike
from ..elementwise.arithmetic import abs, div, mul
from ..index.indexing import take
from ..reduce.along_axis import take_along_axis
from ..reduce.reduction import argmax
from ..shape.movement import astype, expand_dims, in_single, reshape, squeeze
from ..signal.resampling import weighted_sum
from .conv_layers import for_each, widths
from .pooling import max_pool, places_of_max, sum_pool

__all__ = [
    "adaptive_avg_pool", "adaptive_max_pool", "avg_pool", "lp_pool", "max_pool_places",
    "max_pooling",
]

Sizes = int | Sequence[int]


def pool_options(
    op: str, x: Any, window: Sizes, stride: Any, padding: Any, dilation: Sizes, n: int, ceil: bool
) -> dict[str, Any]:
    """The attributes of a pooling op over the last `n` axes, from options as users write them."""
    window = for_each(op, "window", window, n)
    strides = window if stride is None else for_each(op, "stride", stride, n)
    dilations = for_each(op, "dilation", dilation, n)
    if len(shape_of(x)) < n:
        raise ShapeError(op, [type_of(x)], f"it has fewer than {n} axes")
    if min((*window, *strides)) < 1:
        raise OptionError(op, [type_of(x)], f"window {window} and stride {strides} are at least 1")
    sizes = shape_of(x)[len(shape_of(x)) - n :]
    pads = widths(op, padding, sizes, window, strides, dilations)
    if not isinstance(padding, str) and any(
        max(pad) > extent(k, d) // 2 for pad, k, d in zip(pads, window, dilations)
    ):
        raise OptionError(
            op, [type_of(x)], f"padding {padding} is more than half of the window {window}",
        )  # fmt: skip
    if ceil:
        axes = zip(sizes, window, strides, pads, dilations)
        pads = tuple(ceil_padding(op, *axis) for axis in axes)
    return {"window": window, "strides": strides, "pads": pads, "dilations": dilations}


def ceil_padding(
    op: str, size: Any, window: int, stride: int, pad: tuple[int, int], dilation: int
) -> tuple[int, int]:
    """The padding, extended at the end so that a last partial window fits, if it starts inside."""
    if isinstance(size, Dim):
        raise ShapeError(op, [], "windows that are not full need to know the sizes of axes")
    lo, hi = pad
    over = size + lo + hi - extent(window, dilation)
    count = -(-over // stride) + 1
    if (count - 1) * stride >= size + lo:
        count -= 1
    return lo, max(hi, (count - 1) * stride + extent(window, dilation) - size - lo)


def max_pooling(
    x: OperandLike, window: Sizes, stride: Any = None, padding: Any = 0, dilation: Sizes = 1,
    axes: int = 2, ceil: bool = False,
) -> Any:
    """The maximum of each window over the last `axes` axes; see `avg_pool` for the options.

    >>> max_pooling(np.arange(5.0), 2, axes=1, ceil=True)
    array([1., 3., 4.])
    """
    return max_pool(x, **pool_options("max_pool", x, window, stride, padding, dilation, axes, ceil))


def max_pool_places(
    x: Any, window: Sizes, stride: Any = None, padding: Any = 0, dilation: Sizes = 1, axes: int = 2,
    ceil: bool = False,
) -> Any:
    """The flat index, over the last `axes` axes, of the maximum of each window.

    >>> max_pool_places(np.arange(5.0), 2, axes=1, ceil=True)
    array([1, 3, 4])
    """
    given = pool_options("max_pool", x, window, stride, padding, dilation, axes, ceil)
    sizes = shape_of(x)[len(shape_of(x)) - axes :]
    if any(isinstance(n, Dim) for n in sizes):
        raise ShapeError("max_pool_places", [type_of(x)], "it needs to know the sizes of axes")
    rest = astype(places_of_max(x, **given), dtype=np.int64)
    found: Any = 0
    for i in range(axes):
        inner = math.prod(given["window"][i + 1 :])
        begin, entry = window_starts(sizes[i], i, given), rest // inner
        rest = rest - entry * inner
        begin = reshape(begin, shape=(-1, *(1,) * (axes - 1 - i)))
        found = (entry * given["dilations"][i] + begin) + found * sizes[i]
    return found


def window_starts(size: Any, i: int, given: dict[str, Any]) -> Any:
    """The first indices of the windows along axis `i`."""
    window, stride, pad, dilation = (
        given[name][i] for name in ("window", "strides", "pads", "dilations")
    )
    return np.arange(places(size, window, stride, pad, dilation)) * stride - pad[0]


@in_single
def avg_pool(
    x: Any, window: Sizes, stride: Any = None, padding: Any = 0, axes: int = 2, ceil: bool = False,
    count_padding: bool = True, divisor: float | None = None,
) -> Any:
    """The mean of each window over the last `axes` axes.

    The stride is the window size by default. `padding` adds zeros before and after each axis, by
    numbers or as "same" or "valid"; they count as entries if `count_padding`. With `ceil`, a last
    partial window counts, too. `divisor` replaces the number of entries.

    >>> avg_pool(np.arange(5.0), 2, axes=1, ceil=True)
    array([0.5, 2.5, 4. ])
    """
    given = pool_options("avg_pool", x, window, stride, padding, 1, axes, ceil)
    total = sum_pool(x, **given)
    if divisor is not None:
        return div(total, divisor)
    sizes = shape_of(x)[len(shape_of(x)) - axes :]
    counted = widths("avg_pool", padding if count_padding else 0, sizes, given["window"],
                     given["strides"], given["dilations"])  # fmt: skip
    counts = [counted_entries(n, i, given, counted[i]) for i, n in enumerate(sizes)]
    if all(isinstance(n, int) for n in counts):
        return div(total, math.prod(counts))
    counts = [np.asarray(n).reshape(-1, *(1,) * (axes - 1 - i)) for i, n in enumerate(counts)]
    return div(total, astype(math.prod(counts), dtype=type_of(total).dtype))


def counted_entries(size: Any, i: int, given: dict[str, Any], counted: tuple[int, int]) -> Any:
    """The number of entries of each window along axis `i`; one number if all are equal."""
    window, pad = given["window"][i], given["pads"][i]
    if pad == counted:
        return window
    if isinstance(size, Dim):
        raise ShapeError("avg_pool", [], "windows that are not full need to know the sizes of axes")
    first = window_starts(size, i, given)
    last = np.minimum(first + window, size + counted[1])
    return np.maximum(last - np.maximum(first, -counted[0]), 1)


@in_single
def lp_pool(
    x: Any, p: float, window: Sizes, stride: Any = None, axes: int = 2, ceil: bool = False
) -> Any:
    """The p-norm of each window over the last `axes` axes.

    >>> lp_pool(np.array([3.0, 4.0, 0.0]), 2, 2, axes=1)
    array([5.])
    """
    given = pool_options("lp_pool", x, window, stride, 0, 1, axes, ceil)
    return sum_pool(abs(x) ** p, **given) ** (1 / p)


def adaptive_sizes(op: str, x: Any, sizes: Any, axes: int) -> tuple[int, ...]:
    """The sizes that adaptive pooling gives to the last axes; None keeps a size."""
    shape = shape_of(x)[len(shape_of(x)) - axes :]
    wanted = (sizes,) * axes if sizes is None or isinstance(sizes, int) else tuple(sizes)
    if len(wanted) != axes or len(shape) != axes or any(isinstance(n, Dim) for n in shape):
        raise ShapeError(op, [type_of(x)], f"sizes {sizes} are not for {axes} axes of known sizes")
    if any(n is not None and n < 0 for n in wanted) or 0 in shape:
        raise ShapeError(op, [type_of(x)], f"sizes {sizes} cannot be those of its last axes")
    return tuple(m if n is None else n for m, n in zip(shape, wanted))  # type: ignore[misc]


def adaptive_windows(size: int, count: int) -> list[range]:
    """`count` windows of nearly equal sizes that cover an axis."""
    return [range(i * size // count, -(-(i + 1) * size // count)) for i in range(count)]


@in_single
def adaptive_avg_pool(x: OperandLike, sizes: Any, axes: int = 2) -> Any:
    """Average pooling to the given sizes of the last `axes` axes.

    >>> adaptive_avg_pool(np.arange(5.0), 2, axes=1)
    array([1., 3.])
    """
    for i, count in enumerate(adaptive_sizes("adaptive_avg_pool", x, sizes, axes)):
        axis = len(shape_of(x)) - axes + i
        size: Any = shape_of(x)[axis]
        if count and size % count == 0:
            window = (size // count, *(1,) * (axes - 1 - i))
            x = div(sum_pool(x, window=window), size // count) if size > count else x
        else:
            x = mul(1, weighted_sum(x, axis, *mean_weights(adaptive_windows(size, count))))
    return x


def mean_weights(windows: Sequence[Sequence[int]]) -> tuple[Any, Any]:
    """The indices of each window's entries, padded by repetition to one length, and weights."""
    most = max(map(len, windows), default=1)
    places = np.array([[w[min(t, len(w) - 1)] for w in windows] for t in range(most)], int)
    shares = [[1 / len(w) / (1 if t < len(w) - 1 else most - len(w) + 1) for w in windows]
              for t in range(most)]  # fmt: skip
    return places.reshape(most, -1), np.array(shares).reshape(most, -1)


def adaptive_max_pool(x: Any, sizes: Any, axes: int = 2, places: bool = False) -> Any:
    """Max pooling to the given sizes of the last `axes` axes.

    With `places`, also the flat indices of the maxima over these axes.

    >>> adaptive_max_pool(np.arange(5.0), 2, axes=1)
    array([2., 4.])
    """
    shape = shape_of(x)
    first = len(shape) - axes
    wanted = adaptive_sizes("adaptive_max_pool", x, sizes, axes)
    flat = reshape(x, shape=(*shape[:first], math.prod(shape[first:])))
    entries = window_indices(shape[first:], wanted)
    windows = take(flat, entries, axis=first)
    chosen = expand_dims(argmax(windows, axis=-1), axis=-1)
    found = squeeze(take_along_axis(windows, chosen, axis=-1), axis=-1)
    if not places:
        return found
    each = entries.reshape((1,) * first + entries.shape)
    return found, squeeze(take_along_axis(each, chosen, axis=-1), axis=-1)


def window_indices(sizes: Shape, wanted: tuple[int, ...]) -> Any:
    """The indices of each window's entries along an axis, the last one repeated."""
    total: Any = np.zeros((1,) * 2 * len(sizes), int)
    for i, (size, count) in enumerate(zip(sizes, wanted, strict=True)):
        found = mean_weights(adaptive_windows(size, count))[0].T  # type: ignore[arg-type]
        shape = [1] * 2 * len(sizes)
        shape[i], shape[len(sizes) + i] = found.shape
        total = total * size + found.reshape(shape)
    return total.reshape(*wanted, -1)
