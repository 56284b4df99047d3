"""What is given for inputs: how many values, of which types, and the sizes that they settle."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradops import Dim, FeedError, type_of
from gradops.core.dims import Shape, Size
from gradops.core.op import SEQUENCES, as_operand
from gradops.core.source_location import describe, here
from gradops.core.types import PYTHON_SCALARS

from .expr import Expr
from .lossless import fits
from .sizes import Told, sizes_told_by


def require_all(inputs: Sequence[Expr], count: int) -> None:
    """Refuse another number of values than there are inputs, naming what is missing."""
    if count < len(inputs):
        shown = "".join(f"\n  {e.label}, made at {describe(e.place)}" for e in inputs[count:])
        raise FeedError(f"{count} of {len(inputs)} inputs were fed; missing:{shown}")
    if count > len(inputs):
        names = ", ".join(e.name for e in inputs) or "none"
        raise FeedError(f"{count} values were given for {len(inputs)} input(s): {names}")


def made(e: Expr) -> str:
    """Where an input was made, as a line of a message."""
    return f"\n  {e.name} was made at {describe(e.place)}"


def operand_for(e: Expr, a: Any) -> Any:
    """`a` as an operand of any kind that has the dtype, the rank and the known sizes of `e`."""
    found = as_array_for(e, a)
    t = type_of(found)
    fits = t.dtype == e.dtype and t.ndim == len(e.shape)
    if not fits or any(isinstance(m, int) and m != n for m, n in zip(e.shape, t.shape)):
        raise FeedError(f"{e.label} was given {getattr(a, 'label', t)}{made(e)}")
    return found


def as_array_for(e: Expr, a: Any) -> Any:
    """A number, or a sequence of them, as an array of the dtype of `e` if that loses nothing."""
    if type(a) not in PYTHON_SCALARS and type(a) not in SEQUENCES:
        return a
    found = np.asarray(as_operand(a))
    return found.astype(e.dtype) if fits(found, e.dtype) else found


def sizes_given(inputs: Sequence[Expr], shapes: Sequence[Shape]) -> dict[str, Size]:
    """The size, known or not, of each name in the inputs' shapes; the shapes must agree on it."""
    sizes: dict[str, Size] = {}
    owners: dict[str, Expr] = {}
    for told in sizes_told_by(inputs):
        e, n = inputs[told.number], shapes[told.number][told.axis]
        if told.like is not None:
            owner, wanted = inputs[told.like[0]], shapes[told.like[0]][told.like[1]]
            if n != wanted:
                raise disagreement(told, n, wanted, owner, e)
            continue
        if told.name is None:
            owner = owners[min(told.size.names())]
        else:
            sizes[told.name], owner = (n - told.plus) // told.times, e
            owners[told.name] = e
        wanted = told.size.substitute(sizes)
        if wanted != n or (told.name and is_negative(sizes[told.name])):
            raise disagreement(told, n, wanted, owner, e)
    return sizes


def is_negative(size: Size) -> bool:
    """Whether a size is known to be below 0."""
    return not isinstance(size, Dim) and size < 0


def disagreement(told: Told, n: Size, wanted: Size, owner: Expr, e: Expr) -> FeedError:
    """The error for an axis whose size does not fit what `owner` tells."""
    fed = f"\n  fed at {describe(here())}"
    if told.name is not None:
        return FeedError(f"{told.size} cannot be {n} in {e.label}{fed}{made(e)}")
    return FeedError(
        f"{told.size} is {wanted} in {owner.label}, but {n} in {e.label}{fed}{made(owner)}{made(e)}"
    )
