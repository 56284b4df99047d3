"""A nest of loops: values that are computed entry by entry, and sums of entries."""

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from gradops.native.ir import vectors
from gradops.native.ir.copies import fill
from gradops.native.ir.finite import note_scalars
from gradops.native.ir.places import Place
from gradops.native.ir.scalars import Scalar
from gradops.native.ir.text import (
    ACCESS,
    CARRYING,
    PLAIN,
    SUMMING,
    At,
    FunctionText,
    Index,
    Lane,
    least,
    minus,
    plus,
    times,
)
from gradops.native.runtime.interrupts import blocks

from ..ir.expr import Expr
from .parts import CHUNKS, shared, split
from .planning.axes import order_of_axes
from .planning.kinds import MOVES, TRIANGLES, is_reduction, name_of
from .planning.plan import Plan, Unit
from .templates.reductions import Reduction, beginning

if TYPE_CHECKING:
    from .lowering import GraphWriter

LONG = 64  # passes of a loop that is shared because the first one sums
REGISTERS = (8, 4), (math.inf, 1)
"""Up to how many operations of an entry a vector takes how many registers."""
TURNS = 8  # vectors of an axis from which on they are of several registers
SHORT = 8  # passes up to which functions are called, and not part of the loop
CHEAP = 8  # operations of an entry up to which those of a few entries are written one by one


