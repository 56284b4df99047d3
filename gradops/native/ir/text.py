"""LLVM IR as text: one function while it is written.

Note [Writing IR]. Instructions are lines; a value is its name. Loops are written as such, and state
in them as memory of the function's frame, which LLVM turns into registers. So nothing here knows of
phi nodes but the counters of loops.

Note [Vectors]. Where `lanes` is set, values are vectors of so many entries, and the same lines that
write scalars write these. LLVM's own vectorizer takes long, and finds no vectors in short arrays.
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

REGISTER = {"f4": "float", "f8": "double", "b1": "i1"} | {
    f"{kind}{n}": f"i{8 * n}" for kind in "iu" for n in (1, 2, 4, 8)
}
BITS = {n: f"i{8 * n}" for n in (1, 2, 4, 8, 16)}  # of dtypes that are moved only
BYTES = {"float": 4, "double": 8, "ptr": 8} | {f"i{8 * n}": n for n in BITS}
LIBRARY = re.compile(r" call .*@(?:gemm_|own_|blas_|pool_)")
LINE = 64  # bytes to which memory of a frame is aligned
FEW = 16  # passes of a nest of loops that are written one after another
ACCESS = ", !llvm.access.group !0"
"""Metadata of reads and writes in a parallel loop, none of which waits for another pass's."""
METADATA = """!0 = distinct !{}
!1 = !{!"llvm.loop.parallel_accesses", !0}
!2 = !{!"llvm.loop.unroll.disable"}
!3 = distinct !{!3, !2}
!4 = distinct !{!4, !1, !2}
!5 = distinct !{!5, !1, !2, !6, !7}
!6 = !{!"llvm.loop.vectorize.width", i32 16}
!7 = !{!"llvm.loop.interleave.count", i32 2}
!20 = distinct !{!20, !2, !21}
!21 = !{!"llvm.loop.vectorize.enable", i1 false}
!30 = distinct !{!30, !2}
!31 = distinct !{!31, !2}
"""
PLAIN, PARALLEL, ADDING, CARRYING, SUMMING = 3, 4, 5, 30, 31
"""Kinds of loops, by the numbers of their metadata: PARALLEL ones have passes that do not wait for
one another, ADDING ones besides add up, SUMMING ones add up entries that do not lie side by side,
and in CARRYING ones state in memory goes from pass to pass."""
Lines = tuple[list[str], list[str], str, bool, bool]
"""A function of which others are written before it goes on: frame, lines and state."""


class Lane(NamedTuple):
    """The index of a vector of entries: where it begins. See Note [Vectors]."""

    start: str | int


Index = str | int
"""A number of entries or steps: known, or the name of an i64."""
At = Index | Lane
"""The number of an entry along an axis, or of the entries of a vector."""


def code_of(dtype: np.dtype) -> str:
    """The kind and size of a dtype, as `f4`."""
    return f"{dtype.kind}{dtype.itemsize}"


def is_movable(dtype: np.dtype) -> bool:
    """True for dtypes whose entries may lie in memory of machine code."""
    return dtype.kind in "fciub" and dtype.itemsize in BITS and dtype.isnative


def is_computable(dtype: np.dtype) -> bool:
    """True for dtypes on which there is arithmetic in machine code."""
    return code_of(dtype) in REGISTER and dtype.isnative


def register_type(dtype: np.dtype) -> str:
    """The type of a value."""
    return REGISTER.get(code_of(dtype)) or BITS[dtype.itemsize]


def memory_type(dtype: np.dtype) -> str:
    """The type of an entry of an array."""
    return "i8" if dtype.kind == "b" else register_type(dtype)


