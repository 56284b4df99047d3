"""Rows that are read, and added up, where an array of integers says."""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from gradops.native.ir.copies import fill
from gradops.native.ir.places import Place
from gradops.native.ir.scalars import NotNative, Scalar, cast, choose
from gradops.native.ir.text import Index, is_computable, minus, plus
from gradops.native.runtime.interrupts import blocks

from ...ir.expr import Expr
from .matrices import write_scatter
from .table import WRITERS

if TYPE_CHECKING:
    from ..lowering import GraphWriter

EVERY = ("slice", None, None, None)
Visit = Callable[[tuple[Index, ...], tuple[Index, ...]], None]


def write_getitem(w: "GraphWriter", e: Expr) -> None:
    """Write the entries that an array of integers names."""
    axis = axis_of(e)
    source, numbers = (w.place(x) for x in e.inputs)
    to = w.place_for(e)
    n = source.shape[axis]

    def visit(at: tuple[Index, ...], found: tuple[Index, ...]) -> None:
        to.store(w.f, at, source.load(w.f, found))

    over_entries(w, to, numbers, axis, n, visit)
    check_of_none(w, to, numbers, n)


def write_scatter_add(w: "GraphWriter", e: Expr) -> None:
    """Add entries to those of zeros that an array of integers names."""
    if len(e.inputs) == 1:
        write_scatter(w, e)
        return
    axis = axis_of(e)
    if e.dtype.kind not in "fi" or not is_computable(e.dtype):
        raise NotNative(f"sums of {e.dtype}")
    source, numbers = (w.place(x) for x in e.inputs)
    to = w.place_for(e)
    fill(w.f, to, 0)

    def visit(at: tuple[Index, ...], found: tuple[Index, ...]) -> None:
        to.store(w.f, found, to.load(w.f, found) + source.load(w.f, at))

    over_entries(w, source, numbers, axis, to.shape[axis], visit)
    check_of_none(w, source, numbers, to.shape[axis])


def axis_of(e: Expr) -> int:
    """The axis along which an array of integers chooses; the only one that is not whole."""
    index = e.attrs["index"]
    others = [entry for entry in index if entry != "array"]
    if len(e.inputs) != 2 or index.count("array") != 1 or any(o != EVERY for o in others):
        raise NotNative(f"{e.label} is indexed in several ways")
    if e.inputs[1].dtype.kind != "i":
        raise NotNative(f"{e.label} is indexed by {e.inputs[1].dtype}")
    return index.index("array")


def over_entries(
    w: "GraphWriter", whole: Place, numbers: Place, axis: int, n: int, visit: Visit,
    at: tuple[Index, ...] = (), number: Scalar | None = None,
) -> None:  # fmt: skip
    """Call `visit` with the index of each entry, and with that in the array that is indexed."""
    rank, last = len(numbers.shape), axis + len(numbers.shape)
    if number is None and len(at) == last:
        number = within(w, numbers.load(w.f, at[axis:last]), n)
    if len(at) == len(whole.shape):
        assert number is not None
        visit(at, (*at[:axis], number.name, *at[axis + rank :]))
        return
    count, work = whole.shape[len(at)], math.prod(whole.shape[len(at) + 1 :])
    for begin, end in blocks(w.f, (0, count), count, work):
        for i in w.f.loop(minus(w.f, end, begin)):
            here = *at, plus(w.f, begin, i)
            over_entries(w, whole, numbers, axis, n, visit, here, number)


def check_of_none(w: "GraphWriter", whole: Place, numbers: Place, n: int) -> None:
    """Give up at an index out of range, where no entry is read by it."""
    if not math.prod(whole.shape):
        over_entries(w, numbers, numbers, 0, n, lambda at, found: None)


def within(w: "GraphWriter", i: Scalar, n: int) -> Scalar:
    """An index that counts from the end, if it is negative; gives up at one that is too large."""
    i = cast(i, np.dtype("i8"))
    i = choose(i < 0, i + n, i)
    w.give_up_unless(i >= 0)
    w.give_up_unless(i < n)
    return i


WRITERS |= {"getitem": write_getitem, "scatter": write_scatter_add}
