"""Calls of BLAS's products, whose rows or columns threads share.

Note [Blocks of calls]. BLAS adds up in an order that depends on the sizes of a call. So calls are
of blocks of rows or columns whose sizes depend on the product alone, not on the number of threads.
BLAS runs on one thread while our code does, see Note [Pool]. It takes columns one after another, so
what is computed is to.T = b.T @ a.T.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from gradops.native.costs import SPEED
from gradops.native.ir.copies import copy
from gradops.native.ir.places import Place
from gradops.native.ir.scalars import constant
from gradops.native.ir.text import (
    FunctionText,
    Index,
    code_of,
    least,
    memory_type,
    minus,
    plus,
    times,
)
from gradops.native.runtime.blas import blas, thread_control

from ..parts import CHUNKS, shared, split

if TYPE_CHECKING:
    from ..lowering import GraphWriter

ROWS = 32  # of a result, of which a block has some multiple
BLOCKS = 8  # of a product of matrices
LONG = 1 << 15  # multiplications of a block of a matrix and a vector
SHORT = 512  # entries of columns, of which a block would be no larger than a few lines of the cache


def matrix_by_matrix(w: "GraphWriter", a: Place, b: Place, to: Place) -> None:
    """Call gemm."""
    a, b = ordered(w, a), ordered(w, b)
    (m, k), n = a.shape, b.shape[1]
    target = to if is_row_major(to) else w.memory.array(to.shape, to.dtype)
    for begin, count in blocks_of(w, max(m, n), max(m, n) // BLOCKS, m * n * k // SPEED):
        top, left = (begin, 0) if m >= n else (0, begin)
        rows, columns = (count, n) if m >= n else (m, count)
        x, y = moved(w.f, b, (0, left)), moved(w.f, a, (top, 0))
        gemm(w, (columns, rows, k), x, y, moved(w.f, target, (top, left)))
    if target is not to:
        copy(w.f, target, to)


def gemm(
    w: "GraphWriter", sizes: tuple[Index, Index, Index], b: Place, a: Place, to: Place
) -> None:
    """Call gemm, of matrices that begin where they lie."""
    (x_flag, x_step), (y_flag, y_step) = layout(b), layout(a)
    w.memory.calls_blas = True
    given = [f"i8 {ord(c)}" for c in (x_flag, y_flag)] + [f"i64 {n}" for n in sizes]
    steps = x_step, y_step, max(to.strides[0], to.shape[1])
    for p, step in zip((b, a, to), steps, strict=True):
        given += [f"ptr {p.pointer}", f"i64 {step}"]
    w.f.do(f"call void @{gemm_by_value(w, to.dtype)}({', '.join(given)})")


def gemm_by_value(w: "GraphWriter", dtype: np.dtype) -> str:
    """The name of a function that calls gemm, which takes addresses of numbers, with numbers."""
    name = f"gemm_{code_of(dtype)}"
    if name not in w.f.helpers:
        sizes = ", ".join(f"i64 %{x}" for x in "mnk")
        arrays = ", ".join(f"ptr %{x}, i64 %{x}step" for x in "abc")
        head = f"define internal void @{name}(i8 %aflag, i8 %bflag, {sizes}, {arrays})"
        f = FunctionText(f"{head} noinline nounwind")
        one, zero = (slot(f, memory_type(dtype), constant(f, v, dtype).name) for v in (1, 0))
        flags = [slot(f, "i8", f"%{x}flag") for x in "ab"]
        numbers = [integer(w, f"%{x}", f) for x in ("m", "n", "k", "astep", "bstep", "cstep")]
        given = [
            *flags, *numbers[:3], one, "%a", numbers[3], "%b", numbers[4], zero, "%c", numbers[5],
        ]  # fmt: skip
        f.do(f"call void {w.memory.blas('gemm', dtype)}({', '.join(f'ptr {p}' for p in given)})")
        f.do("ret void")
        w.f.helpers[name] = f.text()
    return name


def matrix_by_vector(w: "GraphWriter", a: Place, x: Place, to: Place) -> None:
    """Call gemv, for blocks of rows; of short columns that lie in order, for chunks of these."""
    m, k = a.shape
    if layout(a)[0] == "T" and m <= SHORT and k >= SHORT * CHUNKS:
        sum_of_chunks(w, a, x, to)
        return
    for begin, count in blocks_of(w, m, LONG // k, m * k):
        gemv(w, (moved(w.f, a, (begin, 0)), x, moved(w.f, to, (begin, 0))), (count, k))


def sum_of_chunks(w: "GraphWriter", a: Place, x: Place, to: Place) -> None:
    """Call gemv for chunks of columns, and add up what they give."""
    f, (m, k) = w.f, a.shape
    sums = w.memory.array((CHUNKS, m, 1), to.dtype)
    for c in split(w, CHUNKS, m * k if thread_control() else 0):
        begin, end = (
            f.emit(f"udiv i64 {times(f, n, k)}, {CHUNKS}", "n") for n in (c, plus(f, c, 1))
        )
        parts = moved(f, a, (0, begin)), moved(f, x, (begin, 0)), sums.row(f, c)
        gemv(w, parts, (m, minus(f, end, begin)))
    for i in f.loop(m):
        total = sums.load(f, (0, i, 0))
        for c in range(1, CHUNKS):
            total = total + sums.load(f, (c, i, 0))
        to.store(f, (i, 0), total)
    w.memory.release(sums)


def gemv(w: "GraphWriter", parts: tuple[Place, Place, Place], size: tuple[Index, Index]) -> None:
    """Call gemv for a matrix and a vector that begin where they lie."""
    a, x, to = parts
    flag, step = layout(a)
    rows, columns = size[::-1] if flag == "N" else size
    one, zero = numbers(w, to)
    sizes = [integer(w, v) for v in (rows, columns, step, x.strides[0] or 1)]
    turn = slot(w.f, "i8", ord("T" if flag == "N" else "N"))
    given = [
        *(turn, sizes[0], sizes[1], one, a.address(w.f, (0, 0)), sizes[2]),
        *(x.address(w.f, (0, 0)), sizes[3], zero, to.address(w.f, (0, 0))),
        integer(w, to.strides[0] or 1),
    ]
    call(w, "gemv", to, given)


def call(w: "GraphWriter", name: str, to: Place, given: list[str]) -> None:
    """Call one of BLAS's functions."""
    w.memory.calls_blas = True
    w.f.do(f"call void {w.memory.blas(name, to.dtype)}({', '.join(f'ptr {p}' for p in given)})")


