"""Which passes run at which level, and what they did."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from gradops.errors import OptionError

from ..ir.expr import Expr, with_attrs
from ..ir.graph import FrozenGraph, Interning, graphs_in
from ..ir.verify import verify
from .fold import Fold
from .prune import Prune, once
from .simplify import DropBroadcasts, DropRetyping, Simplify

Pass = Callable[[FrozenGraph], FrozenGraph]
LEVELS: dict[int, tuple[Pass, ...]] = {
    0: (),
    1: (DropRetyping(), DropBroadcasts(), Simplify(), Fold(), Simplify()),
}


@dataclass(frozen=True)
class PassReport:
    """What one pass did: how many expressions there were before and after, and its time."""

    name: str
    before: int
    after: int
    seconds: float

    def __str__(self) -> str:
        return f"{self.name}: {self.before} -> {self.after} in {self.seconds * 1e3:.2f} ms"


def optimized(graph: FrozenGraph, level: int) -> FrozenGraph:
    """The graph after the passes of a level; raises OptionError for one that there is not."""
    if level not in LEVELS:
        raise OptionError("compile", [], f"optimize is one of {sorted(LEVELS)}, not {level!r}")
    if not LEVELS[level]:
        return graph
    return passed(Prune()(graph), level)


def passed(graph: FrozenGraph, level: int) -> FrozenGraph:
    """The graph after the passes of a level, and the graphs inside it."""
    inside = partial(once, level, partial(passed, level=level))
    return run_passes(with_inner(graph, inside), LEVELS[level])[0]


def with_inner(graph: FrozenGraph, step: Pass) -> FrozenGraph:
    """The graph with `step` applied to the graphs inside it: the bodies of loops, branches."""
    made: dict[FrozenGraph, FrozenGraph] = {}

    def renewed(value: Any) -> Any:
        if type(value) is tuple:
            return tuple(map(renewed, value))
        if not isinstance(value, FrozenGraph):
            return value
        if value not in made:
            made[value] = step(value)
        return made[value]

    def replace(e: Expr, intern: Interning) -> Expr:
        if not any(graphs_in(e)):
            return e
        attrs = {k: renewed(v) for k, v in e.attrs.items()}
        return e if attrs == e.attrs else intern.copy(with_attrs(e, attrs), e.inputs)

    return graph.rebuilt(replace)


def run_passes(
    graph: FrozenGraph, passes: Sequence[Pass], check: bool = False
) -> tuple[FrozenGraph, list[PassReport]]:
    """The graph after passes, and a report of each; with `check`, it is verified after each.

    A pass that fails is named in the error, with those that ran before it.
    """
    reports: list[PassReport] = []
    settled: list[Pass] = []  # passes that would change nothing in the graph as it is
    for step in passes:
        start = time.perf_counter()
        before = len(graph)
        old = graph
        try:
            graph = graph if step in settled else step(graph)
            if check:
                verify(graph)
        except Exception as error:
            done = ", ".join(r.name for r in reports) or "no pass"
            error.add_note(f"  in the pass {step!r}, after {done}")
            raise
        settled = [*settled, step] if graph is old else []
        reports.append(PassReport(repr(step), before, len(graph), time.perf_counter() - start))
    return graph, reports
