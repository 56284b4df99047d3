"""A graph as machine code.

Note [Native code]. All of a graph is one function, in which all sizes are known. What is stored,
and in which loops it is computed, a `Plan` says; the writer of a graph follows it. It knows where
stored values lie, and computes others where they are read. Loops of a graph are loops of the
function: the writer of their body writes into the same function.
"""

from collections.abc import Iterable, Mapping, Sequence

from gradops.native.costs import CostTable
from gradops.native.ir.copies import copy
from gradops.native.ir.cuts import Spot, cut, set_apart
from gradops.native.ir.elementwise import apply
from gradops.native.ir.finite import note_entries
from gradops.native.ir.memory import Memory
from gradops.native.ir.modules import passes_for
from gradops.native.ir.places import Place
from gradops.native.ir.scalars import NotNative, Scalar, call_pair, cast, choose, constant
from gradops.native.ir.sharing import share
from gradops.native.ir.subjects import about
from gradops.native.ir.text import At, FunctionText, calls_library
from gradops.native.ir.vectors import numbers

from ..ir.expr import Expr, Kind
from ..ir.graph import FrozenGraph, has_graphs
from .nests import NestWriter
from .planning.choices import Choices
from .planning.kinds import MOVES, TRIANGLES, aligned, axes_before, is_computed, name_of
from .planning.plan import Plan, Unit
from .planning.work import work_of, work_of_expression
from .templates import checks, indexing, loops, matrices, moves, products, scans
from .templates.calls import write_call
from .templates.table import is_written, writer_of

TABLES = checks, indexing, loops, matrices, moves, products, scans
"""The modules that add to `WRITERS`; others do when they are needed."""


def has_writer(e: Expr) -> bool:
    """True for an op that has code of its own, whatever its operands are."""
    return is_written(name_of(e))


