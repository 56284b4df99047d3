"""The functions of convolutions: of filters as panels, of units, and those that callers know.

Their operands are a plan, operands, the result, and memory for panels or sums, and for frames.

Note [Turns]. A thread of the pool takes one pass after another, by a counter that all of them add
to. So a thread that the system lets wait holds up the others by one pass at most. What a pass
computes does not depend on who takes it.
"""

from collections.abc import Callable, Iterator

from ..text import FunctionText, Index, code_of, minus, plus, times
from .blocks import ONE_BY_ONE, Block
from .tiles import depths, entries_tile, heights, positions_tile, read
from .units import PlanText, UnitWriter, fill_frame, least

CONVOLVE = ("x", "w", "bias", "y", "work")
FILTERS = ("x", "g", "to", "work")
DECLARED = """declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare i32 @run_parts(ptr, ptr, i64, i64)
"""


def texts(v: Block) -> Iterator[FunctionText]:
    """All functions of a width of blocks."""
    for height in heights(v):
        yield positions_tile(v, height)
    for depth in depths(v):
        yield entries_tile(v, depth)
    yield fill_frame(v)
    yield part("convolve_units", CONVOLVE, v, convolve_units)
    yield part("filters_parts", FILTERS, v, filters_parts)
    yield whole("convolve", CONVOLVE, v, convolve)
    yield whole("filters", FILTERS, v, filters)


def symbol_of(v: Block, name: str) -> str:
    """The name by which code of graphs calls a function."""
    return f"own_{name}_{code_of(v.dtype)}_{v.width}"


Write = Callable[[FunctionText, Block, PlanText], None]


def part(name: str, given: tuple[str, ...], v: Block, write: Write) -> FunctionText:
    """A function of passes, which threads share. See Note [Turns]."""
    f = FunctionText(
        f"define internal i32 @{name}(ptr noalias %env, i64 %begin, i64 %end, i64 %thread) nounwind"
    )
    for i, x in enumerate(("plan", *given, "turn")):
        f.do(f"%{x} = load ptr, ptr {f.emit(f'getelementptr ptr, ptr %env, i64 {i}')}")
    write(f, v, PlanText(f))
    f.end()
    return f


def whole(name: str, given: tuple[str, ...], v: Block, write: Write) -> FunctionText:
    """A function that callers know."""
    shown = ", ".join(f"ptr %{x}" for x in ("plan", *given))
    f = FunctionText(f"define i32 @{symbol_of(v, name)}({shown}) nounwind")
    write(f, v, PlanText(f))
    f.end()
    return f


def share(f: FunctionText, function: str, given: tuple[str, ...], count: str, most: str) -> None:
    """Run the passes of a part in the pool of threads. See Note [Turns]."""
    env, turn = f.reserve("ptr", len(given) + 2), f.reserve("i64")
    f.do(f"store i64 0, ptr {turn}")
    for i, x in enumerate(("%plan", *[f"%{x}" for x in given], turn)):
        f.do(f"store ptr {x}, ptr {f.emit(f'getelementptr ptr, ptr {env}, i64 {i}')}")
    f.emit(f"call i32 @run_parts(ptr @{function}, ptr {env}, i64 {count}, i64 {most})")


def turns(f: FunctionText, count: Index) -> Iterator[str]:
    """A loop over the passes that no other thread has taken. See Note [Turns]."""
    head, body, end = (f.fresh(name) for name in ("turn", "body", "end"))
    f.jump(head)
    f.start(head)
    i = f.emit("atomicrmw add ptr %turn, i64 1 monotonic", "n")
    f.branch(f.emit(f"icmp slt i64 {i}, {count}"), body, end)
    f.start(body)
    yield i
    f.jump(head)
    f.start(end)


def convolve(f: FunctionText, v: Block, plan: PlanText) -> None:
    """Write filters as panels, then convolve all units."""
    for g in f.loop(plan["groups"]):
        for b in f.loop(plan["blocks"]):
            write_panel(f, v, plan, g, b)
    share(f, "convolve_units", CONVOLVE, plan["units"], plan["threads"])


def panel_number(f: FunctionText, plan: PlanText, g: Index, b: Index) -> Index:
    """The number of a block of filters."""
    return plus(f, times(f, g, plan["blocks"]), b)


