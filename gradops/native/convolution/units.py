"""Units of work in machine code: the part of an operand that one sees, and its rows."""

from dataclasses import dataclass
from functools import cached_property

from ..ir.text import FunctionText, Index, minus, plus, times
from .blocks import ONE_BY_ONE, Block
from .plan import FIELDS, OF_BATCH, OF_CUT

AXES = (1, 2, 3)


@dataclass(frozen=True)
class PlanText:
    """Reads the numbers of a plan, each once."""

    f: FunctionText
    pointer: str = "%plan"

    @cached_property
    def read(self) -> dict[str, str]:
        """The numbers by name, as names of values."""
        f, found = self.f, {}
        for name, i in FIELDS.items():
            at = f.emit(f"getelementptr inbounds i64, ptr {self.pointer}, i64 {i}")
            found[name] = f.emit(f"load i64, ptr {at}", "n")
        return found

    def __getitem__(self, name: str) -> str:
        return self.read[name]

    def table(self, name: str) -> str:
        """The address of a table."""
        return self.f.emit(f"getelementptr inbounds i64, ptr {self.pointer}, i64 {self[name]}")


@dataclass(frozen=True)
class Unit:
    """Where the part of the operand begins that a unit sees, and where its results are to lie."""

    x: str
    y: str
    rows: str
    positions: str


class UnitWriter:
    """Writes what comes before the loops of a unit: its numbers, and its frame."""

    def __init__(self, f: FunctionText, v: Block, plan: PlanText) -> None:
        self.f, self.v, self.plan = f, v, plan
        self.place = f.reserve("ptr")

    def write(self, u: str, x: str, y: str, frame: str) -> Unit:
        """The unit with a number; its frame is filled."""
        f, plan, v = self.f, self.plan, self.v
        i, j = (f.emit(f"{op} i64 {u}, {plan['cuts']}", "n") for op in ("sdiv", "srem"))
        examples = self.rest(plan["examples"], i, plan["batch"])
        length = self.rest(plan["length"], j, plan["cut"])
        seen = v.at(f, x, self.first(plan["x_batch"], i))
        direct = v.at(f, seen, plus(f, self.first(plan["x_cut"], j), plan["x_first"]))
        f.do(f"store ptr {direct}, ptr {self.place}")
        with f.given(f.emit(f"icmp ne i64 {plan['framed']}, 0")):
            f.do(f"call i32 @fill(ptr {plan.pointer}, ptr {seen}, ptr {frame}, i64 {examples},"
                 f" i64 {j}, i64 {length})")  # fmt: skip
            f.do(f"store ptr {frame}, ptr {self.place}")
        to = v.at(f, y, plus(f, self.first(plan["y_batch"], i), self.first(plan["y_cut"], j)))
        start = f.emit(f"load ptr, ptr {self.place}")
        return Unit(start, to, *self.rows_of(examples, length))

    def first(self, step: str, i: str) -> str:
        """The offset of a unit."""
        return str(times(self.f, step, i))

    def rest(self, count: str, i: str, size: str) -> str:
        """How many of `count` entries are in part `i` of `size` entries each."""
        left = minus(self.f, count, times(self.f, i, size))
        return least(self.f, str(left), size)

    def rows_of(self, examples: str, length: str) -> tuple[str, str]:
        """The number of rows, and of positions in each."""
        f, plan = self.f, self.plan
        kind = plan["positions_are"]
        of_batch, of_cut = f"icmp eq i64 {kind}, {OF_BATCH}", f"icmp eq i64 {kind}, {OF_CUT}"
        rows = times(f, plan["inner_rows"], choose(self.f, of_batch, "1", examples))
        rows = times(f, rows, choose(self.f, of_cut, "1", length))
        positions = choose(self.f, of_cut, length, plan["positions"])
        return str(rows), choose(self.f, of_batch, examples, positions)


def least(f: FunctionText, a: Index, b: Index) -> str:
    """The smaller of two numbers."""
    return choose(f, f"icmp slt i64 {a}, {b}", a, b)


def choose(f: FunctionText, test: str, a: Index, b: Index) -> str:
    """The first or second of two numbers, by an instruction that gives a truth value."""
    return f.emit(f"select i1 {f.emit(test)}, i64 {a}, i64 {b}", "n")


def fill_frame(v: Block) -> FunctionText:
    """The function that copies what a unit sees into its frame."""
    f = FunctionText(
        "define internal i32 @fill(ptr noalias %plan, ptr noalias %x, ptr noalias %frame,"
        " i64 %n.examples, i64 %n.cut, i64 %n.length) noinline nounwind"
    )
    FrameWriter(f, v, PlanText(f)).write("%x", "%frame", "%n.examples", ("%n.cut", "%n.length"))
    f.end()
    return f


