"""The function that Python calls: it checks arrays, makes results, and runs the code.

Note [Entry]. The code of a graph is called by CPython as a builtin function is, with a vector of
objects. It reads arrays' headers itself, as NumPy's C API defines them, and returns NotImplemented
for what is not an aligned array in the order of C, of the input's type; so a call takes 0.1 us.
"""

import ctypes
import math
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
EMPTY, SCALAR = 184, 60  # places of PyArray_Empty and PyArray_Scalar in NumPy's table
FASTCALL = 0x0080
PYTHON = ("PyTuple_New", "PyList_New", "PyTuple_SetItem", "PyList_SetItem", "Py_IncRef",
          "Py_DecRef", "PyEval_SaveThread", "PyEval_RestoreThread")  # fmt: skip
LONG = 200_000  # bytes of arrays from which other threads may run


class Method(ctypes.Structure):
    """CPython's PyMethodDef."""

    _fields_ = (("name", ctypes.c_char_p), ("function", ctypes.c_void_p), ("flags", ctypes.c_int),
                ("doc", ctypes.c_char_p))  # fmt: skip


class NativeCode:
    """A graph as machine code: `run` is a function of arrays."""

    def __init__(self, graph: FrozenGraph, form: str) -> None:
        require_types(graph)
        self.ir = text_of(written_out(graph), form)
        self.code = Code(self.ir)
        self.method = Method(b"run", self.code.address("entry"), FASTCALL, b"")
        make = ctypes.pythonapi.PyCFunction_NewEx
        make.restype, make.argtypes = ctypes.py_object, (ctypes.c_void_p,) * 3
        self.run: Callable[..., Any] = make(ctypes.addressof(self.method), None, None)


@cache
def numpy_table() -> Sequence[int]:
    """NumPy's C API: addresses."""
    from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    pointer = get(_multiarray_umath._ARRAY_API, None)
    return ctypes.cast(pointer, ctypes.POINTER(ctypes.c_void_p))  # type: ignore[return-value]


@cache
def define_symbols() -> None:
    """Give names to what code calls and refers to."""
    for name in PYTHON:
        symbol(name, address_of(getattr(ctypes.pythonapi, name)))
    symbol("PyArray_Empty", numpy_table()[EMPTY])
    symbol("PyArray_Scalar", numpy_table()[SCALAR])
    symbol("ndarray", id(np.ndarray))
    symbol("not_implemented", id(NotImplemented))
    for code in "f4", "f8", "i4", "i8", "b1":
        symbol(f"dtype_{code}", id(np.dtype(code)))
    define_blas()


def define_blas() -> None:
    """Give names to the products of SciPy's BLAS."""
    from scipy.linalg import cython_blas

    get, name_of = ctypes.pythonapi.PyCapsule_GetPointer, ctypes.pythonapi.PyCapsule_GetName
    get.restype, get.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    name_of.restype, name_of.argtypes = ctypes.c_char_p, (ctypes.py_object,)
    for name in "sgemm", "dgemm", "sgemv", "dgemv":
        capsule = cython_blas.__pyx_capi__[name]
        symbol(f"blas_{name}", get(capsule, name_of(capsule)))


def dtype_symbol(dtype: np.dtype) -> str:
    """The name of the address of a dtype."""
    return f"@dtype_{dtype.kind}{dtype.itemsize}"


def text_of(graph: FrozenGraph, form: str) -> str:
    """The module of a graph: its body, and the function that Python calls."""
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
    entry = EntryWriter(inputs, results, form, memory.bytes)
    entry.write()
    lines, functions = declarations(list(body.used))
    return "\n".join([
        *GLOBALS, *lines, *memory.globals, *[g.text() for g in functions], body.text(),
        entry.f.text(), memory.metadata,
    ])  # fmt: skip


def places(prefix: str, types: Sequence[ArrayType]) -> list[Place]:
    """The places of arguments of the body."""
    return [
        Place(f"%{prefix}{i}", t.dtype, known(t), contiguous(known(t))) for i, t in enumerate(types)
    ]


GLOBALS = [
    "@ndarray = external global i8", "@not_implemented = external global i8",
    *[f"@dtype_{c} = external global i8" for c in ("f4", "f8", "i4", "i8", "b1")],
    "declare ptr @PyArray_Empty(i32, ptr, ptr, i32)",
    "declare ptr @PyArray_Scalar(ptr, ptr, ptr)",
    "declare ptr @PyTuple_New(i64)", "declare ptr @PyList_New(i64)",
    "declare i32 @PyTuple_SetItem(ptr, i64, ptr)", "declare i32 @PyList_SetItem(ptr, i64, ptr)",
    "declare void @Py_IncRef(ptr)", "declare void @Py_DecRef(ptr)",
    "declare ptr @PyEval_SaveThread()", "declare void @PyEval_RestoreThread(ptr)",
    "declare ptr @malloc(i64)", "declare void @free(ptr)",
    "declare void @blas_sgemm(ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr)",
    "declare void @blas_dgemm(ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr)",
    *[f"declare void @blas_{k}gemv({', '.join(['ptr'] * 11)})" for k in "sd"],
    "@spare = global ptr null",
]  # fmt: skip


