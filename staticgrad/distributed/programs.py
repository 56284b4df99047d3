"""Programs: frozen graphs as bytes, which a worker loads, compiles once, and runs on its blocks.

Note [On the wire]. A graph is sent as what `sg.save` writes. A worker parses and checks it as it
does any file, and executes nothing in it; the code it runs is written by its own installation.
"""

import io
import threading
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from gradops import ShapeError, type_of
from gradops.core.op import refuse_masked

from ..export.saving import load, save
from ..ir.graph import FrozenGraph
from ..runtime.compilation import compile
from ..runtime.executable import Executable
from .tree import Partial

Block = tuple[Any, ...]
"""The columns of one block: arrays with equally many rows, or one array of what they belong to."""

KEPT = 64  # programs that a process keeps compiled
LOCK = threading.Lock()


class Program(NamedTuple):
    """A graph of parameters and columns, whose outputs are sums over rows, or with `mean` means."""

    graph: bytes
    mean: bool = False
    backend: str = "numpy"


def graph_bytes(graph: FrozenGraph) -> bytes:
    """A graph as bytes. See Note [On the wire]."""
    file = io.BytesIO()
    save(graph, file)
    return file.getvalue()


def executable_of(program: Program) -> Executable:
    """The executable of a program, compiled once in a process."""
    with LOCK:
        return compiled(program.graph, program.backend)


@lru_cache(KEPT)
def compiled(graph: bytes, backend: str) -> Executable:
    """The executable of the bytes of a graph."""
    return compile(load(io.BytesIO(graph), limit=max(64 << 20, len(graph))), backend=backend)


def run_block(program: Program, parameters: Sequence[np.ndarray], *columns: Any) -> Partial:
    """The sums of a program's outputs over the rows of a block."""
    block = spread(columns)
    rows = rows_of(block)
    with np.errstate(all="ignore" if rows == 0 else "warn"):
        results = executable_of(program)(*parameters, *block)
    if rows == 0:
        return Partial(0, tuple([np.zeros_like(y) for y in results]))
    if not program.mean:
        return Partial(rows, tuple(map(np.asarray, results)))
    return Partial(rows, tuple([np.asarray(y * rows) for y in results]))


def spread(columns: Sequence[Any]) -> Block:
    """The columns as arrays; a column that is a tuple or list of arrays is several."""
    result: list[Any] = []
    for column in columns:
        parts = column if isinstance(column, tuple | list) else [column]
        result += [np.asarray(refuse_masked(part, "distributed")) for part in parts]
    return tuple(result)


def rows_of(block: Block) -> int:
    """The number of rows of a block; raises ShapeError if its columns disagree."""
    if (
        len({len(column) if np.ndim(column) else None for column in block}) != 1
        or not block[0].ndim
    ):
        raise ShapeError("distributed", list(map(type_of, block)),
                         "the columns of a block have different numbers of rows",
                         hint="cut all of them at the same rows")  # fmt: skip
    return len(block[0])


def finish(program: Program, partial: Partial) -> tuple[Any, ...]:
    """The outputs of a program for all rows, from their sums: arrays and NumPy's numbers."""
    if partial.rows == 0:
        raise ShapeError("distributed", [], "the data has no rows")
    scale = partial.rows if program.mean else 1
    return tuple([np.asarray(y / y.dtype.type(scale))[()] for y in partial.sums])
