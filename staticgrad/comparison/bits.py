"""How far apart two results are: not at all, or by how many units in the last place."""

from collections.abc import Sequence

import numpy as np

Arrays = Sequence[np.ndarray]
MANY = 100  # units in the last place up to which a distance is shown in them


def ulps(a: Arrays, b: Arrays) -> float:
    """The largest distance of entries, in units in the last place; infinite for other types.

    Entries that are both NaN, or the same infinity, are equal.
    """
    if len(a) != len(b):
        return np.inf
    return max((distance(np.asarray(x), np.asarray(y)) for x, y in zip(a, b)), default=0.0)


def distance(x: np.ndarray, y: np.ndarray) -> float:
    """The largest distance of entries of two arrays. See `ulps`."""
    if x.shape != y.shape or x.dtype != y.dtype:
        return np.inf
    if x.tobytes() == y.tobytes():
        return 0.0
    if x.dtype.kind == "c":
        return max(distance(x.real, y.real), distance(x.imag, y.imag))
    if x.dtype.kind != "f":
        return 0.0 if np.array_equal(x, y) else np.inf
    with np.errstate(all="ignore"):
        same = (x == y) | (np.isnan(x) & np.isnan(y))
        unit = np.spacing(np.maximum(np.abs(x), np.abs(y)))
        steps = np.abs(np.subtract(x, y)) / unit
    return float(np.max(np.where(same, 0, np.where(np.isfinite(steps), steps, np.inf)), initial=0))


def is_same_to_the_bit(a: Arrays, b: Arrays) -> bool:
    """True if arrays have the same types and bits, signs of zeros included."""
    return len(a) == len(b) and all(
        np.shape(x) == np.shape(y) and x.dtype == y.dtype and x.tobytes() == y.tobytes()
        for x, y in zip(a, b)
    )


def text_of_distance(a: Arrays, b: Arrays) -> str:
    """`equal` to the bit, or a distance: `3 ULP`; a large one as a part of the largest entry.

    Where terms cancel, a small entry may be far off in its own last place.
    """
    if is_same_to_the_bit(a, b):
        return "equal"
    steps = ulps(a, b)
    if not np.isfinite(steps):
        return "differs"
    if steps > MANY:
        return f"{relative(a, b):.0e} of max"
    if steps >= 1:
        return f"{steps:.0f} ULP"
    return "bits of NaN" if any(np.isnan(x).any() for x in a) else "signs of zeros"


def relative(a: Arrays, b: Arrays) -> float:
    """The largest distance of entries of two lists of arrays, as a part of the largest entry."""
    with np.errstate(all="ignore"):
        scales = [np.max(np.abs(x), where=np.isfinite(x), initial=0) for x in a]
        apart = [np.abs(np.subtract(x, y)) for x, y in zip(a, b)]
        largest = [np.max(d, where=np.isfinite(d), initial=0) for d in apart]
    return float(max(largest, default=0.0) / max(max(scales, default=0.0), 1e-300))
