"""Products of matrices: loops for small ones, BLAS for others."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gradops.native.costs import SPEED
from gradops.native.ir.copies import copy
from gradops.native.ir.places import Place
from gradops.native.ir.scalars import NotNative, constant
from gradops.native.ir.text import ACCESS, Index, is_computable, memory_type, minus, plus
from gradops.native.runtime.blas import thread_control
from gradops.native.runtime.interrupts import blocks, check

from ...ir.expr import Expr
from ..parts import split
from ..planning.kinds import name_of
from ..planning.product_costs import LOOPS, OURS, is_entrywise, times_of_product
from .blas_calls import matrix_by_matrix, matrix_by_vector
from .own_products import own_product, turned
from .reductions import added
from .small_products import is_small, write_small
from .table import WRITERS

if TYPE_CHECKING:
    from ..lowering import GraphWriter

LONG = 1 << 24  # multiplications after which there is a check for signals


def write_matmul(w: "GraphWriter", e: Expr) -> None:
    """Write a product as NumPy's matmul defines it."""
    if any(x.dtype != e.dtype for x in e.inputs) or e.dtype == bool or not is_computable(e.dtype):
        raise NotNative(f"{e.label} of several dtypes")
    a, b = (w.place(x) for x in e.inputs)
    to = w.place_for(e)
    if len(a.shape) == 1:
        a = a._replace(shape=(1, *a.shape), strides=(0, *a.strides))
        to = with_axis(to, len(to.shape) - (len(b.shape) > 1))
    if len(b.shape) == 1:
        b = b._replace(shape=(*b.shape, 1), strides=(*b.strides, 0))
        to = with_axis(to, len(to.shape))
    batch(w, a, b, to)


def with_axis(p: Place, axis: int) -> Place:
    """A place with one more axis, of one entry."""
    shape, strides = list(p.shape), list(p.strides)
    shape.insert(axis, 1)
    strides.insert(axis, 0)
    return p._replace(shape=tuple(shape), strides=tuple(strides))


def batch(w: "GraphWriter", a: Place, b: Place, to: Place) -> None:
    """Write the loops over matrices."""
    a, b, to = merged(a, b, to)
    if len(to.shape) == 2:
        product(w, a, b, to)
        return
    rank, work = len(to.shape), to.size * a.shape[-1] // SPEED
    for i in split(w, to.shape[0], work if thread_control() else 0):
        batch(w, row(w, a, i, rank), row(w, b, i, rank), to.row(w.f, i))


def merged(a: Place, b: Place, to: Place) -> tuple[Place, Place, Place]:
    """One product for a stack of matrices that lie one after another, by the same matrix."""
    while len(to.shape) > 2 and len(a.shape) == len(to.shape) and set(b.shape[:-2]) <= {1}:
        (n, m), steps = to.shape[-3:-1], [(p.strides[-3], p.strides[-2]) for p in (a, to)]
        if a.shape[-3] != n or any(outer != m * inner for outer, inner in steps):
            break
        a, to = (
            p._replace(shape=(*p.shape[:-3], n * m, p.shape[-1]),
                    strides=(*p.strides[:-3], *p.strides[-2:]))
            for p in (a, to)
        )  # fmt: skip
        b = b._replace(shape=b.shape[-2:], strides=b.strides[-2:])
    return a, b, to


def row(w: "GraphWriter", p: Place, i: Index, rank: int) -> Place:
    """The matrices at an index of the first of `rank` axes, to which a place is broadcast."""
    if len(p.shape) < rank:
        return p
    return p.row(w.f, 0 if p.shape[0] == 1 else i)


def product(w: "GraphWriter", a: Place, b: Place, to: Place) -> None:
    """Write the product of two matrices."""
    (m, k), n = a.shape, b.shape[1]
    way = w.pick(times_of_product(w.table, a, b))
    if way == LOOPS:
        (write_small if is_small(b) else loops)(w, a, b, to)
    elif way == OURS:
        own_product(w, a, b, to)
    elif m == 1:
        matrix_by_vector(w, turned(b), turned(a), turned(to))
    elif n == 1:
        matrix_by_vector(w, a, b, to)
    else:
        matrix_by_matrix(w, a, b, to)
    if m * n * k > LONG:
        check(w.f)


def loops(w: "GraphWriter", a: Place, b: Place, to: Place) -> None:
    """Add row by row, or entry by entry where rows are short."""
    f, (m, k), n = w.f, a.shape, b.shape[1]
    zero = constant(f, 0, to.dtype)
    if is_entrywise(b):
        entries(w, a, b, to)
        return
    for i in rows_of(w, m, n * k):
        total = w.memory.array((n,), to.dtype)
        for j in f.loop(n):
            total.store(f, (j,), zero)
        for l in f.loop(k):
            x = a.load(f, (i, l))
            for j in f.loop(n, is_parallel=True):
                tag = ACCESS
                y = b.load(f, (l, j), tag)
                before = total.load(f, (j,), tag)
                total.store(f, (j,), before + x * y, tag)
        for j in f.loop(n):
            to.store(f, (i, j), total.load(f, (j,)))


def entries(w: "GraphWriter", a: Place, b: Place, to: Place) -> None:
    """Compute each entry as the sum of products."""
    f, (m, k), n = w.f, a.shape, b.shape[1]
    total = Place(f.reserve(memory_type(to.dtype)), to.dtype, (), ())
    for i in rows_of(w, m, n * k):
        for j in f.loop(n):
            total.store(f, (), constant(f, 0, to.dtype))
            for l in f.loop(k):
                term, before = a.load(f, (i, l)) * b.load(f, (l, j)), total.load(f, ())
                total.store(f, (), added(before, term))
            to.store(f, (i, j), total.load(f, ()))


def rows_of(w: "GraphWriter", m: int, work: int) -> Iterator[Index]:
    """A loop over rows of so much work each, which signals may stop."""
    for begin, end in blocks(w.f, (0, m), m, work):
        for i in w.f.loop(minus(w.f, end, begin), passes=m * work):
            yield plus(w.f, begin, i)


def write_joined(w: "GraphWriter", e: Expr) -> None:
    """Copy arrays beside one another; what was computed there is there already."""
    to = w.place_for(e)
    for x, part in zip(e.inputs, parts_of(e, to), strict=True):
        if w.targets.get(x) != part:
            copy(w.f, w.place(x), part)


def parts_of(e: Expr, to: Place) -> Iterator[Place]:
    """The places of arrays that are joined, along an axis they have or a new one."""
    axis, at = e.attrs["axis"] % len(to.shape), 0
    for x in e.inputs:
        offset = to.offset + at * to.strides[axis]
        if name_of(e) == "stack":
            strides = (*to.strides[:axis], *to.strides[axis + 1 :])
            at += 1
        else:
            strides = to.strides
            at += x.shape[axis]
        yield to._replace(shape=tuple(x.shape), strides=strides, offset=offset)


WRITERS |= {"matmul": write_matmul, "concatenate": write_joined, "stack": write_joined}
