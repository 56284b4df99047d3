"""Convolution and its transposes as products of matrices.

Note [Channels last]. All three work on arrays whose channels are last in memory: there the entries
of a window lie in long runs, and windows become the rows of a matrix by few and fast copies. The
axes of results are in the usual order, channels first, but their memory is not, so what follows in
a network finds it as it needs it, and nothing is turned around.

Note [Windows]. The matrix of all windows has each entry of an operand many times. It is made and
used in blocks that stay in the cache. Where filters are small, blocks are multiplied in tiles for
which OpenBLAS takes one thread, and threads of ours take the blocks, copies included. What is added
to what does not depend on the number of threads, and so neither do the bits of results.
"""

import itertools
import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ..linalg.matmul import TILE
from ..threads import in_threads, share_parts
from . import native_convolution as native
from .windows import Pads, Sizes, Slide, extent, inner_slices, inverse, merge_runs, places, windows

BLOCK = 1 << 21  # bytes of the windows that are copied at a time
LEAST = 32  # rows of a tile that are worth a product of their own
SHORT = 12  # entries of a window in a row up to which columns are copied faster
SHARES = 4  # that have a sum of their own
WORTH = 1 << 27  # multiplications for which threads are worth being made
Steps = tuple[Sizes, Pads, Sizes]  # strides, pads, dilations


@native.tried_first(native.convolve)
def convolve(
    x: np.ndarray, w: np.ndarray, steps: Steps, groups: int, bias: np.ndarray | None = None,
    out: np.ndarray | None = None,
) -> Any:  # fmt: skip
    """The convolution of `x` with the filters `w`, channels first; so is `out`."""
    return correlate_into(out, last(x), w, steps, groups, bias)


def correlate_into(
    out: np.ndarray | None, x: np.ndarray, w: np.ndarray, steps: Steps, groups: int,
    bias: np.ndarray | None = None,
) -> np.ndarray:  # fmt: skip
    """`correlate`, with the channels of its result and of `out` second; `out` is of any layout."""
    into = None if out is None else last(out)
    if into is None or into.flags.c_contiguous:
        return second(correlate(x, w, steps, groups, bias, into))
    into[...] = correlate(x, w, steps, groups, bias)  # whose blocks are not views of it
    return second(into)


def last(x: np.ndarray) -> Any:
    """A view with the second axis last."""
    return x.transpose(0, *range(2, x.ndim), 1)


def second(x: np.ndarray) -> np.ndarray:
    """A view with the last axis second."""
    return x.transpose(0, x.ndim - 1, *range(1, x.ndim - 1))


