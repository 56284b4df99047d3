"""Calls of our own product of matrices, whose rows or columns threads share.

Our product computes an entry in the same way wherever it is in the result, so it may be cut in any
way.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gradops.native.costs import SPEED
from gradops.native.ir.copies import copy
from gradops.native.ir.places import Place
from gradops.native.ir.text import Index, least, minus, times

from ..parts import shared
from .blas_calls import moved

if TYPE_CHECKING:
    from ..lowering import GraphWriter

CUT = 32  # rows or columns of which a thread computes some multiple


def own_product(w: "GraphWriter", a: Place, b: Place, to: Place, add: bool = False) -> None:
    """Call our product: to = a @ b, or to + a @ b."""
    (m, k), n = a.shape, b.shape[1]
    if to.strides[1] != 1 and n > 1:
        if to.strides[0] == 1:
            own_product(w, turned(b), turned(a), turned(to), add)
        else:
            by_way_of_copy(w, a, b, to, add)
        return
    by_rows = m >= n
    for begin, count in some_of(w, m if by_rows else n, m * n * k // SPEED):
        top, left = (begin, 0) if by_rows else (0, begin)
        rows, columns = (count, n) if by_rows else (m, count)
        parts = moved(w.f, a, (top, 0)), moved(w.f, b, (0, left)), moved(w.f, to, (top, left))
        call(w, (rows, columns, k), parts, add)


def by_way_of_copy(w: "GraphWriter", a: Place, b: Place, to: Place, add: bool) -> None:
    """Compute a product in memory of its own, for a result whose rows do not lie in order."""
    compact = w.memory.array(to.shape, to.dtype)
    if add:
        copy(w.f, to, compact)
    own_product(w, a, b, compact, add)
    copy(w.f, compact, to)
    w.memory.release(compact)


def call(
    w: "GraphWriter", sizes: tuple[Index, Index, Index], parts: tuple[Place, Place, Place],
    add: bool,
) -> None:  # fmt: skip
    """Call our product, of matrices that begin where they lie."""
    from gradops.native.matmul.gemm import FRAME, symbol_of

    a, b, to = parts
    given = [f"i64 {n}" for n in sizes]
    for p in (a, b):
        given += [f"ptr {p.pointer}", f"i64 {p.strides[0]}", f"i64 {p.strides[1]}"]
    given += [f"ptr {to.pointer}", f"i64 {to.strides[0]}", f"i1 {str(add).lower()}"]
    w.f.called = max(w.f.called, FRAME)
    w.f.do(f"call void @{symbol_of(to.dtype)}({', '.join(given)})")


def some_of(w: "GraphWriter", length: int, work: int) -> Iterator[tuple[Index, Index]]:
    """Where the rows or columns of each thread begin, and their number."""
    f = w.f
    for begin, end in shared(w, -(-length // CUT), work):
        first = times(f, begin, CUT)
        yield first, minus(f, least(f, times(f, end, CUT), length), first)


def turned(p: Place) -> Place:
    """The transpose of a matrix."""
    return p._replace(shape=p.shape[::-1], strides=p.strides[::-1])
