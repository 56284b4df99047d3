"""Copies of arrays, and arrays filled with a number."""

import math

from .places import Place
from .scalars import cast, constant
from .text import ACCESS, FEW, FunctionText, Index, Lane, is_computable, memory_type, times
from .vectors import width

WIDE = 4  # vectors from which on an array is filled by vectors
BLOCK = 16  # bytes from which a row is copied by one instruction of LLVM


STRIDED = """define internal void @{name}(ptr noalias %to, i64 %out, ptr noalias %from, i64 %in,
    i64 %count) noinline nounwind {{
start:
  br label %head
head:
  %i = phi i64 [ 0, %start ], [ %next, %body ]
  %more = icmp slt i64 %i, %count
  br i1 %more, label %body, label %end
body:
  %j = mul nsw i64 %i, %in
  %k = mul nsw i64 %i, %out
  %source = getelementptr inbounds {type}, ptr %from, i64 %j
  %target = getelementptr inbounds {type}, ptr %to, i64 %k
  %x = load {type}, ptr %source
  store {type} %x, ptr %target
  %next = add nuw nsw i64 %i, 1
  br label %head, !llvm.loop !20
end:
  ret void
}}
"""
"""A function that copies entries which do not lie side by side. It is one for all such copies."""


def copy(f: FunctionText, source: Place, to: Place) -> None:
    """Copy an array; axes that lie one after another in both are one."""
    source, to = joined(source, to)
    if source.dtype == to.dtype and to.shape and source.strides[-1] == to.strides[-1] == 1:
        size = to.shape[-1] * to.dtype.itemsize
        if size >= BLOCK:
            copy_rows(f, source, to, size)
            return
    if source.dtype == to.dtype and len(to.shape) == 1 and to.shape[0] > FEW:
        copy_strided(f, source, to)
        return
    copy_entries(f, source, to, ())


def copy_rows(f: FunctionText, source: Place, to: Place, size: int) -> None:
    """Copy row by row, each of `size` bytes.

    LLVM writes a row as so many vectors, and takes most of a second to schedule 1,000 of them.
    """
    if len(to.shape) > 1:
        passes = math.prod(to.shape[:-1]) * max(1, size // width())
        for i in f.loop(to.shape[0], passes=passes):
            copy_rows(f, source.row(f, i), to.row(f, i), size)
        return
    pointers = [p.address(f, (0,)) for p in (to, source)]
    f.do(f"call void @llvm.memcpy.p0.p0.i64(ptr {pointers[0]}, ptr {pointers[1]},"
         f" i64 {size}, i1 false)")  # fmt: skip


def copy_strided(f: FunctionText, source: Place, to: Place) -> None:
    """Copy an axis by a function."""
    type = memory_type(to.dtype)
    name = f"copy_{type}"
    f.helpers[name] = STRIDED.format(name=name, type=type)
    given = [f"ptr {p.address(f, (0,))}, i64 {p.strides[0]}" for p in (to, source)]
    f.do(f"call void @{name}({', '.join(given)}, i64 {to.shape[0]})")


def copy_entries(f: FunctionText, source: Place, to: Place, index: tuple[Index, ...]) -> None:
    """Copy entry by entry."""
    if len(index) == len(to.shape):
        to.store(f, index, cast(source.load(f, index, ACCESS), to.dtype), ACCESS)
        return
    is_row = len(index) == len(to.shape) - 1 and to.strides[-1] == source.strides[-1] == 1
    for i in f.loop(to.shape[len(index)], is_row, passes=to.size):
        copy_entries(f, source, to, (*index, i))


def fill(f: FunctionText, to: Place, value: float) -> None:
    """Set all entries."""
    to = joined(to)[0]
    if value == 0 and to.is_contiguous:
        size = to.size * to.dtype.itemsize
        f.do(f"call void @llvm.memset.p0.i64(ptr {to.address(f, [0] * len(to.shape))}, i8 0,"
             f" i64 {size}, i1 false)")  # fmt: skip
        return
    lanes = width() // to.dtype.itemsize
    if to.is_contiguous and is_computable(to.dtype) and to.size >= WIDE * lanes:
        fill_row(f, to._replace(shape=(to.size,), strides=(1,)), value, lanes)
        return
    fill_entries(f, to, value, ())


def fill_row(f: FunctionText, to: Place, value: float, lanes: int) -> None:
    """Set the entries of a row, several at once; the last ones overlap others."""
    f.lanes = lanes
    for i in f.loop(to.size // lanes):
        to.store(f, (Lane(times(f, i, lanes)),), constant(f, value, to.dtype))
    if to.size % lanes:
        to.store(f, (Lane(to.size - lanes),), constant(f, value, to.dtype))
    f.lanes = 0


def fill_entries(f: FunctionText, to: Place, value: float, index: tuple[Index, ...]) -> None:
    """Set all entries, one by one."""
    if len(index) == len(to.shape):
        to.store(f, index, constant(f, value, to.dtype), ACCESS)
        return
    is_row = len(index) == len(to.shape) - 1 and to.strides[-1] == 1
    for i in f.loop(to.shape[len(index)], is_row, passes=to.size):
        fill_entries(f, to, value, (*index, i))


def joined(*places: Place) -> list[Place]:
    """Places of one shape, without axes of one entry, and with those one that lie so in all."""
    axes: list[tuple[int, tuple[int, ...]]] = []
    for n, *steps in zip(places[0].shape, *[p.strides for p in places], strict=True):
        if n == 1:
            continue
        if axes and all(s == n * t for s, t in zip(axes[-1][1], steps, strict=True)):
            axes[-1] = axes[-1][0] * n, tuple(steps)
        else:
            axes.append((n, tuple(steps)))
    shape = tuple([n for n, _ in axes])
    return [
        p._replace(shape=shape, strides=tuple([s[k] for _, s in axes]))
        for k, p in enumerate(places)
    ]
