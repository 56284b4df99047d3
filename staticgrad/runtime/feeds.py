"""Feeds: what may stand for an input, and the sizes it settles."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradops import Dim, FeedError
from gradops.places import describe

from ..ir.expr import Expr


def admitted(e: Expr, value: Any) -> np.ndarray[Any, Any]:
    """`value` as an array of the type of input `e`, or a FeedError that says why it is none.

    Numbers and sequences are converted if no fraction is lost; an array must have the dtype.
    """
    found = convert(e, value)
    sizes_fit = len(found.shape) == len(e.shape) and all(
        isinstance(want, Dim) or want == n for want, n in zip(e.shape, found.shape, strict=True)
    )
    if not sizes_fit:
        raise FeedError(f"{e.label} was fed an array of shape {found.shape}{made(e)}")
    return np.asarray(found, order="C")


def convert(e: Expr, value: Any) -> np.ndarray[Any, Any]:
    """`value` as an array of the dtype of `e`."""
    if isinstance(value, Expr):
        raise FeedError(f"{e.label} was fed an expression, {value.label}; feed a value{made(e)}")
    try:
        found = np.asarray(value)
    except ValueError as error:
        raise FeedError(f"{e.label} was fed what is no array: {error}{made(e)}") from error
    if found.dtype == e.dtype:
        return found
    free = not isinstance(value, np.ndarray | np.generic)
    if free and found.dtype.kind in "biuf" and np.can_cast(found.dtype, e.dtype, "same_kind"):
        return found.astype(e.dtype)
    hint = f"\n  hint: feed value.astype({e.dtype.name!r})" if found.dtype.kind in "biufc" else ""
    raise FeedError(f"{e.label} was fed {found.dtype}{list(found.shape)}{made(e)}{hint}")


def made(e: Expr) -> str:
    """Where an input was made, as a line of a message."""
    return f"\n  {e.name} was made at {describe(e.place)}"


def bind_sizes(inputs: Sequence[Expr], values: Sequence[Any]) -> dict[str, int]:
    """The value of each named size, on which the feeds must agree."""
    sizes: dict[str, int] = {}
    owners: dict[str, Expr] = {}
    for e, value in zip(inputs, values, strict=True):
        for want, n in zip(e.shape, np.shape(value), strict=True):
            if isinstance(want, Dim):
                settle(want, n, e, sizes, owners)
    return sizes


def settle(want: Dim, n: int, e: Expr, sizes: dict[str, int], owners: dict[str, Expr]) -> None:
    """Let the size `want` of `e` be `n`, unless an earlier feed says otherwise."""
    name = min(want.names())
    if want == Dim(name) and name not in sizes:
        sizes[name], owners[name] = n, e
    elif want.names() <= sizes.keys() and want.evaluate(sizes) != n:
        first = owners[name]
        raise FeedError(
            f"{want} is {want.evaluate(sizes)} in {first.label}, but {n} in {e.label}"
            f"{made(first)}{made(e)}"
        )
