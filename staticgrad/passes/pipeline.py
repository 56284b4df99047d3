"""The pipeline: passes run one after another, timed, checked and logged."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from gradops.core.errors import PassError

from ..ir.graph import FrozenGraph
from .inner import total_size, with_inner, within
from .interface import Pass

Check = Callable[[Pass, FrozenGraph, FrozenGraph], None]
"""A check of a pass, given the graph before and after it."""


class PassReport(NamedTuple):
    """The report of one pass: expressions before and after, inner graphs included, and its time."""

    name: str
    bound: float
    before: int
    after: int
    seconds: float

    def __str__(self) -> str:
        exactness = "" if self.bound == 0 else f", bound {self.bound:g}"
        return (
            f"{self.name}: {self.before} -> {self.after} in {self.seconds * 1e3:.2f} ms{exactness}"
        )


@dataclass(frozen=True)
class Pipeline:
    """Passes to run one after another, each of them followed by a `check`.

    >>> x = sg.placeholder("float32", [3], name="x")
    >>> pipeline = sg.passes.Pipeline([sg.passes.Simplify(), sg.passes.Fold()])
    >>> graph, reports = pipeline.run(sg.freeze([x * 1 + sg.exp(sg.constant(0.0))], [x]))
    >>> [(r.name, r.before, r.after) for r in reports]
    [('simplify', 6, 4), ('fold', 4, 3)]
    """

    passes: Sequence[Pass] = ()
    check: Check | None = None

    def __call__(self, graph: FrozenGraph) -> FrozenGraph:
        return self.run(graph)[0]

    def followed_by(self, *more: Pass) -> "Pipeline":
        """The pipeline with more passes at its end."""
        return Pipeline((*self.passes, *more), self.check)

    def without(self, *kinds: type[Pass]) -> "Pipeline":
        """The pipeline without passes of some classes."""
        return Pipeline([p for p in self.passes if not isinstance(p, kinds)], self.check)

    @property
    def bound(self) -> float:
        """The largest bound of the passes."""
        return max((step.bound for step in self.passes), default=0.0)

    def run(self, graph: FrozenGraph) -> tuple[FrozenGraph, tuple[PassReport, ...]]:
        """The graph after all passes, and a report of each."""
        reports = []
        for _, after, report in self.steps(graph):
            graph = after
            reports.append(report)
        for each in (graph, *within(graph)):
            each.drop_table()
        return graph, tuple(reports)

    def steps(self, graph: FrozenGraph) -> Iterator[tuple[FrozenGraph, FrozenGraph, PassReport]]:
        """The graph before and after each pass, with the report.

        A pass that fails is named in the error, with those that ran before it.
        """
        ran: list[str] = []
        unchanged: list[Pass] = []  # passes that would not change the present graph
        for step in self.passes:
            before, start = graph, time.perf_counter()
            try:
                graph = graph if step in unchanged else apply(step, graph)
                seconds = time.perf_counter() - start
                require_interface(step, before, graph)
                if self.check is not None and graph is not before:
                    self.check(step, before, graph)
            except Exception as error:
                error.add_note(f"  in the pass {step}, after {', '.join(ran) or 'no pass'}")
                raise
            ran.append(step.name)
            unchanged = [*unchanged, step] if graph is before else []
            sizes = total_size(before), total_size(graph)
            report = PassReport(step.name, step.bound, *sizes, seconds)
            log(before, graph, report)
            yield before, graph, report


class Optimized:
    """A graph as it was written, and after the passes of a pipeline, which run when asked for."""

    def __init__(self, written: FrozenGraph, pipeline: Pipeline) -> None:
        self.written, self.pipeline = written, pipeline

    @cached_property
    def results(self) -> tuple[FrozenGraph, tuple[PassReport, ...]]:
        """The graph after all passes, and a report of each."""
        return self.pipeline.run(self.written)

    def graph(self) -> FrozenGraph:
        """The graph after all passes."""
        return self.results[0]


def apply(step: Pass, graph: FrozenGraph) -> FrozenGraph:
    """The graph after a pass over it and over the graphs inside, the innermost first."""
    if step.whole:
        return step(graph)
    made: dict[int, FrozenGraph] = {}
    for inner in within(graph):
        made[id(inner)] = step(with_inner(inner, lambda g: made[id(g)]))
    return step(with_inner(graph, lambda g: made[id(g)]))


def require_interface(step: Pass, before: FrozenGraph, after: FrozenGraph) -> None:
    """Raise PassError unless a pass kept the types of inputs and results."""
    if before is after:
        return
    for what, old, new in (
        ("input", before.inputs, after.inputs),
        ("result", before.results, after.results),
    ):
        if len(old) != len(new):
            raise PassError(f"{step} changes the number of {what}s: {len(old)} to {len(new)}")
        for x, y in zip(old, new, strict=True):
            if x.type != y.type:
                raise PassError(f"{step} changes the type of the {what} {x.label} to {y.type}")


def log(before: FrozenGraph, after: FrozenGraph, report: PassReport) -> None:
    """Log the report of a pass, and the change as a diff, if somebody listens.

    The logger `staticgrad.passes` has reports at the level INFO and diffs at DEBUG.
    """
    logging: Any = sys.modules.get("logging")  # who listens has imported it
    if logging is None:
        return
    logger = logging.getLogger("staticgrad.passes")
    if logger.isEnabledFor(logging.INFO):
        logger.info("%s", report)
    if before is not after and logger.isEnabledFor(logging.DEBUG):
        logger.debug("%s", difference(before, after, report.name))


def difference(before: FrozenGraph, after: FrozenGraph, name: str) -> str:
    """The lines of the graphs' texts that differ, as a unified diff."""
    import difflib

    from ..text.printer import to_text

    old, new = (to_text(g, lines=False).splitlines() for g in (before, after))
    lines = difflib.unified_diff(old, new, f"before {name}", f"after {name}", n=0, lineterm="")
    return "\n".join(lines)
