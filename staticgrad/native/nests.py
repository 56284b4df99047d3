"""A nest of loops: values that are computed entry by entry, and sums of entries."""

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from gradops.native.copies import fill
from gradops.native.interrupts import blocks
from gradops.native.places import Place
from gradops.native.text import ACCESS, FunctionText, Index, minus, plus, times

from ..ir.expr import Expr
from .kinds import MOVES, TRIANGLES, is_reduction, name_of
from .parts import CHUNKS, shared, split
from .plan import Plan, Unit
from .reductions import Reduction

if TYPE_CHECKING:
    from .lowering import GraphWriter

LONG = 64  # passes of a loop that is shared because the first one sums
CHEAP = 8  # operations of an entry up to which those of a few entries are written one by one


class NestWriter:
    """Writes a nest of loops."""

    def __init__(self, writer: "GraphWriter", unit: Unit, plan: Plan) -> None:
        self.w, self.f = writer, writer.f
        self.axes, self.members = unit.axes or (), unit.members
        self.reductions = {e: Reduction(e) for e in unit.members if is_reduction(e)}
        self.inner = {e: r for e, r in self.reductions.items() if r.is_suffix}
        self.stores = {e: writer.memory_for(e) for e in unit.members if e not in plan.unwritten}
        self.totals: dict[Expr, Place] = {}
        for e in plan.views_read(unit.members):  # what is copied for a view is copied once
            writer.place(e)
        self.is_parallel = all(r.is_suffix or r.keeps_last for r in self.reductions.values())
        count, cost = math.prod(self.axes), sum(plan.cost[e] for e in unit.members)
        self.passes = count if cost <= CHEAP else None
        if self.is_flat(plan):
            longest = max([i for i, n in enumerate(self.axes) if n > 1], default=0)
            self.axes = tuple([count if i == longest else 1 for i in range(len(self.axes))])
        self.cost = max(1, cost)
        self.work = count * self.cost
        self.cut_at(next((i for i, n in enumerate(self.axes) if n > 1), 0))
        if self.across and not self.has_chunks():
            self.cut_at(self.kept_axis())

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
        is_ordered = place is None or place.is_contiguous
        return tuple(e.shape) == self.axes and is_ordered and not is_moved

    def write(self) -> None:
        """Write the loops. Those of the first axis threads share, if there is much work."""
        self.clear(e for e in self.reductions if e not in self.across)
        if not self.across:
            for some in shared(self.w, int(self.range[1]), self.work):
                self.range = some
                self.write_axis(())
        elif self.has_chunks():
            self.write_chunks()
        else:
            self.clear(self.across)
            self.write_axis(())
        self.w.values.clear()
        self.w.places |= self.stores
        for e, r in self.reductions.items():
            r.finish(self.f, self.stores[e])

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
            self.write_axis(())
        self.stores = whole
        for e, r in self.across.items():
            r.combine(self.f, sums[e], whole[e])
            self.w.memory.release(sums[e])

    def write_axis(self, index: tuple[Index, ...]) -> None:
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
            self.stores[e].store(self.f, r.place_index(index), self.totals[e].load(self.f, ()))

    def passes_of(self, axis: int) -> Iterator[Index]:
        """The loop of an axis."""
        begin, end = self.range if axis == self.cut else (0, self.axes[axis])
        is_parallel = axis == len(self.axes) - 1 and self.is_parallel
        work = self.cost * math.prod(self.axes[axis + 1 :])
        for first, last in blocks(self.f, (begin, end), self.axes[axis], work):
            self.w.tag = ACCESS if is_parallel else ""
            for i in self.f.loop(minus(self.f, last, first), is_parallel, self.passes):
                yield plus(self.f, first, i)
            self.w.tag = ""

    def write_entry(self, index: tuple[Index, ...]) -> None:
        """Write what is computed for one entry."""
        self.w.values.clear()
        for e in self.members:
            r = self.reductions.get(e)
            if r is None:
                x = self.w.value(e, index)
                if e in self.stores:
                    self.stores[e].store(self.f, index, x, self.w.tag)
            elif e in self.inner:
                r.add(self.f, self.totals[e], (), self.w.value(e.inputs[0], index), "reassoc ")
            else:
                x, place = self.w.value(e.inputs[0], index), self.stores[e]
                r.add(self.f, place, r.place_index(index), x, tag=self.w.tag)


def part_of(f: FunctionText, n: int, c: Index) -> Index:
    """Where one of the chunks of n passes begins."""
    return f.emit(f"udiv i64 {times(f, c, n)}, {CHUNKS}", "n")
