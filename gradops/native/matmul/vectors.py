"""Vectors of a register, as wide as the machine's, and addresses in arrays of floats."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from ..ir.text import FunctionText, Index, code_of, memory_type, plus, times
from ..runtime.machine import llvm

REGISTERS = {64: 32, 32: 16, 16: 16}
"""By the bytes of a vector, the number of registers."""
OF_VECTORS = 20  # metadata of loops that stay as they are written
WIDE = '"min-legal-vector-width"="512" "prefer-vector-width"="512"'
"""Attributes of functions that use vectors as wide as they are written."""


@cache
def width() -> int:
    """The bytes of a vector on this machine."""
    features = llvm().get_host_cpu_features()
    return 64 if features.get("avx512f") else 32 if features.get("avx2") else 16


@dataclass(frozen=True)
class Lanes:
    """Vectors of floats: their number of entries, and instructions on them."""

    dtype: np.dtype
    count: int

    @property
    def entry(self) -> str:
        """The type of an entry."""
        return memory_type(self.dtype)

    @property
    def type(self) -> str:
        """The type of a vector."""
        return f"<{self.count} x {self.entry}>"

    @property
    def suffix(self) -> str:
        """The suffix of LLVM's functions of such vectors."""
        return f"v{self.count}{code_of(self.dtype)[0]}{8 * self.dtype.itemsize}"

    def declarations(self) -> list[str]:
        """The functions of LLVM that are called."""
        v, mask, end = self.type, f"<{self.count} x i1>", self.suffix
        return [
            f"declare {v} @llvm.fmuladd.{end}({v}, {v}, {v})",
            f"declare {v} @llvm.masked.load.{end}.p0(ptr, i32, {mask}, {v})",
            f"declare void @llvm.masked.store.{end}.p0({v}, ptr, i32, {mask})",
        ]

    def at(self, f: FunctionText, pointer: str, *terms: tuple[Index, Index]) -> str:
        """An address, moved by the products of numbers and steps."""
        offset: Index = 0
        for n, step in terms:
            offset = plus(f, offset, times(f, n, step))
        if offset == 0:
            return pointer
        return f.emit(f"getelementptr inbounds {self.entry}, ptr {pointer}, i64 {offset}")

    def load(self, f: FunctionText, pointer: str) -> str:
        """The vector at an address."""
        return f.emit(f"load {self.type}, ptr {pointer}, align {self.dtype.itemsize}")

    def store(self, f: FunctionText, x: str, pointer: str) -> None:
        """Write a vector."""
        f.do(f"store {self.type} {x}, ptr {pointer}, align {self.dtype.itemsize}")

    def spread(self, f: FunctionText, x: str) -> str:
        """A vector that has one entry everywhere."""
        first = f.emit(f"insertelement {self.type} poison, {self.entry} {x}, i64 0")
        return self.shuffle(f, first, "poison", [0] * self.count)

    def shuffle(self, f: FunctionText, a: str, b: str, places: Sequence[int]) -> str:
        """Entries of two vectors, by their places in both together."""
        mask = ", ".join(f"i32 {i}" for i in places)
        kind = f"<{self.count} x i32> <{mask}>"
        return f.emit(f"shufflevector {self.type} {a}, {self.type} {b}, {kind}")

    def multiply_add(self, f: FunctionText, a: str, b: str, c: str) -> str:
        """a * b + c, rounded once where the machine can."""
        v = self.type
        return f.emit(f"call {v} @llvm.fmuladd.{self.suffix}({v} {a}, {v} {b}, {v} {c})")

    def mask(self, f: FunctionText, count: Index) -> str:
        """True in so many first entries."""
        numbers = ", ".join(f"i64 {i}" for i in range(self.count))
        kind = f"<{self.count} x i64>"
        first = f.emit(f"insertelement {kind} poison, i64 {count}, i64 0")
        zeros = f"<{self.count} x i32> zeroinitializer"
        all = f.emit(f"shufflevector {kind} {first}, {kind} poison, {zeros}")
        return f.emit(f"icmp slt {kind} <{numbers}>, {all}")

    def load_masked(self, f: FunctionText, pointer: str, mask: str) -> str:
        """Entries where a mask is true, zero elsewhere."""
        given = f"ptr {pointer}, i32 {self.dtype.itemsize}, <{self.count} x i1> {mask}"
        name = f"@llvm.masked.load.{self.suffix}.p0"
        return f.emit(f"call {self.type} {name}({given}, {self.type} zeroinitializer)")

    def store_masked(self, f: FunctionText, x: str, pointer: str, mask: str) -> None:
        """Write entries where a mask is true."""
        given = f"ptr {pointer}, i32 {self.dtype.itemsize}, <{self.count} x i1> {mask}"
        f.do(f"call void @llvm.masked.store.{self.suffix}.p0({self.type} {x}, {given})")


def turns(f: FunctionText, count: Index) -> Iterator[str]:
    """A loop of vectors, of which LLVM is to make none: that takes half of its time."""
    return f.counted(count, OF_VECTORS)


def lanes(dtype: np.dtype) -> Lanes:
    """The vectors of a dtype on this machine."""
    return Lanes(dtype, width() // dtype.itemsize)
