"""A graph as machine code: which values are computed where, and in which loops.

Note [Native code]. A value is either stored, in memory, or it is computed where it is read, entry
by entry, inside the loops of what reads it. A unit of code is a nest of loops over the axes of an
array, which computes stored values and sums of entries; or an op that has code of its own, as a
product of matrices has. Stored values that have the same axes and do not wait for one another share
a nest. All sizes are known.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from gradops.core.traits import Trait

from ..ir.expr import Expr, Kind
from ..ir.graph import FrozenGraph, all_expressions, has_graphs
from ..ir.tuple_types import TupleType, types_of_parts
from .memory import Memory
from .places import Place
from .reductions import REDUCTIONS, Reduction
from .scalars import BOOL, NotNative, Scalar, apply, cast, choose, constant
from .text import FunctionText, Index, is_native, plus

EXPENSIVE = 6  # operations from which a value that is read twice is stored
DEEP = 40  # values computed within one another
SMALL_CONSTANT = 1 << 12  # entries
COSTS = {"exp": 10, "log": 10, "tanh": 12, "sin": 12, "cos": 12, "sqrt": 4, "div": 4,
         "sigmoid": 14, "power": 30, "log1p": 12, "expm1": 12}  # fmt: skip


@dataclass(eq=False)
class Unit:
    """Values that are computed in one nest of loops, or one that has code of its own."""

    domain: tuple[int, ...] | None
    members: list[Expr] = field(default_factory=list)


Write = Callable[["GraphWriter", Expr], None]
WRITERS: dict[str, Write] = {}
"""Ops with code of their own, by name."""


class GraphWriter:
    """Writes the code of a graph, into a function."""

    def __init__(self, f: FunctionText, memory: Memory, graph: FrozenGraph) -> None:
        self.f, self.memory, self.graph = f, memory, graph
        self.places: dict[Expr, Place] = {}
        self.parts: dict[Expr, list[Place]] = {}
        self.values: dict[tuple[Expr, tuple[Index, ...]], Scalar] = {}
        self.targets: dict[Expr, list[Place]] = {}
        self.tag = ""

    def write(self, inputs: Sequence[Place], results: Sequence[Place]) -> None:
        """Write the lines that compute the results of the graph into places."""
        graph = self.graph
        for e in graph.order:
            require_code(e)
        self.places |= dict(zip(graph.inputs, inputs, strict=True))
        for e, place in zip(graph.results, results, strict=True):
            self.targets.setdefault(e, []).append(place)
        plan = Plan(graph, frozenset(self.targets))
        for unit in plan.units:
            self.write_unit(unit, plan)
        done = {id(p) for e in plan.stored for p in self.targets.get(e, [])[:1]}
        for e, places in self.targets.items():
            for place in places:
                if id(place) not in done:
                    self.copy(e, place)

    def write_unit(self, unit: Unit, plan: "Plan") -> None:
        """Write one unit."""
        if unit.domain is None:
            WRITERS[unit.members[0].op.name](self, unit.members[0])
        else:
            NestWriter(self, unit, plan).write()

    def place_for(self, e: Expr) -> Place:
        """Memory for a value: that of a result, or new memory."""
        if e in self.targets:
            self.places[e] = self.targets[e][0]
        else:
            self.places[e] = self.memory.array(e.shape, e.dtype)
        return self.places[e]

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
        if e.op is not None and e.op.name == "part":
            return self.parts[e.inputs[0]][e.attrs["index"]]
        if e.op is not None and e.op.name in ("stacked", "unstacked"):
            return self.place(e.inputs[0])
        assert e.op is not None
        seen = self.place(e.inputs[0]).view(e.op, e.attrs, e.shape)
        if seen is not None:
            return seen
        source = self.place(e.inputs[0])  # a reshaped array that does not lie in order
        compact = self.memory.array(source.shape, source.dtype)
        self.copy_place(source, compact)
        seen = compact.view(e.op, e.attrs, e.shape)
        if seen is None:
            raise NotNative(f"{e.op} of {source}")
        return seen

    def copy_place(self, source: Place, to: Place) -> None:
        """Copy an array."""
        index: list[str] = []
        self.copy_axes(source, to, index)

    def copy_axes(self, source: Place, to: Place, index: list[str]) -> None:
        if len(index) == len(to.shape):
            to.store(self.f, index, source.load(self.f, index))
            return
        with self.f.loop(to.shape[len(index)]) as i:
            self.copy_axes(source, to, [*index, i])

    def fill(self, to: Place, value: float, index: tuple[Index, ...] = ()) -> None:
        """Set all entries."""
        if len(index) == len(to.shape):
            to.store(self.f, index, constant(self.f, value, to.dtype))
            return
        with self.f.loop(to.shape[len(index)]) as i:
            self.fill(to, value, (*index, i))

    def give_up_unless(self, test: Scalar) -> None:
        """Go on only if a test holds; else NumPy runs the graph."""
        good, bad = self.f.fresh("good"), self.f.fresh("bad")
        self.f.branch(test.name, good, bad)
        self.f.start(bad)
        self.f.do("ret i32 1")
        self.f.start(good)

    def copy(self, e: Expr, to: Place) -> None:
        """Write the value of an expression into a further place."""
        self.copy_place(self.place(e), to)

    def value(self, e: Expr, index: tuple[Index, ...]) -> Scalar:
        """The value of an entry, computed here if it is not stored."""
        key = e, index
        known = self.values.get(key)
        if known is None:
            known = self.values[key] = self.new_value(e, index)
        return known

    def triangle(self, e: Expr, index: tuple[Index, ...]) -> Scalar:
        """An entry on one side of a diagonal, or zero."""
        x, test = self.value(e.inputs[0], index), "sle" if e.op.name == "tril" else "sge"
        i, j = plus(self.f, index[-2], e.attrs["k"]), index[-1]
        kept = Scalar(self.f, self.f.emit(f"icmp {test} i64 {j}, {i}"), BOOL)
        return choose(kept, x, 0)

    def new_value(self, e: Expr, index: tuple[Index, ...]) -> Scalar:
        if e in self.places:
            return self.places[e].load(self.f, index, self.tag)
        if e.kind is Kind.CONSTANT and e.value.size == 1:
            return constant(self.f, e.value.reshape(())[()], e.dtype)
        if e.op is None or not is_computed(e):
            return self.place(e).load(self.f, index, self.tag)
        name = e.op.name
        if name in MOVES:
            return self.value(e.inputs[0], MOVES[name](e, index))
        if name == "full_like":
            return constant(self.f, e.attrs["value"], e.dtype)
        if name == "astype":
            return cast(self.value(e.inputs[0], index), e.dtype)
        if name in ("tril", "triu"):
            return self.triangle(e, index)
        args = [self.value(x, aligned(x.shape, index)) for x in e.inputs]
        return apply(e.op, args, e.attrs, e.dtype)


def require_types(graph: FrozenGraph) -> None:
    """Raise NotNative unless all values have dtypes and sizes that machine code knows."""
    for e in all_expressions(graph):
        require_type(e)


def require_type(e: Expr) -> None:
    """Raise NotNative for a value of another dtype, of unknown sizes, or without entries."""
    types = types_of_parts(e) if isinstance(e.type, TupleType) else [e.type]
    for t in types:
        if not is_native(t.dtype) or any(type(n) is not int for n in t.shape):
            raise NotNative(f"{e.label}: {t}")
        if 0 in t.shape:
            raise NotNative(f"{e.label} is empty")


def require_code(e: Expr) -> None:
    """Raise NotNative for an op that has no code."""
    if e.op is not None and not (
        is_computed(e) or e.op.name in WRITERS or e.op.name in REDUCTIONS or is_look(e)
    ):
        raise NotNative(f"{e.op.name} has no code")


def is_look(e: Expr) -> bool:
    """True for views of memory, and for parts."""
    assert e.op is not None
    if e.op.name in WRITERS or e.op.name in REDUCTIONS:
        return False
    if e.op.name in ("part", "stacked", "unstacked", "reshape"):
        return True
    return Trait.VIEW in e.op.traits and Trait.CONTROL not in e.op.traits


def is_computed(e: Expr) -> bool:
    """True for a value whose entries are computed each by itself."""
    if e.op is None or has_graphs(e):
        return False
    if e.op.name == "reshape":
        return units_only(e)
    return (
        e.op.name in MOVES
        or e.op.name in ("astype", "tril", "triu")
        or Trait.ELEMENTWISE in e.op.traits
    )


def units_only(e: Expr) -> bool:
    """True for a reshape that only adds or drops axes of one entry."""
    return [n for n in e.shape if n != 1] == [n for n in e.inputs[0].shape if n != 1]


def aligned(shape: Sequence[int], index: Sequence[Index]) -> tuple[Index, ...]:
    """The index of an operand that is broadcast."""
    rest = index[len(index) - len(shape) :]
    return tuple([0 if n == 1 else i for n, i in zip(shape, rest, strict=True)])


def move_units(e: Expr, index: Sequence[Index]) -> tuple[Index, ...]:
    """The index before axes of one entry were added or dropped."""
    others = iter([i for i, n in zip(index, e.shape, strict=True) if n != 1])
    return tuple([0 if n == 1 else next(others) for n in e.inputs[0].shape])


def move_axes(e: Expr, index: Sequence[Index]) -> tuple[Index, ...]:
    """The index before a transposition."""
    axes = e.attrs["axes"] or tuple(reversed(range(len(index))))
    result: list[Index] = [0] * len(index)
    for i, axis in zip(index, axes, strict=True):
        result[axis] = i
    return tuple(result)


def move_repeated(e: Expr, index: Sequence[Index]) -> tuple[Index, ...]:
    """The index before a broadcast."""
    return aligned(e.inputs[0].shape, index)


MOVES = {
    "reshape": move_units, "expand_dims": move_units, "squeeze": move_units,
    "transpose": move_axes, "broadcast_to": move_repeated,
}  # fmt: skip


def cost_of(e: Expr) -> int:
    """About how many operations an entry takes."""
    if e.op is None or e.op.name in MOVES:
        return 0
    return COSTS.get(e.op.name, 1)


class Plan:
    """Which values of a graph are stored, and the units that compute them."""

    def __init__(self, graph: FrozenGraph, results: frozenset[Expr]) -> None:
        self.graph, self.results = graph, results
        self.readers: dict[Expr, list[Expr]] = {e: [] for e in graph.order}
        for e in graph.order:
            for x in e.inputs:
                self.readers[x].append(e)
        self.cost: dict[Expr, int] = {}
        self.depth: dict[Expr, int] = {}
        self.stored: dict[Expr, None] = {}
        self.in_memory: set[Expr] = set()
        for e in graph.order:
            self.decide(e)
        self.units: list[Unit] = []
        self.unit_of: dict[Expr, int] = {}
        for e in self.stored:
            self.assign(e)
        self.dropped = {e for e in self.stored if self.is_local(e)}

    def decide(self, e: Expr) -> None:
        """Note if an expression is stored."""
        inner = [x for x in e.inputs if x not in self.stored and x.op is not None]
        self.cost[e] = cost_of(e) + sum(self.cost[x] for x in inner)
        self.depth[e] = 1 + max([self.depth[x] for x in inner], default=0)
        if e.op is None:
            if e.kind is not Kind.CONSTANT or e.shape:
                self.in_memory.add(e)
            return
        if is_look(e) and (not is_computed(e) or e.inputs[0] in self.in_memory):
            self.in_memory.add(e)
            return
        if not is_computed(e) or e in self.results or self.must_store(e):
            self.stored[e] = None
            self.in_memory.add(e)

    def must_store(self, e: Expr) -> bool:
        """True for a computed value that is read from memory, or more often than it is cheap."""
        readers = self.readers[e]
        if any(not (is_computed(r) or reduces(r)) for r in readers):
            return True
        if self.depth[e] >= DEEP:
            return True
        wider = any(is_computed(r) and size(r) > size(e) for r in readers)
        return (
            self.cost[e] >= EXPENSIVE // 2
            and (len(readers) > 1 or wider)
            and e.op.name not in MOVES
        )

    def leaves(self, e: Expr) -> Iterator[tuple[Expr, bool]]:
        """The stored values from which one is computed; True if read at the same index."""
        stack = [(x, is_aligned(e, x)) for x in e.inputs]
        seen = set()
        while stack:
            pair = x, same = stack.pop()
            if pair in seen:
                continue
            seen.add(pair)
            if x in self.stored:
                yield x, same
            elif x.op is not None:
                stack += [(y, same and is_aligned(x, y)) for y in x.inputs]

    def assign(self, e: Expr) -> None:
        """Give a stored value a unit: the first that has its axes, after those it waits for."""
        domain = domain_of(e)
        earliest = 0
        for x, same in self.leaves(e):
            n = self.unit_of[x]
            shares = (
                same and domain is not None and self.units[n].domain == domain and not reduces(x)
            )
            earliest = max(earliest, n if shares else n + 1)
        if domain is not None:
            for n in range(earliest, len(self.units)):
                if self.units[n].domain == domain:
                    self.units[n].members.append(e)
                    self.unit_of[e] = n
                    return
        self.unit_of[e] = len(self.units)
        self.units.append(Unit(domain, [e]))

    def is_local(self, e: Expr) -> bool:
        """True for a value that only its own nest reads, at the same index."""
        if e in self.results or reduces(e) or domain_of(e) is None:
            return False
        n, stack = self.unit_of[e], [(r, is_aligned(r, e)) for r in self.readers[e]]
        while stack:
            r, same = stack.pop()
            if not same:
                return False
            if r in self.stored:
                if self.unit_of[r] != n:
                    return False
            elif not is_computed(r):
                return False
            else:
                stack += [(s, is_aligned(s, r)) for s in self.readers[r]]
        return True


def reduces(e: Expr) -> bool:
    """True for a reduction."""
    return e.op is not None and e.op.name in REDUCTIONS


def size(e: Expr) -> int:
    """The number of entries."""
    return math.prod(e.shape)


def is_aligned(e: Expr, x: Expr) -> bool:
    """True if an entry of `e`, or of what it adds up, reads the entry of `x` at its index."""
    if reduces(e):
        return True
    return is_computed(e) and e.op.name not in MOVES and e.shape == x.shape


def domain_of(e: Expr) -> tuple[int, ...] | None:
    """The axes of the loops that compute a value; None for one that has code of its own."""
    if reduces(e):
        return e.inputs[0].shape
    return e.shape if is_computed(e) else None


class NestWriter:
    """Writes a nest of loops."""

    def __init__(self, writer: GraphWriter, unit: Unit, plan: Plan) -> None:
        self.w, self.f, self.plan = writer, writer.f, plan
        self.domain = unit.domain or ()
        self.reductions: dict[Expr, Reduction] = {}
        self.members = unit.members
        for e in unit.members:
            if reduces(e):
                self.reductions[e] = REDUCTIONS[e.op.name](e)

    def write(self) -> None:
        """Write the loops."""
        places = {e: self.w.place_for(e) for e in self.members if e not in self.plan.dropped}
        for e in places:
            del self.w.places[e]
        self.stores = places
        self.inner = {e: r for e, r in self.reductions.items() if r.is_suffix}
        for e, r in self.reductions.items():
            if not r.is_suffix:
                r.fill(self.f, places[e])
        self.accumulators: dict[Expr, Place] = {}
        self.write_axis(())
        self.w.values.clear()
        self.w.places |= places
        for e, r in self.reductions.items():
            r.finish(self.w, places[e])

    def write_axis(self, index: tuple[Index, ...]) -> None:
        """Write the loops of the axes from here on."""
        depth = len(index)
        here = {e: r for e, r in self.inner.items() if r.first == depth}
        for e, r in here.items():
            self.accumulators[e] = r.begin(self.f)
        if depth == len(self.domain):
            self.write_entry(index)
        else:
            is_last = depth == len(self.domain) - 1
            self.w.tag = self.w.memory.access if is_last and self.is_parallel() else ""
            tag = self.w.memory.parallel if is_last and self.is_parallel() else ""
            with self.f.loop(self.domain[depth], tag) as i:
                self.write_axis((*index, i))
            if is_last:
                self.w.tag = ""
        for e, r in here.items():
            total = self.accumulators[e].load(self.f, ())
            self.stores[e].store(self.f, r.place_index(index), total)

    def is_parallel(self) -> bool:
        """True if the steps of the innermost loop write to different entries."""
        return all(r.is_suffix or r.keeps_last for r in self.reductions.values())

    def write_entry(self, index: tuple[Index, ...]) -> None:
        """Write what is computed for one entry."""
        self.w.values.clear()
        for e in self.members:
            r = self.reductions.get(e)
            if r is None:
                x = self.w.value(e, index)
                if e in self.stores:
                    self.stores[e].store(self.f, index, x, self.w.tag)
            else:
                x = self.w.value(e.inputs[0], index)
                if e in self.inner:
                    r.add(self.f, self.accumulators[e], (), x, reassociate=True)
                else:
                    r.add(self.f, self.stores[e], r.place_index(index), x, tag=self.w.tag)
