"""Resizing, and sampling at places between entries."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

import gradops as ops
from gradops import OPS
from gradops.core.dims import Dim

from ..errors import Unsupported
from ..reading.registry import operator
from ..reading.values import Value, floats, integers
from .elementwise import cast, like


@dataclass(frozen=True)
class Resampling:
    """How entries between entries are found: ONNX's attributes of Resize."""

    mode: str
    transformation: str
    nearest: str
    cubic: float
    exclude_outside: bool
    extrapolation: float
    antialias: bool


@dataclass(frozen=True)
class Axis:
    """One axis that is resized: its sizes, the scale, and the region that is read."""

    before: int
    after: int
    scale: float
    region: tuple[float, float]

    def places(self, transformation: str) -> np.ndarray:
        """The place, in the input, of each entry of the output."""
        y = np.arange(self.after, dtype=np.float64)
        n, length = self.before, self.scale * self.before
        match transformation:
            case "align_corners":
                return y * (0 if length == 1 else (n - 1) / (length - 1))
            case "asymmetric":
                return y / self.scale
            case "half_pixel":
                return (y + 0.5) / self.scale - 0.5
            case "pytorch_half_pixel":
                return y - 0.5 if length == 1 else (y + 0.5) / self.scale - 0.5
            case "half_pixel_symmetric":
                return n / 2 * (1 - self.after / length) + (y + 0.5) / self.scale - 0.5
            case "tf_half_pixel_for_nn":
                return (y + 0.5) / self.scale
            case "tf_crop_and_resize":
                start, end = self.region
                step = (end - start) * (n - 1) / (length - 1) if length != 1 else 0.0
                first = start * (n - 1) if length != 1 else (start + end) * (n - 1) / 2
                return first + y * step
        raise Unsupported(f"the coordinate transformation {transformation!r}")


ROUNDED: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "round_prefer_floor": lambda x: np.ceil(x - 0.5),
    "round_prefer_ceil": lambda x: np.floor(x + 0.5),
    "floor": np.floor,
    "ceil": np.ceil,
}


def tent(x: np.ndarray, how: Resampling) -> np.ndarray:
    """The weight of an entry at a distance, for linear interpolation."""
    return np.maximum(1 - np.abs(x), 0)


def cubic(x: np.ndarray, how: Resampling) -> np.ndarray:
    """The weight of an entry at a distance, for cubic convolution (Keys, 1981)."""
    a, x = how.cubic, np.abs(x)
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((x - 5) * x + 8) * x * a - 4 * a
    return np.where(x <= 1, near, np.where(x < 2, far, 0.0))


WEIGHTS = {"linear": (tent, 1), "cubic": (cubic, 2)}
"""By mode, the weight of an entry at a distance, and the distance from which it is 0."""


def weights(axis: Axis, places: np.ndarray, how: Resampling) -> np.ndarray:
    """The matrix that resamples an axis: a row of weights for each entry of the output."""
    weight, reach = WEIGHTS[how.mode]
    shrink = min(axis.scale, 1.0) if how.antialias else 1.0
    span = math.ceil(reach / shrink)
    taps = np.floor(places)[:, None] + np.arange(1 - span, span + 1)
    w = weight((taps - places[:, None]) * shrink, how)
    if how.antialias:
        w = w / w.sum(1, keepdims=True)
    if how.exclude_outside:
        w = np.where((taps < 0) | (taps >= axis.before), 0, w)
        w = w / w.sum(1, keepdims=True)
    columns = np.clip(taps, 0, axis.before - 1).astype(np.intp)
    result = np.zeros((axis.after, axis.before))
    np.add.at(result, (np.arange(axis.after)[:, None], columns), w)
    return result


def resampled(x: Any, at: int, axis: Axis, how: Resampling) -> Any:
    """One axis of an array, resampled."""
    places = axis.places(how.transformation)
    if how.mode == "nearest":
        found = np.clip(ROUNDED[how.nearest](places), 0, axis.before - 1).astype(np.int64)
        y = ops.take(x, found, axis=at)
    else:
        matrix = weights(axis, places, how).astype(x.dtype)
        y = ops.moveaxis(OPS["matmul"](ops.moveaxis(x, at, -1), matrix.T), -1, at)
    if how.transformation != "tf_crop_and_resize":
        return y
    outside = (places < 0) | (places > axis.before - 1)
    along = outside.reshape(-1, *(1,) * (len(x.shape) - 1 - at))
    return OPS["where"](along, like(how.extrapolation, x), y)


