"""Arrays as short texts and as statistics: small ones whole, large ones by what they are like."""

import math
from typing import NamedTuple

import numpy as np

WHOLE = 64  # entries up to which an array is written out
BINS = 16


class Statistics(NamedTuple):
    """Statistics of the entries of an array. Mean and the rest are those of finite entries."""

    size: int
    mean: float
    std: float
    low: float
    high: float
    bad: int  # entries that are not finite
    histogram: tuple[int, ...]  # counts of finite entries in bins of equal width from low to high


def preview(a: np.ndarray) -> str:
    """The entries of a small array; for a large one its mean, spread and range.

    >>> preview(np.array([[1.0, 2.5]], np.float32))
    '[[1.0, 2.5]]'
    >>> preview(np.arange(100.0))
    'mean 49.5, std 28.87, from 0 to 99'
    """
    if a.size <= WHOLE:
        return entries_text(shortest(a).tolist())
    s = statistics_of(a)
    if s is None:
        return f"{a.size} entries"
    bad = f", {s.bad} not finite" if s.bad else ""
    return f"mean {s.mean:.4g}, std {s.std:.4g}, from {s.low:.4g} to {s.high:.4g}{bad}"


def shortest(a: np.ndarray) -> np.ndarray:
    """Floats of few bits as the float64 with the fewest digits that rounds to each."""
    if a.dtype.kind != "f" or a.itemsize > 4:
        return a
    return np.array([float(str(v)) for v in a.ravel()]).reshape(a.shape)


def entries_text(value: object) -> str:
    """Nested lists of numbers as Python writes them; complex numbers as `complex(re, im)`."""
    if isinstance(value, list):
        return f"[{', '.join(map(entries_text, value))}]"
    if isinstance(value, complex):
        return f"complex({value.real!r}, {value.imag!r})"
    return repr(value)


def statistics_of(a: np.ndarray) -> Statistics | None:
    """The statistics of an array of numbers, of complex ones those of their magnitudes.

    None for an array without entries or of no numbers.
    """
    if a.dtype.kind not in "biufc" or not a.size:
        return None
    with np.errstate(all="ignore"):  # an infinite magnitude, or a squared deviation
        x = np.abs(a).ravel() if a.dtype.kind == "c" else a.ravel()
        x = x.astype(np.float64)
        finite = x[np.isfinite(x)]
        bad = int(x.size - finite.size)
        if not finite.size:
            return Statistics(a.size, math.nan, math.nan, math.nan, math.nan, bad, (0,) * BINS)
        low, high = float(finite.min()), float(finite.max())
        scale = max(abs(low), abs(high), 1.0)  # so that no sum of squares overflows
        y = finite / scale
        mean = float(np.add.reduce(y)) / y.size
        from_mean = y - mean
        std = math.sqrt(float(np.dot(from_mean, from_mean)) / y.size)
        counts = histogram(y, low / scale, high / scale)
    return Statistics(a.size, mean * scale, std * scale, low, high, bad, counts)


def histogram(x: np.ndarray, low: float, high: float) -> tuple[int, ...]:
    """The counts of entries in bins of equal width; NumPy's own takes ten times as long."""
    width = (high - low) / BINS
    if not width:
        return (0,) * (BINS // 2) + (x.size,) + (0,) * (BINS - BINS // 2 - 1)
    places = np.minimum((x - low) / width, BINS - 1).astype(np.intp)
    return tuple(np.bincount(places, minlength=BINS).tolist())
