"""The function that Python calls: it checks arrays, makes results, and runs the code.

Note [Entry]. The code of a graph is called by CPython as a builtin function is, with a vector of
objects. It reads arrays' headers itself, as NumPy's C API defines them, and returns NotImplemented
for what is not an aligned array in the order of C, of the input's type; so a call takes 0.1 us. The
memory that a call used is kept for the next one; calls at the same time have memory of their own.
"""

import math
from collections.abc import Sequence

from gradops import ArrayType
from gradops.native.ir import headers
from gradops.native.ir.headers import DATA, DTYPE, FLAGS, NEEDED, RANK, SIZES, TYPE
from gradops.native.ir.memory import Memory, require_addressable
from gradops.native.ir.text import FunctionText, memory_type
from gradops.native.runtime.interrupts import CONTEXT
from gradops.native.runtime.stack import RESERVE, SMALLEST
from gradops.native.runtime.symbols import dtype_symbol

from ..templates.loops import known

ITEMS = 24  # offset of the items of a tuple, and of their address in a list
LONG = 1 << 16  # operations from which other threads may run
SPARE = """@spare = global ptr null
define void @free_spare() {
  %old = atomicrmw xchg ptr @spare, ptr null acq_rel
  call void @free(ptr %old)
  ret void
}
"""
CALL = f"""define ptr @call(ptr %self, ptr %args, i64 %count, ptr %names) {{
  %plain = icmp eq ptr %names, null
  br i1 %plain, label %try, label %other
try:
  %result = call ptr @entry(ptr %self, ptr %args, i64 %count) noinline
  %refused = icmp eq ptr %result, @not_implemented
  br i1 %refused, label %drop, label %done
done:
  ret ptr %result
drop:
  call void @Py_DecRef(ptr %result)
  br label %other
other:
  %at = getelementptr i8, ptr %self, i64 {ITEMS + 8 * 3}
  %otherwise = load ptr, ptr %at
  %found = call ptr @PyObject_Vectorcall(ptr %otherwise, ptr %args, i64 %count, ptr %names)
  ret ptr %found
}}
"""
"""The entry for calls with names, too: what the code cannot run, a function of Python does."""


