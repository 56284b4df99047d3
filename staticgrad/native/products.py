"""Products of matrices: loops for small ones, BLAS for others."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from ..ir.expr import Expr
from .blas import blas
from .copies import copy
from .kinds import name_of
from .places import Place
from .reductions import added
from .scalars import NotNative, constant
from .small_products import is_small, write_small
from .text import ACCESS, Index, is_computable, memory_type
from .writers import WRITERS

if TYPE_CHECKING:
    from .lowering import GraphWriter

SMALL_VECTOR = 4096  # those of a matrix and a vector
SMALL = 24**3  # multiplications up to which loops are faster than a call


def write_matmul(w: "GraphWriter", e: Expr) -> None:
    """Write a product as NumPy's matmul defines it."""
    if any(x.dtype != e.dtype for x in e.inputs) or e.dtype == bool or not is_computable(e.dtype):
        raise NotNative(f"{e.label} of several dtypes")
    a, b = (w.place(x) for x in e.inputs)
    to = w.place_for(e)
    if len(a.shape) == 1:
        a = replace(a, shape=(1, *a.shape), strides=(0, *a.strides))
        to = with_axis(to, len(to.shape) - (len(b.shape) > 1))
    if len(b.shape) == 1:
        b = replace(b, shape=(*b.shape, 1), strides=(*b.strides, 0))
        to = with_axis(to, len(to.shape))
    batch(w, a, b, to, [])


def with_axis(p: Place, axis: int) -> Place:
    """A place with one more axis, of one entry."""
    shape, strides = list(p.shape), list(p.strides)
    shape.insert(axis, 1)
    strides.insert(axis, 0)
    return replace(p, shape=tuple(shape), strides=tuple(strides))


def batch(w: "GraphWriter", a: Place, b: Place, to: Place, index: list[str]) -> None:
    """Write the loops over matrices."""
    if len(to.shape) == 2:
        product(w, a, b, to)
        return
    rank = len(to.shape)
    for i in w.f.loop(to.shape[0]):
        batch(w, row(w, a, i, rank), row(w, b, i, rank), to.row(w.f, i), index)


def row(w: "GraphWriter", p: Place, i: Index, rank: int) -> Place:
    """The matrices at an index of the first of `rank` axes, to which a place is broadcast."""
    if len(p.shape) < rank:
        return p
    return p.row(w.f, 0 if p.shape[0] == 1 else i)


def product(w: "GraphWriter", a: Place, b: Place, to: Place) -> None:
    """Write the product of two matrices."""
    (m, k), n = a.shape, b.shape[1]
    call = w.memory.blas("gemm", a.dtype)
    if call is None or m * n * k <= (SMALL if min(m, n) > 1 else SMALL_VECTOR):
        (write_small if is_small(b) else loops)(w, a, b, to)
    elif m == 1 and (b.strides[0] == 1 or b.strides[1] == 1):
        matrix_by_vector(w, turned(b), turned(a), turned(to))
    elif n == 1 and (a.strides[0] == 1 or a.strides[1] == 1):
        matrix_by_vector(w, a, b, to)
    else:
        by_blas(w, call, a, b, to)


def turned(p: Place) -> Place:
    """The transpose of a matrix."""
    return replace(p, shape=p.shape[::-1], strides=p.strides[::-1])


def matrix_by_vector(w: "GraphWriter", a: Place, x: Place, to: Place) -> None:
    """Call gemv, which takes columns one after another."""
    f, (m, k) = w.f, a.shape
    call = w.memory.blas("gemv", a.dtype)
    pointer, flag, step = operand(w, a)
    rows, columns = (k, m) if flag == "N" else (m, k)
    kind = memory_type(to.dtype)
    one, zero = (slot(w, kind, constant(f, v, to.dtype).name) for v in (1, 0))
    sizes = [
        slot(w, blas()[0], v) for v in (rows, columns, step, x.strides[0] or 1, to.strides[0] or 1)
    ]
    turn = slot(w, "i8", ord("T" if flag == "N" else "N"))
    given = [turn, sizes[0], sizes[1], one, pointer, sizes[2], x.address(f, (0, 0)), sizes[3], zero,
             to.address(f, (0, 0)), sizes[4]]  # fmt: skip
    f.do(f"call void {call}({', '.join(f'ptr {p}' for p in given)})")


def loops(w: "GraphWriter", a: Place, b: Place, to: Place) -> None:
    """Add row by row, or entry by entry where rows are short."""
    f, (m, k), n = w.f, a.shape, b.shape[1]
    zero = constant(f, 0, to.dtype)
    if n == 1 or (b.strides[1] != 1 and b.strides[0] == 1):
        entries(w, a, b, to)
        return
    for i in f.loop(m):
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
    for i in f.loop(m, passes=m * n * k):
        for j in f.loop(n):
            total.store(f, (), constant(f, 0, to.dtype))
            for l in f.loop(k):
                term, before = a.load(f, (i, l)) * b.load(f, (l, j)), total.load(f, ())
                total.store(f, (), added(before, term))
            to.store(f, (i, j), total.load(f, ()))


def by_blas(w: "GraphWriter", call: str, a: Place, b: Place, to: Place) -> None:
    """Call gemm, which takes columns one after another: to.T = b.T @ a.T."""
    f, (m, k), n = w.f, a.shape, b.shape[1]
    x, x_flag, x_step = operand(w, b)
    y, y_flag, y_step = operand(w, a)
    target = to if is_row_major(to) else w.memory.array(to.shape, to.dtype)
    kind = memory_type(to.dtype)
    numbers = [slot(w, blas()[0], v) for v in (n, m, k)]
    steps = [slot(w, blas()[0], v) for v in (x_step, y_step, max(target.strides[0], n))]
    one, zero = (slot(w, kind, constant(f, v, to.dtype).name) for v in (1, 0))
    flags = [slot(w, "i8", ord(c)) for c in (x_flag, y_flag)]
    given = [
        *flags,
        *numbers,
        one,
        x,
        steps[0],
        y,
        steps[1],
        zero,
        target.address(f, (0, 0)),
        steps[2],
    ]
    f.do(f"call void {call}({', '.join(f'ptr {p}' for p in given)})")
    if target is not to:
        copy(w.f, target, to)


def is_row_major(p: Place) -> bool:
    """True if the entries of a row lie one after another."""
    return (p.strides[1] == 1 or p.shape[1] == 1) and p.strides[0] >= p.shape[1]


def operand(w: "GraphWriter", p: Place) -> tuple[str, str, int]:
    """The address of a matrix, the flag with which BLAS reads it, and its step."""
    (m, n), (r, c) = p.shape, p.strides
    if (c == 1 or n == 1) and (r >= n or m == 1):
        return p.address(w.f, (0, 0)), "N", max(r, n)
    if (r == 1 or m == 1) and (c >= m or n == 1):
        return p.address(w.f, (0, 0)), "T", max(c, m)
    compact = w.memory.array(p.shape, p.dtype)
    copy(w.f, p, compact)
    return compact.address(w.f, (0, 0)), "N", n


def slot(w: "GraphWriter", type: str, value: int | str) -> str:
    """The address of a number, as BLAS takes them."""
    pointer = w.f.reserve(type)
    w.f.do(f"store {type} {value}, ptr {pointer}")
    return pointer


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
        yield replace(to, shape=tuple(x.shape), strides=strides, offset=offset)


WRITERS |= {"matmul": write_matmul, "concatenate": write_joined, "stack": write_joined}
