"""Products of matrices with a few entries: rows of the result are vectors of a register.

LLVM could make such code of loops, too. To unroll and to join again what was unrolled takes it more
time than all of the rest.
"""

import math
from typing import TYPE_CHECKING

from gradops.native.ir.places import Place
from gradops.native.ir.text import FunctionText, memory_type

if TYPE_CHECKING:
    from ..lowering import GraphWriter

LONGEST = 8  # rows and columns of the second matrix
WIDEST = 64  # bytes of a row


def is_small(b: Place) -> bool:
    """True if the rows of the second matrix fit into registers."""
    k, n = b.shape
    return n > 1 and max(k, n) <= LONGEST and n * b.dtype.itemsize <= WIDEST and b.dtype.kind == "f"


def write_small(w: "GraphWriter", a: Place, b: Place, to: Place) -> None:
    """Add up the rows of the second matrix, multiplied by the entries of one of the first."""
    f, kind = w.f, f"<{b.shape[1]} x {memory_type(b.dtype)}>"
    rows = [load_row(f, b, l) for l in range(b.shape[0])]
    for i in f.loop(a.shape[0], passes=math.prod(a.shape)):
        total = "zeroinitializer"
        for l, row in enumerate(rows):
            term = f.emit(f"fmul {kind} {spread(f, a, (i, l), kind, b.shape[1])}, {row}")
            total = f.emit(f"fadd {kind} {total}, {term}")
        store_row(f, to, i, total)


def load_row(f: FunctionText, p: Place, i: int) -> str:
    """A row as a vector."""
    n, entry = p.shape[1], memory_type(p.dtype)
    if p.strides[1] == 1:
        return f.emit(f"load <{n} x {entry}>, ptr {p.address(f, (i, 0))}, align {p.dtype.itemsize}")
    row = "poison"
    for j in range(n):
        x = p.load(f, (i, j))
        row = f.emit(f"insertelement <{n} x {entry}> {row}, {x.typed}, i64 {j}")
    return row


def spread(f: FunctionText, p: Place, index: tuple[str | int, ...], kind: str, n: int) -> str:
    """A vector that has one entry everywhere."""
    first = f.emit(f"insertelement {kind} poison, {p.load(f, index).typed}, i64 0")
    mask = f"<{n} x i32> zeroinitializer"
    return f.emit(f"shufflevector {kind} {first}, {kind} poison, {mask}")


def store_row(f: FunctionText, p: Place, i: str | int, row: str) -> None:
    """Write a vector into a row."""
    n, entry = p.shape[1], memory_type(p.dtype)
    if p.strides[1] == 1:
        at = p.address(f, (i, 0))
        f.do(f"store <{n} x {entry}> {row}, ptr {at}, align {p.dtype.itemsize}")
        return
    for j in range(n):
        x = f.emit(f"extractelement <{n} x {entry}> {row}, i64 {j}")
        f.do(f"store {entry} {x}, ptr {p.address(f, (i, j))}")
