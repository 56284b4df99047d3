"""The function that Python calls: it checks arrays, makes results, and runs the code.

Note [Entry]. The code of a graph is called by CPython as a builtin function is, with a vector of
objects. It reads arrays' headers itself, as NumPy's C API defines them, and returns NotImplemented
for what is not an aligned array in the order of C, of the input's type; so a call takes 0.1 us.
"""

import ctypes
import math
import weakref
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from gradops import ArrayType

from ..ir.graph import FrozenGraph
from .formulas import written_out
from .functions import declarations
from .kinds import require_types
from .loops import known
from .lowering import GraphWriter
from .machine import Code, address_of, symbol
from .memory import Memory
from .places import Place, contiguous
from .text import FunctionText, memory_type

DATA, RANK, SIZES, DTYPE, FLAGS = 16, 24, 32, 56, 64  # offsets in the header of an array
NEEDED = 0x0001 | 0x0100  # C-contiguous, aligned
TABLE = {"PyArray_Empty": 184, "PyArray_New": 93, "PyArray_Scalar": 60}  # places in NumPy's
FASTCALL = 0x0080
DTYPES = ("f2", "f4", "f8", "c8", "c16", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1")
PYTHON = (
    "PyErr_CheckSignals", "PyErr_Clear", "PyErr_NoMemory", "PyEval_RestoreThread",
    "PyEval_SaveThread", "PyList_New", "PyList_SetItem", "PyObject_CallFunctionObjArgs",
    "PyTuple_New", "PyTuple_SetItem", "Py_DecRef", "Py_IncRef",
)  # fmt: skip
LONG = 200_000  # bytes of arrays from which other threads may run


class Method(ctypes.Structure):
    """CPython's PyMethodDef."""

    _fields_ = (("name", ctypes.c_char_p), ("function", ctypes.c_void_p), ("flags", ctypes.c_int),
                ("doc", ctypes.c_char_p))  # fmt: skip


class NativeCode:
    """A graph as machine code: `run` is a function of arrays."""

    def __init__(self, graph: FrozenGraph, form: str) -> None:
        require_types(graph)
        self.ir, self.kept = text_of(written_out(graph), form)
        self.code = Code(self.ir)
        self.method = Method(b"run", self.code.address("entry"), FASTCALL, b"")
        make = ctypes.PYFUNCTYPE(ctypes.py_object, *[ctypes.c_void_p] * 3)(
            ("PyCFunction_NewEx", ctypes.pythonapi)
        )
        self.run: Callable[..., Any] = make(ctypes.addressof(self.method), None, None)
        weakref.finalize(self, free_spare, self.code)


def free_spare(code: Code) -> None:
    """Free the memory that the last call left."""
    ctypes.CFUNCTYPE(None)(code.address("free_spare"))()


@cache
def numpy_table() -> Sequence[int]:
    """NumPy's C API: addresses."""
    from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

    pointer = pointer_of(_multiarray_umath._ARRAY_API)
    return ctypes.cast(pointer, ctypes.POINTER(ctypes.c_void_p))  # type: ignore[return-value]


@cache
def define_symbols() -> None:
    """Give names to what code calls and refers to."""
    for name in PYTHON:
        symbol(name, address_of(getattr(ctypes.pythonapi, name)))
    for name, number in TABLE.items():
        symbol(name, numpy_table()[number])
    symbol("ndarray", id(np.ndarray))
    symbol("not_implemented", id(NotImplemented))
    for code in DTYPES:
        symbol(f"dtype_{code}", id(np.dtype(code)))
    define_blas()


def define_blas() -> None:
    """Give names to the products of SciPy's BLAS."""
    from scipy.linalg import cython_blas

    for name in "sgemm", "dgemm", "sgemv", "dgemv":
        symbol(f"blas_{name}", pointer_of(cython_blas.__pyx_capi__[name]))


def pointer_of(capsule: Any) -> int:
    """The address in a capsule."""
    api, name = ctypes.pythonapi, ctypes.c_char_p
    name_of = ctypes.PYFUNCTYPE(name, ctypes.py_object)(("PyCapsule_GetName", api))
    get = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, name)(("PyCapsule_GetPointer", api))
    return get(capsule, name_of(capsule))


def dtype_symbol(dtype: np.dtype) -> str:
    """The name of the address of a dtype."""
    return f"@dtype_{dtype.kind}{dtype.itemsize}"


def text_of(graph: FrozenGraph, form: str) -> tuple[str, list[object]]:
    """The module of a graph, and what it refers to: its body, and what Python calls."""
    define_symbols()
    inputs, results = [e.type for e in graph.inputs], [e.type for e in graph.results]
    names = [f"ptr noalias %in{i}" for i in range(len(inputs))]
    names += [f"ptr noalias %out{i}" for i in range(len(results))]
    body = FunctionText(
        f"define internal i32 @body(ptr noalias %arena, {', '.join(names)}) nounwind"
    )
    memory = Memory(body)
    writer = GraphWriter(body, memory, graph)
    writer.write(places("in", inputs), places("out", results))
    if body.notes:
        body.frame += ["  %noted = alloca i1", "  store i1 false, ptr %noted"]
        noted = body.emit("load i1, ptr %noted")
        body.do(f"ret i32 {body.emit(f'zext i1 {noted} to i32')}")
    else:
        body.do("ret i32 0")
    entry = EntryWriter(inputs, results, form, memory.bytes, memory.calls_python)
    entry.write()
    lines, functions = declarations(list(body.used))
    text = "\n".join([
        *GLOBALS, *lines, *memory.globals, *[g.text() for g in functions], body.text(),
        entry.f.text(), memory.metadata,
    ])  # fmt: skip
    return text, memory.kept


