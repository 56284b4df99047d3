"""The function that Python calls: it checks arrays, makes results, and runs the code.

Note [Entry]. The code of a graph is called by CPython as a builtin function is, with a vector of
objects. It reads arrays' headers itself, as NumPy's C API defines them, and returns NotImplemented
for what is not an aligned array in the order of C, of the input's type; so a call takes 0.1 us. The
memory that a call used is kept for the next one; calls at the same time have memory of their own.

The function is the same for all graphs, and compiled once: it reads from a table of numbers what a
graph takes and gives. That is an array, which the function finds among what it owns.
"""

import ctypes
import math
from collections.abc import Iterator
from functools import cache
from itertools import chain

import numpy as np

from gradops import ArrayType
from gradops.native.ir.memory import require_addressable
from gradops.native.runtime import pool, symbols
from gradops.native.runtime.machine import Code
from gradops.native.runtime.stack import RESERVE, SMALLEST
from gradops.native.runtime.symbols import dtype_symbol

from ...ir.graph import FrozenGraph
from ..shapes import known
from .entry_text import MEMORY, NUMBER, TEXT

LONG = 1 << 16  # operations from which other threads may run
FORMS = ("{}", "[{}]")  # and a tuple
Types = tuple[ArrayType, ...]
EACH = 8 + 8 + NUMBER  # bytes of stack for an input or a result


@cache
def code() -> Code:
    """The functions, from the cache on disk if they have been compiled before."""
    text = "\n".join([*symbols.declared(), MEMORY, TEXT])
    return Code.for_key(("entry", text), lambda: text, find=pool.find)


def address(name: str) -> int:
    """The address of one of the functions."""
    return code().address(name)


class Signature:
    """The types of arrays that a graph takes and gives, and the form of its results."""

    def __init__(self, graph: FrozenGraph, form: str) -> None:
        self.inputs: Types = tuple([e.type for e in graph.inputs])
        self.results: Types = tuple([e.type for e in graph.results])
        self.form = form

    @property
    def count(self) -> int:
        """The number of all arrays."""
        return len(self.inputs) + len(self.results)

    def module_text(self, arena: int, stack: int, flags: int) -> str:
        """The lines of a module that the entry reads; raises TooLarge for results.

        They are a function that takes the addresses of all arrays in one, and what `table` cannot
        tell from types.
        """
        for t in self.results:
            require_addressable(math.prod(known(t)) * t.dtype.itemsize)
        stack += EACH * self.count
        needed = stack + RESERVE if stack > SMALLEST else 0
        facts = f"@facts = constant [3 x i64] [i64 {arena}, i64 {needed}, i64 {flags}]"
        return "\n".join([facts, *self.thunk()])

    def thunk(self) -> Iterator[str]:
        """The lines of the function."""
        yield "define i32 @run(ptr %arena, ptr %context, ptr %arrays) {"
        for i in range(self.count):
            yield f"  %at{i} = getelementptr ptr, ptr %arrays, i64 {i}"
            yield f"  %x{i} = load ptr, ptr %at{i}"
        given = "".join([f", ptr %x{i}" for i in range(self.count)])
        yield f"  %status = call i32 @body(ptr %arena, ptr %context{given})"
        yield "  ret i32 %status\n}\n"

    def table(self, code: Code) -> np.ndarray:
        """The table of a graph with code. See Note [Entry]."""
        facts = (ctypes.c_int64 * 3).from_address(code.address("facts"))
        kind = FORMS.index(self.form) if self.form in FORMS else len(FORMS)
        head = code.address("run"), 0, len(self.inputs), len(self.results), *facts, kind
        types = [(dtype_address(t), t.ndim, *t.shape) for t in (*self.inputs, *self.results)]
        return np.array([*head, *chain.from_iterable(types)], np.int64)


def dtype_address(t: ArrayType) -> int:
    """The address of the dtype of an array."""
    return symbols.find(dtype_symbol(t.dtype).removeprefix("@"))