class EntryWriter:
    """Writes the function that Python calls. See Note [Entry]."""

    def __init__(
        self, inputs: Sequence[ArrayType], results: Sequence[ArrayType], form: str, arena: int
    ) -> None:
        self.inputs, self.results, self.form, self.arena = inputs, results, form, arena
        self.f = FunctionText("define ptr @entry(ptr %self, ptr %args, i64 %count)")

    def write(self) -> None:
        """Write all of it."""
        f = self.f
        self.require(f"icmp eq i64 %count, {len(self.inputs)}")
        data = [self.write_input(i, t) for i, t in enumerate(self.inputs)]
        made = [self.write_result(t) for t in self.results]
        arena = self.take_arena() if self.arena else "null"
        outs = [p for _, p in made]
        size = self.arena + sum(8 * math.prod(known(t)) for t in self.inputs)
        state = f.emit("call ptr @PyEval_SaveThread()") if size > LONG else ""
        given = ", ".join(f"ptr {p}" for p in [arena, *data, *outs])
        status = f.emit(f"call i32 @body({given})")
        if state:
            f.do(f"call void @PyEval_RestoreThread(ptr {state})")
        if self.arena:
            old = f.emit(f"atomicrmw xchg ptr @spare, ptr {arena} acq_rel")
            f.do(f"call void @free(ptr {old})")
        failed = f.emit(f"icmp ne i32 {status}, 0")
        good, bad = f.fresh("good"), f.fresh("bad")
        f.branch(failed, bad, good)
        f.start(bad)
        for x, _ in made:
            if x:
                f.do(f"call void @Py_DecRef(ptr {x})")
        f.jump("no")
        f.start(good)
        f.do(f"ret ptr {self.write_output(made)}")
        f.start("no")
        f.do("call void @Py_IncRef(ptr @not_implemented)")
        f.do("ret ptr @not_implemented")

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

    def write_result(self, t: ArrayType) -> tuple[str, str]:
        """Make an array for a result; returns it and the address of its entries."""
        f = self.f
        if not t.shape:
            return "", f.reserve(memory_type(t.dtype))
        sizes = f.reserve("i64", t.ndim)
        for k, n in enumerate(t.shape):
            at = f.emit(f"getelementptr i64, ptr {sizes}, i64 {k}")
            f.do(f"store i64 {n}, ptr {at}")
        f.do(f"call void @Py_IncRef(ptr {dtype_symbol(t.dtype)})")
        given = f"i32 {t.ndim}, ptr {sizes}, ptr {dtype_symbol(t.dtype)}, i32 0"
        x = f.emit(f"call ptr @PyArray_Empty({given})")
        return x, self.read(x, DATA, "ptr")

    def take_arena(self) -> str:
        """The memory that the last call left, or new memory."""
        f = self.f
        found = f.emit("atomicrmw xchg ptr @spare, ptr null acq_rel")
        slot = f.reserve("ptr")
        f.do(f"store ptr {found}, ptr {slot}")
        with f.given(f.emit(f"icmp eq ptr {found}, null")):
            f.do(f"store ptr {f.emit(f'call ptr @malloc(i64 {self.arena + 64})')}, ptr {slot}")
        return f.emit(f"load ptr, ptr {slot}")

    def write_output(self, made: Sequence[tuple[str, str]]) -> str:
        """The results as the form says."""
        f = self.f
        objects = [x or self.number(t, p) for t, (x, p) in zip(self.results, made, strict=True)]
        if self.form == "{}":
            return objects[0]
        kind = "List" if self.form == "[{}]" else "Tuple"
        result = f.emit(f"call ptr @Py{kind}_New(i64 {len(objects)})")
        for i, x in enumerate(objects):
            f.do(f"call i32 @Py{kind}_SetItem(ptr {result}, i64 {i}, ptr {x})")
        return result

    def number(self, t: ArrayType, pointer: str) -> str:
        """A NumPy scalar."""
        symbol = dtype_symbol(t.dtype)
        return self.f.emit(f"call ptr @PyArray_Scalar(ptr {pointer}, ptr {symbol}, ptr null)")
