"""The text of a graph's module, which LLVM compiles."""

from collections.abc import Sequence
from typing import NamedTuple

from gradops import ArrayType
from gradops.native import costs
from gradops.native.ir.functions import declarations
from gradops.native.ir.memory import Memory
from gradops.native.ir.modules import Module, functions_in, modules_of
from gradops.native.ir.places import Place, contiguous
from gradops.native.ir.text import METADATA, FunctionText
from gradops.native.runtime import symbols
from gradops.native.runtime.interrupts import TEXT

from ...ir.graph import FrozenGraph
from ..lowering import GraphWriter
from ..planning.choices import Choices
from ..planning.work import work_of
from ..shapes import known
from .coldness import cold_functions, spilled
from .entry import LONG, Signature
from .entry_text import CALLS_BLAS, CALLS_PYTHON, HAS_CONTEXT, LETS_GO


class Written(NamedTuple):
    """The text of a graph, what it refers to, what was chosen for it, and what lines are for.

    The text is that of declarations and globals, and of functions. `workspace` is the bytes of
    memory that it works in, `cold` the functions that do little of the work.
    """

    known: list[str]
    functions: list[str]
    kept: list[object]
    origins: list[object]
    choices: Choices
    subjects: list[object]
    workspace: int
    cold: frozenset[str] = frozenset()

    @property
    def text(self) -> str:
        """All of it as one module."""
        return "\n".join([*self.known, *self.functions, METADATA])

    @property
    def modules(self) -> list[Module]:
        """The modules that are compiled."""
        return modules_of(self.known, self.functions, cold=self.cold)


def module_of(graph: FrozenGraph, table: costs.CostTable, checked: bool = False) -> Written:
    """The module of a graph: its body, and what the entry reads of it.

    If it is `checked`, it gives up at values that are not finite.
    """
    signature = Signature(graph, "")
    body = body_of(signature.inputs, signature.results)
    body.interruptible = True
    memory, choices = Memory(body), Choices()
    writer = GraphWriter(body, memory, graph, table, choices)
    given, body.is_checked = places("in", signature.inputs), checked
    if checked:
        writer.note_infinities(given)
    writer.write(given, places("out", signature.results))
    body.end()
    work = work_of(graph)
    flags = flags_of(body, memory, work)
    lines, functions = declarations(body.used)
    texts = [TEXT] if body.checks else []
    texts += [f for part in (*functions, body) for f in functions_in(part.text())]
    cold = cold_functions(texts, body, work)
    stack = body.stack + spilled(cold)
    texts.append(signature.module_text(memory.arena.bytes, stack, flags))
    known = [*symbols.declared(), *lines, *memory.globals]
    return Written(known, texts, memory.kept, memory.origins, choices, body.subjects,
                   memory.arena.bytes, frozenset(cold))  # fmt: skip


def flags_of(body: FunctionText, memory: Memory, work: int) -> int:
    """The steps around a call of a body: see `entry.py`."""
    lets_go = work > LONG and not memory.calls_python
    chosen = {
        HAS_CONTEXT: body.checks or lets_go, LETS_GO: lets_go,
        CALLS_PYTHON: memory.calls_python, CALLS_BLAS: memory.calls_blas,
    }  # fmt: skip
    return sum(flag for flag, is_set in chosen.items() if is_set)


def body_of(inputs: Sequence[ArrayType], results: Sequence[ArrayType]) -> FunctionText:
    """The function that computes results from inputs, before its lines are written."""
    names = [f"ptr noalias %in{i}" for i in range(len(inputs))]
    names += [f"ptr noalias %out{i}" for i in range(len(results))]
    given = ", ".join(["ptr noalias %arena", "ptr %context", *names])
    return FunctionText(f"define internal i32 @body({given}) noinline nounwind")


def places(prefix: str, types: Sequence[ArrayType]) -> list[Place]:
    """The places of arguments of the body."""
    return [
        Place(f"%{prefix}{i}", t.dtype, known(t), contiguous(known(t))) for i, t in enumerate(types)
    ]
