"""The functions of pooling: of windows what is greatest and where, sums, and the transposes.

All work alike: for each window and each vector of entries side by side, something is begun, each
entry of the window is taken, and the result is written. See Note [Plans of pooling].
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..matmul.vectors import Lanes, lanes
from ..text import FunctionText, Index, code_of, minus, plus, times
from .plan import AXES, FIELDS

GIVEN = "x", "y", "places"  # the operand, windows, and indices of entries
DECLARED = "declare i32 @run_parts(ptr, ptr, i64, i64)"
Write = Callable[["Windows"], None]


def symbol_of(name: str, dtype: np.dtype) -> str:
    """The name by which code of graphs calls a function."""
    return f"pool_{name}_{code_of(dtype)}"


@dataclass
class Windows:
    """The windows of a unit while their code is written: one vector of them, and an entry."""

    f: FunctionText
    v: Lanes
    mask: str = ""
    x: str = ""  # of the entry of the operand
    y: str = ""  # of the window
    place: str = ""
    number: str = ""  # of the entry in the window

    @cached_property
    def total(self) -> str:
        """A vector in memory, which becomes a register."""
        return self.f.reserve(self.v.type)

    @cached_property
    def found(self) -> str:
        """Indices in memory, which become a register."""
        return self.f.reserve(self.numbers)

    @property
    def numbers(self) -> str:
        """The type of a vector of indices."""
        return f"<{self.v.count} x i32>"

    @property
    def bytes(self) -> str:
        """The type of indices in memory."""
        return f"<{self.v.count} x i8>"

    def read(self, pointer: str) -> str:
        """Some entries."""
        return self.v.load_masked(self.f, pointer, self.mask)

    def write(self, x: str, pointer: str) -> None:
        """Write some entries."""
        self.v.store_masked(self.f, x, pointer, self.mask)

    def get(self) -> str:
        """The vector."""
        return self.f.emit(f"load {self.v.type}, ptr {self.total}")

    def set(self, x: str) -> None:
        """Set the vector."""
        self.f.do(f"store {self.v.type} {x}, ptr {self.total}")

    def indices(self) -> str:
        """The indices."""
        return self.f.emit(f"load {self.numbers}, ptr {self.found}")

    def set_indices(self, x: str) -> None:
        """Set the indices."""
        self.f.do(f"store {self.numbers} {x}, ptr {self.found}")

    def spread_number(self) -> str:
        """The number of the entry in all lanes."""
        short = self.f.emit(f"trunc i64 {self.number} to i32")
        one = self.f.emit(f"insertelement {self.numbers} poison, i32 {short}, i64 0")
        zeros = f"{self.numbers} zeroinitializer"
        return self.f.emit(
            f"shufflevector {self.numbers} {one}, {self.numbers} poison, {zeros}"
        )

    def is_chosen(self) -> str:
        """In which windows the index is the number of the entry."""
        return self.f.emit(f"icmp eq {self.numbers} {self.indices()}, {self.spread_number()}")

    def choose(self, test: str, a: str, b: str, type: str) -> str:
        """Entries of one vector or the other."""
        return self.f.emit(f"select <{self.v.count} x i1> {test}, {type} {a}, {type} {b}")

    def read_places(self) -> None:
        """Take the indices of windows from memory."""
        given = f"ptr {self.place}, i32 1, <{self.v.count} x i1> {self.mask}, {self.bytes}"
        name = f"@llvm.masked.load.v{self.v.count}i8.p0"
        found = self.f.emit(f"call {self.bytes} {name}({given} zeroinitializer)")
        self.set_indices(self.f.emit(f"zext {self.bytes} {found} to {self.numbers}"))

    def write_places(self) -> None:
        """Write the indices of windows."""
        found = self.f.emit(f"trunc {self.numbers} {self.indices()} to {self.bytes}")
        given = f"{self.bytes} {found}, ptr {self.place}, i32 1, <{self.v.count} x i1> {self.mask}"
        self.f.do(f"call void @llvm.masked.store.v{self.v.count}i8.p0({given})")


def nothing(w: Windows) -> None:
    """Do nothing."""


def begin_greatest(w: Windows) -> None:
    """Begin with less than any number, at the first entry."""
    kind = w.v.entry
    w.set(w.v.spread(w.f, "0xFFF0000000000000"))  # -inf
    w.set_indices("zeroinitializer")
    assert kind in ("float", "double")  # of which -inf has this literal


def take_greatest(w: Windows) -> None:
    """Take an entry that is greater, or NaN; what is NaN stays."""
    x, best = w.read(w.x), w.get()
    above = w.f.emit(f"fcmp ugt {w.v.type} {x}, {best}")
    number = w.f.emit(f"fcmp ord {w.v.type} {best}, {best}")
    test = w.f.emit(f"and <{w.v.count} x i1> {above}, {number}")
    w.set(w.choose(test, x, best, w.v.type))
    w.set_indices(w.choose(test, w.spread_number(), w.indices(), w.numbers))


def end_greatest(w: Windows) -> None:
    """Write the maximum."""
    w.write(w.get(), w.y)


def end_places(w: Windows) -> None:
    """Write the maximum and its index."""
    w.write(w.get(), w.y)
    w.write_places()


def begin_sum(w: Windows) -> None:
    """Begin with zero."""
    w.set("zeroinitializer")


def begin_picked(w: Windows) -> None:
    """Begin with zero, and take the indices."""
    begin_sum(w)
    w.read_places()


def take_picked(w: Windows) -> None:
    """Take the entry that is chosen."""
    w.set(w.choose(w.is_chosen(), w.read(w.x), w.get(), w.v.type))


def begin_given(w: Windows) -> None:
    """Take a number for each window."""
    w.set(w.read(w.y))


def begin_put(w: Windows) -> None:
    """Take a number for each window, and an index."""
    begin_given(w)
    w.read_places()


def take_put(w: Windows) -> None:
    """Write the number to the chosen entry, zero to others."""
    w.write(w.choose(w.is_chosen(), w.get(), "zeroinitializer", w.v.type), w.x)


def take_put_sum(w: Windows) -> None:
    """Add the number to the chosen entry."""
    put = w.choose(w.is_chosen(), w.get(), "zeroinitializer", w.v.type)
    w.write(w.f.emit(f"fadd {w.v.type} {w.read(w.x)}, {put}"), w.x)


def take_spread(w: Windows) -> None:
    """Write the number to all entries."""
    w.write(w.get(), w.x)


KINDS: dict[str, tuple[Write, Write, Write]] = {
    "greatest": (begin_greatest, take_greatest, end_greatest),
    "places": (begin_greatest, take_greatest, end_places),
    "sum": (nothing, nothing, end_greatest),
    "pick": (begin_picked, take_picked, end_greatest),
    "put": (begin_put, take_put, nothing),
    "putsum": (begin_put, take_put_sum, nothing),
    "spread": (begin_given, take_spread, nothing),
}  # fmt: skip


BACKWARDS = "putsum"
"""The kind that goes over windows from the last to the first: entries of a window add up in order."""


def texts(dtype: np.dtype) -> Iterator[FunctionText]:
    """All functions of a dtype."""
    for name, parts in KINDS.items():
        yield units(name, lanes(dtype))
        yield whole(name, dtype)


def declarations(dtype: np.dtype) -> list[str]:
    """What the functions call."""
    v = lanes(dtype)
    mask, bytes = f"<{v.count} x i1>", f"<{v.count} x i8>"
    return [
        DECLARED, *v.declarations(),
        f"declare {bytes} @llvm.masked.load.v{v.count}i8.p0(ptr, i32, {mask}, {bytes})",
        f"declare void @llvm.masked.store.v{v.count}i8.p0({bytes}, ptr, i32, {mask})",
    ]  # fmt: skip


def whole(name: str, dtype: np.dtype) -> FunctionText:
    """The function that callers know."""
    given = ", ".join(f"ptr %{x}" for x in ("plan", *GIVEN))
    f = FunctionText(f"define i32 @{symbol_of(name, dtype)}({given}) nounwind")
    env = f.reserve("ptr", len(GIVEN) + 1)
    for i, x in enumerate(("plan", *GIVEN)):
        f.do(f"store ptr %{x}, ptr {f.emit(f'getelementptr ptr, ptr {env}, i64 {i}')}")
    units, threads = (number(f, FIELDS[x]) for x in ("units", "threads"))
    f.emit(f"call i32 @run_parts(ptr @{name}_units, ptr {env}, i64 {units}, i64 {threads})")
    f.end()
    return f


def number(f: FunctionText, i: Index) -> str:
    """A number of the plan."""
    return f.emit(f"load i64, ptr {f.emit(f'getelementptr inbounds i64, ptr %plan, i64 {i}')}", "n")


def units(name: str, v: Lanes) -> FunctionText:
    """The function of a range of units."""
    f = FunctionText(f"define internal i32 @{name}_units(ptr noalias %env, i64 %begin, i64 %end,"
                     " i64 %thread) nounwind")  # fmt: skip
    for i, x in enumerate(("plan", *GIVEN)):
        f.do(f"%{x} = load ptr, ptr {f.emit(f'getelementptr ptr, ptr %env, i64 {i}')}")
    UnitWriter(f, v, name).write()
    f.end()
    return f


class UnitWriter:
    """Writes the loops over the windows of units, and over the entries of each."""

    def __init__(self, f: FunctionText, v: Lanes, name: str) -> None:
        self.f, self.v, self.name = f, v, name
        self.begin, self.take, self.end = KINDS[name]
        self.n = {name: number(f, i) for name, i in FIELDS.items()}
        self.windows = Windows(f, v)

    def write(self) -> None:
        """Write all of it."""
        f, n = self.f, self.n
        for i in f.loop(minus(f, "%end", "%begin")):
            u = plus(f, "%begin", i)
            row, cut = (f.emit(f"{op} i64 {u}, {n['cuts']}", "n") for op in ("sdiv", "srem"))
            length = f.emit(f"sdiv i64 {n['count_0']}, {n['cuts']}", "n")
            at = {a: times(f, row, n[f"{a}_row"]) for a in "xyp"}
            for k in self.positions(length):
                self.write_axis(0, at, plus(f, times(f, cut, length), k), [])

    def positions(self, count: Index) -> Iterator[Index]:
        """A loop over positions."""
        for i in self.f.loop(count):
            backwards = self.name == BACKWARDS
            yield minus(self.f, minus(self.f, count, 1), i) if backwards else i

    def write_axis(
        self, axis: int, at: dict[str, Index], i: Index, inside: list[tuple[str, str]]
    ) -> None:
        """Write what follows for position `i` along an axis: the loops of the next ones."""
        f, n = self.f, self.n
        first = plus(f, n[f"table_{axis}"], times(f, i, 3))
        begin, low, high = (number(f, plus(f, first, k)) for k in range(3))
        at = {
            "x": plus(f, at["x"], begin), "y": plus(f, at["y"], times(f, i, n[f"y_step_{axis}"])),
            "p": plus(f, at["p"], times(f, i, n[f"p_step_{axis}"])),
        }  # fmt: skip
        inside = [*inside, (low, high)]
        if axis == AXES[-1]:
            self.write_window(at, inside)
            return
        for j in self.positions(n[f"count_{axis + 1}"]):
            self.write_axis(axis + 1, at, j, inside)

    def write_window(self, at: dict[str, Index], inside: list[tuple[str, str]]) -> None:
        """Write the loop over vectors of windows side by side."""
        f, v, w, n = self.f, self.v, self.windows, self.n
        rest = plus(f, n["length"], v.count - 1)
        for c in f.loop(f.emit(f"sdiv i64 {rest}, {v.count}", "n")):
            lane = times(f, c, v.count)
            w.mask = v.mask(f, minus(f, n["length"], lane))
            w.y = v.at(f, "%y", (plus(f, at["y"], lane), 1))
            w.place = f.emit(
                f"getelementptr inbounds i8, ptr %places, i64 {plus(f, at['p'], lane)}"
            )
            first = v.at(f, "%x", (plus(f, at["x"], lane), 1))
            self.begin(w)
            if self.name == "sum":
                w.set(self.sum_of_entries(AXES[-1], first, inside))
            else:
                self.take_entries(0, first, 0, inside)
            self.end(w)

    def take_entries(
        self, axis: int, x: str, number: Index, inside: list[tuple[str, str]]
    ) -> None:
        """Write the loops over the entries of a window that are inside the operand."""
        f, v, w, n = self.f, self.v, self.windows, self.n
        if axis == len(AXES):
            w.x, w.number = x, str(number)
            self.take(w)
            return
        low, high = inside[axis]
        for i in f.loop(minus(f, high, low)):
            tap = plus(f, low, i)
            here = v.at(f, x, (tap, n[f"tap_{axis}"]))
            inner = plus(f, times(f, number, n[f"window_{axis}"]), tap)
            self.take_entries(axis + 1, here, inner, inside)

    def sum_of_entries(self, axis: int, x: str, inside: list[tuple[str, str]]) -> str:
        """The sum of the entries of a window, along the first axis first as NumPy's kernel has it."""
        f, v, w = self.f, self.v, self.windows
        total, (low, high) = f.reserve(v.type), inside[axis]
        f.do(f"store {v.type} zeroinitializer, ptr {total}")
        for i in f.loop(minus(f, high, low)):
            here = v.at(f, x, (plus(f, low, i), self.n[f"tap_{axis}"]))
            term = self.sum_of_entries(axis - 1, here, inside) if axis else w.read(here)
            before = f.emit(f"load {v.type}, ptr {total}")
            f.do(f"store {v.type} {f.emit(f'fadd {v.type} {before}, {term}')}, ptr {total}")
        return f.emit(f"load {v.type}, ptr {total}")