class GraphWriter:
    """Writes the code of a graph into a function. See Note [Native code]."""

    def __init__(
        self, f: FunctionText, memory: Memory, graph: FrozenGraph, table: CostTable,
        choices: Choices,
    ) -> None:  # fmt: skip
        self.f, self.memory, self.graph = f, memory, graph
        self.table, self.choices = table, choices
        self.places: dict[Expr, Place] = {}
        self.parts: dict[Expr, list[Place]] = {}
        self.values: dict[tuple[Expr, tuple[At, ...]], Scalar] = {}
        self.targets: dict[Expr, Place] = {}
        self.lent: set[Expr] = set()  # values that lie where they are joined with others
        self.partners: dict[Expr, Expr] = {}  # sines and cosines that are computed at once
        self.turned: dict[Expr, Expr] = {}  # values, and transposes of them that lie in order
        self.writing: Expr | None = None
        self.is_inner = False  # true for a graph inside another one
        self.tag = ""

    def write(self, inputs: Sequence[Place], results: Sequence[Place]) -> None:
        """Write the lines that compute the results of the graph into places."""
        graph = self.graph
        self.places |= dict(zip(graph.inputs, inputs, strict=True))
        plan = Plan(graph)
        for e, place in zip(graph.results, results, strict=True):
            if e in plan.stored:
                self.targets.setdefault(e, place)
        framed, spots = len(self.f.frame), [self.spot()]
        self.note_turned(plan)
        self.place_joined(plan)
        for unit, dying in zip(plan.units, plan.dying, strict=True):
            line, parts = len(self.f.lines), len(self.f.parts)
            with about(self.f, (self.graph, unit)):
                self.write_unit(unit, plan)
            if not self.is_inner:
                self.count_work(unit, line, parts)
            spots.append(self.spot())
            for e in dying:
                self.release(e)
        for e, place in zip(graph.results, results, strict=True):
            if self.targets.get(e) is not place:
                copy(self.f, self.place(e), place)
                spots.append(self.spot())
        shared = share(self.f, framed, spots)
        if work_of(graph) >= self.table.worth:
            shared = set_apart(self.f, framed, shared)
        cut(self.f, framed, shared, runs_once=not self.is_inner)

    def spot(self) -> Spot:
        """The place where the next line will be."""
        return Spot(len(self.f.lines), self.f.label)

    def inside(self, graph: FrozenGraph, inputs: Sequence[Place], results: Sequence[Place]) -> None:
        """Write the lines of a graph inside this one, here."""
        writer = GraphWriter(self.f, self.memory, graph, self.table, self.choices)
        writer.is_inner = True
        writer.write(inputs, results)

    def count_work(self, unit: Unit, line: int, parts: int) -> None:
        """Count the operations of a unit, if lines of the function itself do them.

        Those of loops that need more passes than others do not count: their functions are not cold.
        """
        lines, has_parts = self.f.lines[line:], len(self.f.parts) > parts
        if has_graphs(unit.members[0]):
            is_counted = has_parts or passes_for("\n".join([*lines, ""])) == "few"
        else:
            is_counted = not (has_parts or calls_library(lines))
        if is_counted:
            self.f.work += sum(map(work_of_expression, unit.members))

    def note_turned(self, plan: Plan) -> None:
        """Note the values that only a reshaped transpose reads: they lie so that it is no copy."""
        for e in plan.stored:
            (t, *others), readers = plan.readers[e] or [e], plan.readers
            if others or e in self.targets or name_of(t) != "transpose" or t in plan.results:
                continue
            if [name_of(r) for r in readers[t]] == ["reshape"] and t not in plan.stored:
                self.turned[e] = t

    def place_joined(self, plan: Plan) -> None:
        """Compute what is joined, and read by nothing else, where it is to lie."""
        for e in plan.stored:
            if name_of(e) in ("concatenate", "stack"):
                to = self.targets[e] = self.memory_for(e)
                for x, part in zip(e.inputs, products.parts_of(e, to), strict=True):
                    alone = plan.readers[x] == [e] and x in plan.stored and x.dtype == e.dtype
                    if alone and x not in self.targets:
                        self.targets[x] = part
                        self.lent.add(x)

    def write_unit(self, unit: Unit, plan: Plan) -> None:
        """Write one unit."""
        e, mark, count = unit.members[0], self.f.mark(), len(self.choices)
        self.writing = e
        if unit.axes is not None:
            NestWriter(self, unit, plan).write()
            return
        try:
            (writer_of(name_of(e)) or write_call)(self, e)
        except NotNative:
            self.f.undo(mark)
            self.choices.undo(count)
            write_call(self, e)
        if self.f.is_checked and not has_graphs(e):
            self.note_infinities(self.parts.get(e) or [self.place(e)])

    def pick(self, costs: Mapping[str, float]) -> str:
        """The fastest of several ways to compute what is being written, by predicted times."""
        return self.choices.pick(self.writing, costs)

    def release(self, e: Expr) -> None:
        """Let others use the memory of a value that nothing reads any more."""
        if e not in self.lent:
            for place in self.parts.get(e, [self.places[e]] if e in self.places else []):
                self.memory.release(place)

    def memory_for(self, e: Expr) -> Place:
        """Memory for a value: that of a result, or new memory."""
        if e in self.targets:
            return self.targets[e]
        t = self.turned.get(e, e)
        memory = self.memory.array(t.shape, t.dtype)
        return memory if t is e else memory.transposed(axes_before(t))

    def place_for(self, e: Expr) -> Place:
        """Memory for a value that is written now."""
        place = self.places[e] = self.memory_for(e)
        return place

    def place(self, e: Expr) -> Place:
        """Where a stored value lies, or a view of one."""
        found = self.places.get(e)
        if found is None:
            found = self.places[e] = self.place_of_other(e)
        return found

    def place_of_other(self, e: Expr) -> Place:
        """The place of a constant, of a part or of a view."""
        if e.kind is Kind.CONSTANT:
            return self.memory.constant(e.value)
        assert e.op is not None
        x = e.inputs[0]
        if e.op.name == "part":
            return self.parts[x][e.attrs["index"]]
        source = self.place(x)
        match e.op.name:
            case "stacked" | "unstacked" | "retyped":
                return source
            case "list_entry":
                return source.entry(e.attrs["index"])
            case "list_slice":
                return source.entries(slice(*e.attrs.values()))
        return source.view(e.op, e.attrs, e.shape) or self.place_of_copy(e, source)

    def place_of_copy(self, e: Expr, source: Place) -> Place:
        """The place of a view of an array that does not lie in order; the array is copied."""
        assert e.op is not None
        compact = self.memory.array(source.shape, source.dtype)
        copy(self.f, source, compact)
        seen = compact.view(e.op, e.attrs, e.shape)
        if seen is None:
            raise NotNative(f"{e.label} is no view of {source}")
        return seen

    def give_up_unless(self, test: Scalar) -> None:
        """Go on only if a test holds; else NumPy runs the graph."""
        good, bad = self.f.fresh("good"), self.f.fresh("bad")
        self.f.branch(test.name, good, bad)
        self.f.start(bad)
        self.f.do("ret i32 1")
        self.f.start(good)

    def note_infinities(self, places: Iterable[Place]) -> None:
        """Give up in the end if an entry of some arrays of floats is not finite."""
        for p in places:
            if p.dtype.kind == "f":
                note_entries(self.f, p)

    def value(self, e: Expr, index: tuple[At, ...]) -> Scalar:
        """The value of an entry, computed here if it is not stored."""
        key = e, index
        known = self.values.get(key)
        if known is None:
            known = self.values[key] = self.new_value(e, index)
        return known

    def new_value(self, e: Expr, index: tuple[At, ...]) -> Scalar:
        """The value of an entry that has not been read in this nest."""
        if e in self.places:
            return self.places[e].load(self.f, index, self.tag)
        if e.kind is Kind.CONSTANT and e.value.size == 1:
            return constant(self.f, e.value.reshape(())[()], e.dtype)
        if e.op is None or not is_computed(e):
            return self.place(e).load(self.f, index, self.tag)
        name = e.op.name
        if name in MOVES:
            return self.value(e.inputs[0], MOVES[name](e, index))
        if name in ("full_like", "zeroed"):
            return constant(self.f, e.attrs.get("value", 0), e.dtype)
        if name in TRIANGLES:
            return self.entry_of_triangle(e, index)
        args = [self.value(x, aligned(x.shape, index)) for x in e.inputs]
        if e in self.partners:
            return self.wave(e, args[0], index)
        if name == "summed":
            return args[0] + args[1]
        return cast(args[0], e.dtype) if name == "astype" else apply(e.op, args, e.attrs, e.dtype)

    def wave(self, e: Expr, x: Scalar, index: tuple[At, ...]) -> Scalar:
        """A sine or a cosine; the other one is computed at once."""
        y, z = call_pair("sincos", x)
        one, other = (y, z) if name_of(e) == "sin" else (z, y)
        self.values[self.partners[e], index] = other
        return one

    def entry_of_triangle(self, e: Expr, index: tuple[At, ...]) -> Scalar:
        """An entry on one side of a diagonal, or zero."""
        row, column = (numbers(self.f, i) for i in index[-2:])
        x, diagonal = self.value(e.inputs[0], index), row + e.attrs["k"]
        return choose(column <= diagonal if name_of(e) == "tril" else column >= diagonal, x, 0)
