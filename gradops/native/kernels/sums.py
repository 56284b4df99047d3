"""Sums and maxima of rows.

Note [Sums of rows]. A block of entries is added up in lanes, of which LLVM makes vectors; the sums
of blocks are added in double precision, of doubles with the rounding made good. So the error of a
sum is that of a block, and does not grow with its length.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from ..ir.scalars import Scalar, cast, choose, constant
from ..ir.text import FunctionText, Index, ceil_div, least, minus, plus, register_type, times
from ..transcendental.floats import DOUBLE, INTS, SINGLE, both, from_bits, shift
from .kernel import Row

BLOCK = 512  # entries


@dataclass(frozen=True)
class Variable:
    """A value that a loop changes."""

    f: FunctionText
    pointer: str
    dtype: np.dtype

    def get(self) -> Scalar:
        load = f"load {register_type(self.dtype)}, ptr {self.pointer}"
        return Scalar(self.f, self.f.emit(load), self.dtype)

    def set(self, x: Scalar) -> None:
        self.f.do(f"store {x.typed}, ptr {self.pointer}")


def variable(x: Scalar) -> Variable:
    """A variable with a value to begin with."""
    result = Variable(x.f, x.f.reserve(register_type(x.dtype)), x.dtype)
    result.set(x)
    return result


def added(total: Scalar, x: Scalar) -> Scalar:
    """A sum, of which LLVM may add the terms in another order."""
    return total.then(f"fadd reassoc {total.typed}, {x.name}")


def blocks(f: FunctionText, n: Index) -> Iterator[tuple[Index, Index]]:
    """The first entries and the lengths of the blocks of a row."""
    count = ceil_div(f, n, BLOCK)
    for i in f.loop(count):
        first = times(f, i, BLOCK)
        yield first, least(f, minus(f, n, first), BLOCK)


def sums(
    f: FunctionText, n: Index, dtype: np.dtype, terms: Callable[[Index], list[Scalar]], count: int
) -> list[Scalar]:
    """The sums of the terms of all entries, in double precision. See Note [Sums of rows]."""
    zero, wide = constant(f, 0.0, dtype), constant(f, 0.0, DOUBLE)
    totals = [(variable(wide), variable(wide)) for _ in range(count)]
    parts = [variable(zero) for _ in range(count)]
    for first, length in blocks(f, n):
        for part in parts:
            part.set(zero)
        for i in f.adding_loop(length):
            for part, x in zip(parts, terms(plus(f, first, i)), strict=True):
                part.set(added(part.get(), x))
        for (total, lost), part in zip(totals, parts, strict=True):
            add(total, lost, cast(part.get(), DOUBLE), dtype)
    return [total.get() + lost.get() for total, lost in totals]


def add(total: Variable, lost: Variable, x: Scalar, dtype: np.dtype) -> None:
    """Add to a total; of doubles, add up what rounding loses."""
    before = total.get()
    after = before + x
    total.set(after)
    if dtype != SINGLE:  # of what is finite
        part = after - before
        error = (before - (after - part)) + (x - part)
        good = abs(after) < float("inf")
        lost.set(lost.get() + choose(good, error, 0.0))


def maximum(f: FunctionText, n: Index, row: Row) -> Scalar:
    """The largest entry of a row of at least one, whose NaN it may miss.

    The bits of floats are compared as integers: of those LLVM makes vectors, and no entry is lost
    to a NaN.
    """
    ints = INTS[row.dtype.itemsize]
    most = variable(constant(f, np.iinfo(ints).min, ints))
    for i in f.loop(n, True):
        x = ordered(row[i])
        m = most.get()
        most.set(choose(x > m, x, m))
    return from_bits(turned(most.get()))


def ordered(x: Scalar) -> Scalar:
    """The integer that is in the order of integers where a float is in that of floats."""
    dtype = INTS[x.dtype.itemsize]
    return turned(x.then(f"bitcast {x.typed} to {register_type(dtype)}", dtype))


def turned(n: Scalar) -> Scalar:
    """Negative integers in the other order."""
    size = 8 * n.dtype.itemsize
    sign = shift(n, size - 1, "ashr")
    return both(n, shift(sign, 1, "lshr"), "xor")
