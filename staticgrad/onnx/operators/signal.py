"""Fourier transforms of numbers whose real and imaginary parts are a last axis."""

import math
from typing import Any

import numpy as np

from gradops import OPS, fft

from ..reading.registry import operator
from ..reading.tensors import dtype_of
from ..reading.values import Value, integers, scalar


def joined(x: Value) -> Any:
    """Numbers of the parts in the last axis: real ones where there is one part."""
    if x.shape[-1] == 1:
        return x[..., 0]
    return OPS["complex"](x[..., 0], x[..., 1])


def parted(z: Any) -> Any:
    """The real and imaginary parts along a new last axis."""
    return OPS["stack"](OPS["real"](z), OPS["imag"](z), axis=-1)


def transformed(x: Value, n: int | None, axis: int, inverse: bool, onesided: bool) -> Any:
    """The discrete Fourier transform along an axis, which has one more at the end."""
    axis %= len(x.shape)
    z = joined(x)
    if inverse and onesided:
        n = 2 * (x.shape[axis] - 1) if n is None else n
        return OPS["expand_dims"](fft.irfft(z, n, axis), axis=-1)
    if onesided and z.dtype.kind != "c":
        return parted(fft.rfft(z, n, axis))
    y = (fft.ifft if inverse else fft.fft)(z, n, axis)
    if onesided:
        kept = (x.shape[axis] if n is None else n) // 2 + 1
        y = y[(*[slice(None)] * axis, slice(0, kept))]
    return parted(y)


@operator("DFT", 17)
def dft_along_attribute(
    x: Value, length: Value | None = None, *, axis: int = 1, inverse: int = 0, onesided: int = 0
) -> Any:
    """The discrete Fourier transform along the axis of an attribute."""
    n = None if length is None else int(scalar(length))
    return transformed(x, n, axis, bool(inverse), bool(onesided))


@operator("DFT", 20)
def dft(
    x: Value, length: Value | None = None, axis: Value | None = None, *, inverse: int = 0,
    onesided: int = 0,
) -> Any:  # fmt: skip
    """The discrete Fourier transform along the axis of an input."""
    at = -2 if axis is None else int(scalar(axis))
    return dft_along_attribute(x, length, axis=at, inverse=inverse, onesided=onesided)


@operator("STFT", 17)
def stft(
    x: Value, step: Value, window: Value | None = None, length: Value | None = None, *,
    onesided: int = 1,
) -> Any:  # fmt: skip
    """Fourier transforms of frames (batch, frames, frequencies, 2)."""
    n = int(scalar(length)) if length is not None else window.shape[0]  # type: ignore[union-attr]
    (hop,) = integers(step)
    frames = OPS["windows"](joined(x), size=(n,), axis=(1,), step=(hop,), dilation=(1,))
    frames = frames if window is None else frames * window
    is_real = x.shape[-1] == 1
    return parted(
        fft.rfft(frames) if onesided and is_real else fft.fft(frames)[..., : kept(n, onesided)]
    )


def kept(n: int, onesided: int) -> int:
    """How many frequencies remain."""
    return n // 2 + 1 if onesided else n


@operator("MelWeightMatrix", 17)
def mel_weight_matrix(
    bins: Value, length: Value, rate: Value, low: Value, high: Value, *, output_datatype: int = 1
) -> Any:
    """Triangles that add frequencies up to those of the mel scale."""
    count, n, per_second = (int(scalar(v)) for v in (bins, length, rate))
    first, last = (2595 * math.log10(1 + float(scalar(v)) / 700) for v in (low, high))
    mels = first + np.arange(count + 2) * ((last - first) / (count + 2))
    places = np.floor((n + 1) * (700 * (10 ** (mels / 2595) - 1)) / per_second).astype(int)
    j = np.arange(n // 2 + 1)[:, None]
    left, center, right = places[:-2], places[1:-1], places[2:]
    rising = np.where(center == left, j == center, (j - left) / np.maximum(center - left, 1))
    falling = (right - j) / np.maximum(right - center, 1)
    up = np.where((j >= left) & (j <= center), rising, 0)
    return np.where((j >= center) & (j < right), falling, up).astype(dtype_of(output_datatype))


def window(name: str, parts: tuple[float, ...]) -> Any:
    """The builder of a window that is a sum of cosines."""

    def build(size: Value, *, output_datatype: int = 1, periodic: int = 1) -> Any:
        n = int(scalar(size))
        angles = 2 * np.pi * np.arange(n) / max(n if periodic else n - 1, 1)
        total = sum(a * np.cos(k * angles) for k, a in enumerate(parts))
        return np.asarray(total, dtype_of(output_datatype))

    return operator(name, 17)(build)


window("HannWindow", (0.5, -0.5))
window("HammingWindow", (25 / 46, -21 / 46))
window("BlackmanWindow", (0.42, -0.5, 0.08))