def blocks_of(
    w: "GraphWriter", length: int, least_rows: int, work: int
) -> Iterator[tuple[Index, Index]]:
    """Where blocks of at least so many rows begin, and their numbers of rows."""
    f, size = w.f, max(1, -(-least_rows // ROWS)) * ROWS
    for begin, end in shared(w, -(-length // size), work if thread_control() else 0):
        for i in f.loop(minus(f, end, begin)):
            first = times(f, plus(f, begin, i), size)
            yield first, least(f, minus(f, length, first), size)


def moved(f: FunctionText, p: Place, index: tuple[Index, ...]) -> Place:
    """A place that begins at an entry."""
    return p._replace(pointer=p.address(f, index), offset=0)


def ordered(w: "GraphWriter", p: Place) -> Place:
    """A matrix as BLAS can read it: a copy, if neither rows nor columns lie in order."""
    if is_ordered(p):
        return p
    compact = w.memory.array(p.shape, p.dtype)
    copy(w.f, p, compact)
    return compact


def is_ordered(p: Place) -> bool:
    """True if rows or columns of a matrix lie in order, as BLAS can read it."""
    (m, n), (r, c) = p.shape, p.strides
    by_rows = (c == 1 or n == 1) and (r >= n or m == 1)
    return by_rows or ((r == 1 or m == 1) and (c >= m or n == 1))


def is_for_gemv(a: Place, x: Place) -> bool:
    """True if BLAS can read a matrix, and a vector that is a column, where they are."""
    return is_ordered(a) and (x.strides[0] > 0 or x.shape[0] == 1)


def layout(p: Place) -> tuple[str, int]:
    """The flag with which BLAS reads a matrix, and its step."""
    (m, n), (r, c) = p.shape, p.strides
    if (c == 1 or n == 1) and (r >= n or m == 1):
        return "N", max(r, n)
    return "T", max(c, m)


def is_row_major(p: Place) -> bool:
    """True if the entries of a row lie one after another."""
    return (p.strides[1] == 1 or p.shape[1] == 1) and p.strides[0] >= p.shape[1]


def numbers(w: "GraphWriter", to: Place) -> tuple[str, str]:
    """The addresses of one and zero."""
    one, zero = (constant(w.f, v, to.dtype).name for v in (1, 0))
    return slot(w.f, memory_type(to.dtype), one), slot(w.f, memory_type(to.dtype), zero)


def integer(w: "GraphWriter", value: Index, f: FunctionText | None = None) -> str:
    """The address of an integer of BLAS's, in a function or in that being written."""
    type, f = w.memory.blas_integer or blas()[0], f or w.f
    if isinstance(value, str) and type == "i32":
        value = f.emit(f"trunc i64 {value} to i32")
    return slot(f, type, value)


def slot(f: FunctionText, type: str, value: Index) -> str:
    """The address of a number, as BLAS takes them."""
    pointer = f.reserve(type)
    f.do(f"store {type} {value}, ptr {pointer}")
    return pointer
