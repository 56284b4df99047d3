"""The state of a source that is being written: names in use, lines, values in its scope."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from gradops import OPS, ArrayType, Dim, Op
from gradops.core.dims import Shape, broadcast_size, nonnegative

from ..ir.expr import Expr, Kind
from ..ir.graph import FrozenGraph
from ..ir.layouts.inner import Given
from ..ir.pairs import pairs_in
from ..ir.sizes import no_source
from ..ir.tuple_types import HistoryType
from .loops.rows import LoopRows
from .memory.arena import Arena
from .memory.buffers import Plan, plan_buffers
from .names import RESERVED, identifier
from .parts import LONG, split
from .scalars import float_literal, held_as_floats, is_number, rounded_floats, takes_floats

CONSTANT = Kind.CONSTANT  # looking up a member of an Enum takes long


class Module:
    """The state that the functions of one source share: names in use, and their values."""

    def __init__(self, comments: bool, has_loops: bool = True) -> None:
        self.comments, self.has_loops = comments, has_loops
        kernels = {op.name: op.kernel for op in OPS.values()}
        kernels |= {
            pair_name(op, k): kernel for op in OPS.values() for k, kernel in op.pairs.items()
        }
        self.scope: dict[str, Any] = {"np": np, "math": math, "ndarray": np.ndarray, **kernels}
        self.taken = RESERVED | kernels.keys()  # by what is in the scope
        self.local: set[str] = set()  # by something in some function
        self.lines: list[str] = []
        self.owners: list[Expr | None] = []
        self.counts: dict[str, int] = {}  # how often a name was wanted that was taken
        self.starts: dict[str, int] = {}  # the line at which each function starts
        self.functions: dict[FrozenGraph, str] = {}
        self.loops: dict[tuple[Any, ...], str] = {}  # their functions: Note [Loop functions]
        self.given: dict[FrozenGraph, Given] = {}  # the layouts of operands of inner graphs
        self.arenas: list[Arena] = []
        self.plans: dict[str, Plan] = {}
        self.names: dict[Expr, str] = {}
        self.sizes: dict[str, str] = {}
        self.types: dict[Any, str] = {}  # in words, which takes long
        self.dtypes: dict[tuple[np.dtype[Any], str], str] = {}  # their names, which take long

    def add(
        self, name: str, parameters: Sequence[str], called: Iterable[str], lines: Sequence[str],
        owners: Sequence[Expr | None],
    ) -> None:  # fmt: skip
        """Add a function.

        The functions that it calls are defaults of parameters: in the module's scope they would be
        a part of what they refer to themselves, a cycle.
        """
        defaults = [f"{each}={each}" for each in called]
        head = f"def {name}({', '.join([*parameters, *['*'] * bool(defaults), *defaults])}):"
        gap = [""] if self.lines else []
        self.starts[name] = len(self.lines)
        self.lines += [*gap, head, *lines]
        self.owners += [*[None] * len(gap), None, *owners]


class Writer:
    """Writes the function of one graph; its state is the names and lines so far."""

    def __init__(
        self, graph: FrozenGraph, name: str, module: Module, given: Given | None = None
    ) -> None:
        self.plan = plan_buffers(graph, given, module.has_loops)
        self.graph, self.module = graph, module
        self.floats = held_as_floats(graph, name != "run")
        self.rounded = rounded_floats(graph, self.floats, name != "run")
        self.pairs = pairs_in(graph) if graph.paired else {}
        self.conversions: dict[tuple[Expr, str], str] = {}  # names of scalars as floats and back
        self.scope, self.types = module.scope, module.types
        self.taken: dict[str, int] = {}  # names, and the line from which on each is assigned
        self.names: dict[Expr, str] = {}
        self.numbers: dict[Expr, str] = {}
        self.sizes: dict[str, str] = {}
        self.unused: set[str] = set()  # sizes of operands that no line reads
        self.lines: list[str] = []
        self.owners: list[Expr | None] = []
        self.buffers: list[str] = []
        self.results: list[str] = []  # parameters that name the memory of a block's results
        self.row_lists: dict[tuple[Expr, LoopRows], list[str]] = {}  # that loops write
        self.let_go_with: dict[Expr, list[str]] = {}  # other names of rows that belong to a value
        self.copied: dict[Expr, list[tuple[Expr, str]]] = {}  # operands, into parts of rows
        self.called: dict[str, None] = {}
        self.body = 0, 0  # the first line of the body, and the line after it
        self.last_line = ""  # of the user's program, in a comment
        self.bare: dict[str, str] = {}  # lines that end in a comment, without it
        self.name = name
        for e in graph.inputs:
            self.names[e] = self.fresh(e.name)
        self.taken = dict.fromkeys(self.taken, -1)

    def fresh(self, wanted: str) -> str:
        """`wanted` as an identifier that is not taken in this function."""
        name = identifier(wanted)
        while name in self.taken or name in self.module.taken:
            name += "_"
        self.taken[name] = len(self.lines)
        self.module.local.add(name)
        return name

    def fresh_in_scope(self, wanted: str) -> str:
        """`wanted` as an identifier that is not taken in any function."""
        name = first = identifier(wanted)
        counts = self.module.counts
        while name in self.module.local or name in self.module.taken:
            counts[first] = counts.get(first, 0) + 1
            name = f"{first}_{counts[first]}"
        self.module.taken.add(name)
        return name

    def type_of(self, e: Expr) -> str:
        """The type of `e` in words."""
        if type(e.type) is not ArrayType:
            return str(e.type)
        key = e.type.shape, e.type.dtype
        result = self.types.get(key)
        if result is None:
            result = self.types[key] = str(e.type)
        return result

    def write(self, line: str, e: Expr | None) -> None:
        """Add a line, which computes `e` or is part of it."""
        self.lines.append(line)
        self.owners.append(e)

    def finish(self) -> None:
        """Add the function to its module, a long one in parts."""
        start, stop = self.body
        if stop - start > LONG:
            split(self)
        parameters = [*[self.names[e] for e in self.graph.inputs], *self.results]
        self.module.add(self.name, parameters, self.called, self.lines, self.owners)
        self.module.names |= self.names
        self.module.sizes |= self.sizes


def pair_name(op: Op, second: str) -> str:
    """The name of the kernel of an op and another."""
    return f"{op.name}_and_{second}"


def axis_text(w: Writer, e: Expr, axis: int) -> str:
    """The size of an axis of a value, as Python source."""
    if isinstance(e.type, HistoryType):
        return f"len({w.names[e]})"
    return f"{w.names[e]}.shape[{axis}]"


def operand_name(w: Writer, x: Expr, user: Expr) -> str:
    """How `user` refers to `x`: among numbers, a constant is a number. See Note [Float scalars]."""
    if x.type.shape:
        return w.names[x]
    if w.graph.lowering and type(x.type) is ArrayType:
        if user in w.floats or (takes_floats(user) and is_number(x, w.graph.lowering)):
            return float_text(w, x)
        if x in w.floats:
            return converted(w, x, f"{dtype_name(w, x.dtype, '_type')}({{}})")
    if x.kind is not CONSTANT or user.type.shape:
        return w.names[x]
    if x not in w.numbers:
        w.numbers[x] = w.fresh_in_scope(f"{w.names[x]}_")
        w.scope[w.numbers[x]] = x.value[()]
    return w.numbers[x]


def output_name(w: Writer, y: Expr) -> str:
    """How a graph inside another gives `y`: floats as they are, but flags as NumPy's."""
    if y in w.floats and y.dtype.kind == "b":  # outside a flag may be any op's operand
        return converted(w, y, f"{dtype_name(w, y.dtype, '_type')}({{}})")
    return operand_name(w, y, y)