class EntryWriter:
    """Writes the function that Python calls. See Note [Entry]."""

    def __init__(
        self, inputs: Sequence[ArrayType], results: Sequence[ArrayType], form: str, memory: Memory,
        body: FunctionText, work: int,
    ) -> None:  # fmt: skip
        self.inputs, self.results, self.form, self.memory = inputs, results, form, memory
        self.body, self.work = body, work
        self.arena = memory.bytes
        self.made: list[str] = []  # arrays; nothing for a number
        self.slots: list[str] = []  # where arrays are to be found if something fails
        self.f = FunctionText("define ptr @entry(ptr %self, ptr %args, i64 %count)")

    def write(self) -> None:
        """Write all of it."""
        f = self.f
        self.require(f"icmp eq i64 %count, {len(self.inputs)}")
        if self.body.stack > SMALLEST:
            left = f.emit("call i64 @stack_left()")
            self.require(f"icmp sgt i64 {left}, {self.body.stack + RESERVE}")
        data = [self.write_input(i, t) for i, t in enumerate(self.inputs)]
        outs = [self.write_result(t) for t in self.results]
        arena = self.take_arena() if self.arena else "null"
        status = self.call_body([arena, *data, *outs])
        if self.arena:
            old = f.emit(f"atomicrmw xchg ptr @spare, ptr {arena} acq_rel")
            f.do(f"call void @free(ptr {old})")
        self.require_status(status)
        f.do(f"ret ptr {self.write_output(outs)}")
        f.start("failed")
        self.drop_results()
        f.jump("no")
        f.start("no")
        f.do("call void @Py_IncRef(ptr @not_implemented)")
        f.do("ret ptr @not_implemented")
        f.start("raised")
        self.drop_results()
        f.do("ret ptr null")
        f.start("no_memory")
        self.drop_results()
        f.do(f"ret ptr {f.emit('call ptr @PyErr_NoMemory()')}")

    def call_body(self, given: Sequence[str]) -> str:
        """Run the code, and let other threads run if it takes long; returns its status."""
        arena, *others = given
        context = self.begin()
        shown = ", ".join(f"ptr {p}" for p in [arena, context, *others])
        status = self.f.emit(f"call i32 @body({shown})")
        self.end(context)
        return status

    def begin(self) -> str:
        """Let go of Python's lock, and of BLAS's threads; returns the context of `@check`."""
        f, calls_python = self.f, self.memory.calls_python
        context, lets_go = "null", self.work > LONG and not calls_python
        if self.body.checks or lets_go:
            context = f.reserve(CONTEXT)
            f.do(
                f"store {CONTEXT} {{ ptr null, i64 0, i32 0, i32 {calls_python:d} }}, ptr {context}"
            )
        if lets_go:
            f.do(f"store ptr {f.emit('call ptr @PyEval_SaveThread()')}, ptr {context}")
        if self.memory.calls_blas:
            f.do("call void @blas_enter()")
        return context

    def end(self, context: str) -> None:
        """Take back what `begin`, or a check, let go of."""
        f = self.f
        if self.memory.calls_blas:
            f.do("call void @blas_leave()")
        if context != "null":
            state = f.emit(f"load ptr, ptr {context}")
            with f.given(f.emit(f"icmp ne ptr {state}, null")):
                f.do(f"call void @PyEval_RestoreThread(ptr {state})")

    def require_status(self, status: str) -> None:
        """Go on if the code has neither given up, 1, nor raised an error, 2."""
        f, done, other = self.f, self.f.fresh("done"), self.f.fresh("other")
        f.branch(f.emit(f"icmp eq i32 {status}, 0"), done, other)
        f.start(other)
        f.branch(f.emit(f"icmp eq i32 {status}, 1"), "failed", "raised")
        f.start(done)

    def drop_results(self) -> None:
        """Give back what was made for results."""
        for slot in self.slots:
            f = self.f
            f.do(f"call void @Py_DecRef(ptr {f.emit(f'load ptr, ptr {slot}')})")

    def require_object(self, pointer: str) -> None:
        """Raise what a function of Python has raised, if it gave no object."""
        self.require_pointer(pointer, "raised")

    def require_pointer(self, pointer: str, otherwise: str) -> None:
        """Go on only if a pointer is one."""
        good = self.f.fresh("good")
        self.f.branch(self.f.emit(f"icmp ne ptr {pointer}, null"), good, otherwise)
        self.f.start(good)

    def require(self, test: str) -> None:
        """Go on only if a test holds."""
        headers.require(self.f, test, "no")

    def read(self, pointer: str, offset: int, type: str) -> str:
        """A field of an object."""
        return headers.read(self.f, pointer, offset, type)

    def write_input(self, i: int, t: ArrayType) -> str:
        """Check an array; returns the address of its entries."""
        f = self.f
        x = self.read("%args", 8 * i, "ptr")
        self.require(f"icmp eq ptr {self.read(x, TYPE, 'ptr')}, @ndarray")
        self.require(f"icmp eq ptr {self.read(x, DTYPE, 'ptr')}, {dtype_symbol(t.dtype)}")
        flags = f.emit(f"and i32 {self.read(x, FLAGS, 'i32')}, {NEEDED}")
        self.require(f"icmp eq i32 {flags}, {NEEDED}")
        self.require(f"icmp eq i32 {self.read(x, RANK, 'i32')}, {t.ndim}")
        sizes = self.read(x, SIZES, "ptr") if t.ndim else ""
        for k, n in enumerate(t.shape):
            self.require(f"icmp eq i64 {self.read(sizes, 8 * k, 'i64')}, {n}")
        return self.read(x, DATA, "ptr")

    def write_result(self, t: ArrayType) -> str:
        """Make an array for a result; returns the address of its entries."""
        f = self.f
        require_addressable(math.prod(known(t)) * t.dtype.itemsize)
        if not t.shape:
            self.made.append("")
            return f.reserve(memory_type(t.dtype))
        sizes = f.reserve("i64", t.ndim)
        for k, n in enumerate(t.shape):
            at = f.emit(f"getelementptr i64, ptr {sizes}, i64 {k}")
            f.do(f"store i64 {n}, ptr {at}")
        f.do(f"call void @Py_IncRef(ptr {dtype_symbol(t.dtype)})")
        given = f"i32 {t.ndim}, ptr {sizes}, ptr {dtype_symbol(t.dtype)}, i32 0"
        x = f.emit(f"call ptr @PyArray_Empty({given})")
        self.keep(x)
        self.made.append(x)
        return self.read(x, DATA, "ptr")

    def keep(self, x: str) -> None:
        """Note an object, which is given back if something fails; raises if it is none."""
        f, slot = self.f, self.f.reserve("ptr")
        f.frame.append(f"  store ptr null, ptr {slot}")
        f.do(f"store ptr {x}, ptr {slot}")
        self.slots.append(slot)
        self.require_object(x)

    def take_arena(self) -> str:
        """The memory that the last call left, or new memory."""
        f = self.f
        found = f.emit("atomicrmw xchg ptr @spare, ptr null acq_rel")
        slot = f.reserve("ptr")
        f.do(f"store ptr {found}, ptr {slot}")
        with f.given(f.emit(f"icmp eq ptr {found}, null")):
            fresh = f.emit(f"call ptr @aligned_alloc(i64 64, i64 {self.arena})")
            f.do(f"store ptr {fresh}, ptr {slot}")
        arena = f.emit(f"load ptr, ptr {slot}")
        self.require_pointer(arena, "no_memory")
        return arena

    def write_output(self, outs: Sequence[str]) -> str:
        """The results as the form says."""
        f = self.f
        found = zip(self.results, self.made, outs, strict=True)
        objects = [x or self.number(t, p) for t, x, p in found]
        if self.form == "{}":
            return objects[0]
        kind = "List" if self.form == "[{}]" else "Tuple"
        result = f.emit(f"call ptr @Py{kind}_New(i64 {len(objects)})")
        self.require_object(result)
        items = f.emit(f"getelementptr i8, ptr {result}, i64 {ITEMS}")
        if kind == "List":
            items = f.emit(f"load ptr, ptr {items}")
        for i, x in enumerate(objects):
            f.do(f"store ptr {x}, ptr {f.emit(f'getelementptr ptr, ptr {items}, i64 {i}')}")
        return result

    def number(self, t: ArrayType, pointer: str) -> str:
        """A NumPy scalar."""
        given = f"ptr {pointer}, ptr {dtype_symbol(t.dtype)}, ptr null"
        x = self.f.emit(f"call ptr @PyArray_Scalar({given})")
        self.keep(x)
        return x
