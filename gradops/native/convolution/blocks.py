"""Blocks of vectors: the channels that the innermost loops compute at a time."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..ir.text import FunctionText, Index, minus
from ..ir.vectors import width
from ..matmul.vectors import REGISTERS, Lanes

ONE_BY_ONE = 9
"""The metadata of loops of which LLVM makes no vectors: to try takes it more time than it saves."""
ONE_BY_ONE_TEXT = """!8 = !{!"llvm.loop.vectorize.enable", i1 false}
!9 = distinct !{!9, !2, !8}
"""


def lanes(dtype: np.dtype) -> Lanes:
    """The vectors of a dtype on this machine, of which one knows without the compiler."""
    return Lanes(dtype, width() // dtype.itemsize)


@dataclass(frozen=True)
class Block:
    """A block of `width` vectors, whose entries lie side by side."""

    dtype: np.dtype
    width: int

    @property
    def lanes(self) -> Lanes:
        """The vectors."""
        return lanes(self.dtype)

    @property
    def size(self) -> int:
        """The channels of a block."""
        return self.width * self.lanes.count

    @property
    def has_many(self) -> bool:
        """True if there are registers for large tiles."""
        return REGISTERS[width()] >= 32

    def at(self, f: FunctionText, pointer: str, *terms: Index) -> str:
        """An address, moved by a product of numbers of entries."""
        return self.lanes.at(f, pointer, (terms[0], terms[1] if len(terms) > 1 else 1))

    def vector(self, f: FunctionText, pointer: str, k: int) -> str:
        """The address of a vector of a block."""
        return self.at(f, pointer, k * self.lanes.count)

    def entry(self, f: FunctionText, pointer: str) -> str:
        """The entry at an address."""
        return f.emit(f"load {self.lanes.entry}, ptr {pointer}")

    def put(self, f: FunctionText, x: str, pointer: str) -> None:
        """Write an entry."""
        f.do(f"store {self.lanes.entry} {x}, ptr {pointer}")

    def masks(self, f: FunctionText, count: Index) -> list[str]:
        """For each vector, in which lanes are the first `count` entries of a block."""
        return [
            self.lanes.mask(f, minus(f, count, k * self.lanes.count)) for k in range(self.width)
        ]

    def sums(self, f: FunctionText, count: int) -> list[str]:
        """Memory of vectors that become registers, at first zero."""
        result = [f.reserve(self.lanes.type) for _ in range(count)]
        for place in result:
            f.do(f"store {self.lanes.type} zeroinitializer, ptr {place}")
        return result

    def sum(self, f: FunctionText, place: str) -> str:
        """The value of a sum."""
        return f.emit(f"load {self.lanes.type}, ptr {place}")

    def add(self, f: FunctionText, a: str, b: str) -> str:
        """The sum of two vectors."""
        return f.emit(f"fadd {self.lanes.type} {a}, {b}")

    def add_products(self, f: FunctionText, sums: Sequence[str], a: str, bs: Sequence[str]) -> None:
        """Add the products of one vector with several to sums."""
        for place, b in zip(sums, bs, strict=True):
            total = self.lanes.multiply_add(f, a, b, self.sum(f, place))
            f.do(f"store {self.lanes.type} {total}, ptr {place}")
