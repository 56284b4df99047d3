"""Functions that combine, order and search entries."""

from collections.abc import Callable
from typing import Any

import gradops as ops

from ..types import native, type_of


def widened(x: Any, dtype: Any) -> Any:
    """`x` in the dtype in which it is to be added up, if one is given."""
    return x if dtype is None else ops.astype(x, dtype=native(dtype))


def clip(x: Any, /, min: Any = None, max: Any = None) -> Any:
    """The entries kept between bounds, in the dtype of `x`."""
    if min is None and max is None:
        return ops.copy(x)
    dtype = type_of(x).dtype
    bounds = [b if b is None or isinstance(b, int | float) else widened(b, dtype)
              for b in (min, max)]  # fmt: skip
    return ops.clip(x, *bounds)


REDUCING: dict[str, Callable[..., Any]] = {
    "all": lambda x, /, *, axis=None, keepdims=False: ops.all(x, axis=axis, keepdims=keepdims),
    "any": lambda x, /, *, axis=None, keepdims=False: ops.any(x, axis=axis, keepdims=keepdims),
    "argmax": lambda x, /, *, axis=None, keepdims=False: ops.argmax(
        x, axis=axis, keepdims=keepdims
    ),
    "argmin": lambda x, /, *, axis=None, keepdims=False: ops.argmin(
        x, axis=axis, keepdims=keepdims
    ),
    "argsort": lambda x, /, *, axis=-1, descending=False, stable=True: ops.argsort(
        x, axis=axis, descending=descending, stable=stable
    ),
    "clip": clip,
    "count_nonzero": lambda x, /, *, axis=None, keepdims=False: ops.count_nonzero(
        x, axis=axis, keepdims=keepdims
    ),
    "cumulative_prod": lambda x, /, *, axis=None, dtype=None, include_initial=False: (
        ops.cumulative_prod(widened(x, dtype), axis=axis, include_initial=include_initial)
    ),
    "cumulative_sum": lambda x, /, *, axis=None, dtype=None, include_initial=False: (
        ops.cumulative_sum(widened(x, dtype), axis=axis, include_initial=include_initial)
    ),
    "diff": lambda x, /, *, axis=-1, n=1, prepend=None, append=None: ops.diff(
        x, axis=axis, n=n, prepend=prepend, append=append
    ),
    "isin": lambda x1, x2, /, *, invert=False: ops.isin(x1, x2, invert=invert),
    "max": lambda x, /, *, axis=None, keepdims=False: ops.max(x, axis=axis, keepdims=keepdims),
    "mean": lambda x, /, *, axis=None, keepdims=False: ops.mean(x, axis=axis, keepdims=keepdims),
    "min": lambda x, /, *, axis=None, keepdims=False: ops.min(x, axis=axis, keepdims=keepdims),
    "nonzero": lambda x, /: ops.nonzero(x),
    "prod": lambda x, /, *, axis=None, dtype=None, keepdims=False: ops.prod(
        widened(x, dtype), axis=axis, keepdims=keepdims
    ),
    "searchsorted": lambda x1, x2, /, *, side="left", sorter=None: ops.searchsorted(
        x1, x2, side=side, sorter=sorter
    ),
    "sort": lambda x, /, *, axis=-1, descending=False, stable=True: ops.sort(
        x, axis=axis, descending=descending, stable=stable
    ),
    "std": lambda x, /, *, axis=None, correction=0.0, keepdims=False: ops.std(
        x, axis=axis, correction=correction, keepdims=keepdims
    ),
    "sum": lambda x, /, *, axis=None, dtype=None, keepdims=False: ops.sum(
        widened(x, dtype), axis=axis, keepdims=keepdims
    ),
    "unique_all": lambda x, /: ops.unique_all(x),
    "unique_counts": lambda x, /: ops.unique_counts(x),
    "unique_inverse": lambda x, /: ops.unique_inverse(x),
    "unique_values": lambda x, /: ops.unique_values(x),
    "var": lambda x, /, *, axis=None, correction=0.0, keepdims=False: ops.var(
        x, axis=axis, correction=correction, keepdims=keepdims
    ),
}
