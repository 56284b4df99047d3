"""Places: arrays in memory, and where their entries lie."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from gradops.core.op import Op
from gradops.core.traits import Trait

from . import vectors
from .scalars import BOOL, Scalar
from .text import At, FunctionText, Index, Lane, memory_type, plus, times


class Place(NamedTuple):
    """An array in memory: the name of a pointer, and where entries lie from there.

    `strides` and `offset` count entries. A `tag` of a read or a write is metadata of LLVM's.
    """

    pointer: str
    dtype: np.dtype
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int = 0

    @property
    def is_contiguous(self) -> bool:
        """True if entries lie one after another, in the order of C."""
        pairs = zip(self.shape, self.strides, contiguous(self.shape), strict=True)
        return 0 in self.shape or all(n == 1 or s == c for n, s, c in pairs)

    @property
    def size(self) -> int:
        """The number of entries."""
        return math.prod(self.shape)

    def with_axes(self, order: Sequence[int]) -> "Place":
        """The place with its axes in another order."""
        shape, strides = (tuple([n[i] for i in order]) for n in (self.shape, self.strides))
        return self._replace(shape=shape, strides=strides)

    def address(self, f: FunctionText, index: Sequence[At]) -> str:
        """The address of an entry."""
        at: Index = self.offset
        for i, stride in zip(index, self.strides, strict=True):
            at = plus(f, at, times(f, i.start if isinstance(i, Lane) else i, stride))
        if at == 0:
            return self.pointer
        type = memory_type(self.dtype)
        return f.emit(f"getelementptr inbounds {type}, ptr {self.pointer}, i64 {at}")

    def load(self, f: FunctionText, index: Sequence[At], tag: str = "") -> Scalar:
        """The value of an entry."""
        if f.lanes:
            return vectors.load(f, self, index)
        type = memory_type(self.dtype)
        name = f.emit(f"load {type}, ptr {self.address(f, index)}{tag}")
        if self.dtype == BOOL:
            name = f.emit(f"trunc i8 {name} to i1")
        return Scalar(f, name, self.dtype)

    def store(self, f: FunctionText, index: Sequence[At], x: Scalar, tag: str = "") -> None:
        """Write an entry."""
        if f.lanes:
            vectors.store(f, self, index, x)
            return
        name, type = x.name, memory_type(self.dtype)
        if self.dtype == BOOL:
            name = f.emit(f"zext i1 {name} to i8")
        f.do(f"store {type} {name}, ptr {self.address(f, index)}{tag}")

    def row(self, f: FunctionText, i: Index) -> "Place":
        """The entry of the first axis at an index."""
        pointer = self._replace(shape=self.shape[:1], strides=self.strides[:1]).address(f, [i])
        return Place(pointer, self.dtype, self.shape[1:], self.strides[1:])

    def entry(self, i: int) -> "Place":
        """The entry of the first axis at a known index, which may count from the end."""
        at = self.offset + (i % self.shape[0]) * self.strides[0]
        return self._replace(shape=self.shape[1:], strides=self.strides[1:], offset=at)

    def entries(self, some: slice) -> "Place":
        """The entries of the first axis in a range."""
        found = range(*some.indices(self.shape[0]))
        strides = (self.strides[0] * found.step, *self.strides[1:])
        at = self.offset + found.start * self.strides[0]
        return self._replace(shape=(len(found), *self.shape[1:]), strides=strides, offset=at)

    def transposed(self, axes: Sequence[int]) -> "Place":
        """The entries with axes in another order."""
        shape, strides = (tuple([some[i] for i in axes]) for some in (self.shape, self.strides))
        return self._replace(shape=shape, strides=strides)

    def reshaped(self, shape: tuple[int, ...]) -> "Place | None":
        """The entries in another shape, if they lie so."""
        if self.is_contiguous:
            return self._replace(shape=shape, strides=contiguous(shape))
        own = [(n, s) for n, s in zip(self.shape, self.strides, strict=True) if n != 1]
        if [n for n, _ in own] != [n for n in shape if n != 1]:
            return None
        rest = iter(own)
        strides = tuple([0 if n == 1 else next(rest)[1] for n in shape])
        return self._replace(shape=shape, strides=strides)

    def view(self, op: Op, attrs: Mapping[str, Any], shape: tuple[int, ...]) -> "Place | None":
        """The place as an op sees it, if it only looks at it in another way."""
        if op.name == "reshape":
            return self.reshaped(shape)
        if Trait.VIEW not in op.traits:
            return None
        if 0 in shape:  # there is nothing to look at
            return self._replace(shape=shape, strides=contiguous(shape))
        base = np.empty(1, np.int8)
        try:
            fake = as_strided(base, self.shape, self.strides)
            seen = op.kernel(fake, **attrs)
        except ValueError:  # it has more entries than NumPy counts
            return None
        if not np.may_share_memory(seen, fake):
            return None
        moved = seen.__array_interface__["data"][0] - base.__array_interface__["data"][0]
        return self._replace(shape=seen.shape, strides=seen.strides, offset=self.offset + moved)


def contiguous(shape: Sequence[int]) -> tuple[int, ...]:
    """The strides of an array in the order of C."""
    result, step = [], 1
    for n in reversed(shape):
        result.append(step)
        step *= n
    return tuple(reversed(result))
