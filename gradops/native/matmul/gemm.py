"""The product of two matrices, with sizes and steps that are known when it runs.

Note [Own products]. The second matrix is taken by panels of columns, the inner axis by blocks: a
panel's block stays in the nearest cache while all rows of the first matrix are multiplied with it,
tile by tile. A panel is copied if its rows do not lie in order, or if there are many rows to use
the copy; rows of the first matrix, if columns of it lie in order, which are far from one another.
The sum of a block starts at zero, and is added to those before.
"""

from collections.abc import Iterator
from functools import cache

import numpy as np

from ..ir.text import METADATA, FunctionText, Index, code_of, minus, plus, times
from ..runtime.machine import Code
from ..runtime.pool import find
from .panels import GAP, pack_any, pack_columns, pack_rows, pack_tiles, panel_function
from .tiles import VECTORS, heights, tile, tile_name
from .vectors import REGISTERS, WIDE, Lanes, lanes, turns

DEPTH = 256  # of a block of the inner axis
HEIGHT = 512  # of a block of rows, which stays in the second cache
BLOCK = 1 << 17  # bytes of rows that are copied
FRAME = DEPTH * VECTORS * max(REGISTERS) + BLOCK + 4096  # bytes of stack, at most
MANY = 64  # rows for which panels are copied always

ARGUMENTS = (
    "i64 %m, i64 %n, i64 %k, ptr noalias %a, i64 %arow, i64 %acol, ptr noalias %b, i64 %brow,"
    " i64 %bcol, ptr noalias %c, i64 %crow, i1 %add"
)
DTYPES = np.dtype("f4"), np.dtype("f8")


def symbol_of(dtype: np.dtype) -> str:
    """The name by which code calls the product of a dtype."""
    return f"own_gemm_{code_of(dtype)}"


@cache
def product(name: str) -> Code:
    """The code of the product of that name, from the cache on disk if it has been compiled."""
    dtype = next(t for t in DTYPES if symbol_of(t) == name)
    return Code.for_key(("product", name), lambda: text_of(dtype), find=find, length=400)


def text_of(dtype: np.dtype) -> str:
    """The module of the product of a dtype."""
    kind = lanes(dtype)
    functions = [tile(kind, m, v) for m in heights() for v in range(1, VECTORS + 1)]
    functions += [way(kind) for way in (pack_any, pack_rows, pack_columns, pack_tiles)]
    functions += [all_rows(kind), gemm(kind)]
    declared = dict.fromkeys([*kind.declarations(), *Lanes(dtype, heights()[0]).declarations()])
    return "\n".join([*declared, *[f.text() for f in functions], METADATA])


def gemm(kind: Lanes) -> FunctionText:
    """The function: c = a @ b, or c + a @ b. See Note [Own products]."""
    f = FunctionText(f"define void @{symbol_of(kind.dtype)}({ARGUMENTS}) nounwind {WIDE}")
    panel = f.reserve(kind.entry, DEPTH * VECTORS * kind.count)
    block = f.reserve(kind.entry, (DEPTH + GAP) * block_height(kind))
    wide = VECTORS * kind.count
    turned = is_turned(f, wide)
    size = f.emit(f"select i1 {turned}, i64 {block_height(kind)}, i64 {HEIGHT}", "n")
    for top, height in pieces(f, "%m", size):
        for first, depth in pieces(f, "%k", DEPTH):
            add = f.emit(f"or i1 %add, {f.emit(f'icmp sgt i64 {first}, 0')}")
            a = kind.at(f, "%a", (top, "%arow"), (first, "%acol"))
            given_a = packed_rows(f, kind, (a, block), (height, depth), turned)
            for left, cols in pieces(f, "%n", wide):
                b = kind.at(f, "%b", (first, "%brow"), (left, "%bcol"))
                b, step = packed(f, kind, (b, panel), depth, cols)
                c = kind.at(f, "%c", (top, "%crow"), (left, 1))
                f.do(f"call void {rows_name(kind)}(i64 {height}, i64 {depth}, {given_a}, ptr {b},"
                     f" i64 {step}, ptr {c}, i64 %crow, i64 {cols}, i1 {add})")  # fmt: skip
    f.do("ret void")
    return f


def block_height(kind: Lanes) -> int:
    """The rows of a block of the first matrix that is copied: so many that all tiles are high."""
    rows, high = BLOCK // (DEPTH * kind.dtype.itemsize), heights()[0]
    return rows - rows % high


def is_turned(f: FunctionText, wide: int) -> str:
    """True if columns of the first matrix lie in order, and are read for several panels."""
    tests = ["icmp eq i64 %arow, 1", "icmp ne i64 %acol, 1", f"icmp sgt i64 %n, {wide}",
             f"icmp sge i64 %k, {wide}"]  # fmt: skip
    result = "true"
    for test in tests:
        result = f.emit(f"and i1 {result}, {f.emit(test)}")
    return result


def packed_rows(
    f: FunctionText, kind: Lanes, where: tuple[str, str], sizes: tuple[Index, Index], turned: str
) -> str:
    """Arguments that say where rows of the first matrix lie: where they are, or packed."""
    (a, block), (height, depth) = where, sizes
    with f.given(turned):
        f.do(f"call void {panel_function(kind, 'tiles')}(i64 {height}, i64 {depth}, ptr {a},"
             f" i64 %acol, ptr {block})")  # fmt: skip
    pairs = (("ptr", block, a), ("i64", plus(f, depth, GAP), "%arow"), ("i64", 1, "%arow"),
             ("i64", heights()[0], "%acol"))  # fmt: skip
    chosen = [(t, f.emit(f"select i1 {turned}, {t} {x}, {t} {y}", "n")) for t, x, y in pairs]
    return ", ".join(f"{t} {x}" for t, x in chosen)


