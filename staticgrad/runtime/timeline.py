"""The memory of a run of an executable by step, as the plan of its buffers has it.

Note [Return]. The last step returns the results: there they are alive together, those that are
copied twice.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from gradops.core.source_location import short
from gradops.inspection.model import Role
from gradops.inspection.timeline.memory import Allocation, Keeps, MemoryTimeline, Step

from ..codegen.memory.accounting import Account, accounts
from ..codegen.memory.buffers import Plan
from ..export.view import roles, scope_of
from ..ir.expr import Expr
from .feeds import sizes_of_feeds
from .memory_report import sizes_placed_last
from .profile import arguments

if TYPE_CHECKING:
    from .executable import Executable

AFTER = frozenset({Role.BACKWARD, Role.UPDATE})


def timeline_of(executable: "Executable", feeds: Any) -> MemoryTimeline:
    """The memory of a run with feeds, of which the sizes count."""
    graph, plans = executable.graph, executable.emitted.plans
    given = executable.graph.inputs and len(feeds) > 0
    sizes = sizes_placed_last(executable)
    if given:
        sizes = sizes_of_feeds(graph.inputs, arguments(executable, feeds))
    found = accounts({plan.graph: plan for plan in plans.values()}, graph, sizes)
    whole = list(found.values())[-1]
    builder = TimelineBuilder(plans["run"], roles(graph))
    return MemoryTimeline(
        "graph", builder.steps, tuple(builder.allocations(whole)),
        sum(each.arena for each in found.values()),
        inside={builder.step_at(i): n for i, n in whole.passing.items() if n},
    )  # fmt: skip


class TimelineBuilder:
    """The steps of a schedule, and the memory of a function as allocations over them."""

    def __init__(self, plan: Plan, roles: dict[Expr, Role]) -> None:
        self.plan, self.roles = plan, roles
        self.order: Sequence[Expr] = plan.order
        self.returned = {r for e in plan.graph.results for r in plan.memory(e)}
        self.places = [i for i, e in enumerate(plan.order) if e.op is not None]
        self.steps = (*(self.step(plan.order[i]) for i in self.places), Step("return", "return"))
        backward = [i for i, step in enumerate(self.steps) if step.backward]
        self.backward = backward[0] if backward else len(self.steps)

    def step(self, e: Expr) -> Step:
        """An expression as a step."""
        scope = scope_of(e.name if e.origin is None else e.origin.name)
        return Step(e.name, e.what, scope, line_of(e), self.roles.get(e) in AFTER)

    def step_at(self, position: int) -> int:
        """The step of a position in the schedule, or the one after it."""
        return bisect_left(self.places, position)

    def last_step(self, position: int) -> int:
        """The last step up to a position: the end is that of the return."""
        if position >= len(self.order):
            return len(self.steps) - 1
        return bisect_left(self.places, position + 1) - 1

    def allocations(self, account: Account) -> Iterator[Allocation]:
        """The memory of a function. Values that follow one another in a place are one each."""
        positions = {e: i for i, e in enumerate(self.order)}
        for use in account.uses:
            begins = [use.first, *(positions[e] for e in use.members[1:])]
            ends = [*(i - 1 for i in begins[1:]), use.last]
            for e, begin, end in zip(use.members, begins, ends, strict=True):
                first, last = self.step_at(begin), self.last_step(end)
                if first <= last:
                    yield Allocation(e.name, use.bytes, first, last, self.keeps(e), line_of(e))

    def keeps(self, e: Expr) -> Keeps:
        """The reason why the memory of a value is alive: who reads it last.

        Small arrays, which are not let go of one by one, have the reason of their last reader.
        """
        if e in self.returned:
            return Keeps.RESULT
        if self.roles.get(e) in AFTER:
            return Keeps.BACKWARD
        last = self.last_step(self.plan.lives.last.get(e, 0))
        return Keeps.SAVED if last >= self.backward else Keeps.FORWARD


def line_of(e: Expr) -> str:
    """The user's line."""
    return "" if e.place is None else short(e.place)
