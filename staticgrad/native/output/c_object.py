"""A graph as an object file for C programs, without Python.

Note [Objects for C]. The body of the graph is that of an executable. What its entry, the pool of
threads and the checks for signals need of Python is left out: the entry takes pointers, loops that
threads would share are run by the caller, part after part, and constants are in the object.
Products of matrices are our own, unless a BLAS is asked for.
"""

import math
import re
from dataclasses import dataclass, replace
from functools import cached_property

from gradops import OptionError
from gradops.native import costs
from gradops.native.ir.functions import declarations
from gradops.native.ir.memory import ALIGNMENT, Memory
from gradops.native.ir.scalars import NotNative
from gradops.native.ir.text import METADATA, FunctionText
from gradops.native.objects.stored import ObjectCode
from gradops.native.runtime import symbols
from gradops.native.runtime.blas import NAMES
from gradops.native.runtime.machine import linked, llvm
from gradops.native.runtime.modules import NAME, modules_called, names_in

from ...ir.expr import Expr
from ...ir.graph import FrozenGraph
from ..lowering import GraphWriter
from ..planning.choices import Choices
from .module_text import body_of, places

OK, GAVE_UP, NULL = 0, 1, 2
"""Status codes that the function returns; a body returns the first two."""
ALONE = """define i32 @run_parts(ptr %f, ptr %env, i64 %count, i64 %most) {
  %status = call i32 %f(ptr %env, i64 0, i64 %count, i64 0)
  ret i32 %status
}
"""
"""A function that runs the parts of a loop where there is no pool."""
BLAS = {"lp64": ("i32", "{}_"), "ilp64": ("i64", "{}_64_")}
"""The types of integers, and the names of functions, of kinds of BLAS."""


@dataclass(frozen=True)
class Library:
    """The object file of a graph, under a name, for a BLAS or none, and for a CPU or this one."""

    graph: FrozenGraph
    name: str
    blas: str = ""
    cpu: str = ""

    @cached_property
    def body(self) -> tuple[FunctionText, Memory]:
        """The body of the graph, and the memory that it uses."""
        inputs, results = (
            [e.type for e in some] for some in (self.graph.inputs, self.graph.results)
        )
        f = body_of(inputs, results)
        memory = Memory(f)
        memory.threads, memory.most_inside = 1, math.inf
        table = costs.table()
        if self.blas:
            memory.blas_integer = BLAS[self.blas][0]
            table = replace(table, product_call=math.inf)
        else:
            table = replace(table, blas_call=math.inf)
        writer = GraphWriter(f, memory, self.graph, table, Choices())
        writer.write(places("in", inputs), places("out", results))
        f.end()
        return f, memory

    @property
    def workspace(self) -> int:
        """The bytes of memory that the function needs; some are for aligning it."""
        _, memory = self.body
        return memory.arena.bytes + ALIGNMENT if memory.arena.bytes else 0

    @cached_property
    def object(self) -> ObjectCode:
        """The object file; raises OptionError for a graph that needs Python."""
        self.require_no_kernels()
        text = self.text()
        result = linked(
            [text, *modules_called(text)], [self.name, f"{self.name}_workspace_bytes"], self.cpu
        )
        for name in result.externals:
            if name not in self.blas_names:
                require_of_c(name)
        return result

    def text(self) -> str:
        """The module of the graph."""
        f, memory = self.body
        lines, functions = declarations(f.used)
        entry = f"@{self.name}_workspace_bytes = constant i64 {self.workspace}\n{self.entry()}"
        parts = [ALONE, *[part.text() for part in (*functions, f)], entry, METADATA]
        text = "\n".join([*lines, *memory.globals, *parts])
        used = names_in(text)
        known = [line for line in symbols.declared() if NAME.search(line)[1] in used]  # type: ignore
        known = [line for line in known if " @run_parts(" not in line]
        return self.with_names_of_blas("\n".join([*known, text]))

    def with_names_of_blas(self, text: str) -> str:
        """The text with the names that functions of BLAS have in a library."""
        if not self.blas:
            return text
        pattern = BLAS[self.blas][1]
        return re.sub(r"@blas_(\w+)", lambda found: f"@{pattern.format(found[1])}", text)

    @cached_property
    def blas_names(self) -> list[str]:
        """The functions of BLAS that are called."""
        pattern = BLAS[self.blas][1] if self.blas else "{}"
        text = self.text()
        return [name for name in map(pattern.format, NAMES) if f"@{name}(" in text]

    @property
    def cpu_name(self) -> str:
        """The processor that the object is for."""
        return self.cpu or str(llvm().get_host_cpu_name())

    @property
    def functions_of_c(self) -> list[str]:
        """The functions of C's libraries that are called."""
        return sorted(set(self.object.externals) - set(self.blas_names))

    def entry(self) -> str:
        """The function that C calls."""
        count = len(self.graph.inputs), len(self.graph.results)
        given = [f"%in{i}" for i in range(count[0])] + [f"%out{i}" for i in range(count[1])]
        f = FunctionText(
            f"define i32 @{self.name}({', '.join(f'ptr {x}' for x in [*given, '%workspace'])})"
        )
        for x in [*given, "%workspace"] if self.workspace else given:
            there, missing = f.fresh("there"), f.fresh("missing")
            f.branch(f.emit(f"icmp eq ptr {x}, null"), missing, there)
            f.start(missing)
            f.do(f"ret i32 {NULL}")
            f.start(there)
        address = f.emit("ptrtoint ptr %workspace to i64")
        skipped = f.emit(f"and i64 {f.emit(f'sub i64 0, {address}')}, {ALIGNMENT - 1}")
        arena = f.emit(f"getelementptr i8, ptr %workspace, i64 {skipped}")
        passed = ", ".join(f"ptr {x}" for x in [arena, "null", *given])
        f.do(f"ret i32 {f.emit(f'call i32 @body({passed})')}")
        return f.text()

    def require_no_kernels(self) -> None:
        """Raise OptionError if an op is a call of NumPy's kernel."""
        for origin in self.body[1].origins:
            e = origin[0] if isinstance(origin, tuple) else None
            if isinstance(e, Expr) and e.op is not None:
                lines = self.graph.lines(e)
                raise refusal(
                    f"{e.op.name} has no machine code but calls of NumPy: {e.label}"
                    + (f", made at {lines}" if lines else ""),
                    "compute it before, and feed the result; python -m gradops lists the ops that"
                    " have machine code",
                )


def require_of_c(name: str) -> None:
    """Raise OptionError for a function that no library of C has."""
    try:
        symbols.function_of_c(name)
    except NotNative:
        raise refusal(f"it calls {name}, which is part of Python's process", "") from None
    if name in symbols.PYTHON:
        raise refusal(f"it calls {name} of Python", "")


def refusal(reason: str, hint: str) -> OptionError:
    """The error for a graph of which there is no object file."""
    return OptionError("save_object", [], reason, hint or None)
