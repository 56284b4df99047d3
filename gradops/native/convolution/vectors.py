"""Vectors of the machine that code runs on, and the instructions that convolutions need of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from ..machine import llvm
from ..text import FunctionText, Index, memory_type, minus

FUNCTIONS = {
    "fmuladd": ("{v}", "({v}, {v}, {v})"),
    "masked.load": ("{v}", "(ptr, i32, {m}, {v})"),
    "masked.store": ("void", "({v}, ptr, i32, {m})"),
}

ONE_BY_ONE = 9
"""The metadata of loops of which LLVM makes no vectors: to try takes it more time than it saves."""
ONE_BY_ONE_TEXT = """!8 = !{!"llvm.loop.vectorize.enable", i1 false}
!9 = distinct !{!9, !2, !8}
"""


@cache
def registers() -> tuple[int, int]:
    """The bytes of a vector register, and the number of such registers."""
    features = llvm().get_host_cpu_features()
    if features.get("avx512f"):
        return 64, 32
    return (32, 16) if features.get("avx2") else (16, 32 if features.get("neon") else 16)


@dataclass(frozen=True)
class Vectors:
    """Vectors of floats; the channels of `width` vectors are a block."""

    dtype: np.dtype
    width: int

    @property
    def lanes(self) -> int:
        """The entries of a vector."""
        return registers()[0] // self.dtype.itemsize

    @property
    def block(self) -> int:
        """The channels of a block."""
        return self.width * self.lanes

    @property
    def entry(self) -> str:
        """The type of an entry."""
        return memory_type(self.dtype)

    @property
    def type(self) -> str:
        """The type of a vector."""
        return f"<{self.lanes} x {self.entry}>"

    @property
    def mask(self) -> str:
        """The type of a truth value for each lane."""
        return f"<{self.lanes} x i1>"

    @property
    def suffix(self) -> str:
        """What the names of functions of vectors end in."""
        return f"v{self.lanes}f{8 * self.dtype.itemsize}"

    @property
    def many(self) -> bool:
        """True if there are registers for a large tile."""
        return registers()[1] >= 32

    def name(self, function: str) -> str:
        """A function of LLVM's for these vectors."""
        return f"@llvm.{function}.{self.suffix}{'.p0' if '.' in function else ''}"

    def declared(self) -> Iterator[str]:
        """The declarations of such functions."""
        for function, types in FUNCTIONS.items():
            result, given = (t.format(v=self.type, m=self.mask) for t in types)
            yield f"declare {result} {self.name(function)}{given}"

    def at(self, f: FunctionText, pointer: str, i: Index) -> str:
        """The address of an entry."""
        return f.emit(f"getelementptr inbounds {self.entry}, ptr {pointer}, i64 {i}")

    def spread(self, f: FunctionText, x: str) -> str:
        """A vector with one entry everywhere."""
        first = f.emit(f"insertelement {self.type} poison, {self.entry} {x}, i64 0")
        zeros = f"<{self.lanes} x i32> zeroinitializer"
        return f.emit(f"shufflevector {self.type} {first}, {self.type} poison, {zeros}")

    def spread_from(self, f: FunctionText, pointer: str) -> str:
        """A vector with the entry at an address everywhere."""
        return self.spread(f, f.emit(f"load {self.entry}, ptr {pointer}"))

    def load(self, f: FunctionText, pointer: str) -> str:
        """The vector at an address."""
        return f.emit(f"load {self.type}, ptr {pointer}, align {self.dtype.itemsize}")

    def store(self, f: FunctionText, x: str, pointer: str) -> None:
        """Write a vector."""
        f.do(f"store {self.type} {x}, ptr {pointer}, align {self.dtype.itemsize}")

    def add_product(self, f: FunctionText, a: str, b: str, total: str) -> str:
        """A product added to a total, without rounding between if the machine can."""
        given = ", ".join(f"{self.type} {x}" for x in (a, b, total))
        return f.emit(f"call {self.type} {self.name('fmuladd')}({given})")

    def masks(self, f: FunctionText, count: Index) -> list[str]:
        """For each vector of a block, in which lanes are the first `count` entries."""
        numbers = ", ".join(f"i64 {i}" for i in range(self.lanes))
        kind = f"<{self.lanes} x i64>"
        result = []
        for v in range(self.width):
            first = f.emit(f"insertelement {kind} poison, i64 {minus(f, count, v * self.lanes)},"
                           " i64 0")  # fmt: skip
            zeros = f"<{self.lanes} x i32> zeroinitializer"
            limit = f.emit(f"shufflevector {kind} {first}, {kind} poison, {zeros}")
            result.append(f.emit(f"icmp slt {kind} <{numbers}>, {limit}"))
        return result

    def load_some(self, f: FunctionText, pointer: str, mask: str) -> str:
        """The vector at an address, of which only some entries are read; others are zero."""
        given = f"ptr {pointer}, i32 {self.dtype.itemsize}, {self.mask} {mask}, {self.type}"
        return f.emit(f"call {self.type} {self.name('masked.load')}({given} zeroinitializer)")

    def store_some(self, f: FunctionText, x: str, pointer: str, mask: str) -> None:
        """Write some entries of a vector."""
        given = f"{self.type} {x}, ptr {pointer}, i32 {self.dtype.itemsize}, {self.mask} {mask}"
        f.do(f"call void {self.name('masked.store')}({given})")

    def sums(self, f: FunctionText, count: int) -> list[str]:
        """Memory of vectors that become registers, at first zero."""
        result = [f.reserve(self.type) for _ in range(count)]
        for place in result:
            f.do(f"store {self.type} zeroinitializer, ptr {place}")
        return result

    def add_to(self, f: FunctionText, places: Sequence[str], a: str, bs: Sequence[str]) -> None:
        """Add the products of one vector with several to sums."""
        for place, b in zip(places, bs, strict=True):
            total = f.emit(f"load {self.type}, ptr {place}")
            f.do(f"store {self.type} {self.add_product(f, a, b, total)}, ptr {place}")
