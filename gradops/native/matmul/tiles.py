"""Tiles of a product: some rows of one matrix by a panel of another, summed in registers.

Note [Tiles in registers]. A tile is a few rows of the result by one or two vectors of columns. All
of its sums are in registers while a loop goes through the inner axis: a row of the panel times an
entry of each row of the first matrix. Each entry of the result is added up in the order of the
inner axis, so its bits depend neither on its place nor on the sizes of the result.
"""

from ..ir.text import FunctionText
from .vectors import REGISTERS, WIDE, Lanes, turns, width

VECTORS = 2  # of a row of a tile, at most


def heights() -> tuple[int, ...]:
    """The rows of tiles: many where there are many registers; then those of what is left."""
    return (8, 4, 2, 1) if REGISTERS[width()] == 32 else (6, 4, 2, 1)


def tile_name(lanes: Lanes, rows: int, vectors: int) -> str:
    """The name of the function of a tile."""
    return f"@tile_{lanes.dtype.kind}{lanes.dtype.itemsize}_{rows}x{vectors}"


def tile(lanes: Lanes, rows: int, vectors: int) -> FunctionText:
    """The function of a tile: c = a @ b, or c + a @ b if `add`. See Note [Tiles in registers].

    Of `a` both steps are given, of the panel that between rows; of the result `cols` columns
    are written.
    """
    f = FunctionText(
        f"define internal void {tile_name(lanes, rows, vectors)}(i64 %k, ptr noalias %a,"
        " i64 %arow, i64 %acol, ptr noalias %b, i64 %brow, ptr noalias %c, i64 %crow, i64 %cols,"
        f" i1 %add) noinline nounwind {WIDE}"
    )
    sums = [[f.reserve(lanes.type) for _ in range(vectors)] for _ in range(rows)]
    for total in (x for row in sums for x in row):
        lanes.store(f, "zeroinitializer", total)
    firsts = [lanes.at(f, "%a", (i, "%arow")) for i in range(rows)]
    for l in turns(f, "%k"):
        row = lanes.at(f, "%b", (l, "%brow"))
        ys = [lanes.load(f, lanes.at(f, row, (v, lanes.count))) for v in range(vectors)]
        for first, totals in zip(firsts, sums, strict=True):
            x = f.emit(f"load {lanes.entry}, ptr {lanes.at(f, first, (l, '%acol'))}")
            spread = lanes.spread(f, x)
            for y, total in zip(ys, totals, strict=True):
                before = lanes.load(f, total)
                lanes.store(f, lanes.multiply_add(f, spread, y, before), total)
    write(f, lanes, sums)
    f.do("ret void")
    return f


def write(f: FunctionText, lanes: Lanes, sums: list[list[str]]) -> None:
    """Write the sums of a tile, or add them to what is there."""
    rows, vectors = len(sums), len(sums[0])
    masks = [
        lanes.mask(f, f.emit(f"sub i64 %cols, {v * lanes.count}", "n")) for v in range(vectors)
    ]
    places = [
        [lanes.at(f, "%c", (i, "%crow"), (v, lanes.count)) for v in range(vectors)]
        for i in range(rows)
    ]
    with f.given("%add"):
        for row, totals in zip(places, sums, strict=True):
            for at, total, mask in zip(row, totals, masks, strict=True):
                before, more = lanes.load_masked(f, at, mask), lanes.load(f, total)
                lanes.store(f, f.emit(f"fadd {lanes.type} {before}, {more}"), total)
    for row, totals in zip(places, sums, strict=True):
        for at, total, mask in zip(row, totals, masks, strict=True):
            lanes.store_masked(f, lanes.load(f, total), at, mask)
