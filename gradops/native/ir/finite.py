"""Notes of values that are not finite: the code gives up in the end, and NumPy runs the graph."""

import ast
from collections.abc import Iterable

from .copies import joined
from .places import Place
from .scalars import Scalar
from .text import At, FunctionText, Lane, least, times
from .vectors import width


def note_scalars(f: FunctionText, values: Iterable[Scalar]) -> None:
    """Note if one of some floats, or of vectors of them, is infinite or NaN."""
    sums: dict[str, Scalar] = {}
    for x in values:
        zero = x * 0.0  # NaN for what is not finite
        known = sums.get(x.dtype.str)
        sums[x.dtype.str] = zero if known is None else known + zero
    for total in sums.values():
        f.note(total.compare(ast.NotEq, 0.0).name)


def note_entries(f: FunctionText, p: Place) -> None:
    """Note if an entry of an array of floats is infinite or NaN."""
    p = joined(p)[0]
    if p.size:
        note_axis(f, p, ())


def note_axis(f: FunctionText, p: Place, index: tuple[At, ...]) -> None:
    """Note infinities of an axis, by vectors if its entries lie side by side."""
    if len(index) == len(p.shape):
        note_scalars(f, [p.load(f, index)])
        return
    n, lanes = p.shape[len(index)], width() // p.dtype.itemsize
    if len(index) < len(p.shape) - 1 or p.strides[-1] != 1 or n < lanes:
        for i in f.loop(n, passes=p.size):
            note_axis(f, p, (*index, i))
        return
    for i in f.loop(-(-n // lanes)):
        start = least(f, times(f, i, lanes), n - lanes)
        f.lanes = lanes
        note_scalars(f, [p.load(f, (*index, Lane(start)))])
        f.lanes = 0
