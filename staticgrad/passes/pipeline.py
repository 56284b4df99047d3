"""Optimization levels: which passes run, and reports of what they did."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from gradops.core.errors import OptionError

from ..ir.graph import FrozenGraph, inner_graphs
from ..ir.verify import verify
from .constants import put_constants_inside
from .fold import fold
from .inner import with_inner
from .prune import prune
from .rewrite import Rule, rewrite
from .simplify import drop_broadcasts, drop_gradients, drop_retyping, simplify

Pass = Callable[[FrozenGraph], FrozenGraph]
LEVELS: dict[int, tuple[Pass, ...]] = {
    0: (),
    1: (drop_gradients, drop_retyping, drop_broadcasts, simplify, fold, simplify),
}


@dataclass(frozen=True)
class PassReport:
    """The report of one pass: expressions before and after, and its time."""

    name: str
    before: int
    after: int
    seconds: float

    def __str__(self) -> str:
        return f"{self.name}: {self.before} -> {self.after} in {self.seconds * 1e3:.2f} ms"


def optimize_graph(graph: FrozenGraph, level: int, rules: Sequence[Rule] = ()) -> FrozenGraph:
    """The graph after rules of users, if there are any, and the passes of a level.

    Raises OptionError for an unknown level.
    """
    if level not in LEVELS:
        raise OptionError("compile", [], f"optimize is one of {sorted(LEVELS)}, not {level!r}")
    rules = [rules] if isinstance(rules, Rule) else list(rules)
    for rule in rules:
        if not isinstance(rule, Rule):
            raise OptionError("compile", [], f"a rewrite rule is a Rule, not {rule!r}")
    own: list[Pass] = [partial(rewrite, rules=rules)] if rules else []
    passes = (*own, *LEVELS[level])
    if not passes:
        return graph
    graph = graph if level == 0 else prune(put_constants_inside(graph))
    made: dict[FrozenGraph, FrozenGraph] = {}
    for each in inner_graphs(graph):  # the innermost first
        made[each] = run_passes(with_inner(each, made), passes)[0]
    return run_passes(with_inner(graph, made), passes)[0]


def run_passes(
    graph: FrozenGraph, passes: Sequence[Pass], check: bool = False
) -> tuple[FrozenGraph, list[PassReport]]:
    """The graph after passes, and a report of each; with `check`, it is verified after each.

    A pass that fails is named in the error, with those that ran before it.
    """
    reports: list[PassReport] = []
    settled: list[Pass] = []  # passes that would not change the present graph
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
            error.add_note(f"  in the pass {name_of(step)}, after {done}")
            raise
        settled = [*settled, step] if graph is old else []
        reports.append(PassReport(name_of(step), before, len(graph), time.perf_counter() - start))
    return graph, reports


def name_of(step: Pass) -> str:
    """The name of a pass: of a function, as it is written."""
    return getattr(step, "__name__", repr(step))
