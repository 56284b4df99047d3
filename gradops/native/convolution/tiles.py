"""The innermost loops: a tile of results stays in registers while products are added to it.

Note [Tiles]. Results of a convolution are computed for several positions in a row and a block of
filters at a time. Of each entry that the filters see, one vector of filters is read for each lane
block, and one number for each position. Gradients of filters are computed for several entries of a
filter and a block of filters: of each position one vector of cotangents is read, and one number for
each entry. Sums begin with zero and are added in one order, whatever the tile, the block or the
number of threads.
"""

from ..ir.text import FunctionText, Index, times
from .blocks import Block

APART = 3  # positions from one address to the next; those between are reached by a scaled step


def heights(v: Block) -> tuple[int, ...]:
    """The numbers of positions of tiles, the largest first."""
    if not v.has_many:
        return 6, 3, 1
    return (14, 7, 4, 2, 1) if v.width <= 2 else (6, 3, 1)


def depths(v: Block) -> tuple[int, ...]:
    """The numbers of entries of a filter of tiles of its gradient, the largest first."""
    return (8, 4) if v.has_many else (4,)


def positions_tile(v: Block, height: int) -> FunctionText:
    """A function that computes a tile of `height` positions that are `step` apart."""
    f = FunctionText(
        f"define internal i32 @tile{height}(ptr noalias %x, i64 %step, ptr noalias %w,"
        " ptr noalias %taps, i64 %n.taps, i64 %n.run, ptr noalias %bias, ptr noalias %y,"
        " i64 %n.to, i64 %n.left) noinline nounwind"
    )
    sums = v.sums(f, height * v.width)
    for tap in f.loop("%n.taps"):
        where = f.emit(f"getelementptr inbounds i64, ptr %taps, i64 {tap}")
        first = v.at(f, "%x", f.emit(f"load i64, ptr {where}", "n"))
        panel = v.at(f, "%w", times(f, f.emit(f"mul nsw i64 {tap}, %n.run", "n"), v.size))
        for i in f.loop("%n.run"):
            add_row(f, v, height, sums, (v.at(f, first, i), v.at(f, panel, times(f, i, v.size))))
    masks = v.masks(f, "%n.left")
    for p in range(height):
        row = v.at(f, "%y", times(f, p, "%n.to"))
        for k in range(v.width):
            bias = v.lanes.load(f, v.vector(f, "%bias", k))
            total = v.add(f, v.sum(f, sums[p * v.width + k]), bias)
            v.lanes.store_masked(f, total, v.vector(f, row, k), masks[k])
    f.end()
    return f


def add_row(
    f: FunctionText, v: Block, height: int, sums: list[str], given: tuple[str, str]
) -> None:
    """Add the products of an entry of each window with that of the filters."""
    x, w = given
    filters = [v.lanes.load(f, v.vector(f, w, k)) for k in range(v.width)]
    twice = times(f, "%step", 2)
    for p in range(height):
        if p and p % APART == 0:
            x = v.at(f, x, times(f, "%step", APART))
        here = v.at(f, x, (0, "%step", twice)[p % APART])
        entry = v.lanes.spread(f, v.entry(f, here))
        v.add_products(f, sums[p * v.width : (p + 1) * v.width], entry, filters)


def entries_tile(v: Block, depth: int) -> FunctionText:
    """A function that adds to the gradient of `depth` entries of a block of filters.

    Entries lie at offsets from the first of a window; windows and cotangents lie in rows.
    """
    f = FunctionText(
        f"define internal i32 @entries{depth}(ptr noalias %x, i64 %step, ptr noalias %g,"
        " i64 %n.from, ptr noalias %offsets, ptr noalias %rows, i64 %n.rows, i64 %n.row,"
        " ptr noalias %to, i64 %n.left) noinline nounwind"
    )
    sums, masks = v.sums(f, depth * v.width), v.masks(f, "%n.left")
    offsets = [read(f, "%offsets", j) for j in range(depth)]
    for r in f.loop("%n.rows"):
        pair = times(f, r, 2)
        x = v.at(f, "%x", read(f, "%rows", pair))
        g = v.at(f, "%g", read(f, "%rows", f.emit(f"add nsw i64 {pair}, 1", "n")))
        for i in f.loop("%n.row"):
            at, row = v.at(f, x, times(f, i, "%step")), v.at(f, g, times(f, i, "%n.from"))
            cotangents = [
                v.lanes.load_masked(f, v.vector(f, row, k), masks[k]) for k in range(v.width)
            ]
            for j, offset in enumerate(offsets):
                entry = v.lanes.spread(f, v.entry(f, v.at(f, at, offset)))
                v.add_products(f, sums[j * v.width : (j + 1) * v.width], entry, cotangents)
    for i, place in enumerate(sums):
        to = v.vector(f, "%to", i)
        v.lanes.store(f, v.add(f, v.lanes.load(f, to), v.sum(f, place)), to)
    f.end()
    return f


def read(f: FunctionText, table: str, i: Index) -> str:
    """An integer of a table."""
    at = f.emit(f"getelementptr inbounds i64, ptr {table}, i64 {i}")
    return f.emit(f"load i64, ptr {at}", "n")