def resized(
    x: Value, regions: Value | None, scales: Value | None, sizes: Value | None, how: Resampling,
    axes: Sequence[int] | None, policy: str,
) -> Any:  # fmt: skip
    """An array with axes resampled, by scales or to sizes."""
    axes = [a % len(x.shape) for a in (range(len(x.shape)) if axes is None else axes)]
    before = [x.shape[a] for a in axes]
    if how.antialias and how.mode == "nearest":
        raise Unsupported("antialias of the nearest entry")
    factors, after = factors_and_sizes(before, scales, sizes, policy)
    region = (0.0,) * len(axes) + (1.0,) * len(axes)
    if regions is not None and how.transformation == "tf_crop_and_resize":
        region = floats(regions)
    for i, a in enumerate(axes):
        if isinstance(before[i], Dim):
            if factors[i] == 1:
                continue
            raise Unsupported("resizing an axis of unknown size")
        axis = Axis(before[i], after[i], factors[i], (region[i], region[len(axes) + i]))
        if axis.before != axis.after or factors[i] != 1 or axis.region != (0.0, 1.0):
            x = resampled(x, a, axis, how)
    return x


def factors_and_sizes(
    before: Sequence[Any], scales: Value | None, sizes: Value | None, policy: str
) -> tuple[list[float], list[Any]]:
    """The scale and the resulting size of each axis."""
    if scales is not None and scales.shape[0]:
        factors = list(floats(scales))
        return factors, [
            n if f == 1 else math.floor(n * f) for n, f in zip(before, factors, strict=True)
        ]
    if sizes is None:
        raise ValueError("Resize needs scales or sizes")
    after: list[Any] = list(integers(sizes))
    factors = [1.0 if n is m else m / n for n, m in zip(before, after, strict=True)]
    if policy != "stretch":
        factor = (min if policy == "not_larger" else max)(factors)
        factors = [factor] * len(factors)
        after = [math.floor(factor * n + 0.5) for n in before]
    return factors, after


@operator("Resize", 10)
def resize_by_scales(x: Value, scales: Value, *, mode: str = "nearest") -> Any:
    """Resize as it was first: the floor of x / scale, and linear between entries."""
    how = Resampling(mode, "asymmetric", "floor", -0.75, False, 0.0, False)
    return resized(x, None, scales, None, how, None, "stretch")


@operator("Resize", 11)
def resize(
    x: Value, roi: Value | None = None, scales: Value | None = None, sizes: Value | None = None, *,
    antialias: int = 0, axes: Sequence[int] | None = None,
    coordinate_transformation_mode: str = "half_pixel", cubic_coeff_a: float = -0.75,
    exclude_outside: int = 0, extrapolation_value: float = 0.0,
    keep_aspect_ratio_policy: str = "stretch", mode: str = "nearest",
    nearest_mode: str = "round_prefer_floor",
) -> Any:  # fmt: skip
    """An array resized along axes."""
    how = Resampling(
        mode, coordinate_transformation_mode, nearest_mode, cubic_coeff_a, bool(exclude_outside),
        extrapolation_value, bool(antialias),
    )  # fmt: skip
    return resized(x, roi, scales, sizes, how, axes, keep_aspect_ratio_policy)


@operator("Upsample")
def upsample_by_attributes(
    x: Value, *, height_scale: float = 1.0, width_scale: float = 1.0, mode: str = "nearest"
) -> Any:
    """Upsample with scales of height and width."""
    return upsample(x, scales=(1.0, 1.0, height_scale, width_scale), mode=mode)


@operator("Upsample", 7)
def upsample(x: Value, *, scales: Sequence[float], mode: str = "nearest") -> Any:
    """Upsample with scales that are an attribute."""
    return resize_by_scales(
        x, np.array(scales, np.float32), mode=mode.replace("bilinear", "linear")
    )


@operator("Upsample", 9)
def upsample_by_input(x: Value, scales: Value, *, mode: str = "nearest") -> Any:
    """Upsample with scales that are an input."""
    return resize_by_scales(x, scales, mode=mode.replace("bilinear", "linear"))


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
