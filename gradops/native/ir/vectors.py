"""Vectors: entries of arrays that are read, written and added up several at once.

See Note [Vectors] in `text.py`.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from .scalars import BOOL, Scalar, choose, constant
from .text import At, FunctionText, Index, Lane, memory_type, minus, register_type

if TYPE_CHECKING:
    from .places import Place

WIDTHS = {"AVX512F": 64, "AVX2": 32}
NARROWEST = 16  # bytes of a register of any machine
INTEGER = np.dtype("i8")
FEW = 8  # entries that are read one by one where they do not lie side by side


class NotVector(Exception):
    """Entries are not read side by side."""


@cache
def width() -> int:
    """The bytes of a register of this machine."""
    from numpy._core import _multiarray_umath as numpy  # type: ignore[attr-defined]

    return max([n for name, n in WIDTHS.items() if numpy.__cpu_features__.get(name)] or [NARROWEST])


def load(f: FunctionText, p: "Place", index: Sequence[At]) -> Scalar:
    """The entries of an array at an index; the same one everywhere if that has no lane."""
    step, at, type = step_of(p, index), p.address(f, index), memory_type(p.dtype)
    if step == 1:
        name = f.emit(f"load {f.vector(type)}, ptr {at}, align {p.dtype.itemsize}")
    elif step == 0:
        name = splat(f, f.emit(f"load {type}, ptr {at}"), type)
    else:
        name = "poison"
        for k in few(f, index):
            x = f.emit(f"load {type}, ptr {moved(f, at, type, k * step)}")
            name = f.emit(f"insertelement {f.vector(type)} {name}, {type} {x}, i64 {k}")
    if p.dtype == BOOL:
        name = f.emit(f"trunc {f.vector('i8')} {name} to {f.vector('i1')}")
    return Scalar(f, name, p.dtype)


def store(f: FunctionText, p: "Place", index: Sequence[At], x: Scalar) -> None:
    """Write entries."""
    step, at = step_of(p, index), p.address(f, index)
    type, name = memory_type(p.dtype), x.name
    if p.dtype == BOOL:
        name = f.emit(f"zext {f.vector('i1')} {name} to {f.vector('i8')}")
    if step == 1:
        if p.offset:  # LLVM 22 merges such stores to where the last one is, not the latest
            f.do(f"store {type} zeroinitializer, ptr {at}")
        f.do(f"store {f.vector(type)} {name}, ptr {at}, align {p.dtype.itemsize}")
        return
    for k in few(f, index) if step else [0]:
        entry = f.emit(f"extractelement {f.vector(type)} {name}, i64 {k}")
        f.do(f"store {type} {entry}, ptr {moved(f, at, type, k * step)}")


def few(f: FunctionText, index: Sequence[At]) -> range:
    """The numbers of the entries of a vector, if they are few, and all of an axis."""
    if f.lanes > FEW or any(isinstance(i, Lane) and i.start != 0 for i in index):
        raise NotVector
    return range(f.lanes)


def moved(f: FunctionText, at: str, type: str, count: int) -> str:
    """An address after so many entries."""
    return f.emit(f"getelementptr inbounds {type}, ptr {at}, i64 {count}") if count else at


def splat(f: FunctionText, x: str, type: str) -> str:
    """A vector that has a value everywhere."""
    first = f.emit(f"insertelement {f.vector(type)} poison, {type} {x}, i64 0")
    mask = f"<{f.lanes} x i32> zeroinitializer"
    return f.emit(f"shufflevector {f.vector(type)} {first}, {f.vector(type)} poison, {mask}")


def step_of(p: "Place", index: Sequence[At]) -> int:
    """How far the entries of a vector lie from one another; 0 for the same one."""
    pairs = zip(index, p.strides, strict=True)
    return sum(stride for i, stride in pairs if isinstance(i, Lane))


def numbers(f: FunctionText, at: At) -> Scalar:
    """The number of an entry along an axis, or those of a vector of entries."""
    start = at.start if isinstance(at, Lane) else at
    if not f.lanes or isinstance(start, int):
        first = constant(f, start, INTEGER) if isinstance(start, int) else Scalar(f, start, INTEGER)
    else:
        first = Scalar(f, splat(f, start, "i64"), INTEGER)
    if not isinstance(at, Lane):
        return first
    return first + Scalar(f, f"<{', '.join(f'i64 {k}' for k in range(f.lanes))}>", INTEGER)


def beyond(f: FunctionText, count: Index) -> Scalar:
    """True at all but the first entries of a vector."""
    numbers = ", ".join(f"i64 {k}" for k in range(f.lanes))
    if isinstance(count, int):
        bits = ", ".join(f"i1 {k >= count:d}" for k in range(f.lanes))
        return Scalar(f, f"<{bits}>", BOOL)
    limit = splat(f, str(count), "i64")
    return Scalar(f, f.emit(f"icmp sge {f.vector('i64')} <{numbers}>, {limit}"), BOOL)


def kept(mask: Scalar | None, x: Scalar, otherwise: float) -> Scalar:
    """Entries where a mask is true, and a number elsewhere."""
    return x if mask is None else choose(mask, x, otherwise)


def total(x: Scalar, join: Callable[[Scalar, Scalar], Scalar], neutral: float) -> Scalar:
    """The entries of a vector joined, in a tree: as a scalar."""
    f, lanes = x.f, x.f.lanes
    size = 1 << (lanes - 1).bit_length()
    if size > lanes:
        more = constant(f, neutral, x.dtype)
        x = shuffled(x, more, [min(k, lanes) for k in range(size)])
    while size > 1:
        size //= 2
        f.lanes = 2 * size
        halves = [shuffled(x, x, range(k, k + size)) for k in (0, size)]
        f.lanes = size
        x = join(*halves)
    f.lanes = 0
    x = Scalar(f, f.emit(f"extractelement <1 x {register_type(x.dtype)}> {x.name}, i64 0"), x.dtype)
    f.lanes = lanes
    return x


def shuffled(x: Scalar, y: Scalar, numbers: Sequence[int]) -> Scalar:
    """The entries of two vectors with some numbers."""
    mask = ", ".join(f"i32 {k}" for k in numbers)
    return x.then(f"shufflevector {x.typed}, {y.typed}, <{len(numbers)} x i32> <{mask}>")


def skipped(f: FunctionText, start: Index, first: Index) -> Scalar | None:
    """A mask of the entries from `first` on, of those from `start` on; None for all."""
    count = minus(f, first, start)
    return None if count == 0 else beyond(f, count)
