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
    x, y = native(x), native(y)
    if x.shape != y.shape or x.dtype != y.dtype:
        return np.inf
    if x.tobytes() == y.tobytes():
        return 0.0
    if x.dtype.kind == "c":
        return max(distance(x.real, y.real), distance(x.imag, y.imag))
    if x.dtype.kind != "f":
        return 0.0 if np.array_equal(x, y) else np.inf
    same = (x == y) | (np.isnan(x) & np.isnan(y))
    steps = np.where(np.isfinite(x) & np.isfinite(y), steps_between(x, y), np.inf)
    return float(np.max(np.where(same, 0, steps), initial=0))


def steps_between(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """How many numbers of their type lie from each entry of an array to that of another."""
    if x.dtype.itemsize > 8:  # no integer is as long
        with np.errstate(all="ignore"):
            least = np.minimum(np.abs(x), np.abs(y))
            return np.abs(x - y) / (np.nextafter(least, x.dtype.type(np.inf)) - least)
    a, b = counted(x), counted(y)
    alike = (a < 0) == (b < 0)  # else the difference may overflow
    return np.where(alike, np.abs(a - b * alike), np.abs(a.astype("f8") - b.astype("f8")))


def counted(x: np.ndarray) -> np.ndarray:
    """The number of each float among all of its type in order, from 0 for both zeros."""
    bits = x.view(f"i{x.dtype.itemsize}").astype("i8")
    lowest = -(2 ** (8 * x.dtype.itemsize - 1))
    return np.where(bits < 0, lowest - bits, bits)


def native(x: np.ndarray) -> np.ndarray:
    """An array in the byte order of the machine."""
    return x if x.dtype.isnative else x.astype(x.dtype.newbyteorder("="))


def has_same_bits(x: np.ndarray, y: np.ndarray) -> bool:
    """True if two arrays of one type have the same bits, those that it leaves unused aside."""
    if x.tobytes() == y.tobytes():
        return True
    if x.dtype.char not in "gG":
        return False
    return all(
        np.array_equal(a, b, equal_nan=True) and np.array_equal(np.signbit(a), np.signbit(b))
        for a, b in ((x.real, y.real), (x.imag, y.imag))
    )


def is_same_to_the_bit(a: Arrays, b: Arrays) -> bool:
    """True if arrays have the same types and bits, signs of zeros included."""
    pairs = [(native(np.asarray(x)), native(np.asarray(y))) for x, y in zip(a, b)]
    return len(a) == len(b) and all(
        x.shape == y.shape and x.dtype == y.dtype and has_same_bits(x, y) for x, y in pairs
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
    if steps:
        return f"{steps:.0f} ULP"
    has_nan = any(x.dtype.kind in "fc" and np.isnan(x).any() for x in a)
    return "bits of NaN" if has_nan else "signs of zeros"


def relative(a: Arrays, b: Arrays) -> float:
    """The largest distance of entries of two lists of arrays, as a part of the largest entry."""
    lists = [[part for x in arrays for part in parts(x)] for arrays in (a, b)]
    finite = [x[np.isfinite(x)] for arrays in lists for x in arrays]
    scale = max(float(np.max(np.abs(x), initial=0)) for x in finite) or 1.0
    with np.errstate(all="ignore"):
        apart = [np.abs(x / scale - y / scale) for x, y in zip(*lists)]
    return max(float(np.max(d, where=np.isfinite(d), initial=0)) for d in apart)


def parts(x: np.ndarray) -> list[np.ndarray]:
    """The real and the imaginary parts of an array, in double precision."""
    return [np.asarray(part, "f8") for part in ((x.real, x.imag) if x.dtype.kind == "c" else (x,))]
