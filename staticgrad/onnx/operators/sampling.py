"""Sampling at places between entries: grids, and regions of images."""

import math
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np

import gradops as ops
from gradops import OPS

from ..errors import Unsupported
from ..reading.registry import operator
from ..reading.values import Value, floats
from .elementwise import cast, like


def entries_at(x: Any, places: Sequence[Any], padding: str) -> Any:
    """Entries (n, c, points) at whole places (n, points), one array of them for each axis."""
    space, inside = x.shape[2:], None
    columns: list[Any] = []
    for place, n in zip(places, space, strict=True):
        if padding == "zeros":
            fits = OPS["logical_and"](
                OPS["greater_equal"](place, like(0, place)), OPS["less"](place, like(n, place))
            )
            inside = fits if inside is None else OPS["logical_and"](inside, fits)
        columns.append(cast(OPS["clamp"](place, like(0, place), like(n - 1, place)), np.int64))
    rows = OPS["reshape"](OPS["positions"](x, axis=0), shape=(-1, 1))
    channels_last = ops.moveaxis(x, 1, -1)
    found = ops.moveaxis(channels_last[(rows, *columns)], -1, 1)
    return found if inside is None else OPS["masked"](OPS["expand_dims"](inside, axis=1), found)


def linear_at(x: Any, places: Sequence[Any], padding: str) -> Any:
    """Entries at places between entries, by linear interpolation along each axis."""
    return reduce(OPS["add"], weighted_corners(x, places, padding))


def weighted_corners(x: Any, places: Sequence[Any], padding: str) -> list[Any]:
    """The entries around places, times their weights in linear interpolation."""
    floors = [OPS["floor"](p) for p in places]
    shares = [p - f for p, f in zip(places, floors, strict=True)]
    result = []
    for corner in np.ndindex(*(2,) * len(places)):
        at = [f + like(c, f) for f, c in zip(floors, corner, strict=True)]
        weight: Any = 1
        for c, s in zip(corner, shares, strict=True):
            weight = weight * (s if c else like(1, s) - s)
        result.append(entries_at(x, at, padding) * OPS["expand_dims"](weight, axis=1))
    return result


def bilinear_at(x: Any, rows: Any, columns: Any) -> Any:
    """Entries (n, c, points) between those of images, 0 outside."""
    return linear_at(x, (rows, columns), "zeros")


def cubic_at(x: Any, places: Sequence[Any], padding: str, bring: Callable[..., Any]) -> Any:
    """Entries at places between entries, by cubic convolution along each axis."""
    floors = [OPS["floor"](p) for p in places]
    shares = [p - f for p, f in zip(places, floors, strict=True)]
    factors = [[cubic_weight(s, k) for k in range(-1, 3)] for s in shares]
    total: Any = 0
    for corner in np.ndindex(*(4,) * len(places)):
        at = [
            bring(f + like(c - 1, f), i)
            for i, (f, c) in enumerate(zip(floors, corner, strict=True))
        ]
        weight: Any = 1
        for c, w in zip(corner, factors, strict=True):
            weight = weight * w[c]
        total = total + entries_at(x, at, padding) * OPS["expand_dims"](weight, axis=1)
    return total


def cubic_weight(share: Any, k: int, a: float = -0.75) -> Any:
    """The weight of entry `k` beside a place that is `share` beyond entry 0."""
    x = OPS["abs"](share - like(k, share))
    factors = (a + 2, -a - 3, 0, 1) if k in (0, 1) else (a, -5 * a, 8 * a, -4 * a)
    cube, square, line, one = (like(c, share) for c in factors)
    return ((cube * x + square) * x + line) * x + one


@operator("GridSample", 16)
def grid_sample(
    x: Value, grid: Value, *, align_corners: int = 0, mode: str = "linear",
    padding_mode: str = "zeros",
) -> Any:  # fmt: skip
    """Entries at the places of a grid, whose coordinates run from -1 to 1, the last axis first."""
    space, points = x.shape[2:], grid.shape[1:-1]
    flat = OPS["reshape"](grid, shape=(grid.shape[0], math.prod(points), len(space)))
    places = [scaled(flat[..., -1 - i], n, bool(align_corners)) for i, n in enumerate(space)]

    def bring(p: Any, i: int) -> Any:
        return brought(p, space[i], padding_mode, bool(align_corners))

    match mode.removeprefix("bi"):
        case "nearest":
            near = [bring(OPS["round"](bring(p, i)), i) for i, p in enumerate(places)]
            found = entries_at(x, near, padding_mode)
        case "linear":
            found = linear_at(x, [bring(p, i) for i, p in enumerate(places)], padding_mode)
        case "cubic":
            found = cubic_at(x, places, padding_mode, bring)
        case _:
            raise Unsupported(f"the mode {mode!r}")
    return OPS["reshape"](found, shape=(*found.shape[:2], *points))


def scaled(p: Any, n: Any, align_corners: bool) -> Any:
    """Coordinates from -1 to 1 as places."""
    if align_corners:
        return (p + like(1, p)) * like((n - 1) / 2, p)
    return ((p + like(1, p)) * like(n, p) - like(1, p)) * like(0.5, p)