def write_panel(f: FunctionText, v: Block, plan: PlanText, g: Index, b: Index) -> None:
    """Write a block of filters: for each entry the numbers of all filters; and their biases."""
    number = panel_number(f, plan, g, b)
    left = minus(f, plan["left"], times(f, b, v.size))
    count = least(f, left, v.size)
    first = plus(f, times(f, g, plan["w_group"]), times(f, times(f, b, v.size), plan["w_filter"]))
    source = v.at(f, "%w", first)
    to = v.at(f, "%work", times(f, times(f, number, plan["entries"]), v.size))
    table = plan.table("filters_at")
    for k in f.loop(plan["entries"]):
        entry, row = v.at(f, source, read(f, table, k)), v.at(f, to, times(f, k, v.size))
        write_lanes(f, v, entry, plan["w_filter"], count, row)
    biases = v.at(f, "%work", plus(f, plan["bias_at"], times(f, number, v.size)))
    some = f.emit("icmp ne ptr %bias, null")
    given = f.emit(f"select i1 {some}, i64 {count}, i64 0", "n")
    before = plus(f, times(f, g, plan["left"]), times(f, b, v.size))
    write_lanes(f, v, v.at(f, "%bias", before), 1, given, biases)


def write_lanes(f: FunctionText, v: Block, x: str, step: Index, count: str, to: str) -> None:
    """Copy some numbers, and zeros after them, into a block."""
    for k in range(v.width):
        v.lanes.store(f, "zeroinitializer", v.vector(f, to, k))
    for i in f.counted(count, ONE_BY_ONE):
        v.put(f, v.entry(f, v.at(f, x, i, step)), v.at(f, to, i))


def convolve_units(f: FunctionText, v: Block, plan: PlanText) -> None:
    """Convolve units."""
    writer, taps, table = UnitWriter(f, v, plan), plan.table("taps_at"), plan.table("rows_at")
    frame = frame_of_thread(f, plan)
    for i in turns(f, plan["units"]):
        unit = writer.write(i, "%x", "%y", frame)
        for g in f.loop(plan["groups"]):
            x = v.at(f, unit.x, times(f, g, plan["x_group"]))
            for b in f.loop(plan["blocks"]):
                number = panel_number(f, plan, g, b)
                w = v.at(f, "%work", times(f, times(f, number, plan["entries"]), v.size))
                bias = v.at(f, "%work", plus(f, plan["bias_at"], times(f, number, v.size)))
                first = times(f, b, v.size)
                y = v.at(f, unit.y, plus(f, times(f, g, plan["y_group"]), first))
                left = minus(f, plan["left"], first)
                for r in f.loop(unit.rows):
                    pair = times(f, r, 2)
                    row = v.at(f, x, read(f, table, pair))
                    to = v.at(f, y, read(f, table, plus(f, pair, 1)))
                    given = f"ptr {taps}, i64 {plan['taps']}, i64 {plan['run']}, ptr {bias}"
                    tiles_of_row(f, v, plan, (row, w, given, to), (unit.positions, left))


def tiles_of_row(
    f: FunctionText, v: Block, plan: PlanText, given: tuple[str, ...], sizes: tuple[str, Index]
) -> None:
    """Compute the positions of a row, in tiles that are as high as possible."""
    x, w, others, y = given
    rest: Index = sizes[0]
    begin: Index = 0
    for height in heights(v):
        count = f.emit(f"sdiv i64 {rest}, {height}", "n") if height > 1 else rest
        for i in f.loop(count):
            at = plus(f, begin, times(f, i, height))
            seen = v.at(f, x, times(f, at, plan["x_step"]))
            to = v.at(f, y, times(f, at, plan["y_step"]))
            f.do(f"call i32 @tile{height}(ptr {seen}, i64 {plan['x_step']}, ptr {w}, {others},"
                 f" ptr {to}, i64 {plan['y_step']}, i64 {sizes[1]})")  # fmt: skip
        begin = plus(f, begin, times(f, count, height))
        rest = minus(f, sizes[0], begin)


def frame_of_thread(f: FunctionText, plan: PlanText) -> str:
    """The address of the frame of a thread."""
    at = plus(f, plan["frames_at"], times(f, "%thread", plan["frame_bytes"]))
    return f.emit(f"getelementptr inbounds i8, ptr %work, i64 {at}")


def filters(f: FunctionText, v: Block, plan: PlanText) -> None:
    """Add up the parts of the gradient of filters, and copy it to where it is to lie."""
    share(f, "filters_parts", FILTERS, plan["parts"], plan["threads"])
    size = sum_size(f, v, plan)
    for i in f.loop(f.emit(f"sdiv i64 {size}, {v.lanes.count}", "n")):
        add_parts(f, v, plan, (times(f, i, v.lanes.count), size))
    copy_sums(f, v, plan)


def add_parts(f: FunctionText, v: Block, plan: PlanText, given: tuple[Index, Index]) -> None:
    """Add a vector of all parts to that of the first."""
    at, size = given
    first = v.at(f, "%work", at)
    (total,) = v.sums(f, 1)
    f.do(f"store {v.lanes.type} {v.lanes.load(f, first)}, ptr {total}")
    for p in f.loop(minus(f, plan["parts"], 1)):
        other = v.lanes.load(f, v.at(f, v.at(f, first, size), p, size))
        f.do(f"store {v.lanes.type} {v.add(f, v.sum(f, total), other)}, ptr {total}")
    v.lanes.store(f, v.sum(f, total), first)


