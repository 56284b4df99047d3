"""Which values of a graph are stored, and in which nests of loops they are computed.

Note [Units]. A unit of code is a nest of loops over the axes of an array, which computes stored
values and adds up entries; or it is a writer's. A value that is computed, but not stored, is
computed where it is read. It is stored if memory of it is wanted, or if several read it and it
takes many operations, or if another one is computed at once with it: sine and cosine. Stored values
with the same axes that do not wait for one another share a nest; what only its own nest reads, at
the same index, need not be written to memory at all.
"""

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from gradops.native.costs import OPERATIONS

from ...ir.expr import Expr, Kind
from ...ir.graph import FrozenGraph
from .kinds import (
    MOVES,
    axes_of_loops,
    is_computed,
    is_reduction,
    is_view,
    may_raise,
    name_of,
)

EXPENSIVE = 3  # operations from which a value that is read twice is stored
DEEP = 40  # values computed within one another
WAVES = "sin", "cos"
LARGEST = 1500  # operations from which a nest is full: LLVM takes more than linear time for one


class Unit:
    """Values that are computed in one nest of loops over axes, or one that has a writer."""

    def __init__(self, axes: tuple[int, ...] | None) -> None:
        self.axes, self.members, self.cost = axes, list[Expr](), 0


class Plan:
    """The stored values of a graph, and its units. See Note [Units]."""

    def __init__(self, graph: FrozenGraph) -> None:
        self.results = frozenset(graph.results)
        self.computed: dict[Expr, bool] = {e: is_computed(e) for e in graph.order}
        self.readers: dict[Expr, list[Expr]] = {e: [] for e in graph.order}
        for e in graph.order:
            for x in e.inputs:
                self.readers[x].append(e)
        self.partners = partners_in(graph)
        self.cost: dict[Expr, int] = {}
        self.depth: dict[Expr, int] = {}
        self.stored: dict[Expr, None] = {}
        self.in_memory: set[Expr] = set()
        for e in graph.order:
            self.decide(e)
        self.units: list[Unit] = []
        self.open: dict[tuple[int, ...], list[int]] = {}  # nests that are not full
        self.unit_of: dict[Expr, int] = {}
        for e in self.stored:
            self.assign(e)
        self.unwritten = {e for e in self.stored if self.is_read_in_place(e)}
        self.dying = self.last_readers()

    def decide(self, e: Expr) -> None:
        """Note if an expression is stored, or in memory without being so."""
        inner = [x for x in e.inputs if x not in self.stored and x.op is not None]
        own = 0 if e.op is None or e.op.name in MOVES else OPERATIONS.get(e.op.name, 1)
        self.cost[e] = own + sum(self.cost[x] for x in inner)
        self.depth[e] = 1 + max([self.depth[x] for x in inner], default=0)
        if e.op is None:
            is_memory = e.kind is not Kind.CONSTANT or bool(e.shape)
        elif is_view(e) and (not self.computed[e] or e.inputs[0] in self.in_memory):
            is_memory = True
        else:
            is_memory = not self.computed[e] or e in self.results or self.must_store(e)
            if is_memory:
                self.stored[e] = None
        if is_memory:
            self.in_memory.add(e)

    def must_store(self, e: Expr) -> bool:
        """True for a computed value that is wanted in memory, or read more often than is cheap."""
        readers = self.readers[e]
        if self.depth[e] >= DEEP or any(self.reads_memory(r) for r in readers):
            return True
        if e in self.partners or may_raise(e):
            return True
        if self.cost[e] < EXPENSIVE or name_of(e) in MOVES:
            return False
        size = math.prod(e.shape)
        return len(readers) > 1 or any(math.prod(r.shape) > size for r in readers)

    def reads_memory(self, e: Expr) -> bool:
        """True if an expression reads its operand in memory, or is a view that is read so.

        Such a view need not be stored itself, and what it looks at lies as its nest computes it.
        """
        stack = [e]
        while stack:
            e = stack.pop()
            if not (self.computed[e] or is_reduction(e)):
                return True
            if name_of(e) in MOVES and is_view(e):
                stack += self.readers[e]
        return False

    def reads_alike(self, e: Expr, x: Expr) -> bool:
        """True if an entry of `e`, or of what it adds up, reads the entry of `x` at its index."""
        if is_reduction(e):
            return True
        return self.computed[e] and name_of(e) not in MOVES and e.shape == x.shape

    def leaves(self, e: Expr) -> Iterator[tuple[Expr, bool]]:
        """The stored values from which one is computed; True if read at the same index."""
        stack, seen = [(x, self.reads_alike(e, x)) for x in e.inputs], set()
        while stack:
            pair = x, alike = stack.pop()
            if pair not in seen:
                seen.add(pair)
                if x in self.stored:
                    yield x, alike
                elif x.op is not None:
                    stack += [(y, alike and self.reads_alike(x, y)) for y in x.inputs]

    def views_read(self, members: Sequence[Expr]) -> Iterator[Expr]:
        """The values in memory, but not stored, that the code of some values reads."""
        stack, seen = [x for e in members for x in e.inputs], set()
        while stack:
            x = stack.pop()
            if x not in seen and x not in self.stored:
                seen.add(x)
                if x in self.in_memory:
                    yield x
                else:
                    stack += x.inputs

    def assign(self, e: Expr) -> None:
        """Give a stored value a unit: the first that has its axes, after those it waits for."""
        axes = axes_of_loops(e)
        earliest = 0
        for x, alike in self.leaves(e):
            n = self.unit_of[x]
            shares = alike and self.units[n].axes == axes is not None and not is_reduction(x)
            earliest = max(earliest, n if shares else n + 1)
        n = self.unit_of[e] = self.unit_for(axes, earliest)
        self.units[n].members.append(e)
        self.units[n].cost += self.cost[e]
        if axes is not None and self.units[n].cost >= LARGEST:
            self.open[axes].remove(n)

    def unit_for(self, axes: tuple[int, ...] | None, earliest: int) -> int:
        """The number of the first unit from one on that has room for loops over axes."""
        found = self.open.setdefault(axes, []) if axes is not None else []
        at = bisect_left(found, earliest)
        if at < len(found):
            return found[at]
        found.append(len(self.units))
        self.units.append(Unit(axes))
        return len(self.units) - 1

    def is_read_in_place(self, e: Expr) -> bool:
        """True for a value that only its own nest reads, at the same index."""
        if e in self.results or is_reduction(e) or axes_of_loops(e) is None:
            return False
        stack = [(r, self.reads_alike(r, e)) for r in self.readers[e]]
        while stack:
            r, alike = stack.pop()
            if not alike or not (self.computed[r] or is_reduction(r)):
                return False
            if r not in self.stored:
                stack += [(s, self.reads_alike(s, r)) for s in self.readers[r]]
            elif self.unit_of[r] != self.unit_of[e]:
                return False
        return True

    def last_readers(self) -> list[list[Expr]]:
        """For each unit, the stored values whose memory nothing after it reads."""
        last = dict(self.unit_of)
        for e in self.stored:
            for x, _ in self.leaves(e):
                last[x] = max(last[x], self.unit_of[e])
        for e in self.results:  # and what results are views of
            for x, _ in self.leaves(e):
                last.pop(x, None)
            last.pop(e, None)
        result: list[list[Expr]] = [[] for _ in self.units]
        for e, n in last.items():
            result[n].append(e)
        return result


def partners_in(graph: FrozenGraph) -> dict[Expr, Expr]:
    """For each sine and cosine of a value, the other one, where both are in a graph."""
    found: dict[Expr, dict[str, Expr]] = {}
    for e in graph.order:
        if name_of(e) in WAVES and e.dtype.kind == "f":
            found.setdefault(e.inputs[0], {})[name_of(e)] = e
    pairs = [(pair["sin"], pair["cos"]) for pair in found.values() if len(pair) == len(WAVES)]
    return {a: b for pair in pairs for a, b in (pair, pair[::-1])}