def brought(p: Any, n: Any, padding: str, align_corners: bool) -> Any:
    """Places brought into the array: moved to its border, reflected there, or left."""
    if padding == "zeros":
        return p
    if padding == "reflection":
        low = 0.0 if align_corners else -0.5
        span = like(n - 1 - 2 * low, p)
        if n - 1 - 2 * low == 0:
            return like(0, p) * p
        far = OPS["abs"](p - like(low, p))
        turns = OPS["floor"](far / span)
        rest = far - turns * span
        is_odd = OPS["equal"](OPS["remainder"](turns, like(2, p)), like(1, p))
        p = OPS["where"](is_odd, span - rest, rest) + like(low, p)
    elif padding != "border":
        raise Unsupported(f"the padding {padding!r}")
    return OPS["clamp"](p, like(0, p), like(n - 1, p))


@operator("RoiAlign", 10)
def roi_align_of_old(
    x: Value, rois: Value, batches: Value, *, mode: str = "avg", output_height: int = 1,
    output_width: int = 1, sampling_ratio: int = 0, spatial_scale: float = 1.0,
) -> Any:  # fmt: skip
    """RoiAlign whose places are those of the corners of pixels."""
    return roi_align(
        x, rois, batches, coordinate_transformation_mode="output_half_pixel", mode=mode,
        output_height=output_height, output_width=output_width, sampling_ratio=sampling_ratio,
        spatial_scale=spatial_scale,
    )  # fmt: skip


@operator("RoiAlign", 16)
def roi_align(
    x: Value, rois: Value, batches: Value, *, coordinate_transformation_mode: str = "half_pixel",
    mode: str = "avg", output_height: int = 1, output_width: int = 1, sampling_ratio: int = 0,
    spatial_scale: float = 1.0,
) -> Any:  # fmt: skip
    """The mean or largest sample in the cells of a grid on each region; regions may be computed."""
    is_half = coordinate_transformation_mode == "half_pixel"
    shift = like(0.5 if is_half else 0.0, rois)
    corners = rois * like(spatial_scale, rois) - shift
    left, top, right, bottom = (corners[:, i] for i in range(4))
    width, height = right - left, bottom - top
    if not is_half:
        width, height = (OPS["maximum"](v, like(1, v)) for v in (width, height))
    counts = sample_counts(sampling_ratio, height, width, output_height, output_width)
    if len(set(counts)) > 1:
        parts = [
            roi_align(
                x, rois[i : i + 1], batches[i : i + 1], mode=mode, output_height=output_height,
                output_width=output_width, spatial_scale=spatial_scale,
                coordinate_transformation_mode=coordinate_transformation_mode,
            )
            for i in range(len(counts))
        ]  # fmt: skip
        return OPS["concatenate"](*parts, axis=0)
    ny, nx = counts[0]
    ys = sample_places(top, height, output_height, ny)
    xs = sample_places(left, width, output_width, nx)
    # The largest is that of weighted entries, not of samples: so says the reference of ONNX.
    combine = OPS["add"] if mode == "avg" else OPS["maximum"]
    found = region_samples(x[batches], ys, xs, combine)
    cells = OPS["reshape"](found, shape=(*found.shape[:2], output_height, ny, output_width, nx))
    return OPS["mean" if mode == "avg" else "max"](cells, axis=(3, 5))


def sample_counts(
    ratio: int, height: Any, width: Any, rows: int, columns: int
) -> list[tuple[int, int]]:
    """The samples down and across a cell, for each region; by default so that none is skipped."""
    if ratio > 0:
        return [(ratio, ratio)]
    heights, widths = floats(height), floats(width)
    return [(max(math.ceil(h / rows), 1), max(math.ceil(w / columns), 1))
            for h, w in zip(heights, widths, strict=True)]  # fmt: skip


def sample_places(start: Any, length: Any, cells: int, count: int) -> Any:
    """The places (regions, cells * count) of samples along one axis."""
    steps = (np.arange(cells * count) + 0.5) / (cells * count)
    return OPS["expand_dims"](start, axis=1) + OPS["expand_dims"](length, axis=1) * like(
        steps, length
    )


def region_samples(x: Any, ys: Any, xs: Any, combine: Any) -> Any:
    """Samples (regions, channels, rows, columns) of four weighted entries; 0 far outside."""
    inside, places = [], []
    for p, n in ((ys, x.shape[2]), (xs, x.shape[3])):
        fits = OPS["logical_and"](
            OPS["greater_equal"](p, like(-1, p)), OPS["less_equal"](p, like(n, p))
        )
        inside.append(fits)
        places.append(OPS["clamp"](p, like(0, p), like(n - 1, p)))
    shape = (x.shape[0], ys.shape[1], xs.shape[1])
    grid = [OPS["broadcast_to"](OPS["expand_dims"](p, axis=axis), shape=shape)
            for p, axis in zip(places, (2, 1), strict=True)]  # fmt: skip
    flat = [OPS["reshape"](p, shape=(shape[0], shape[1] * shape[2])) for p in grid]
    samples = reduce(combine, weighted_corners(x, flat, "border"))
    found = OPS["reshape"](samples, shape=(*x.shape[:2], *shape[1:]))
    rows, columns = (
        OPS["expand_dims"](v, axis=axis) for v, axis in zip(inside, (2, 1), strict=True)
    )
    is_inside = OPS["expand_dims"](OPS["logical_and"](rows, columns), axis=1)
    return OPS["masked"](is_inside, found)
