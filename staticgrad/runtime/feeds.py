"""Feeds: what may stand for an input, and the sizes it settles."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradops import Dim, FeedError
from gradops.places import describe
from gradops.types import native

from ..ir.expr import Expr
from ..ir.plain import lost_meaning
from ..ir.sizes import Told, sizes_told_by


def require_all(inputs: Sequence[Expr], count: int) -> None:
    """Refuse another number of values than there are inputs, naming what is missing."""
    if count < len(inputs):
        shown = "".join(f"\n  {e.label}, made at {describe(e.place)}" for e in inputs[count:])
        raise FeedError(f"{count} of {len(inputs)} inputs were fed; missing:{shown}")
    if count > len(inputs):
        names = ", ".join(e.name for e in inputs) or "none"
        raise FeedError(f"{count} values were given for {len(inputs)} input(s): {names}")


def admitted(e: Expr, value: Any) -> np.ndarray[Any, Any]:
    """`value` as an array of the type of input `e`, or a FeedError that says why it is none.

    Numbers and sequences are converted if no fraction is lost; an array must have the dtype, and
    keeps its layout. See Note [Layout] in `ir/layout.py`.
    """
    found = convert(e, value)
    sizes_fit = len(found.shape) == len(e.shape) and all(
        isinstance(want, Dim) or want == n for want, n in zip(e.shape, found.shape, strict=True)
    )
    if not sizes_fit:
        raise FeedError(f"{e.label} was fed an array of shape {found.shape}{made(e)}")
    return found


def convert(e: Expr, value: Any) -> np.ndarray[Any, Any]:
    """`value` as an array of the dtype of `e`."""
    if isinstance(value, Expr):
        raise FeedError(f"{e.label} was fed an expression, {value.label}; feed a value{made(e)}")
    if lost := lost_meaning(value):
        raise FeedError(f"{e.label} was fed {lost[0]}{made(e)}\n  hint: {lost[1]}")
    try:
        found = np.asarray(value)
    except ValueError as error:
        raise FeedError(f"{e.label} was fed what is no array: {error}{made(e)}") from error
    dtype = np.dtype(e.dtype.name)  # of dtypes that are equal, the one that code compares to
    if found.dtype == dtype:
        return found.view(dtype)
    same = native(found.dtype) == dtype
    if same or (not isinstance(value, np.ndarray | np.generic) and fits(found, dtype)):
        return found.astype(dtype)
    hint = f"\n  hint: feed value.astype({e.dtype.name!r})" if found.dtype.kind in "biufc" else ""
    raise FeedError(f"{e.label} was fed {found.dtype}{list(found.shape)}{made(e)}{hint}")


def fits(found: np.ndarray[Any, Any], dtype: np.dtype[Any]) -> bool:
    """Whether numbers can be converted: floats to floats, integers to what holds them."""
    if not found.size:
        return True
    if found.dtype.kind in "iu" and dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return bool(limits.min <= found.min() and found.max() <= limits.max)
    return found.dtype.kind in "biuf" and np.can_cast(found.dtype, dtype, "same_kind")


def made(e: Expr) -> str:
    """Where an input was made, as a line of a message."""
    return f"\n  {e.name} was made at {describe(e.place)}"


def bind_sizes(inputs: Sequence[Expr], values: Sequence[Any]) -> dict[str, int]:
    """The value of each named size, on which the feeds must agree."""
    sizes: dict[str, int] = {}
    owners: dict[str, Expr] = {}
    for told in sizes_told_by(inputs):
        e, n = inputs[told.number], np.shape(values[told.number])[told.axis]
        if told.like is not None:
            owner, wanted = inputs[told.like[0]], np.shape(values[told.like[0]])[told.like[1]]
            if n != wanted:
                raise disagreement(told, n, wanted, owner, e)
            continue
        if told.name is None:
            owner = owners[min(told.size.names())]
        else:
            sizes[told.name], owner = (n - told.plus) // told.times, e
            owners[told.name] = e
        wanted = told.size.evaluate(sizes)
        if wanted != n or (told.name and sizes[told.name] < 0):
            raise disagreement(told, n, wanted, owner, e)
    return sizes


def disagreement(told: Told, n: int, wanted: int, owner: Expr, e: Expr) -> FeedError:
    """The error for an axis whose size does not fit what `owner` tells."""
    if told.name is not None:
        return FeedError(f"{told.size} cannot be {n} in {e.label}{made(e)}")
    return FeedError(
        f"{told.size} is {wanted} in {owner.label}, but {n} in {e.label}{made(owner)}{made(e)}"
    )
