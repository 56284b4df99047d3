"""A nest of loops: values that are computed entry by entry, and sums of entries."""

import math
from typing import TYPE_CHECKING

from ..ir.expr import Expr
from .copies import fill
from .kinds import MOVES, TRIANGLES, is_reduction, name_of
from .places import Place
from .plan import Plan, Unit
from .reductions import Reduction
from .text import ACCESS, Index

if TYPE_CHECKING:
    from .lowering import GraphWriter

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
        count = math.prod(self.axes)
        is_cheap = sum(plan.cost[e] for e in unit.members) <= CHEAP
        self.passes = count if is_cheap else None
        if self.is_flat(plan):
            longest = max([i for i, n in enumerate(self.axes) if n > 1], default=0)
            self.axes = tuple([count if i == longest else 1 for i in range(len(self.axes))])

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
        """Write the loops."""
        for e, r in self.reductions.items():
            if e not in self.inner:
                fill(self.w.f, self.stores[e], r.start)
        self.write_axis(())
        self.w.values.clear()
        self.w.places |= self.stores
        for e, r in self.reductions.items():
            r.finish(self.f, self.stores[e])

    def write_axis(self, index: tuple[Index, ...]) -> None:
        """Write the loops of the axes from here on; sums that begin here end here."""
        here = {e: r for e, r in self.inner.items() if r.first == len(index)}
        for e, r in here.items():
            self.totals[e] = r.begin(self.f)
        if len(index) == len(self.axes):
            self.write_entry(index)
        elif len(index) == len(self.axes) - 1 and self.is_parallel:
            self.w.tag = ACCESS
            for i in self.f.loop(self.axes[-1], True, self.passes):
                self.write_axis((*index, i))
            self.w.tag = ""
        else:
            for i in self.f.loop(self.axes[len(index)], passes=self.passes):
                self.write_axis((*index, i))
        for e, r in here.items():
            self.stores[e].store(self.f, r.place_index(index), self.totals[e].load(self.f, ()))

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
