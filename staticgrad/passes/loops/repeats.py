"""Repeated stretches of a graph: the same ops, attributes, types and wiring, shifted.

Note [Repeats]. Ops in the order of the graph get codes: equal for the same op, attributes, type and
distances to operands, as far as these are near. Where codes recur after a period, an unrolled loop
may be. Periods to try are the distances between equal windows of codes, and a run with a period is
found by comparing each code with the one a period later: all of it is linear in the graph.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from gradops.core.traits import Trait

from ...ir.expr import Expr
from ...ir.graph import FrozenGraph
from ...ir.interning import attributes_key

NEAR = 32  # distance up to which an operand counts in a code
WINDOW = 12  # codes that are compared to find periods
TRIED = 12  # periods


class Run(NamedTuple):
    """Codes from `start` up to `stop` recur after `period`."""

    start: int
    stop: int
    period: int

    @property
    def steps(self) -> int:
        """The number of repetitions."""
        return (self.stop - self.start) // self.period


def ops_in_sequence(graph: FrozenGraph) -> list[Expr]:
    """The ops that may be part of a repeated stretch, in order.

    Not among them are views of leaves, such as the entries of an array that an unrolled loop goes
    through, which may come before it; nor scatters to one entry, and all that depends on them,
    which may come after it.
    """
    before: set[Expr] = set()
    after: set[Expr] = set()
    result = []
    for e in graph.order:
        if e.op is None:
            before.add(e)
        elif is_scatter(e) or not after.isdisjoint(e.inputs):
            after.add(e)
        elif Trait.VIEW in e.op.traits and before.issuperset(e.inputs):
            before.add(e)
        else:
            result.append(e)
    return result


def is_scatter(e: Expr) -> bool:
    """True for an array of zeros but for one entry or row."""
    if e.op is None or e.op.name != "scatter":
        return False
    return any(type(i) is int for i in e.attrs["index"])


def codes_of(ops: Sequence[Expr]) -> list[int]:
    """A number for each op, equal for those of one kind and near wiring. See Note [Repeats]."""
    numbers: dict[object, int] = {}
    position: dict[Expr, int] = {}
    result = []
    for i, e in enumerate(ops):
        assert e.op is not None
        near = []
        for x in e.inputs:
            distance = i - position.get(x, -NEAR)
            near.append(distance if distance < NEAR else 0)
        attrs = attributes_key(e.attrs) if e.attrs else ()
        key = e.op.name, attrs, e.type, tuple(near)
        result.append(numbers.setdefault(key, len(numbers)))
        position[e] = i
    return result


def runs_in(codes: Sequence[int], repeats: int, ops: int) -> list[Run]:
    """Runs that do not overlap, of at least `repeats` periods of at least `ops` codes."""
    found = [
        run
        for period in periods(codes, repeats, ops)
        for run in runs_of_period(codes, period, repeats)
    ]
    result: list[Run] = []
    for run in sorted(found, key=lambda run: (run.start - run.stop, run.period)):
        if all(run.stop <= other.start or other.stop <= run.start for other in result):
            result.append(run)
    return sorted(result, key=lambda run: run.start)


def periods(codes: Sequence[int], repeats: int, ops: int) -> list[int]:
    """The distances at which windows of codes recur, the most frequent first."""
    last: dict[tuple[int, ...], int] = {}
    votes: Counter[int] = Counter()
    for i in range(len(codes) - WINDOW):
        window = tuple(codes[i : i + WINDOW])
        if window in last:
            votes[i - last[window]] += 1
        last[window] = i
    likely = (p for p, count in votes.most_common() if p >= ops and count >= repeats)
    return [p for p, _ in zip(likely, range(TRIED), strict=False)]


def runs_of_period(codes: Sequence[int], period: int, repeats: int) -> Iterator[Run]:
    """The maximal runs of at least `repeats` periods."""
    start, least = 0, (repeats - 1) * period
    for i, (a, b) in enumerate(zip(codes, codes[period:], strict=False)):
        if a != b:
            if i - start >= least:
                yield Run(start, i + period, period)
            start = i + 1
    if len(codes) - period - start >= least:
        yield Run(start, len(codes), period)


def with_best_phase(run: Run, ops: Sequence[Expr], position: Mapping[Expr, int]) -> Run:
    """The run from where the fewest values pass from one step to the next."""
    p, first = run.period, run.start + 2 * run.period
    reach = [0] * p  # the distance from each op of a step to its last reader
    for i in range(first, first + p):
        for x in ops[i].inputs:
            distance = i - position.get(x, i)
            if distance < 2 * p:
                k = (i - distance - first) % p
                reach[k] = max(reach[k], distance)
    passing = [0] * (2 * p + 1)  # changes of the number of values that pass each boundary
    for k, distance in enumerate(reach):
        passing[k + 1] += 1
        passing[min(k + distance, k + p) + 1] -= 1
    counts = list(accumulate(passing))
    best = min(range(p), key=lambda k: (counts[k] + counts[k + p], k))
    return Run(run.start + best, run.stop, p)
