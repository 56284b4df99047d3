"""Machine code whose arrays lie beside pages that nothing may read or write.

`guarded("end")` puts each array of the arena, constant and result right before such a page, and
`guarded("begin")` right after one: what reads or writes out of bounds ends the process.
`python -m tests.staticgrad.native.guards end ops` runs the samples of all ops so, and
`... begin graphs 100 50` random graphs, and prints outcomes as `fuzz` does.
"""

import ctypes
import faulthandler
import math
import mmap
import sys
import warnings
from contextlib import contextmanager
from unittest.mock import patch

import numpy as np

import gradops
import staticgrad as sg
from gradops import OptionError
from gradops.native.ir.memory import Memory
from gradops.native.ir.places import Place, contiguous
from gradops.native.runtime import symbols
from gradops.testing.cases import cases
from gradops.testing.op_properties import NOT_OF_ARRAYS
from staticgrad.native.output import entry

from .fuzz import PATIENCE, outcome_of, tell

PAGE = mmap.PAGESIZE
NONE, READ_AND_WRITE = 0, 3
LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.mmap.restype = ctypes.c_void_p
LIBC.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long)
LIBC.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
LIBC.munmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t)
ALLOCATE = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)
FREE = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
EMPTY = ctypes.PYFUNCTYPE(
    ctypes.py_object, ctypes.c_int, ctypes.POINTER(ctypes.c_ssize_t), ctypes.c_void_p, ctypes.c_int
)


class Guards:
    """Memory with inaccessible pages; `side` is where arrays meet them."""

    def __init__(self, side):
        self.side = side
        self.arenas = {}  # by their sizes, which are all different: offsets of accessible pages
        self.mapped = {}  # by addresses, sizes

    def pages(self, size):
        """The bytes of the pages of an array, and where it begins in them."""
        room = -(-size // PAGE) * PAGE
        return room, room - size if self.side == "end" else 0

    def map(self, size, accessible):
        """The address of new memory, of which some pages, given as ranges, are accessible."""
        private_and_anonymous = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
        address = LIBC.mmap(None, size, NONE, private_and_anonymous, -1, 0)
        assert address not in (None, ctypes.c_void_p(-1).value)
        for offset, count in accessible:
            if count:
                assert LIBC.mprotect(address + offset, count, READ_AND_WRITE) == 0
        self.mapped[address] = size
        return address

    def array(self, shape, dtype):
        """An array between inaccessible pages, which is never freed."""
        size = math.prod(shape) * dtype.itemsize
        room, first = self.pages(size)
        address = self.map(room + 2 * PAGE, [(PAGE, room)]) + PAGE + first
        memory = (ctypes.c_byte * size).from_address(address)
        return np.frombuffer(memory, dtype, math.prod(shape)).reshape(shape)

    def copy(self, x):
        """An array with the entries of another."""
        result = self.array(x.shape, x.dtype)
        result[...] = x
        return result

    def allocate(self, _, size):
        """The address of an arena."""
        return self.map(size, self.arenas[size])

    def free(self, address):
        """Give an arena back."""
        if address is not None:
            LIBC.munmap(address, self.mapped.pop(address))

    def empty(self, rank, sizes, dtype, _):
        """An array for a result; takes the reference to its dtype."""
        kind = ctypes.cast(dtype, ctypes.py_object).value
        ctypes.pythonapi.Py_DecRef(ctypes.c_void_p(dtype))
        return self.array(tuple(sizes[:rank]), kind)


def guarded_memory(guards):
    """A class of memory whose arrays lie so."""

    class GuardedMemory(Memory):
        def __init__(self, f):
            super().__init__(f)
            self.accessible = []

        def array(self, shape, dtype):
            f, size = self.f, math.prod(shape) * dtype.itemsize
            room, first = guards.pages(size)
            step, count = room + PAGE, self.threads if self.f.outer else 1
            self.arena.bytes = self.arena.bytes or PAGE
            pointer, at = f"%{f.fresh('a')}", str(self.arena.bytes + first)
            self.accessible += [(self.arena.bytes + step * k, room) for k in range(count)]
            self.arena.bytes += step * count
            if f.outer:
                own, whole, at = f"%{f.fresh('n')}", at, f"%{f.fresh('n')}"
                f.frame.append(f"  {own} = mul nsw i64 %thread, {step}")
                f.frame.append(f"  {at} = add nsw i64 {own}, {whole}")
            f.frame.append(f"  {pointer} = getelementptr inbounds i8, ptr %arena, i64 {at}")
            while (
                self.arena.bytes in guards.arenas
                and guards.arenas[self.arena.bytes] != self.accessible
            ):
                self.arena.bytes += PAGE
            guards.arenas[self.arena.bytes] = self.accessible[:]
            return Place(pointer, dtype, tuple(shape), contiguous(shape))

        def release(self, place):
            pass

        def constant(self, value):
            if id(value) not in self.constants:
                data = guards.copy(np.array(value, order="C"))
                self.kept.append(data)
                name = f"inttoptr (i64 {data.ctypes.data} to ptr)"
                place = Place(name, data.dtype, data.shape, contiguous(data.shape))
                self.constants[id(value)] = value, place
            return self.constants[id(value)][1]

    return GuardedMemory


@contextmanager
def guarded(side):
    """Graphs that are compiled here have guarded memory; returns what makes arrays for feeds."""
    guards = Guards(side)
    callbacks = {
        "aligned_alloc": ALLOCATE(guards.allocate), "free": FREE(guards.free),
        "PyArray_Empty": EMPTY(guards.empty),
    }  # fmt: skip
    guards.callbacks = callbacks  # which code calls as long as it lives
    addresses = {name: ctypes.cast(f, ctypes.c_void_p).value for name, f in callbacks.items()}
    kind, usual = guarded_memory(guards), symbols.found_anew
    with (
        patch.object(symbols, "found_anew", lambda name: addresses.get(name) or usual(name)),
        patch("staticgrad.native.output.module_text.Memory", kind),
    ):
        forget()
        try:
            yield guards
        finally:
            forget()


def forget():
    """Forget the addresses, and the code that calls them."""
    symbols.find.cache_clear()
    entry.code.cache_clear()


def run_ops(guards):
    """Run the samples of all ops, and print the name of each before."""
    for op in list(gradops.OPS.values()):
        for case in cases(op) if not op.traits & NOT_OF_ARRAYS else ():
            faulthandler.dump_traceback_later(PATIENCE, exit=True)
            tell(str(case))
            for example in case.examples[:1]:
                run_op(guards, case, example)


def run_op(guards, case, operands):
    """Run one op in machine code, if it has some."""
    xs = [sg.placeholder(x.dtype, x.shape) for x in operands]
    try:
        native = sg.compile(case(*xs), xs, backend="native")
    except OptionError:
        return
    native(*[guards.copy(x) for x in operands])


def main(side, what, *numbers):
    """Run ops, or some random graphs, in guarded memory."""
    faulthandler.enable()
    with guarded(side) as guards, np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if what == "ops":
            run_ops(guards)
            return
        first, count = map(int, numbers)
        for seed in range(first, first + count):
            faulthandler.dump_traceback_later(PATIENCE, exit=True)
            tell(outcome_of(seed, guards.copy))


if __name__ == "__main__":
    main(*sys.argv[1:])
