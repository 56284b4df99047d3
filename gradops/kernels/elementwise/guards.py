"""Products and exponentials that are 0 where the formula has 0 times infinity.

They compute the formula, look in one cheap pass for NaN, and only then for where it is meant.
"""

from typing import Any

import numpy as np

from ...core.float_errors import without_float_errors
from ..native_kernels import native

FEW = 8192  # entries up to which BLAS takes one thread for a scalar product


def has_nan(y: Any) -> bool:
    """True if some entry may be NaN. Warnings about floats should be off."""
    total = total_of(y)
    return bool(total != total)


def is_finite(y: Any) -> bool:
    """True if all entries are finite, and so small that no total of them overflows."""
    total = total_of(y)
    return bool(total * 0 == 0)  # flags cannot be subtracted


def total_of(y: Any) -> Any:
    """A number that is not finite if an entry is not, and NaN if one is NaN; cheap to compute."""
    if not y.ndim:
        return y
    if y.size > FEW:
        return np.add.reduce(y, axis=None)
    entries = y.ravel("K")
    return entries.dot(entries)


@native("activations", "strong_product", "v, p, out")
def strong_product(v: Any, p: Any, out: np.ndarray | None = None) -> Any:
    """v * p, but zero wherever `v` is zero."""
    return without_float_errors(guarded_product, v, p, out)


def guarded_product(v: Any, p: Any, out: np.ndarray | None) -> Any:
    """v * p; if there is a NaN, with zeros where `v` has them."""
    y = np.multiply(v, p, out=apart(out, v))
    if has_nan(y):
        y = np.where(np.equal(v, 0) & np.isnan(y), np.zeros((), y.dtype), y)
    return written(y, out)


ARRAYS = "type(x) is type(y) is np.ndarray"
ROWS = f"{ARRAYS} and y.shape[-1:] == (1,) and x.shape[-1:] > (FEWEST,)"
ROW = f"{ARRAYS} and x.ndim == 2 and (y.shape == x.shape[1:] or y.shape == (1, x.shape[1]))"
FEWEST = 3  # entries of a row from which the kernel of rows is taken


@native("exponentials", "exp_difference_rows", "x, y, out", when=ROWS)
@native("exponentials", "exp_difference_row", "x, y.reshape(-1), out", when=ROW)
@native("exponentials", "exp_difference", "x, y, out", entrywise=2)
def exp_difference(x: Any, y: Any, out: np.ndarray | None = None) -> Any:
    """exp(x - y), but zero wherever both are -inf."""
    return without_float_errors(guarded_exponential, x, y, out)


def guarded_exponential(x: Any, y: Any, out: np.ndarray | None) -> Any:
    """exp(x - y); if there is a NaN, with zeros where both are -inf."""
    z = np.subtract(x, y, out=apart(out, y))
    z = np.exp(z, out=z if type(z) is np.ndarray else None)
    if has_nan(z):
        z = np.where(np.equal(y, -np.inf) & np.isnan(z), np.zeros((), z.dtype), z)
    return written(z, out)


def apart(out: np.ndarray | None, x: Any) -> np.ndarray | None:
    """The memory for a result, unless an operand that is read again may lie in it."""
    return None if out is None or np.may_share_memory(out, x) else out


def written(y: Any, out: np.ndarray | None) -> Any:
    """A result, in `out` if that is given."""
    if out is None or y is out:
        return y
    np.copyto(out, y)
    return out
