"""Work along short rows, which NumPy's reductions do one row at a time: as columns, all at once."""

from typing import Any

import numpy as np

SHORT = 32  # entries of a row up to which turning the array is the lesser cost


def has_short_rows(x: Any, axis: int) -> bool:
    """Whether `axis` is the last of several axes of a float array, and a short one."""
    return (
        type(x) is np.ndarray
        and x.ndim > 1
        and axis in (-1, x.ndim - 1)
        and 0 < x.shape[-1] <= SHORT
        and x.dtype.kind == "f"
    )


def columns(x: Any) -> Any:
    """The rows of `x` as the columns of a matrix: in memory too if they are short, else a view."""
    turned = x.reshape(-1, x.shape[-1]).T
    return turned.copy() if x.shape[-1] <= SHORT else turned


def rows(y: Any, like: Any, out: Any = None) -> Any:
    """The columns of `y` as rows again, in the shape of `like` or in `out`."""
    if out is None:
        return np.ascontiguousarray(y.T).reshape(like.shape)
    np.copyto(out, y.T.reshape(like.shape))
    return out
