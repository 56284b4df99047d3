"""Computations on one vector of windows: begun, taken from each entry, and written."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from ..ir.text import FunctionText
from ..matmul.vectors import Lanes

Write = Callable[["Windows"], None]


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
        return self.f.emit(f"shufflevector {self.numbers} {one}, {self.numbers} poison, {zeros}")

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
    """Begin with less than any number but one, at the first entry that is inside."""
    kind = w.v.entry
    w.set(w.v.spread(w.f, "0xFFF0000000000000"))  # -inf
    w.set_indices(w.spread_number())
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