class FrameWriter:
    """Writes the copying of an operand into a frame."""

    def __init__(self, f: FunctionText, v: Block, plan: PlanText) -> None:
        self.f, self.v, self.plan = f, v, plan

    def write(self, x: str, frame: str, examples: str, cut: tuple[str, str]) -> None:
        """Copy what the unit sees into its frame."""
        f, v, plan = self.f, self.v, self.plan
        ranges = {a: self.range_of(a, *cut) for a in AXES}
        steps = self.frame_steps()
        for n in f.loop(examples):
            source = v.at(f, x, times(f, n, plan["step_0"]))
            to = v.at(f, frame, times(f, n, steps[0]))
            for d in f.loop(ranges[1][1]):
                for h in f.loop(ranges[2][1]):
                    row = plus(f, times(f, d, steps[1]), times(f, h, steps[2]))
                    self.fill_row(source, v.at(f, to, row), {1: d, 2: h}, ranges)

    def frame_steps(self) -> list[str]:
        """From an entry of a frame to the next, along each axis."""
        steps = [self.plan["channels"]]
        for a in reversed(AXES):
            steps.append(str(times(self.f, steps[-1], self.plan[f"frame_{a}"])))
        return steps[::-1]

    def range_of(self, axis: int, j: str, length: str) -> tuple[str, str]:
        """Where the frame begins along an axis of the operand, and the number of its entries."""
        f, plan = self.f, self.plan
        is_cut = f"icmp eq i64 {plan['cut_axis']}, {axis}"
        shift = times(f, times(f, j, plan["cut"]), plan["cut_stride"])
        count = plus(f, times(f, minus(f, length, 1), plan["cut_stride"]), plan["cut_extent"])
        start = plus(f, plan[f"from_{axis}"], choose(self.f, is_cut, str(shift), "0"))
        return str(start), choose(self.f, is_cut, str(count), plan[f"frame_{axis}"])

    def fill_row(
        self, x: str, to: str, index: dict[int, Index], ranges: dict[int, tuple[str, str]]
    ) -> None:
        """Copy a row into a frame, with zeros where it is beyond the operand."""
        f, v, plan = self.f, self.v, self.plan
        begin, count = ranges[3]
        lo = choose(self.f, f"icmp slt i64 {begin}, 0", str(minus(f, 0, begin)), "0")
        lo = least(self.f, lo, count)
        hi = least(self.f, count, str(minus(f, plan["size_3"], begin)))
        where, inside = x, "true"
        for a, i in index.items():
            at = plus(f, i, ranges[a][0])
            test = f.emit(f"icmp ult i64 {at}, {plan[f'size_{a}']}")
            inside = f.emit(f"and i1 {inside}, {test}")
            where = v.at(f, where, times(f, at, plan[f"step_{a}"]))
        lo = choose(self.f, f"and i1 {inside}, true", lo, "0")
        hi = choose(self.f, f"and i1 {inside}, true", hi, "0")
        hi = choose(self.f, f"icmp slt i64 {hi}, {lo}", lo, hi)
        channels = plan["channels"]
        self.zeros(to, times(f, lo, channels))
        source = v.at(f, where, times(f, plus(f, begin, lo), plan["step_3"]))
        self.copy(source, v.at(f, to, times(f, lo, channels)), str(minus(f, hi, lo)))
        after = v.at(f, to, times(f, hi, channels))
        self.zeros(after, times(f, minus(f, count, hi), channels))

    def zeros(self, to: str, count: str | int) -> None:
        """Set entries to zero."""
        size = times(self.f, count, self.v.dtype.itemsize)
        self.f.do(f"call void @llvm.memset.p0.i64(ptr {to}, i8 0, i64 {size}, i1 false)")

    def copy(self, x: str, to: str, count: str) -> None:
        """Copy the channels of positions in a row: at once, or entry by entry."""
        f, v, plan = self.f, self.v, self.plan
        beside = f.emit(f"icmp eq i64 {plan['channel_step']}, 1")
        dense = f.emit(f"icmp eq i64 {plan['step_3']}, {plan['channels']}")
        whole = f"and i1 {beside}, {dense}"
        self.move(x, to, times(f, choose(self.f, whole, count, "0"), plan["channels"]))
        for i in f.loop(choose(self.f, whole, "0", count)):
            source = v.at(f, x, times(f, i, plan["step_3"]))
            row = v.at(f, to, times(f, i, plan["channels"]))
            for c in f.counted(plan["channels"], ONE_BY_ONE):
                entry = v.entry(f, v.at(f, source, c, plan["channel_step"]))
                v.put(f, entry, v.at(f, row, c))

    def move(self, x: str, to: str, count: str | int) -> None:
        """Copy entries that lie side by side."""
        size = times(self.f, count, self.v.dtype.itemsize)
        self.f.do(f"call void @llvm.memcpy.p0.p0.i64(ptr {to}, ptr {x}, i64 {size}, i1 false)")
