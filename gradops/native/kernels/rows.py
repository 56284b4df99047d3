"""Rows that are added to those of a matrix by their numbers: the gradient of an embedding."""

from ..ir.text import Index, plus, times
from .kernel import Kernel, KernelText

COLUMNS = 64  # of a pass, which goes over all rows: so they are added in their order


def write_add_rows(k: KernelText) -> None:
    """Add each row of x to that row of y whose number is beside it; negative ones from the end."""
    f, m, n = k.f, k.sizes["m"], k.sizes["n"]
    for first, count in k.blocks():
        for i in f.loop(k.sizes["rows"]):
            place = row_number(k, k.arrays["places"][i].name)
            with f.given(f.emit(f"icmp ult i64 {place}, {m}")):
                x = k.row("x", plus(f, times(f, i, n), first))
                y = k.row("y", plus(f, times(f, place, n), first))
                for j in f.loop(count, True):
                    y[j] = y[j] + x[j]


def row_number(k: KernelText, place: str) -> Index:
    """The number of a row, counted from the first; the kernel gives up if there is no such row."""
    f, m = k.f, k.sizes["m"]
    is_negative = f.emit(f"icmp slt i64 {place}, 0")
    found = plus(f, place, f.emit(f"select i1 {is_negative}, i64 {m}, i64 0", "n"))
    f.note(f.emit(f"icmp uge i64 {found}, {m}"))
    return found


KERNELS = [
    Kernel("add_rows", "places@i8[...] x[... n]", "y[m n]", write_add_rows, counts=("m",),
           passes="n", block=COLUMNS, cost=64),
]  # fmt: skip