class FunctionText:
    """The lines of a function. See Note [Writing IR]."""

    def __init__(self, head: str) -> None:
        self.head = head
        self.frame: list[str] = []
        self.lines: list[str] = []
        self.count, self.label = 0, "start"
        self.used: dict[str, int] = {}  # functions, and how often they are called once
        self.notes = self.unrolls = False
        self.lanes = 0  # of values, if they are vectors
        self.straight = False  # true where no loop repeats a call many times
        self.interruptible = self.checks = False  # see `interrupts.py`
        self.is_checked = False  # true if it gives up at values that are not finite
        self.reserved = self.called = 0  # bytes of all its frames, and of what they call
        self.outer: list[Lines] = []
        self.helpers: dict[str, str] = {}  # functions that it calls, by their names
        self.pieces: dict[tuple[str, tuple[str, ...]], str] = {}  # see `sharing.py`
        self.nameless = set[str]()  # the texts of pieces, without names
        self.parts: list[str] = []  # whole functions, see `parts.py`
        self.work = 0  # operations of its own lines, and of parts by their names
        self.works: dict[str, int] = {}
        self.subjects: list[object] = []  # what lines are for, see `subjects.py`
        self.subject: int | None = None

    def fresh(self, prefix: str = "t") -> str:
        """A name that no other value or label has."""
        self.count += 1
        return f"{prefix}{self.count}"

    def mark(self) -> tuple[int, int, str, bool]:
        """A place to which `undo` goes back."""
        return len(self.outer), len(self.lines), self.label, self.unrolls

    def undo(self, mark: tuple[int, int, str, bool]) -> None:
        """Forget the lines since a mark."""
        depth, count, label, unrolls = mark
        while len(self.outer) > depth:
            self.leave()
        self.label, self.unrolls = label, unrolls
        del self.lines[count:]

    def enter(self) -> None:
        """Begin a function of its own; its lines are written until `leave`."""
        self.outer.append((self.frame, self.lines, self.label, self.unrolls, self.notes))
        self.frame, self.lines, self.label = [], [], "start"
        self.unrolls = self.notes = False

    def leave(self) -> list[str]:
        """Go on with the function around; returns the lines of the inner one."""
        self.end()
        lines = [*self.frame, *self.lines]
        self.frame, self.lines, self.label, self.unrolls, self.notes = self.outer.pop()
        return lines

    def end(self) -> None:
        """Return 0, or 1 if something was noted."""
        if not self.notes:
            self.do("ret i32 0")
            return
        self.frame += ["  %noted = alloca i1", "  store i1 false, ptr %noted"]
        noted = self.emit("load i1, ptr %noted")
        self.do(f"ret i32 {self.emit(f'zext i1 {noted} to i32')}")

    def emit(self, instruction: str, prefix: str = "t") -> str:
        """The name of the value of an instruction."""
        name = f"%{self.fresh(prefix)}"
        self.lines.append(f"  {name} = {instruction}")
        return name

    def do(self, instruction: str) -> None:
        """An instruction without a value."""
        self.lines.append(f"  {instruction}")

    def any(self, test: str) -> str:
        """A test that holds if one does for an entry."""
        if not self.lanes:
            return test
        reduce = f"i1 @llvm.vector.reduce.or.v{self.lanes}i1"
        return self.emit(f"call {reduce}(<{self.lanes} x i1> {test})")

    def note(self, test: str) -> None:
        """Give up at the end of the code if a test holds somewhere."""
        self.notes, test = True, self.any(test)
        before = self.emit("load i1, ptr %noted")
        self.do(f"store i1 {self.emit(f'or i1 {before}, {test}')}, ptr %noted")

    def require_zero(self, status: str) -> None:
        """Go on if a function has not given up; else return what it has."""
        good, bad = self.fresh("good"), self.fresh("bad")
        self.branch(self.emit(f"icmp eq i32 {status}, 0"), good, bad)
        self.start(bad)
        self.do(f"ret i32 {status}")
        self.start(good)

    def vector(self, type: str) -> str:
        """The type of values with entries of a type."""
        return f"<{self.lanes} x {type}>" if self.lanes else type

    def reserve(self, type: str, count: int = 1) -> str:
        """Memory of the function's frame."""
        name = f"%{self.fresh('m')}"
        self.frame.append(f"  {name} = alloca {type}, i64 {count}, align 64")
        self.reserved += -(-count * BYTES.get(type, LINE) // LINE) * LINE
        return name

    @property
    def stack(self) -> int:
        """The bytes of stack that the function takes at most, with values that need memory."""
        return self.reserved + self.called + 8 * self.count

    def start(self, label: str) -> None:
        """Begin a block."""
        self.lines.append(f"{label}:")
        self.label = label

    def jump(self, label: str) -> None:
        """Go on at a block."""
        self.do(f"br label %{label}")

    def branch(self, test: str, yes: str, no: str) -> None:
        """Go on at one of two blocks."""
        self.do(f"br i1 {test}, label %{yes}, label %{no}")

    def loop(
        self, count: Index, is_parallel: bool = False, passes: int | None = None,
        kind: int = PLAIN,
    ) -> Iterator[Index]:  # fmt: skip
        """A counted loop: `for i in f.loop(n)` writes what follows once, for a counter `i`.

        It is parallel if all its reads and writes are `ACCESS`, else of a kind. Of a nest whose
        number of passes is given, and small, all passes are written, for known numbers. LLVM would
        do that, too, and more often than is good; it takes about a millisecond for a loop.
        """
        if count in (0, 1) or (isinstance(count, int) and (self.unrolls or few(passes))):
            before, self.unrolls = self.unrolls, self.unrolls or few(passes)
            yield from range(int(count))
            self.unrolls = before
        else:
            yield from self.counted(count, PARALLEL if is_parallel else kind)

    def adding_loop(self, count: Index) -> Iterator[Index]:
        """A parallel loop that adds up, with sums in one order whatever else is in it."""
        yield from self.counted(count, ADDING)

    def carrying_loop(self, count: Index) -> Iterator[Index]:
        """A loop whose passes leave state for the next one, which is to stay in registers."""
        if count in (0, 1) or (isinstance(count, int) and self.unrolls):
            yield from self.loop(count)
        else:
            yield from self.counted(count, CARRYING)

    def counted(self, count: Index, tag: int) -> Iterator[str]:
        """A loop of the machine, with a number of `METADATA`."""
        head, body, end = self.fresh("head"), self.fresh("body"), self.fresh("end")
        i, before, line = f"%{self.fresh('i')}", self.label, len(self.lines) + 2
        self.jump(head)
        self.start(head)
        self.lines.append("")
        self.branch(self.emit(f"icmp slt i64 {i}, {count}"), body, end)
        self.start(body)
        yield i
        after = self.emit(f"add nuw nsw i64 {i}, 1")
        self.lines[line] = f"  {i} = phi i64 [ 0, %{before} ], [ {after}, %{self.label} ]"
        self.do(f"br label %{head}, !llvm.loop !{tag}")
        self.start(end)

    @contextmanager
    def given(self, test: str) -> Iterator[None]:
        """Lines that are run if a test holds."""
        body, end = self.fresh("then"), self.fresh("end")
        self.branch(test, body, end)
        self.start(body)
        yield
        self.jump(end)
        self.start(end)

    def text(self) -> str:
        """The whole function."""
        whole = "\n".join([f"{self.head} {{", "start:", *self.frame, *self.lines, "}", ""])
        return "\n".join([*self.helpers.values(), *self.parts, whole])


def calls_library(lines: Iterable[str]) -> bool:
    """True for lines that leave their work to a function of BLAS, or to one of ours like it."""
    return any(map(LIBRARY.search, lines))


def few(passes: int | None) -> bool:
    """True for a known and small number of passes."""
    return passes is not None and passes <= FEW


def times(f: FunctionText, a: Index, b: Index) -> Index:
    """The product of two numbers."""
    if isinstance(a, int) and isinstance(b, int):
        return a * b
    if 0 in (a, b):
        return 0
    if a == 1:
        return b
    return a if b == 1 else f.emit(f"mul nsw i64 {a}, {b}", "n")


def plus(f: FunctionText, a: Index, b: Index) -> Index:
    """The sum of two numbers."""
    if isinstance(a, int) and isinstance(b, int):
        return a + b
    if a == 0:
        return b
    return a if b == 0 else f.emit(f"add nsw i64 {a}, {b}", "n")


def minus(f: FunctionText, a: Index, b: Index) -> Index:
    """The difference of two numbers."""
    if isinstance(a, int) and isinstance(b, int):
        return a - b
    return a if b == 0 else f.emit(f"sub nsw i64 {a}, {b}", "n")


def ceil_div(f: FunctionText, n: Index, size: int) -> Index:
    """The number of blocks of a size in which `n` entries are."""
    if isinstance(n, int):
        return -(-n // size)
    return f.emit(f"sdiv i64 {plus(f, n, size - 1)}, {size}", "n")


def least(f: FunctionText, a: Index, b: Index) -> Index:
    """The smaller one of two numbers."""
    if isinstance(a, int) and isinstance(b, int):
        return min(a, b)
    test = f.emit(f"icmp slt i64 {a}, {b}")
    return f.emit(f"select i1 {test}, i64 {a}, i64 {b}", "n")
