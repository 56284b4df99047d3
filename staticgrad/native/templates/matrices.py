"""Factors and solutions of small linear equations, and arrays that are written into zeros.

Where SciPy would raise an error, the code gives up: then the graph is run by NumPy, which does.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from gradops import OPS
from gradops.native.ir.copies import copy, fill
from gradops.native.ir.places import Place
from gradops.native.ir.scalars import NotNative, Scalar, call_math
from gradops.native.ir.text import ACCESS, Index, memory_type, minus, plus
from gradops.native.runtime.interrupts import blocks

from ...ir.expr import Expr
from ..shapes import SMALL_MATRIX
from .products import row
from .table import WRITERS

if TYPE_CHECKING:
    from ..lowering import GraphWriter


def over_matrices(
    w: "GraphWriter", places: Sequence[Place], to: Place, write: Callable[..., None]
) -> None:
    """Call `write` for the matrices of stacks, which are broadcast."""
    if len(to.shape) == 2:
        write(w, *places, to)
        return
    rank = len(to.shape)
    work = to.size // max(1, to.shape[0]) * SMALL_MATRIX
    for begin, end in blocks(w.f, (0, to.shape[0]), to.shape[0], work):
        for k in w.f.loop(minus(w.f, end, begin)):
            i = plus(w.f, begin, k)
            over_matrices(w, [row(w, p, i, rank) for p in places], to.row(w.f, i), write)


def require_small(e: Expr) -> None:
    """Raise NotNative for matrices that are not small."""
    if e.inputs[0].shape[-1] > SMALL_MATRIX or e.dtype.kind != "f":
        raise NotNative(f"{e.label} is large")


def write_cholesky(w: "GraphWriter", e: Expr) -> None:
    """Write a factor, column by column."""
    require_small(e)
    if e.attrs["upper"]:
        raise NotNative("an upper factor")
    source = w.place(e.inputs[0])
    over_matrices(w, [source], w.place_for(e), factor)


def factor(w: "GraphWriter", a: Place, l: Place) -> None:
    """Write the factor of one matrix."""
    f, n = w.f, a.shape[0]
    w.note_infinities([a])
    work = w.memory.array(a.shape, a.dtype)
    fill(w.f, work, 0)
    for j in f.loop(n, passes=n * n):
        rest = less_products(w, a.load(f, (j, j)), work, (j, work, j), j)
        w.give_up_unless(rest > 0)
        pivot = call_math("sqrt", [rest])
        work.store(f, (j, j), pivot)
        for k in f.loop(minus(f, n - 1, j)):
            i = plus(f, plus(f, j, k), 1)
            rest = less_products(w, a.load(f, (i, j)), work, (i, work, j), j)
            work.store(f, (i, j), rest / pivot)
    copy(w.f, work, l)


def less_products(
    w: "GraphWriter", start: Scalar, a: Place, rows: tuple[Index, Place, Index], count: Index
) -> Scalar:
    """A value less the products of the first entries of two rows."""
    i, b, j = rows
    total = Place(w.f.reserve(memory_type(a.dtype)), a.dtype, (), ())
    total.store(w.f, (), start)
    for k in w.f.loop(count):
        term = a.load(w.f, (i, k)) * b.load(w.f, (j, k))
        total.store(w.f, (), total.load(w.f, ()) - term)
    return total.load(w.f, ())


def write_solve(w: "GraphWriter", e: Expr) -> None:
    """Write solutions of triangular equations, row by row."""
    require_small(e)
    a, b = (w.place(x) for x in e.inputs)
    if len(b.shape) < 2:
        raise NotNative("a vector on the right")
    lower, unit = e.attrs["lower"], e.attrs["unit_diagonal"]
    over_matrices(w, [a, b], w.place_for(e), lambda w, a, b, x: solve(w, (a, b, x), lower, unit))


def solve(w: "GraphWriter", places: tuple[Place, Place, Place], lower: bool, unit: bool) -> None:
    """Write the solution for one matrix. NumPy's kernel knows what it is for a singular one."""
    f, (a, b, x) = w.f, places
    n, m = b.shape
    for p in (a, b):
        w.note_infinities([p])
    work = w.memory.array(b.shape, b.dtype)
    copy(w.f, b, work)
    for step in f.loop(n, passes=n * n * m):
        i = step if lower else minus(f, n - 1, step)
        for k in f.loop(step):
            other = k if lower else minus(f, n - 1, k)
            factor = a.load(f, (i, other))
            for j in f.loop(m, is_parallel=True):
                tag = ACCESS
                before = work.load(f, (i, j), tag)
                work.store(f, (i, j), before - factor * work.load(f, (other, j), tag), tag)
        if not unit:
            pivot = a.load(f, (i, i))
            w.give_up_unless(abs(pivot) > 0)
            for j in f.loop(m):
                work.store(f, (i, j), work.load(f, (i, j)) / pivot)
    copy(w.f, work, x)


def write_scatter(w: "GraphWriter", e: Expr) -> None:
    """Write an array into a view of zeros."""
    source, to = w.place(e.inputs[0]), w.place_for(e)
    look = "slice" if e.op is not None and e.op.name == "scatter" else "diagonal"
    attrs = {k: v for k, v in e.attrs.items() if k != "shape"}
    part = to.view(OPS[look], attrs, source.shape)
    if part is None:
        raise NotNative(f"{e.label} is no view")
    fill(w.f, to, 0)
    copy(w.f, source, part)


WRITERS |= {
    "cholesky": write_cholesky, "solve_triangular": write_solve, "scatter": write_scatter,
    "place_diagonal": write_scatter,
}  # fmt: skip