def sum_size(f: FunctionText, v: Block, plan: PlanText) -> Index:
    """The entries of a sum."""
    blocks = times(f, plan["groups"], plan["blocks"])
    return times(f, times(f, blocks, plan["padded"]), v.size)


def copy_sums(f: FunctionText, v: Block, plan: PlanText) -> None:
    """Copy sums to the filters, entry by entry."""
    table = plan.table("filters_at")
    for g in f.loop(plan["groups"]):
        for b in f.loop(plan["blocks"]):
            first = times(f, b, v.size)
            count = least(f, minus(f, plan["left"], first), v.size)
            at = plus(f, times(f, g, plan["w_group"]), times(f, first, plan["w_filter"]))
            number = panel_number(f, plan, g, b)
            sums = v.at(f, "%work", times(f, times(f, number, plan["padded"]), v.size))
            for i in f.loop(count):
                to = v.at(f, "%to", plus(f, at, times(f, i, plan["w_filter"])))
                for k in f.counted(plan["entries"], ONE_BY_ONE):
                    source = v.at(f, sums, plus(f, times(f, k, v.size), i))
                    v.put(f, v.entry(f, source), v.at(f, to, read(f, table, k)))


def filters_parts(f: FunctionText, v: Block, plan: PlanText) -> None:
    """Compute sums of which a gradient of filters is the sum."""
    writer, size = UnitWriter(f, v, plan), sum_size(f, v, plan)
    frame = frame_of_thread(f, plan)
    for p in turns(f, plan["parts"]):
        sums = v.at(f, "%work", times(f, p, size))
        bytes = times(f, size, v.dtype.itemsize)
        f.do(f"call void @llvm.memset.p0.i64(ptr {sums}, i8 0, i64 {bytes}, i1 false)")
        first = bound_of_part(f, plan, p)
        last = bound_of_part(f, plan, plus(f, p, 1))
        for u in f.loop(minus(f, last, first)):
            unit = writer.write(str(plus(f, first, u)), "%x", "%g", frame)
            for g in f.loop(plan["groups"]):
                x = v.at(f, unit.x, times(f, g, plan["x_group"]))
                for b in f.loop(plan["blocks"]):
                    number = panel_number(f, plan, g, b)
                    to = v.at(f, sums, times(f, times(f, number, plan["padded"]), v.size))
                    at = times(f, b, v.size)
                    y = v.at(f, unit.y, plus(f, times(f, g, plan["y_group"]), at))
                    left = minus(f, plan["left"], at)
                    rows_of_sums(f, v, plan, (x, y, to), (unit.rows, unit.positions, left))


def bound_of_part(f: FunctionText, plan: PlanText, p: Index) -> str:
    """The first unit of a part."""
    return f.emit(f"sdiv i64 {times(f, p, plan['units'])}, {plan['parts']}", "n")


def rows_of_sums(
    f: FunctionText, v: Block, plan: PlanText, given: tuple[str, str, str],
    sizes: tuple[str, str, Index],
) -> None:  # fmt: skip
    """Add the products of all rows, of which some are seen at a time: they stay in the cache."""
    (x, g, to), (rows, positions, left) = given, sizes
    some = plan["some_rows"]
    table, offsets = plan.table("rows_at"), plan.table("offsets_at")
    for r in f.loop(f.emit(f"sdiv i64 {plus(f, rows, minus(f, some, 1))}, {some}", "n")):
        begin = times(f, r, some)
        count = least(f, minus(f, rows, begin), some)
        first = f.emit(f"getelementptr inbounds i64, ptr {table}, i64 {times(f, begin, 2)}")
        done: Index = 0
        for depth in depths(v):
            tiles = f.emit(f"sdiv i64 {minus(f, plan['padded'], done)}, {depth}", "n")
            for i in f.loop(tiles):
                k = plus(f, done, times(f, i, depth))
                some_offsets = f.emit(f"getelementptr inbounds i64, ptr {offsets}, i64 {k}")
                sums = v.at(f, to, times(f, k, v.size))
                f.do(f"call i32 @entries{depth}(ptr {x}, i64 {plan['x_step']}, ptr {g},"
                     f" i64 {plan['y_step']}, ptr {some_offsets}, ptr {first}, i64 {count},"
                     f" i64 {positions}, ptr {sums}, i64 {left})")  # fmt: skip
            done = plus(f, done, times(f, tiles, depth))
