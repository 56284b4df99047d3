"""The error function."""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np

from .tables import blocks

CELLS = 1024  # nodes of the table per unit
LAST = 6  # erf(6) rounds to 1
BLOCK = 16384  # entries at a time, so that what is computed on the way stays in the cache


def erf(x: np.ndarray | float, out: np.ndarray | None = None) -> np.ndarray | np.floating:
    """The error function of each entry of `x`, in the dtype of `x` (float64 for integers).

    Notes
    -----
    `erf(x)` is `erf(c)` at the nearest node `c` of a table plus a short Taylor series in `x - c`,
    whose coefficients are Hermite polynomials in `c` (Abramowitz and Stegun 7.1.19). The table has
    each `erf(c)` as the sum of two floats, so that the result is within 1.5 ulp in float64 and
    2 ulp in float32, and mostly the nearest float.

    Tables are after Tang, "Table-lookup algorithms for elementary functions and their error
    analysis" (1991). Rational functions, one for each range of `x` (Cody, "Rational Chebyshev
    approximations for the error function", 1969), take more than twice the time: an array pays
    for every range.
    """
    x = np.asarray(x)
    dtype = x.dtype if x.dtype.kind == "f" else np.dtype(np.float64)
    y = np.empty_like(x, dtype) if out is None else out
    table = erf_table(np.dtype(np.float32 if dtype.itemsize <= 4 else np.float64))
    with np.errstate(all="ignore"):  # tiny entries underflow on the way; NaN has no nearest node
        for xs, ys in blocks(x, y, table.value.dtype, BLOCK):
            np.copysign(erf_of_magnitude(np.abs(xs), table), xs, out=ys)
    return y[()] if out is None and y.ndim == 0 else y


class Table(NamedTuple):
    """erf and its scaled derivative at the nodes 0, 1 / CELLS, ..., LAST."""

    value: np.ndarray  # erf(c), rounded
    rest: np.ndarray  # what rounding left over
    slope: np.ndarray  # the derivative at c
    rise: Callable[..., np.ndarray]  # rise(d, c) is (erf(c + d) - erf(c)) / slope


def erf_of_magnitude(x: np.ndarray, table: Table) -> np.ndarray:
    """erf of nonnegative entries."""
    x = np.minimum(x, LAST)
    k = np.rint(x * CELLS).astype(np.intp)
    c = k.astype(x.dtype) * (1 / CELLS)
    value, rest, slope = (column.take(k, mode="clip") for column in table[:3])
    return value + (rest + slope * table.rise(x - c, c))


def rise(d: np.ndarray, c: np.ndarray) -> np.ndarray:
    """The integral of exp(c*c - t*t) over t from c to c + d, where |d| <= 1 / (2 * CELLS)."""
    cc = c * c
    quartic = c * (0.5 - cc * (1 / 3)) + d * 0.1  # of the next coefficient, what matters near 0
    return d - d * d * (c - d * ((cc - 0.5) * (2 / 3) + d * quartic))


def short_rise(d: np.ndarray, c: np.ndarray) -> np.ndarray:
    """`rise` to float32 precision."""
    return d - d * d * (c + d * (1 / 3))


@cache
def erf_table(dtype: np.dtype) -> Table:
    """The table in float64, or rounded to float32."""
    if dtype == np.float64:
        from .decimal_tables import erf_nodes

        values, rests, slopes = map(np.array, erf_nodes(CELLS, LAST))
        return Table(values, rests, slopes, rise)
    exact = erf_table(np.dtype(np.float64))
    value = exact.value.astype(dtype)
    rest = (exact.value - value) + exact.rest
    return Table(value, rest.astype(dtype), exact.slope.astype(dtype), short_rise)
