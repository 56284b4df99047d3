"""Functions that combine, order and search entries."""

from typing import Any

import gradops as ops

from ..core.types import type_of
from ..library.shape.movement import in_dtype
from ..typing import AnyArray, OperandLike
from .signatures import Functions, each, one, ordering, over, over_in, running, spread_over


def clip(x: Any, /, min: Any = None, max: Any = None) -> Any:
    """The entries limited to the bounds, in the dtype of `x`."""
    if min is None and max is None:
        return ops.copy(x)
    dtype = type_of(x).dtype
    bounds = [b if b is None or isinstance(b, int | float) else in_dtype(b, dtype)
              for b in (min, max)]  # fmt: skip
    return ops.clip(x, *bounds)


def searchsorted(
    x1: OperandLike, x2: OperandLike, /, *, side: str = "left", sorter: object = None
) -> AnyArray:
    """The indices at which `x2` would be inserted into the sorted `x1`."""
    return ops.searchsorted(x1, x2, side=side, sorter=sorter)


def diff(
    x: OperandLike, /, *, axis: int = -1, n: int = 1, prepend: object = None, append: object = None
) -> AnyArray:
    """Differences between neighbours along an axis."""
    return ops.diff(x, axis=axis, n=n, prepend=prepend, append=append)


REDUCING: Functions = {
    **each(over, "all any argmax argmin count_nonzero max mean min"),
    **each(over_in, "sum prod"),
    **each(spread_over, "std var"),
    **each(running, "cumulative_sum cumulative_prod"),
    **each(ordering, "sort argsort"),
    **each(one, "nonzero unique_all unique_counts unique_inverse unique_values"),
    "clip": clip,
    "diff": diff,
    "isin": lambda x1, x2, /, *, invert=False: ops.isin(x1, x2, invert=invert),
    "searchsorted": searchsorted,
}