def pieces(f: FunctionText, n: str, size: Index) -> Iterator[tuple[Index, Index]]:
    """Where the parts of an axis begin, and their lengths; of nothing, one of no length."""
    count = at_least_one(f, quotient(f, n, size))
    for i in turns(f, count):
        first = times(f, i, size)
        yield first, least(f, minus(f, n, first), size)


def packed(
    f: FunctionText, kind: Lanes, where: tuple[str, str], depth: Index, cols: Index
) -> tuple[str, str]:
    """The address of a panel and the step between its rows: where it is, or packed."""
    b, panel = where
    at, step = f.reserve("ptr"), f.reserve("i64")
    f.do(f"store ptr {b}, ptr {at}")
    f.do(f"store i64 %brow, ptr {step}")
    in_rows, in_columns = (f.emit(f"icmp eq i64 {s}, 1") for s in ("%bcol", "%brow"))
    few = f.emit(f"icmp slt i64 %m, {MANY}")
    whole = f.emit(f"icmp eq i64 {cols}, {VECTORS * kind.count}")
    stays = f.emit(f"and i1 {in_rows}, {f.emit(f'and i1 {few}, {whole}')}")
    with f.given(f.emit(f"xor i1 {stays}, true")):
        f.do(f"store ptr {panel}, ptr {at}")
        f.do(f"store i64 {VECTORS * kind.count}, ptr {step}")
        given = f"i64 {depth}, i64 {cols}, ptr {b}, i64 %brow, i64 %bcol, ptr {panel}"
        others = f.emit(f"xor i1 {in_rows}, true")
        turns = f.emit(f"and i1 {others}, {in_columns}")
        with f.given(in_rows):
            f.do(f"call void {panel_function(kind, 'rows')}({given})")
        with f.given(turns):
            f.do(f"call void {panel_function(kind, 'columns')}({given})")
        with f.given(f.emit(f"xor i1 {f.emit(f'or i1 {in_rows}, {turns}')}, true")):
            f.do(f"call void {panel_function(kind, 'any')}({given})")
    return f.emit(f"load ptr, ptr {at}"), f.emit(f"load i64, ptr {step}")


def rows_name(kind: Lanes) -> str:
    """The name of the function of all rows."""
    return f"@rows_{code_of(kind.dtype)}"


def all_rows(kind: Lanes) -> FunctionText:
    """The function that multiplies all rows with a panel, tile by tile."""
    f = FunctionText(
        f"define internal void {rows_name(kind)}(i64 %m, i64 %k, ptr noalias %a,"
        " i64 %atile, i64 %arow, i64 %acol, ptr noalias %b, i64 %brow, ptr noalias %c, i64 %crow,"
        f" i64 %cols, i1 %add) noinline nounwind {WIDE}"
    )
    narrow = f.emit(f"icmp sle i64 %cols, {kind.count}")
    for test, vectors in ((narrow, 1), (f.emit(f"xor i1 {narrow}, true"), VECTORS)):
        with f.given(test):
            tiles(f, kind, vectors)
    f.do("ret void")
    return f


def tiles(f: FunctionText, kind: Lanes, vectors: int) -> None:
    """The tiles of a panel: as many high ones as there are, and lower ones for the rest."""
    high, *others = heights()
    count = f.emit(f"udiv i64 %m, {high}", "n")
    for t in turns(f, count):
        first = times(f, t, high)
        call_tile(f, kind, (high, vectors), kind.at(f, "%a", (first, "%atile")), first)
    below = times(f, count, high)
    rest, left = kind.at(f, "%a", (below, "%atile")), minus(f, "%m", below)
    done = f.reserve("i64")
    f.do(f"store i64 0, ptr {done}")
    for rows in others:
        first = f.emit(f"load i64, ptr {done}", "n")
        with f.given(f.emit(f"icmp sge i64 {minus(f, left, first)}, {rows}")):
            a = kind.at(f, rest, (first, "%arow"))
            call_tile(f, kind, (rows, vectors), a, f.emit(f"add i64 {below}, {first}"))
            f.do(f"store i64 {f.emit(f'add i64 {first}, {rows}')}, ptr {done}")


def call_tile(f: FunctionText, kind: Lanes, size: tuple[int, int], a: str, first: Index) -> None:
    """Multiply the rows of a tile whose result begins at a row."""
    c = kind.at(f, "%c", (first, "%crow"))
    f.do(f"call void {tile_name(kind, *size)}(i64 %k, ptr {a}, i64 %arow, i64 %acol, ptr %b,"
         f" i64 %brow, ptr {c}, i64 %crow, i64 %cols, i1 %add)")  # fmt: skip


def quotient(f: FunctionText, n: Index, by: Index) -> str:
    """A quotient, rounded up."""
    return f.emit(f"udiv i64 {plus(f, n, minus(f, by, 1))}, {by}", "n")


def least(f: FunctionText, n: Index, most: Index) -> str:
    """A number, but not above another."""
    return f.emit(f"select i1 {f.emit(f'icmp slt i64 {n}, {most}')}, i64 {n}, i64 {most}", "n")


def at_least_one(f: FunctionText, n: Index) -> str:
    """A number, but one for zero: a product without an inner axis is zero."""
    return f.emit(f"select i1 {f.emit(f'icmp eq i64 {n}, 0')}, i64 1, i64 {n}", "n")