def float_text(w: Writer, x: Expr) -> str:
    """How a value that is computed on floats refers to `x`, an operand without axes."""
    if x.kind is Kind.CONSTANT:
        return float_literal(x)
    if x in w.floats or x.dtype.kind == "b":
        return w.names[x]
    return converted(w, x, "{}.item()")


def converted(w: Writer, x: Expr, form: str) -> str:
    """The name of `x` as a float, or as a NumPy scalar, after the line that converts it."""
    if (x, form) not in w.conversions:
        w.conversions[x, form] = name = w.fresh(f"{w.names[x]}_")
        w.write(f"    {name} = {form.format(w.names[x])}", x)
    return w.conversions[x, form]


def size_text(w: Writer, size: Dim) -> str:
    """An unknown size as Python source."""
    w.scope |= {"broadcast": broadcast_size, "nonnegative": nonnegative}
    if unknown := sorted(size.names() - w.sizes.keys()):
        raise no_source(unknown[0])
    return size.render(lambda name: w.sizes[name])


def shape_text(w: Writer, shape: Shape) -> str:
    """A shape as Python source."""
    sizes = [size_text(w, n) if isinstance(n, Dim) else str(n) for n in shape]
    return f"({', '.join(sizes)}{',' if len(sizes) == 1 else ''})"


def dtype_name(w: Writer, dtype: np.dtype[Any], suffix: str = "") -> str:
    """The name of a dtype in the source."""
    result = w.module.dtypes.get((dtype, suffix))
    if result is None:
        own = suffix or ("_" if dtype.name == "bool" else "")  # that Python's stays what it is
        result = w.module.dtypes[dtype, suffix] = f"{dtype.name}{own}"
        w.scope[result] = dtype.type if suffix else np.dtype(dtype.name)
    return result
