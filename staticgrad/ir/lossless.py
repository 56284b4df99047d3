"""What would be lost without a word: what an array means beyond its entries, parts of numbers."""

from typing import Any

import numpy as np


def lost_meaning(value: Any) -> tuple[str, str] | None:
    """What of an array of a subclass is lost when its entries are taken, and the way out.

    A mask, a unit, and what `*` means are facts that no graph knows. None for what is safe: plain
    arrays, arrays that lie in a file, and what is no array.
    """
    kind = type(value)
    if kind is np.ndarray or not isinstance(value, np.ndarray) or isinstance(value, np.memmap):
        return None
    if isinstance(value, np.ma.MaskedArray):
        return "a masked array, whose mask would be lost", "fill it: value.filled(0.0)"
    return f"a {kind.__name__}, which is more than an array", "take np.asarray(value)"


def fits(found: np.ndarray[Any, Any], dtype: np.dtype[Any]) -> bool:
    """Whether numbers can be converted: floats to floats, integers to what holds them."""
    if not found.size:
        return True
    if found.dtype.kind in "iu" and dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return bool(limits.min <= found.min() and found.max() <= limits.max)
    return found.dtype.kind in "biufc" and np.can_cast(found.dtype, dtype, "same_kind")
