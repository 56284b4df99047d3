"""Shapes, slices, joins and paddings."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

import gradops as ops
from gradops import OPS
from gradops.core.dims import Dim, Size

from ...ir.expr import Expr
from ..errors import Unsupported
from ..reading.registry import operator
from ..reading.values import Value, along, as_expr, as_operand, integers, places, scalar, sizes
from .elementwise import cast, like

FAR = 2**31 - 1  # slice bounds beyond this mean the end of the axis
PAD_MODES = {"edge": "edge", "reflect": "reflect", "wrap": "wrap"}


@operator("Reshape")
def reshape_to(x: Value, *, shape: Sequence[int], consumed_inputs: Any = None) -> Any:
    """The entries in the shape of an attribute."""
    return reshape(x, np.array(shape, np.int64))


@operator("Reshape", 5)
def reshape(x: Value, shape: Value, *, allowzero: int = 0) -> Any:
    """The entries in another shape; 0 copies the size of the axis, -1 stands for what remains."""
    wanted = list(sizes(shape))
    if not allowzero:
        wanted = [x.shape[i] if isinstance(n, int) and n == 0 else n for i, n in enumerate(wanted)]
    return OPS["reshape"](as_operand(x, wanted), shape=tuple(wanted))


@operator("Flatten")
def flatten(x: Value, *, axis: int = 1) -> Any:
    """A matrix: the axes before `axis`, and those from it on."""
    axis = axis + len(x.shape) if axis < 0 else axis
    before = math.prod(x.shape[:axis])
    return OPS["reshape"](x, shape=(before, math.prod(x.shape[axis:])))


@operator("Transpose")
def transpose(x: Value, *, perm: Sequence[int] | None = None) -> Any:
    """The axes in another order."""
    return OPS["transpose"](x, axes=None if perm is None else tuple(perm))


@operator("Squeeze")
def squeeze_axes(x: Value, *, axes: Sequence[int] | None = None) -> Any:
    """The array without axes of size 1."""
    return OPS["squeeze"](x, axis=None if axes is None else tuple(axes))


@operator("Squeeze", 13)
def squeeze(x: Value, axes: Value | None = None) -> Any:
    """The array without axes of size 1, which an input names."""
    return squeeze_axes(x, axes=None if axes is None else integers(axes))


@operator("Unsqueeze")
def unsqueeze_axes(x: Value, *, axes: Sequence[int]) -> Any:
    """The array with new axes of size 1."""
    rank = len(x.shape) + len(axes)
    for axis in sorted(a % rank for a in axes):
        x = OPS["expand_dims"](x, axis=axis)
    return x


@operator("Unsqueeze", 13)
def unsqueeze(x: Value, axes: Value) -> Any:
    """The array with new axes of size 1, which an input names."""
    return unsqueeze_axes(x, axes=integers(axes))


@operator("Concat")
def concat(*xs: Value, axis: int = 1) -> Any:
    """The inputs joined along an axis."""
    return OPS["concatenate"](*xs, axis=axis)


@operator("Split")
def split_by_attribute(
    x: Value, sizes: Value | None = None, *, axis: int = 0, split: Sequence[int] | None = None,
    wanted: tuple[bool, ...],
) -> Any:  # fmt: skip
    """Parts along an axis, whose sizes are an attribute, or equal."""
    given = np.array(split, np.int64) if split is not None else sizes
    return split_into(x, given, axis=axis, wanted=wanted)


@operator("Split", 13)
def split_into(
    x: Value, parts: Value | None = None, *, axis: int = 0, num_outputs: int | None = None,
    wanted: tuple[bool, ...],
) -> Any:  # fmt: skip
    """Parts along an axis, whose sizes are an input, or equal but for the last."""
    n, count = x.shape[axis], num_outputs or len(wanted)
    if parts is not None:
        lengths = list(sizes(parts))
    else:
        each = -(-n // count)
        lengths = [each] * (count - 1)
        lengths.append(n - each * (count - 1))
    starts: list[Any] = [0]
    for length in lengths:
        starts.append(starts[-1] + length)
    at = axis % len(x.shape)
    return tuple([
        x[(*[slice(None)] * at, slice(a, b))] for a, b in pairwise(starts)
    ])  # fmt: skip


@operator("Expand", 8)
def expand(x: Value, shape: Value) -> Any:
    """The array broadcast together with a shape."""
    wanted = list(sizes(shape))
    missing = len(x.shape) - len(wanted)
    ones: list[Size] = [1] * abs(missing)
    wanted, own = (
        [*(ones if missing > 0 else []), *wanted],
        [*(ones if missing < 0 else []), *x.shape],
    )
    merged = [
        a if not isinstance(b, Dim) and b == 1 else b for a, b in zip(own, wanted, strict=True)
    ]
    return OPS["broadcast_to"](as_operand(x, merged), shape=tuple(merged))


@operator("Tile")
def tile_along(x: Value, tiles: Value, axis: Value) -> Any:
    """The array repeated along one axis."""
    reps = [1] * len(x.shape)
    reps[int(scalar(axis))] = int(scalar(tiles))
    return OPS["tile"](as_expr(x), reps=tuple(reps))


@operator("Tile", 6)
def tile(x: Value, repeats: Value) -> Any:
    """The array repeated along each axis."""
    return OPS["tile"](as_expr(x), reps=sizes(repeats))


@operator("Slice")
def slice_by_attributes(
    x: Value, *, starts: Sequence[int], ends: Sequence[int], axes: Sequence[int] | None = None
) -> Any:
    """A part along axes, between bounds that are attributes."""
    at = range(len(starts)) if axes is None else axes
    return sliced(x, starts, ends, at, [1] * len(starts))


@operator("Slice", 10)
def slice_by_inputs(
    x: Value, starts: Value, ends: Value, axes: Value | None = None, steps: Value | None = None
) -> Any:
    """A part along axes, between bounds that are inputs."""
    count = starts.shape[0]
    at = range(count) if axes is None else integers(axes)
    if count == 1 and isinstance(starts, Expr) and (n := distance(starts, ends)) is not None:
        return moving_part(x, starts, n, at[0])
    first = sizes(starts)
    return sliced(x, first, sizes(ends), at, [1] * len(first) if steps is None else integers(steps))


def distance(start: Value, end: Value) -> int | None:
    """How far the end of a slice is from its start, where it is the start and a constant."""
    start, end = whole(start), whole(end)
    if not isinstance(end, Expr) or end.op is not OPS["add"]:
        return None
    a, b = map(whole, end.inputs)
    other = b if a is start else a if b is start else None
    constant = other.value if isinstance(other, Expr) else None
    return int(constant) if isinstance(constant, np.ndarray) and constant.size == 1 else None


def whole(x: Value) -> Value:
    """A number, of which `x` is a vector of one entry."""
    while isinstance(x, Expr) and x.op in (OPS["expand_dims"], OPS["reshape"]):
        x = x.inputs[0]
    return x


def moving_part(x: Value, start: Expr, n: int, axis: int) -> Any:
    """`n` entries along an axis from a computed place on, which must lie inside."""
    places = OPS["reshape"](start, shape=()) + np.arange(n)
    return ops.take(x, places, axis=axis)


def sliced(
    x: Value,
    starts: Sequence[Size],
    ends: Sequence[Size],
    axes: Sequence[int],
    steps: Sequence[int],
) -> Any:
    """Slices as Python has them; bounds far out are the ends of the axis."""
    index = [slice(None)] * len(x.shape)
    for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
        n = x.shape[axis]
        index[axis] = slice(bound(start, n, step, True), bound(end, n, step, False), step)
    return x[tuple(index)]


def bound(b: Size, n: Size, step: int, is_start: bool) -> Size | None:
    """A bound of a slice; None is the end of the axis in its direction."""
    if isinstance(b, Dim):
        return None if b == n and step > 0 and not is_start else b
    if b >= FAR:
        return None if (step > 0) != is_start else n
    if b <= -FAR:
        return None if (step > 0) == is_start else -n - 1
    if step < 0 and not isinstance(n, Dim) and b < -n:
        return None if not is_start else -n - 1
    return b


@operator("Pad")
def pad_by_old_attributes(
    x: Value, *, mode: str = "constant", paddings: Sequence[int] = (), pads: Sequence[int] = (),
    value: float = 0.0,
) -> Any:  # fmt: skip
    """Padding by widths that are an attribute: first all that come before, then all after."""
    return padded(x, paddings or pads, mode, like(value, x))


@operator("Pad", 11)
def pad(
    x: Value, pads: Value, value: Value | None = None, axes: Value | None = None, *,
    mode: str = "constant",
) -> Any:  # fmt: skip
    """Padding by widths that are an input, along all axes or some."""
    widths: Sequence[Size] = sizes(pads)
    if axes is not None:
        rank, at = len(x.shape), integers(axes)
        full: list[Size] = [0] * (2 * rank)
        for i, axis in enumerate(at):
            full[axis % rank], full[rank + axis % rank] = widths[i], widths[len(at) + i]
        widths = full
    return padded(x, widths, mode, like(0, x) if value is None else value)


def padded(x: Value, widths: Sequence[Size], mode: str, value: Value) -> Any:
    """Padding; negative widths cut entries off."""
    rank = len(x.shape)
    if len(widths) != 2 * rank:
        raise ValueError(f"{len(widths)} widths for {rank} axes")
    pairs = list(zip(widths[:rank], widths[rank:], strict=True))
    cut = [(max(-a, 0) if isinstance(a, int) else 0, max(-b, 0) if isinstance(b, int) else 0)
           for a, b in pairs]  # fmt: skip
    if any(a or b for a, b in cut):
        x = x[tuple(slice(a, n - b) for (a, b), n in zip(cut, x.shape, strict=True))]
    added = tuple((a if isinstance(a, Dim) else max(a, 0), b if isinstance(b, Dim) else max(b, 0))
                  for a, b in pairs)  # fmt: skip
    if mode != "constant":
        if mode not in PAD_MODES:
            raise Unsupported(f"the padding {mode!r}")
        return ops.pad(x, added, PAD_MODES[mode])
    return pad_with(x, added, value)


def pad_with(x: Value, widths: Any, value: Value) -> Any:
    """Constant padding, by a number or by a value that a run gives."""
    if isinstance(value, np.ndarray):
        if x.dtype.kind == "b":
            return cast(
                OPS["pad"](cast(x, np.int8), pad_width=widths, value=int(scalar(value))), bool
            )
        return OPS["pad"](x, pad_width=widths, value=scalar(value).item())
    inside = OPS["pad"](ops.full_like(x, value=1, dtype=np.dtype(bool)), pad_width=widths, value=0)
    zeros = OPS["pad"](x, pad_width=widths, value=0)
    return OPS["where"](inside, zeros, OPS["reshape"](value, shape=()))


@operator("DepthToSpace")
def depth_to_space(x: Value, *, blocksize: int, mode: str = "DCR") -> Any:
    """Channels moved into blocks of space."""
    n, c, h, w = x.shape
    b = blocksize
    if mode == "DCR":
        parts, order = (n, b, b, c // b**2, h, w), (0, 3, 4, 1, 5, 2)
    else:
        parts, order = (n, c // b**2, b, b, h, w), (0, 1, 4, 2, 5, 3)
    moved = OPS["transpose"](OPS["reshape"](x, shape=parts), axes=order)
    return OPS["reshape"](moved, shape=(n, c // b**2, h * b, w * b))


@operator("SpaceToDepth")
def space_to_depth(x: Value, *, blocksize: int, mode: str = "DCR") -> Any:
    """Blocks of space moved into channels."""
    n, c, h, w = x.shape
    b = blocksize
    blocks = OPS["reshape"](x, shape=(n, c, h // b, b, w // b, b))
    order = (0, 3, 5, 1, 2, 4) if mode == "DCR" else (0, 1, 3, 5, 2, 4)
    moved = OPS["transpose"](blocks, axes=order)
    return OPS["reshape"](moved, shape=(n, c * b**2, h // b, w // b))


@operator("Trilu", 14)
def trilu(x: Value, k: Value | None = None, *, upper: int = 1) -> Any:
    """One triangle of each matrix, and zeros in the other."""
    return OPS["triu" if upper else "tril"](x, k=0 if k is None else int(scalar(k)))


@operator("ReverseSequence", 10)
def reverse_sequence(x: Value, lengths: Value, *, batch_axis: int = 1, time_axis: int = 0) -> Any:
    """The first entries of each sequence in reverse order."""
    t, n = places(x, time_axis), along(lengths, batch_axis, len(x.shape))
    turned = OPS["where"](OPS["less"](t, n), n - 1 - t, t)
    return OPS["take_along_axis"](x, OPS["broadcast_to"](turned, shape=x.shape), axis=time_axis)


@operator("Col2Im", 18)
def col2im(
    x: Value, image_shape: Value, block_shape: Value, *, dilations: Sequence[int] | None = None,
    pads: Sequence[int] | None = None, strides: Sequence[int] | None = None,
) -> Any:  # fmt: skip
    """Windows, one in each column, added up in an image."""
    image, block = integers(image_shape), integers(block_shape)
    k = len(image)
    steps, gaps, edges = strides or (1,) * k, dilations or (1,) * k, pads or (0,) * (2 * k)
    wide = [n + edges[i] + edges[k + i] for i, n in enumerate(image)]
    counts = [(n - (b - 1) * d - 1) // s + 1
              for n, b, d, s in zip(wide, block, gaps, steps, strict=True)]  # fmt: skip
    n, c = x.shape[0], x.shape[1] // math.prod(block)
    parts = OPS["reshape"](x, shape=(n, c, *block, *counts))
    order = (0, 1, *range(2 + k, 2 + 2 * k), *range(2, 2 + k))
    axes = tuple(range(2, 2 + k))
    sums = OPS["sum_windows"](
        OPS["transpose"](parts, axes=order), shape=(n, c, *wide), size=block, axis=axes,
        step=tuple(steps), dilation=tuple(gaps),
    )  # fmt: skip
    return sums[(..., *[slice(edges[i], edges[i] + image[i]) for i in range(k)])]
