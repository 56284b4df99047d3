"""A graph as machine code, and the function by which Python calls it."""

import ctypes
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from gradops import ArrayType
from gradops.native import symbols
from gradops.native.functions import declarations
from gradops.native.interrupts import TEXT
from gradops.native.machine import Code
from gradops.native.memory import Memory
from gradops.native.places import Place, contiguous
from gradops.native.text import METADATA, FunctionText

from ..ir.graph import FrozenGraph
from .entry import SPARE, EntryWriter
from .formulas import written_out
from .kinds import require_types
from .loops import known
from .lowering import GraphWriter
from .work import work_of

FASTCALL = 0x0080


class Method(ctypes.Structure):
    """CPython's PyMethodDef."""

    _fields_ = (("name", ctypes.c_char_p), ("function", ctypes.c_void_p), ("flags", ctypes.c_int),
                ("doc", ctypes.c_char_p))  # fmt: skip


class NativeCode:
    """A graph as machine code: `run` is a function of arrays."""

    def __init__(self, graph: FrozenGraph, form: str) -> None:
        require_types(graph)
        self.ir, kept = text_of(written_out(graph), form)
        self.code = Code(self.ir)
        self.run = builtin(self.code, kept)
        weakref.finalize(self.code, free_spare, self.code.address("free_spare"))


def builtin(code: Code, kept: object) -> Callable[..., Any]:
    """The function that calls code; it owns the code, and what that refers to."""
    method = Method(b"run", code.address("entry"), FASTCALL, b"")
    make = ctypes.PYFUNCTYPE(
        ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p
    )(("PyCFunction_NewEx", ctypes.pythonapi))  # fmt: skip
    result: Callable[..., Any] = make(ctypes.addressof(method), (code, kept, method), None)
    return result


def free_spare(address: int) -> None:
    """Free the memory that the last call left, by the function at an address."""
    ctypes.CFUNCTYPE(None)(address)()


def text_of(graph: FrozenGraph, form: str) -> tuple[str, list[object]]:
    """The module of a graph, and what it refers to: its body, and what Python calls."""
    inputs, results = [e.type for e in graph.inputs], [e.type for e in graph.results]
    names = [f"ptr noalias %in{i}" for i in range(len(inputs))]
    names += [f"ptr noalias %out{i}" for i in range(len(results))]
    body = FunctionText(
        f"define internal i32 @body(ptr noalias %arena, ptr %context, {', '.join(names)}) nounwind"
    )
    body.interruptible = True
    memory = Memory(body)
    writer = GraphWriter(body, memory, graph)
    writer.write(places("in", inputs), places("out", results))
    body.end()
    entry = EntryWriter(inputs, results, form, memory, work_of(graph), body.checks)
    entry.write()
    lines, functions = declarations(body.used)
    parts = [*functions, body, entry.f]
    checks = [TEXT] if body.checks else []
    known_names = [*symbols.declared(), SPARE, *checks, *lines, *memory.globals]
    text = "\n".join([*known_names, *[part.text() for part in parts], METADATA])
    return text, memory.kept


def places(prefix: str, types: Sequence[ArrayType]) -> list[Place]:
    """The places of arguments of the body."""
    return [
        Place(f"%{prefix}{i}", t.dtype, known(t), contiguous(known(t))) for i, t in enumerate(types)
    ]
