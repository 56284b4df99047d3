"""The functions of pooling: of windows what is greatest and where, sums, and the transposes.

All work alike: for each window and each vector of entries side by side, something is begun, each
entry of the window is taken, and the result is written. See Note [Plans of pooling].
"""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from ..convolution.blocks import lanes
from ..convolution.functions import share, turns
from ..ir.text import FunctionText, Index, code_of, minus, plus, times
from ..matmul.vectors import Lanes
from .plan import AXES, FIELDS
from .windows import KINDS, Windows

GIVEN = "x", "y", "places"  # the operand, windows, and indices of entries
DECLARED = "declare i32 @run_parts(ptr, ptr, i64, i64)"


def symbol_of(name: str, dtype: np.dtype) -> str:
    """The name by which code of graphs calls a function."""
    return f"pool_{name}_{code_of(dtype)}"


BACKWARDS = "putsum"
"""The kind that begins at the last window, as NumPy's kernel adds up entry by entry of windows."""


def texts(dtype: np.dtype, kinds: Iterable[str]) -> Iterator[FunctionText]:
    """The functions of a dtype of some kinds."""
    for name in kinds:
        yield units(name, lanes(dtype))
        yield whole(name, dtype)


def declarations(dtype: np.dtype) -> list[str]:
    """Declarations of functions that the module calls."""
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
    units, threads = (number(f, FIELDS[x]) for x in ("units", "threads"))
    share(f, f"{name}_units", GIVEN, units, threads)
    f.end()
    return f


def number(f: FunctionText, i: Index) -> str:
    """A number of the plan."""
    return f.emit(f"load i64, ptr {f.emit(f'getelementptr inbounds i64, ptr %plan, i64 {i}')}", "n")


def units(name: str, v: Lanes) -> FunctionText:
    """The function of units, which threads share."""
    f = FunctionText(f"define internal i32 @{name}_units(ptr noalias %env, i64 %begin, i64 %end,"
                     " i64 %thread) nounwind")  # fmt: skip
    for i, x in enumerate(("plan", *GIVEN, "turn")):
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
        for u in turns(f, n["units"]):
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
            w.number = self.first_number(inside)
            self.begin(w)
            if self.name == "sum":
                w.set(self.sum_of_entries(AXES[-1], first, inside))
            else:
                self.take_entries(0, first, 0, inside)
            self.end(w)

    def first_number(self, inside: Sequence[tuple[str, str]]) -> str:
        """The number of the first entry of a window that is inside the operand; 0 if none is."""
        f, number, is_any = self.f, "0", "true"
        for axis, (low, high) in enumerate(inside):
            number = str(plus(f, times(f, number, self.n[f"window_{axis}"]), low))
            is_any = f.emit(f"and i1 {is_any}, {f.emit(f'icmp slt i64 {low}, {high}')}")
        return f.emit(f"select i1 {is_any}, i64 {number}, i64 0", "n")

    def take_entries(self, axis: int, x: str, number: Index, inside: list[tuple[str, str]]) -> None:
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
        """The sum of a window, along the first axis first as NumPy's kernel adds."""
        f, v, w = self.f, self.v, self.windows
        total, (low, high) = f.reserve(v.type), inside[axis]
        f.do(f"store {v.type} zeroinitializer, ptr {total}")
        for i in f.loop(minus(f, high, low)):
            here = v.at(f, x, (plus(f, low, i), self.n[f"tap_{axis}"]))
            term = self.sum_of_entries(axis - 1, here, inside) if axis else w.read(here)
            before = f.emit(f"load {v.type}, ptr {total}")
            f.do(f"store {v.type} {f.emit(f'fadd {v.type} {before}, {term}')}, ptr {total}")
        return f.emit(f"load {v.type}, ptr {total}")