def places(prefix: str, types: Sequence[ArrayType]) -> list[Place]:
    """The places of arguments of the body."""
    return [
        Place(f"%{prefix}{i}", t.dtype, known(t), contiguous(known(t))) for i, t in enumerate(types)
    ]


GLOBALS = [
    "@ndarray = external global i8", "@not_implemented = external global i8",
    *[f"@dtype_{c} = external global i8" for c in DTYPES],
    "declare ptr @PyArray_Empty(i32, ptr, ptr, i32)",
    "declare ptr @PyArray_Scalar(ptr, ptr, ptr)",
    "declare ptr @PyTuple_New(i64)", "declare ptr @PyList_New(i64)",
    "declare i32 @PyTuple_SetItem(ptr, i64, ptr)", "declare i32 @PyList_SetItem(ptr, i64, ptr)",
    "declare void @Py_IncRef(ptr)", "declare void @Py_DecRef(ptr)",
    "declare ptr @PyEval_SaveThread()", "declare void @PyEval_RestoreThread(ptr)",
    "declare ptr @aligned_alloc(i64, i64)", "declare void @free(ptr)",
    "declare void @blas_sgemm(ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr)",
    "declare void @blas_dgemm(ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr)",
    *[f"declare void @blas_{k}gemv({', '.join(['ptr'] * 11)})" for k in "sd"],
    "declare ptr @PyArray_New(ptr, i32, ptr, i32, ptr, ptr, i32, i32, ptr)",
    "declare ptr @PyObject_CallFunctionObjArgs(ptr, ...)", "declare void @PyErr_Clear()",
    "declare i32 @PyErr_CheckSignals()",
    "declare ptr @PyErr_NoMemory()", "@spare = global ptr null",
    "define void @free_spare() {", "  %old = atomicrmw xchg ptr @spare, ptr null acq_rel",
    "  call void @free(ptr %old)", "  ret void", "}",
]  # fmt: skip


class EntryWriter:
    """Writes the function that Python calls. See Note [Entry]."""

    def __init__(
        self, inputs: Sequence[ArrayType], results: Sequence[ArrayType], form: str, arena: int,
        calls_python: bool,
    ) -> None:  # fmt: skip
        self.inputs, self.results, self.form, self.arena = inputs, results, form, arena
        self.calls_python = calls_python
        self.made: list[str] = []  # arrays; nothing for a number
        self.slots: list[str] = []  # where arrays are to be found if something fails
        self.f = FunctionText("define ptr @entry(ptr %self, ptr %args, i64 %count)")

    def write(self) -> None:
        """Write all of it."""
        f = self.f
        self.require(f"icmp eq i64 %count, {len(self.inputs)}")
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
        f = self.f
        size = self.arena + sum(8 * math.prod(known(t)) for t in self.inputs)
        state = (
            f.emit("call ptr @PyEval_SaveThread()") if size > LONG and not self.calls_python else ""
        )
        status = f.emit(f"call i32 @body({', '.join(f'ptr {p}' for p in given)})")
        if state:
            f.do(f"call void @PyEval_RestoreThread(ptr {state})")
        return status

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

    def require_memory(self, pointer: str) -> None:
        """Raise MemoryError if a pointer is none."""
        good = self.f.fresh("good")
        self.f.branch(self.f.emit(f"icmp ne ptr {pointer}, null"), good, "no_memory")
        self.f.start(good)

    def require(self, test: str) -> None:
        """Go on only if a test holds."""
        good = self.f.fresh("good")
        self.f.branch(self.f.emit(test), good, "no")
        self.f.start(good)

    def read(self, pointer: str, offset: int, type: str) -> str:
        """A field of an object."""
        at = self.f.emit(f"getelementptr i8, ptr {pointer}, i64 {offset}")
        return self.f.emit(f"load {type}, ptr {at}")

    def write_input(self, i: int, t: ArrayType) -> str:
        """Check an array; returns the address of its entries."""
        f = self.f
        x = self.read("%args", 8 * i, "ptr")
        self.require(f"icmp eq ptr {self.read(x, 8, 'ptr')}, @ndarray")
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
        slot = f.reserve("ptr")
        f.frame.append(f"  store ptr null, ptr {slot}")
        f.do(f"store ptr {x}, ptr {slot}")
        self.slots.append(slot)
        self.made.append(x)
        self.require_memory(x)
        return self.read(x, DATA, "ptr")

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
        self.require_memory(arena)
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
        self.require_memory(result)
        for i, x in enumerate(objects):
            f.do(f"call i32 @Py{kind}_SetItem(ptr {result}, i64 {i}, ptr {x})")
        return result

    def number(self, t: ArrayType, pointer: str) -> str:
        """A NumPy scalar."""
        given = f"ptr {pointer}, ptr {dtype_symbol(t.dtype)}, ptr null"
        x = self.f.emit(f"call ptr @PyArray_Scalar({given})")
        self.require_memory(x)
        return x