def correlate(
    x: np.ndarray, w: np.ndarray, steps: Steps, groups: int, bias: np.ndarray | None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:  # fmt: skip
    """The convolution of an `x` with channels last; so are those of the result, and of `out`."""
    slide = w.shape[2:], *steps
    sizes = map(places, x.shape[1:-1], *slide)
    y = np.empty((len(x), *sizes, len(w)), np.result_type(x, w)) if out is None else out
    filters = matrices(w, groups)
    wide = None if bias is None else np.tile(bias, y.shape[-2])  # short rows are slow to add to

    def multiply(taken: Iterator[list[slice]]) -> None:
        for part, rows in blocks(x, itertools.chain.from_iterable(taken), slide, groups):
            into = by_group(y[part], groups)
            for tile in tiles(rows, filters.shape[-1]):
                np.matmul(tile_rows(rows, tile), filters[:, None], out=tile_rows(into, tile))
            if wide is not None:  # while the block is in the cache
                some = y[part].reshape(-1, len(wide))
                np.add(some, wide, out=some)

    in_threads(multiply, shares(x, y, filters, len(x)))
    return y


def block_bytes(
    x: Sizes, w: Sizes, y: Sizes, pads: Pads, groups: int, itemsize: int
) -> tuple[int, int, int]:
    """The bytes that `blocks` allocates: of padded examples, of windows; and the rows of these."""
    sizes, row = y[2:], groups * math.prod(w[1:]) * math.prod(y[3:])
    if not y[0] * row:
        return 0, 0, 0
    step = min(max(1, BLOCK // (row * sizes[0] * itemsize)), y[0])
    height = min(max(1, BLOCK // (row * itemsize)), sizes[0])
    padded = [n + lo + hi for n, (lo, hi) in zip(x[2:], pads, strict=True)]
    frame = step * x[1] * math.prod(padded) if any(map(any, pads)) else 0
    return frame * itemsize, step * height * row * itemsize, step * height * math.prod(sizes[1:])


def filter_gradient_bytes(x: Sizes, w: Sizes, y: Sizes, pads: Pads, groups: int, size: int) -> int:
    """The bytes that `filter_gradient` allocates beside its result."""
    frame, buffer, rows = block_bytes(x, w, y, pads, groups, size)
    products = math.prod(w)
    most = TILE // max(1, products // groups)
    tiled = rows // most if most >= LEAST and rows > most else 1
    shared = math.prod(y) * math.prod(w[1:]) >= WORTH
    return frame + buffer + max(shared * buffer, tiled * products * size) + SHARES * products * size


def matrices(w: np.ndarray, groups: int) -> np.ndarray:
    """The filters of each group as columns of a matrix."""
    filters = last(w).reshape(groups, len(w) // groups, math.prod(w.shape[1:]))
    return np.ascontiguousarray(filters.transpose(0, 2, 1))


def shares(x: np.ndarray, y: np.ndarray, filters: Any, most: int) -> list[list[slice]]:
    """The examples in chunks for one block, grouped in lists for threads."""
    width, height = filters.shape[-2:]
    one = max(1, y[:1, ..., :1].size * len(filters) * width * x.itemsize)
    step = max(1, BLOCK // one)
    parts = [slice(i, min(i + step, len(x))) for i in range(0, len(x), step)]
    alone = y.size * width < WORTH or width * height * LEAST > TILE
    return share_parts(parts, 1 if alone else most)


def blocks(
    x: np.ndarray, parts: Iterable[slice], slide: Slide, groups: int
) -> Iterator[tuple[tuple[slice, slice], Any]]:
    """Blocks of windows as the rows of a matrix for each group.

    The first part is the longest. Memory, and views of it, are allocated once: a block is a few
    calls.
    """
    window, strides, pads, dilations = slide
    parts = iter(parts)
    if (first := next(parts, None)) is None:
        return
    frame, inner, kept = padding_buffer(x, first.stop - first.start, pads)
    views = group_windows(windows(frame, 1, window, strides, dilations), len(window), groups)
    height = max(1, BLOCK // max(1, views[:, :1, :1].size * x.itemsize))
    cuts = [slice(j, j + height) for j in range(0, views.shape[2], height)]
    buffer, ready = np.empty(0, x.dtype), {}
    for part in itertools.chain([first], parts):
        some = views[:, part]
        if inner is not None:
            examples = x[part]
            inner[: len(examples)] = examples[kept]
            some = views[:, : len(examples)]
        for cut in cuts:
            piece = some[:, :, cut]
            if piece.shape not in ready:
                if buffer.size < piece.size:
                    buffer = np.empty(piece.size, x.dtype)
                ready[piece.shape] = as_rows(buffer[: piece.size], piece.shape, len(window))
            copied, rows = ready[piece.shape]
            np.copyto(*merge_runs(copied, piece))
            yield (part, cut), rows


def padding_buffer(x: Any, most: int, pads: Pads) -> tuple[Any, Any, Any]:
    """A buffer for padded examples, the place of the examples in it, and the part that is used.

    It is `x` itself, without a place, if no padding is needed.
    """
    if x.flags.c_contiguous and not any(map(any, pads)):
        return x, None, None
    full = ((0, 0), *pads, (0, 0))
    shape = [most, *(n + lo + hi for n, (lo, hi) in zip(x.shape[1:], full[1:], strict=True))]
    frame = np.zeros(shape, x.dtype)
    return frame, frame[inner_slices(shape, full)], inner_slices(x.shape, inverse(full))


def group_windows(views: Any, n: int, groups: int) -> np.ndarray:
    """Windows over `n` axes with an axis of channel groups in front."""
    *shape, channels = views.shape
    parted = views.reshape(*shape, groups, channels // groups)
    return parted.transpose(len(shape), *range(len(shape)), len(shape) + 1)


def as_rows(buffer: Any, shape: tuple[int, ...], n: int) -> tuple[np.ndarray, np.ndarray]:
    """A buffer in the shape of windows over `n` axes, and as rows of a matrix for each group.

    Where runs of windows are short, the matrix is stored by columns.
    """
    groups, rows, width = shape[0], math.prod(shape[1 : n + 2]), math.prod(shape[n + 2 :])
    if math.prod(shape[-2:]) > SHORT:
        return buffer.reshape(shape), buffer.reshape(groups, rows, width)
    turned = buffer.reshape((groups, *shape[n + 2 :], *shape[1 : n + 2]))
    order = (0, *range(n + 2, 2 * n + 3), *range(1, n + 2))
    return turned.transpose(np.argsort(order)), buffer.reshape(groups, width, rows).swapaxes(1, 2)


def by_group(y: np.ndarray, groups: int) -> np.ndarray:
    """An array with channels last as a matrix for each channel group."""
    *shape, channels = y.shape
    return y.reshape(math.prod(shape), groups, channels // groups).transpose(1, 0, 2)


def tiles(rows: np.ndarray, height: int) -> Iterator[tuple[int, int, int]]:
    """The bounds of the rows, and the number of rows to multiply at a time."""
    _, n, width = rows.shape
    most = TILE // max(1, width * height)
    if most < LEAST or n <= most:
        yield 0, n, n
        return
    whole = n // most * most
    yield 0, whole, most
    if whole < n:
        yield whole, n, n - whole


def tile_rows(rows: np.ndarray, tile: tuple[int, int, int]) -> np.ndarray:
    """The rows of each group in tiles, as a view."""
    first, last, size = tile
    groups, _, width = rows.shape
    return rows[:, first:last].reshape(groups, (last - first) // size if size else 1, size, width)


@native.tried_first(native.filter_gradient)
def filter_gradient(x: Any, g: Any, shape: Sizes, steps: Steps, groups: int) -> np.ndarray:
    """The transpose of `convolve` in its filters, of sizes `shape`: windows times cotangents."""
    x, g = last(x), last(g)
    slide = shape, *steps
    width = math.prod(shape) * x.shape[-1] // groups
    one = np.zeros((groups, g.shape[-1] // groups, width), np.result_type(x, g))
    divided = shares(x, g, one.transpose(0, 2, 1), SHARES)
    totals = np.zeros((len(divided), *one.shape), one.dtype)

    def multiply(taken: Iterator[tuple[Any, list[slice]]]) -> None:
        for total, parts in taken:
            for part, rows in blocks(x, parts, slide, groups):
                cotangents = by_group(g[part], groups)
                for tile in tiles(rows, one.shape[1]):
                    products = np.matmul(
                        tile_rows(cotangents, tile).swapaxes(2, 3), tile_rows(rows, tile)
                    )
                    np.add(total, products.sum(1), out=total)

    in_threads(multiply, list(zip(totals, divided, strict=True)))
    full = np.add.reduce(totals).reshape(g.shape[-1], *shape, x.shape[-1] // groups)
    return np.ascontiguousarray(second(full))


def operand_gradient(
    g: Any, w: np.ndarray, shape: Sizes, steps: Steps, groups: int, out: np.ndarray | None = None
) -> np.ndarray:
    """The transpose of `convolve` in its operand, whose axes have the sizes `shape`.

    Entries that are a stride apart see the same part of each filter: they are a convolution of `g`
    with that part, reversed.
    """
    g, turned = last(g), exchange_channels(w, groups)
    once = (1,) * len(shape)
    axes = zip(shape, g.shape[1:-1], w.shape[2:], *steps, strict=True)
    parts = list(itertools.product(*(list(phases(*axis)) for axis in axes)))
    if steps[0] == once:
        _, taps, frames, apart = zip(*parts[0])
        turned = turned[(slice(None), slice(None), *taps)]
        return convolve(second(g), turned, (once, frames, apart), groups, None, out)
    y = np.empty((len(g), *shape, len(turned)), np.result_type(g, w)) if out is None else last(out)
    y[...] = 0
    for part in parts:
        entries, taps, frames, apart = zip(*part)
        seen = turned[(slice(None), slice(None), *taps)]
        into = second(y[(slice(None), *entries)])
        convolve(second(g), seen, (once, frames, apart), groups, None, into)
    return second(y)


def exchange_channels(w: np.ndarray, groups: int) -> np.ndarray:
    """The filters with the channels of operand and result exchanged."""
    parted = w.reshape(groups, w.shape[0] // groups, *w.shape[1:]).swapaxes(1, 2)
    return parted.reshape(parted.shape[0] * parted.shape[1], *parted.shape[2:])


def phases(
    size: int, given: int, window: int, stride: int, pad: tuple[int, int], dilation: int
) -> Iterator[tuple[slice, slice, tuple[int, int], int]]:
    """Which entries along an axis see which part of a filter: entries, part, frame, dilation.

    Entry p + s j sees the cotangent j + (p + lo - d t) / s through tap t, where s divides that.
    """
    for p in range(min(stride, size)):
        taps = [t for t in range(window) if (p + pad[0] - t * dilation) % stride == 0]
        if not taps:
            continue
        apart = taps[1] - taps[0] if len(taps) > 1 else stride
        step = apart * dilation // stride
        before = (taps[-1] * dilation - p - pad[0]) // stride
        count = places(size - p, 1, stride, (0, 0), 1)
        after = count - given - before + extent(len(taps), step) - 1
        stop = taps[0] - 1 if taps[0] else None
        yield slice(p, None, stride), slice(taps[-1], stop, -apart), (before, after), step