class NestWriter:
    """Writes a nest of loops."""

    def __init__(self, writer: "GraphWriter", unit: Unit, plan: Plan) -> None:
        self.w, self.f = writer, writer.f
        self.members, axes = unit.members, unit.axes or ()
        for e in plan.views_read(unit.members):  # what is copied for a view is copied once
            writer.place(e)
        self.order = order_of_axes(unit.members, len(axes), plan, writer.place)
        self.axes = tuple([axes[i] for i in self.order])
        self.reductions = {e: Reduction(e, self.order) for e in unit.members if is_reduction(e)}
        self.inner = {e: r for e, r in self.reductions.items() if r.is_suffix}
        self.stores = {e: self.memory_for(e) for e in unit.members if e not in plan.unwritten}
        self.totals: dict[Expr, Place] = {}
        self.is_parallel = all(r.is_suffix or r.keeps_last for r in self.reductions.values())
        count, self.cost = math.prod(self.axes), max(1, sum(plan.cost[e] for e in unit.members))
        if self.is_flat(plan):
            longest = max([i for i, n in enumerate(self.axes) if n > 1], default=0)
            self.axes = tuple([count if i == longest else 1 for i in range(len(self.axes))])
        self.work = count * self.cost
        self.cut_at(next((i for i, n in enumerate(self.axes) if n > 1), 0))
        if self.across and not self.has_chunks():
            self.cut_at(self.kept_axis())
        self.last = max([i for i, n in enumerate(self.axes) if n > 1], default=-1)
        self.mask: Scalar | None = None
        here = set(self.members)
        pairs = plan.partners.items()
        writer.partners = {e: other for e, other in pairs if e in here and other in here}

    def memory_for(self, e: Expr) -> Place:
        """Memory for a value: new memory has the axes in the order of the loops."""
        if e in self.reductions or e in self.w.targets:
            return self.w.memory_for(e)
        made = self.w.memory.array([e.shape[i] for i in self.order], e.dtype)
        return made.with_axes(self.places_of_axes)

    @property
    def places_of_axes(self) -> tuple[int, ...]:
        """For each axis, the number of its loop."""
        return tuple([self.order.index(i) for i in range(len(self.order))])

    def cut_at(self, axis: int) -> None:
        """Let threads share the passes of the loop of an axis."""
        self.cut = axis
        self.across = {e: r for e, r in self.reductions.items() if axis in r.axes}
        self.range: tuple[Index, Index] = 0, self.axes[axis] if self.axes else 1

    def kept_axis(self) -> int:
        """The longest axis that no sum runs over, if that is long; else the one chosen before."""
        summed = {i for r in self.reductions.values() for i in r.axes}
        kept = [i for i, n in enumerate(self.axes) if n >= LONG and i not in summed]
        return max(kept, key=self.axes.__getitem__, default=self.cut)

    def is_flat(self, plan: Plan) -> bool:
        """True if all arrays lie in order and are read entry by entry: one loop is enough then."""
        if any(r.first or not r.is_suffix for r in self.reductions.values()):
            return False
        here = set(self.members)
        stack, seen = [e.inputs[0] if e in self.reductions else e for e in self.members], set()
        while stack:
            e = stack.pop()
            if e in seen or math.prod(e.shape) == 1:
                continue
            seen.add(e)
            is_memory = e in plan.in_memory and e not in here
            if not self.lies_flat(e, is_memory):
                return False
            stack += () if is_memory else e.inputs
        return True

    def lies_flat(self, e: Expr, is_memory: bool) -> bool:
        """True if an entry of a value is that with the same number, of what it is computed from."""
        place = self.w.place(e) if is_memory else self.stores.get(e)
        is_moved = not is_memory and (name_of(e) in MOVES or name_of(e) in TRIANGLES)
        if is_moved or sorted(e.shape) != sorted(self.axes):
            return False
        is_ordered = place is None or place.with_axes(self.order).is_contiguous
        return tuple([e.shape[i] for i in self.order]) == self.axes and is_ordered

    def write(self) -> None:
        """Write the loops: of vectors, or of entries where these do not lie side by side."""
        mark, n = self.f.mark(), self.axes[self.last] if self.last >= 0 else 0
        stores, count = self.stores, len(self.w.choices)
        try:
            self.write_loops(lanes_of(n, self.cost, self.dtypes()) if n else 0)
        except vectors.NotVector:
            self.f.undo(mark)
            self.w.choices.undo(count)
            self.stores = stores
            self.write_loops(0)
        self.w.values.clear()
        self.w.places |= self.stores
        for e, r in self.reductions.items():
            r.finish(self.f, self.stores[e])
        if self.f.is_checked:
            self.w.note_infinities(self.stores[e] for e in self.reductions)

    def dtypes(self) -> Iterator[np.dtype]:
        """The dtypes of what is computed, and read."""
        for e in self.members:
            yield from [e.dtype, *[x.dtype for x in e.inputs]]

    def write_loops(self, lanes: int) -> None:
        """Write loops of so many entries at once. Threads share those of the first axis."""
        self.lanes, self.mask = lanes, None
        self.range = (0, self.passes_in(self.cut) if self.axes else 1)
        passes = math.prod(self.passes_in(i) for i in range(len(self.axes)))
        self.passes = passes if self.cost <= CHEAP and self.passes_in(self.last) <= 2 else None
        self.is_short = passes <= SHORT
        self.clear(e for e in self.reductions if e not in self.across)
        if not self.across:
            for some in shared(self.w, int(self.range[1]) - self.overlaps, self.work):
                self.range = self.with_last(*some)
                self.write_nest()
        elif self.has_chunks():
            self.write_chunks()
        else:
            self.clear(self.across)
            self.write_nest()

    @property
    def overlaps(self) -> bool:
        """True if the last vector of sums overlaps the one before: one thread adds up both."""
        of_last = bool(self.lanes and self.reductions) and self.cut == self.last
        return of_last and self.axes[self.last] % self.lanes != 0

    def with_last(self, begin: Index, end: Index) -> tuple[Index, Index]:
        """A range of passes, with the very last one if it has that before."""
        if not self.overlaps:
            return begin, end
        count = self.passes_in(self.cut) - 1
        is_end = self.f.emit(f"icmp eq i64 {end}, {count}")
        return begin, self.f.emit(f"select i1 {is_end}, i64 {count + 1}, i64 {end}", "n")

    def passes_in(self, axis: int) -> int:
        """The passes of the loop of an axis."""
        if axis < 0:
            return 1
        n = self.axes[axis]
        return -(-n // self.lanes) if self.lanes and axis == self.last else n

    def write_nest(self) -> None:
        """Write the loops of all axes."""
        f = self.f
        f.lanes, f.straight = self.lanes, self.is_short
        try:
            self.write_axis(())
        finally:
            f.lanes, f.straight = 0, False

    def clear(self, some: Iterable[Expr]) -> None:
        """Let sums that are added up in memory start."""
        for e in some:
            if e not in self.inner:
                fill(self.f, self.stores[e], self.reductions[e].start)

    def has_chunks(self) -> bool:
        """True if sums over the first axis are sums of sums. See Note [Shared loops]."""
        size = sum(math.prod(e.shape) for e in self.across)
        is_long = int(self.range[1]) >= CHUNKS and size * CHUNKS * 4 <= math.prod(self.axes)
        return self.work >= self.w.table.worth and is_long

    def write_chunks(self) -> None:
        """Write the loops for parts of the first axis, and add up what they sum."""
        whole, n = self.stores, int(self.range[1])
        sums = {e: self.w.memory.array((CHUNKS, *e.shape), e.dtype) for e in self.across}
        for c in split(self.w, CHUNKS, self.work):
            self.stores = whole | {e: p.row(self.f, c) for e, p in sums.items()}
            self.range = part_of(self.f, n, c), part_of(self.f, n, plus(self.f, c, 1))
            self.clear(self.across)
            self.write_nest()
        self.stores = whole
        for e, r in self.across.items():
            r.combine(self.f, sums[e], whole[e])
            self.w.memory.release(sums[e])

    def write_axis(self, index: tuple[At, ...]) -> None:
        """Write the loops of the axes from here on; sums that begin here end here."""
        here = {e: r for e, r in self.inner.items() if r.first == len(index)}
        for e, r in here.items():
            self.totals[e] = r.begin(self.f)
        if len(index) == len(self.axes):
            self.write_entry(index)
        else:
            for i in self.passes_of(len(index)):
                self.write_axis((*index, i))
        for e, r in here.items():
            r.end(self.f, self.totals[e], self.stores[e], index)

    def passes_of(self, axis: int) -> Iterator[At]:
        """The loop of an axis."""
        f, count = self.f, self.passes_in(axis)
        begin, end = self.range if axis == self.cut else (0, count)
        is_vector = bool(self.lanes) and axis == self.last
        is_parallel = axis == len(self.axes) - 1 and self.is_parallel and not self.lanes
        work = self.cost * math.prod(self.axes[axis + 1 :]) * (self.lanes if is_vector else 1)
        for first, last in blocks(f, (begin, end), count, work):
            self.w.tag = ACCESS if is_parallel else ""
            for i in f.loop(minus(f, last, first), is_parallel, self.passes, self.kind_of(axis)):
                at = plus(f, first, i)
                yield self.lane(at) if is_vector else at
            self.w.tag = ""

    def kind_of(self, axis: int) -> int:
        """The kind of the loop of an axis, if its passes wait for one another."""
        if self.reductions and not self.lanes and axis == len(self.axes) - 1:
            return SUMMING
        inner = all(self.passes_in(i) == 1 for i in range(axis + 1, len(self.axes)))
        inner &= self.passes_in(axis) >= LONG
        in_memory = [r for e, r in self.reductions.items() if e not in self.inner]
        return CARRYING if inner and any(axis in r.axes for r in in_memory) else PLAIN

    def lane(self, i: Index) -> Lane:
        """The entries of a pass of the last axis; those of the last one overlap others."""
        n, first = self.axes[self.last], times(self.f, i, self.lanes)
        start = least(self.f, first, n - self.lanes) if n % self.lanes else first
        self.mask = None
        if self.reductions and n % self.lanes:
            self.mask = vectors.skipped(self.f, start, first)
        return Lane(start)

    def write_entry(self, index: tuple[At, ...]) -> None:
        """Write what is computed for one entry, or those of a vector."""
        self.w.values.clear()
        own = tuple([index[k] for k in self.places_of_axes])
        for e in self.members:
            r = self.reductions.get(e)
            if r is None:
                x = self.w.value(e, own)
                if e in self.stores:
                    self.stores[e].store(self.f, own, x, self.w.tag)
                continue
            mask = None if e in self.inner and r.first > self.last else self.mask
            x = vectors.kept(mask, r.entry(self.w.value(e.inputs[0], own)), r.neutral)
            if e in self.inner:
                r.add(self.f, self.totals[e], beginning(self.f), x, "reassoc ")
            else:
                r.add_entries(self.f, self.stores[e], index, x, self.w.tag)
        if self.f.is_checked:
            note_scalars(self.f, self.computed_floats())

    def computed_floats(self) -> Iterator[Scalar]:
        """The floats that were computed for an entry, or for those of a vector."""
        for (e, _), x in self.w.values.items():
            if x.dtype.kind == "f" and e.op is not None and e not in self.w.places:
                yield x


def lanes_of(n: int, cost: int, dtypes: Iterable[np.dtype]) -> int:
    """The entries of a vector, of an axis with so many: several registers where code is short."""
    own = vectors.width() // max(dtype.itemsize for dtype in dtypes)
    registers = next(k for most, k in REGISTERS if cost <= most)
    return min(n, own * max(1, min(registers, n // (own * TURNS))))


def part_of(f: FunctionText, n: int, c: Index) -> Index:
    """Where one of the chunks of n passes begins."""
    return f.emit(f"udiv i64 {times(f, c, n)}, {CHUNKS}", "n")
