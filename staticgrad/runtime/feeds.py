"""Feeds: the values that an input accepts, and the sizes that they determine."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from gradops import Dim, FeedError
from gradops.core.types import native

from ..ir.errors import made_line
from ..ir.expr import Expr
from ..ir.lossless import fits, lost_meaning
from ..ir.sizes import bind_sizes


def as_feed(e: Expr, value: Any) -> np.ndarray[Any, Any]:
    """`value` as an array of the type of input `e`; raises FeedError if it is not one.

    Numbers and sequences are converted if no fraction is lost; an array must have the dtype, and
    keeps its layout. See Note [Layout] in `ir/layouts/contiguity.py`.
    """
    result = convert(e, value)
    if not agree(e.shape, result.shape):
        raise refusal(e, f"an array of shape {result.shape}", shape_hint(e, result.shape))
    return result


def agree(wanted: Sequence[Any], sizes: Sequence[int]) -> bool:
    """True if sizes are those wanted, where these are numbers."""
    same = [isinstance(want, Dim) or want == n for want, n in zip(wanted, sizes)]
    return len(wanted) == len(sizes) and all(same)


def shape_hint(e: Expr, shape: Sequence[int]) -> str:
    """The hint for a value of another shape, if only an axis of size 1 is missing."""
    if agree(e.shape, (1, *shape)):
        return "\n  hint: feed value[None], a batch of one"
    return "\n  hint: feed value[..., None]" if agree(e.shape, (*shape, 1)) else ""


def convert(e: Expr, value: Any) -> np.ndarray[Any, Any]:
    """`value` as an array of the dtype of `e`."""
    if isinstance(value, Expr):
        raise refusal(e, f"an expression, {value.label}; feed a value")
    if lost := lost_meaning(value):
        raise refusal(e, lost[0], f"\n  hint: {lost[1]}")
    try:
        result = np.asarray(value)
    except ValueError as error:
        raise refusal(e, f"a value that is not an array: {error}") from error
    dtype = np.dtype(e.dtype.name)  # of dtypes that are equal, the one that code compares to
    if result.dtype == dtype:
        return result.view(dtype)
    same = native(result.dtype) == dtype
    if same or (not isinstance(value, np.ndarray | np.generic) and fits(result, dtype)):
        return result.astype(dtype)
    if result.dtype.kind not in "biufc":
        raise refusal(e, f"{repr(value)[:60]}: not an array of numbers")
    raise refusal(e, f"{result.dtype}{list(result.shape)}", dtype_hint(e, result))


def refusal(e: Expr, value: str, hint: str = "") -> FeedError:
    """The error for a value, in words, that is not one of the input `e`."""
    return FeedError(f"{e.label} was fed {value}{made_line(e)}{hint}")


def dtype_hint(e: Expr, value: np.ndarray[Any, Any]) -> str:
    """The hint for a value of another dtype."""
    besides = "" if agree(e.shape, value.shape) else ", in another shape, too"
    return f"\n  hint: feed value.astype({e.dtype.name!r}){besides}"


def sizes_of_feeds(inputs: Sequence[Expr], values: Sequence[Any]) -> dict[str, int]:
    """The value of each named size, on which the feeds must agree."""
    result = bind_sizes(inputs, [np.shape(v) for v in values])
    return {name: int(n) for name, n in result.items()}


def single_feeds(key: Any, value: Any) -> Iterator[tuple[Any, Any]]:
    """Each expression in a tuple, which may have tuples in it, with its value."""
    stack = [(key, value)]
    while stack:
        key, value = stack.pop()
        if not isinstance(key, tuple):
            yield key, value
            continue
        if not isinstance(value, list | tuple) or len(value) != len(key):
            what = f"{len(value)} values" if hasattr(value, "__len__") else repr(value)
            names = ", ".join(getattr(k, "name", repr(k)) for k in key)
            raise FeedError(f"({names}) is fed {what}, not a tuple of {len(key)}")
        stack += zip(key, value, strict=True)
