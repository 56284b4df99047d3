"""NumPy's covariances, which are of double precision at least, its quantiles, and `i0`."""

from collections.abc import Callable
from typing import Any

import numpy as np

import gradops as ops

from ..types import is_float, type_of

__all__ = [
    "corrcoef", "cov", "i0", "nanpercentile", "nanquantile", "percentile", "quantile",
]  # fmt: skip


def at_least_double(x: Any) -> Any:
    """An operand in double precision, or higher."""
    return ops.astype(x, dtype=np.result_type(type_of(x).dtype, np.float64))


def cov(
    m: Any, y: Any = None, rowvar: bool = True, bias: bool = False, ddof: Any = None,
    fweights: Any = None, aweights: Any = None, dtype: Any = None,
) -> Any:  # fmt: skip
    """The covariances of variables."""
    if dtype is None:
        m, y = at_least_double(m), None if y is None else at_least_double(y)
    return ops.cov(m, y, rowvar, bias, ddof, fweights, aweights, dtype)


def corrcoef(x: Any, y: Any = None, rowvar: bool = True, dtype: Any = None) -> Any:
    """The correlations of variables."""
    if dtype is None:
        x, y = at_least_double(x), None if y is None else at_least_double(y)
    return ops.corrcoef(x, y, rowvar, dtype)


def ranked(function: Callable[..., Any], whole: int) -> Callable[..., Any]:
    """A function of fractions, or of so many parts: one number has the dtype of the entries."""

    def call(
        a: Any, q: Any, axis: Any = None, keepdims: Any = False, method: str = "linear"
    ) -> Any:
        fraction, dtype = np.true_divide(q, whole), type_of(a).dtype
        if is_float(dtype) and not isinstance(q, int | float):
            a = ops.astype(a, dtype=np.result_type(dtype, fraction))
        return function(a, fraction, axis, bool(keepdims), method)

    return call


quantile, percentile = ranked(ops.quantile, 1), ranked(ops.quantile, 100)
nanquantile, nanpercentile = ranked(ops.nanquantile, 1), ranked(ops.nanquantile, 100)

i0 = ops.OPS["i0_of_numpy"]
