"""NumPy's covariances, which are of double precision at least, its quantiles, and `i0`."""

from collections.abc import Callable
from typing import Any

import numpy as np

import gradops as ops

from ...core.types import is_float, type_of
from ...typing import AnyArray, Axis, DTypeLike, OperandLike
from .joining import as_array

__all__ = ["corrcoef", "cov", "i0", "nanpercentile", "nanquantile", "percentile", "quantile"]


def cov(
    m: OperandLike, y: OperandLike | None = None, rowvar: bool = True, bias: bool = False,
    ddof: int | None = None, fweights: OperandLike | None = None,
    aweights: OperandLike | None = None, dtype: DTypeLike = None,
) -> AnyArray:  # fmt: skip
    """The covariances of variables, in double precision if no dtype is given."""
    found = covariance_dtype(dtype, m, y)
    return ops.cov(m, y, rowvar, bias, ddof, fweights, aweights, found)


def corrcoef(
    x: OperandLike, y: OperandLike | None = None, rowvar: bool = True, dtype: DTypeLike = None
) -> AnyArray:
    """The correlations of variables, in double precision if no dtype is given."""
    return ops.corrcoef(x, y, rowvar, covariance_dtype(dtype, x, y))


def covariance_dtype(dtype: DTypeLike, *arrays: object) -> Any:
    """The dtype in which covariances are computed."""
    if dtype is not None:
        return dtype
    given = [type_of(as_array(x)).dtype for x in arrays if x is not None]
    return np.result_type(*given, np.float64)


def quantile_function(function: Callable[..., Any], whole: int) -> Callable[..., Any]:
    """A quantile function of ranks in parts of `whole`; a number keeps the dtype of `a`."""

    def call(
        a: Any, q: Any, axis: Axis = None, keepdims: bool = False, method: str = "linear"
    ) -> AnyArray:
        fraction, dtype = np.true_divide(q, whole), type_of(a).dtype
        if is_float(dtype) and not isinstance(q, int | float):
            a = ops.astype(a, dtype=np.result_type(dtype, fraction))
        return function(a, fraction, axis, bool(keepdims), method)

    return call


quantile, percentile = quantile_function(ops.quantile, 1), quantile_function(ops.quantile, 100)
nanquantile = quantile_function(ops.nanquantile, 1)
nanpercentile = quantile_function(ops.nanquantile, 100)

i0 = ops.OPS["i0_of_numpy"]
