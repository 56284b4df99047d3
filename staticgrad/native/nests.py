"""A nest of loops: values that are computed entry by entry, and sums of entries."""

from typing import TYPE_CHECKING

from ..ir.expr import Expr
from .kinds import is_reduction
from .places import Place
from .plan import Plan, Unit
from .reductions import Reduction
from .text import Index

if TYPE_CHECKING:
    from .lowering import GraphWriter


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

    def write(self) -> None:
        """Write the loops."""
        for e, r in self.reductions.items():
            if e not in self.inner:
                self.w.fill(self.stores[e], r.start)
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
            self.w.tag = self.w.memory.access
            with self.f.loop(self.axes[-1], self.w.memory.parallel) as i:
                self.write_axis((*index, i))
            self.w.tag = ""
        else:
            with self.f.loop(self.axes[len(index)]) as i:
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
