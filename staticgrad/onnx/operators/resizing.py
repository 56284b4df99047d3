"""Resizing: what lies between the entries of an axis."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import gradops as ops
from gradops import OPS
from gradops.core.dims import Dim

from ..errors import Unsupported
from ..reading.registry import operator
from ..reading.values import Value, floats, integers
from .elementwise import like


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
