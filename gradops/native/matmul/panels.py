"""Panels: columns of a matrix, copied so that a row of them lies beside the next."""

from ..ir.text import FunctionText, minus, plus, times
from .tiles import VECTORS, heights
from .vectors import WIDE, Lanes, turns

GAP = 2  # rows between two tiles, so that they lie in different parts of the cache
HEADS = {
    "rows": "pack_rows", "columns": "pack_columns", "any": "pack_any", "tiles": "pack_tiles",
}  # fmt: skip


def panel_function(lanes: Lanes, way: str) -> str:
    """The name of the function that packs in a way."""
    return f"@{HEADS[way]}_{lanes.dtype.kind}{lanes.dtype.itemsize}"


def begin(lanes: Lanes, way: str) -> FunctionText:
    """The head of a function that packs `k` rows of `cols` columns, from `b` into `to`."""
    name = panel_function(lanes, way)
    return FunctionText(
        f"define internal void {name}(i64 %k, i64 %cols, ptr noalias %b, i64 %brow, i64 %bcol,"
        f" ptr noalias %to) noinline nounwind {WIDE}"
    )


def pack_rows(lanes: Lanes) -> FunctionText:
    """Packing of a matrix whose rows lie in order."""
    f, n = begin(lanes, "rows"), lanes.count
    masks = [lanes.mask(f, minus(f, "%cols", v * n)) for v in range(VECTORS)]
    for l in turns(f, "%k"):
        row, to = lanes.at(f, "%b", (l, "%brow")), lanes.at(f, "%to", (l, VECTORS * n))
        for v, mask in enumerate(masks):
            x = lanes.load_masked(f, lanes.at(f, row, (v, n)), mask)
            lanes.store(f, x, lanes.at(f, to, (v, n)))
    f.do("ret void")
    return f


def pack_columns(lanes: Lanes) -> FunctionText:
    """Packing of a matrix whose columns lie in order: square blocks are turned in registers."""
    f, n = begin(lanes, "columns"), lanes.count
    full = f.emit(f"udiv i64 %cols, {n}", "n")
    squares = f.emit(f"udiv i64 %k, {n}", "n")
    for v in turns(f, full):
        for s in turns(f, squares):
            corner = lanes.at(f, "%b", (v, f.emit(f"mul i64 %bcol, {n}", "n")), (s, n))
            columns = [lanes.load(f, lanes.at(f, corner, (j, "%bcol"))) for j in range(n)]
            to = lanes.at(f, "%to", (s, n * VECTORS * n), (v, n))
            for i, row in enumerate(turned(f, lanes, columns)):
                lanes.store(f, row, lanes.at(f, to, (i, VECTORS * n)))
    done = f.emit(f"mul i64 {full}, {n}", "n")
    below = f.emit(f"mul i64 {squares}, {n}", "n")
    tall, wide = minus(f, "%k", below), minus(f, "%cols", done)
    whole = panel_function(lanes, "any")
    given = [lanes.at(f, "%b", (below, 1)), lanes.at(f, "%to", (below, VECTORS * n))]
    f.do(f"call void {whole}(i64 {tall}, i64 {done}, ptr {given[0]}, i64 1, i64 %bcol,"
         f" ptr {given[1]})")  # fmt: skip
    given = [lanes.at(f, "%b", (done, "%bcol")), lanes.at(f, "%to", (done, 1))]
    f.do(f"call void {whole}(i64 %k, i64 {wide}, ptr {given[0]}, i64 1, i64 %bcol,"
         f" ptr {given[1]})")  # fmt: skip
    zero_rest(f, lanes, "%cols")
    f.do("ret void")
    return f


def turned(f: FunctionText, lanes: Lanes, rows: list[str]) -> list[str]:
    """The transpose of a square block: the halves of pairs of rows change places, by halves."""
    n, step = lanes.count, 1
    while step < n:
        for i in (i for i in range(n) if not i & step):
            a, b = rows[i], rows[i | step]
            low = [n + j - step if j & step else j for j in range(n)]
            high = [n + j if j & step else j + step for j in range(n)]
            rows[i], rows[i | step] = (lanes.shuffle(f, a, b, p) for p in (low, high))
        step *= 2
    return rows


def pack_any(lanes: Lanes) -> FunctionText:
    """Packing entry by entry; columns that are missing are left."""
    f = begin(lanes, "any")
    for l in turns(f, "%k"):
        for j in turns(f, "%cols"):
            at = lanes.at(f, "%b", (l, "%brow"), (j, "%bcol"))
            x = f.emit(f"load {lanes.entry}, ptr {at}")
            to = lanes.at(f, "%to", (l, VECTORS * lanes.count), (j, 1))
            f.do(f"store {lanes.entry} {x}, ptr {to}")
    f.do("ret void")
    return f


def pack_tiles(lanes: Lanes) -> FunctionText:
    """Packing of rows of the first matrix, whose columns lie in order, for tiles of them."""
    high = heights()[0]
    f, part = (
        FunctionText(
            f"define internal void {panel_function(lanes, 'tiles')}(i64 %m, i64 %k, ptr noalias %a,"
            f" i64 %acol, ptr noalias %to) noinline nounwind {WIDE}"
        ),
        Lanes(lanes.dtype, high),
    )
    full = f.emit(f"udiv i64 %m, {high}", "n")
    below = times(f, full, high)
    mask, step = part.mask(f, minus(f, "%m", below)), plus(f, "%k", GAP)
    for l in turns(f, "%k"):
        row, to = lanes.at(f, "%a", (l, "%acol")), lanes.at(f, "%to", (l, high))
        for t in turns(f, full):
            first = times(f, t, high)
            x = part.load(f, lanes.at(f, row, (first, 1)))
            part.store(f, x, lanes.at(f, to, (first, step)))
        with f.given(f.emit(f"icmp slt i64 {below}, %m")):
            x = part.load_masked(f, lanes.at(f, row, (below, 1)), mask)
            part.store(f, x, lanes.at(f, to, (below, step)))
    f.do("ret void")
    return f


def zero_rest(f: FunctionText, lanes: Lanes, cols: str) -> None:
    """Set the columns of a panel from a number on to zero."""
    missing = minus(f, VECTORS * lanes.count, cols)
    with f.given(f.emit(f"icmp sgt i64 {missing}, 0")):
        for l in turns(f, "%k"):
            for j in turns(f, missing):
                to = lanes.at(f, "%to", (l, VECTORS * lanes.count), (cols, 1), (j, 1))
                f.do(f"store {lanes.entry} 0.0, ptr {to}")
