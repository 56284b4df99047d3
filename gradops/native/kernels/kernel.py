"""The declaration of a kernel of the library, and the text of its function.

Note [Kernels]. A kernel is a function of an environment, a range of passes, and a thread's number,
as the parts of shared loops are: `i32 (ptr %env, i64 %begin, i64 %end, i64 %thread)`. The
environment has, each in 8 bytes: the addresses of operands and results, the sizes, and the
numbers. So Python's entry and the pool of threads call the same function. A pass computes the same
bits whichever range and thread it is in. Code of graphs has functions of its own, for known sizes.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..ir.scalars import Scalar, cast
from ..ir.text import ACCESS, FunctionText, Index, code_of, least, memory_type, minus, plus, times
from ..transcendental.floats import DOUBLE

ARRAY = re.compile(r"(\w+)(~?)(?:@(\w\d))?\[([^\]]*)\]")
DTYPES = (np.dtype("f4"), np.dtype("f8"))


@dataclass(frozen=True)
class Array:
    """An operand or result: its name, its sizes by name, and its dtype if it is always that.

    With `is_strided` its entries may lie anywhere; it has the named axes only.
    """

    name: str
    sizes: tuple[str, ...]
    dtype: np.dtype | None
    is_strided: bool = False

    @property
    def steps(self) -> tuple[str, ...]:
        """The names of the bytes between entries along each axis, if they are not known."""
        return tuple([f"{self.name}/{i}" for i in range(len(self.sizes) * self.is_strided)])


def arrays(text: str) -> tuple[Array, ...]:
    """Arrays from a text such as `x[... n] labels@i8[...]`, or `a~[m n]` for a strided one."""
    found = ARRAY.findall(text)
    return tuple([
        Array(n, tuple(s.split()), np.dtype(t) if t else None, bool(any_steps))
        for n, any_steps, t, s in found
    ])  # fmt: skip


@dataclass(frozen=True)
class Kernel:
    """A kernel for both sizes of floats; `write` writes its passes. See Note [Kernels].

    `takes` and `gives` list arrays with their sizes: `...` are all axes before the named ones,
    their product is the size `rows`. An operand is in the order of C, unless it is strided.
    `counts` and `numbers` are names of integers and floats that follow the operands. The passes are
    as many as the product of the sizes in `passes`, the last one in blocks of `block`, and cost
    `cost` operations for each entry of the first operand. A kernel that notes something (`f.note`)
    gives up, and NumPy's runs. It needs `stack` bytes of stack.
    """

    name: str
    takes: str
    gives: str
    write: "Callable[[KernelText], None]"
    counts: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    passes: str = "rows"
    block: int = 1
    cost: int = 4
    dtypes: tuple[np.dtype, ...] = DTYPES
    stack: int = 0

    @cached_property
    def operands(self) -> tuple[Array, ...]:
        return arrays(self.takes)

    @cached_property
    def results(self) -> tuple[Array, ...]:
        return arrays(self.gives)

    @cached_property
    def sizes(self) -> tuple[str, ...]:
        """The names of all sizes, in the order of the environment."""
        of_operands = [s for a in self.operands for s in a.sizes]
        named = [s for s in of_operands if s != "..." and not s.isdecimal()]
        return tuple(dict.fromkeys(["rows", *named, *self.counts]))

    @cached_property
    def slots(self) -> dict[str, int]:
        """The place of each name in the environment."""
        names = [a.name for a in (*self.operands, *self.results)]
        steps = [step for a in self.operands for step in a.steps]
        return {name: i for i, name in enumerate([*names, *self.sizes, *steps, *self.numbers])}

    def symbol(self, dtype: np.dtype) -> str:
        """The name of the function."""
        return f"kernel_{self.name}_{code_of(dtype)}"

    def text(self, dtype: np.dtype) -> FunctionText:
        """The function for floats of a dtype."""
        given = "ptr noalias %env, i64 %begin, i64 %end, i64 %thread"
        f = FunctionText(f"define i32 @{self.symbol(dtype)}({given}) nounwind")
        self.write(KernelText(self, f, dtype))
        f.end()
        return f


@dataclass(frozen=True)
class Row:
    """Entries in memory that lie one after another."""

    f: FunctionText
    pointer: str
    dtype: np.dtype

    def at(self, i: Index) -> str:
        """The address of an entry."""
        if i == 0:
            return self.pointer
        type = memory_type(self.dtype)
        return self.f.emit(f"getelementptr inbounds {type}, ptr {self.pointer}, i64 {i}")

    def __getitem__(self, i: Index) -> Scalar:
        """An entry; read so in a parallel loop."""
        kind = memory_type(self.dtype)
        return Scalar(self.f, self.f.emit(f"load {kind}, ptr {self.at(i)}{ACCESS}"), self.dtype)

    def __setitem__(self, i: Index, x: Scalar) -> None:
        x = cast(x, self.dtype)
        self.f.do(f"store {memory_type(self.dtype)} {x.name}, ptr {self.at(i)}{ACCESS}")

    def after(self, i: Index) -> "Row":
        """The entries from one on."""
        return Row(self.f, self.at(i), self.dtype)


@dataclass(frozen=True)
class Matrix:
    """Entries in memory with two axes, at any steps in bytes."""

    f: FunctionText
    pointer: str
    dtype: np.dtype
    steps: tuple[Index, Index]

    def __getitem__(self, place: tuple[Index, Index]) -> Scalar:
        f, kind = self.f, memory_type(self.dtype)
        i, j = (times(f, n, step) for n, step in zip(place, self.steps, strict=True))
        at = f.emit(f"getelementptr inbounds i8, ptr {self.pointer}, i64 {plus(f, i, j)}")
        return Scalar(f, f.emit(f"load {kind}, ptr {at}{ACCESS}"), self.dtype)


class KernelText:
    """The text of a kernel while it is written: what the environment has, by name."""

    begin, end, thread = "%begin", "%end", "%thread"

    def __init__(self, kernel: Kernel, f: FunctionText, dtype: np.dtype) -> None:
        self.kernel, self.f, self.dtype = kernel, f, dtype
        known = {a.name: a.dtype or dtype for a in (*kernel.operands, *kernel.results)}
        self.arrays = {n: Row(f, self.read(n, "ptr"), t) for n, t in known.items()}
        self.sizes: dict[str, Index] = {n: self.read(n, "i64") for n in kernel.sizes}

    def read(self, name: str, type: str) -> str:
        """A value of the environment."""
        at = f"getelementptr i64, ptr %env, i64 {self.kernel.slots[name]}"
        return self.f.emit(f"load {type}, ptr {self.f.emit(at)}")

    def number(self, name: str) -> Scalar:
        """A float, in the dtype of the kernel."""
        return cast(Scalar(self.f, self.read(name, "double"), DOUBLE), self.dtype)

    def passes(self) -> Iterator[Index]:
        """A loop over the passes of the range."""
        for i in self.f.loop(minus(self.f, self.end, self.begin)):
            yield plus(self.f, self.begin, i)

    def blocks(self) -> Iterator[tuple[Index, Index]]:
        """A loop over the passes of the range: where the block of each begins, and its length."""
        f, block, size = self.f, self.kernel.block, self.sizes[self.kernel.passes]
        for p in self.passes():
            first = times(f, p, block)
            yield first, least(f, minus(f, size, first), block)

    def entries(self) -> Iterator[Index]:
        """A parallel loop over the entries of the blocks of the range."""
        f, block, size = self.f, self.kernel.block, self.sizes[self.kernel.passes]
        first, last = times(f, self.begin, block), least(f, times(f, self.end, block), size)
        for i in f.loop(minus(f, last, first), True):
            yield plus(f, first, i)

    def matrix(self, name: str) -> Matrix:
        """A strided operand with two axes."""
        row, (i, j) = self.arrays[name], self.steps(name)
        return Matrix(self.f, row.pointer, row.dtype, (i, j))

    def steps(self, name: str) -> list[str]:
        """The bytes between entries of a strided operand, along each axis."""
        array = next(a for a in self.kernel.operands if a.name == name)
        return [self.read(step, "i64") for step in array.steps]

    def row(self, name: str, i: Index, size: Index = 1) -> Row:
        """The entries of an array from `i * size` on."""
        return self.arrays[name].after(times(self.f, i, size))
