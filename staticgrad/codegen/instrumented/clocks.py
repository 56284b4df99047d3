"""Generated source with a clock read after the lines of each expression.

Note [Clocks]. The lines between two reads are an interval. Its time is added to a counter of its
own, so a loop of a million steps takes no more memory than one of two. Where an interval calls
functions of the source, the time that these measure inside is subtracted. What the clock itself
costs is subtracted afterwards, per interval; what it costs to enter and leave a function is counted
as time inside, so that it is not counted as the caller's.
"""

import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ...ir.expr import Expr
from ..parts import NAME
from ..source import Source
from .weaving import Lines, body_start, lines_between, rewrite_functions, runs, unused_prefix

Clock = Callable[[], int]
ROUNDS, READS = 30, 200  # of the measurement of the clock's own cost


@dataclass(frozen=True)
class Interval:
    """The lines of a function that compute `e`; None for its entry and its return."""

    function: str
    e: Expr | None
    calls: bool  # other functions of the source


@dataclass
class Meter:
    """The counters of a source with clocks: nanoseconds by interval, and calls by function."""

    intervals: list[Interval]
    spent: list[int]
    counts: dict[str, int]

    def clear(self) -> None:
        """Set all counters to zero."""
        self.spent[:] = [0] * len(self.spent)
        self.counts.update(dict.fromkeys(self.counts, 0))


@dataclass(frozen=True)
class Cost:
    """The nanoseconds that clocks add to an interval, to one with calls, and to a call."""

    read: float = 0.0
    read_around_calls: float = 0.0
    call: float = 0.0


def with_clocks(source: Source, clock: Clock = time.perf_counter_ns) -> tuple[Source, Meter, Cost]:
    """The source with clocks, its counters, and what the clocks cost. See Note [Clocks]."""
    names = ClockNames(source)
    cost = measured_cost(names, clock)
    meter = Meter([], [], dict.fromkeys(source.starts, 0))
    result = rewrite_functions(source, partial(clocked, source, names, meter))
    meter.spent = [0] * len(meter.intervals)
    return replace(result, scope=source.scope | names.scope(meter, clock, cost)), meter, cost


class ClockNames:
    """Names that the source does not have, for clocks and counters."""

    def __init__(self, source: Source) -> None:
        prefix = unused_prefix(source, [""], "clock")
        self.now, self.spent, self.counts, self.inside, self.fee, *self.locals = [
            f"{prefix}_{name}"
            for name in ("now", "spent", "counts", "inside", "fee", "at", "last", "start", "before",
                         "held", "result")
        ]  # fmt: skip

    def scope(self, meter: Meter, clock: Clock, cost: Cost) -> dict[str, Any]:
        """The values of the names that are not local."""
        return {
            self.now: clock, self.spent: meter.spent, self.counts: meter.counts, self.inside: [0],
            self.fee: round(cost.call),
        }  # fmt: skip

    def entry(self, function: str) -> Iterator[str]:
        """Lines at the beginning of a function."""
        _at, last, start, before, *_ = self.locals
        yield f"    {self.counts}[{function!r}] += 1"
        yield f"    {before} = {self.inside}[0]"
        yield f"    {start} = {last} = {self.now}()"

    def read(self, number: int) -> Iterator[str]:
        """Lines at the end of an interval."""
        at, last, *_ = self.locals
        yield f"    {at} = {self.now}(); {self.spent}[{number}] += {at} - {last}; {last} = {at}"

    def hold(self) -> Iterator[str]:
        """Lines at the beginning of an interval with calls."""
        yield f"    {self.locals[4]} = {self.inside}[0]"

    def read_around_calls(self, number: int) -> Iterator[str]:
        """Lines at the end of an interval with calls."""
        at, last, _, _, held, *_ = self.locals
        yield f"    {at} = {self.now}()"
        yield f"    {self.spent}[{number}] += {at} - {last} - {self.inside}[0] + {held}"
        yield f"    {last} = {at}"

    def leave(self) -> Iterator[str]:
        """Lines before a function returns."""
        _, last, start, before, *_ = self.locals
        yield f"    {self.inside}[0] = {before} + {last} - {start} + {self.fee}"


def clocked(
    source: Source, names: ClockNames, meter: Meter, function: str, start: int, stop: int
) -> Lines:
    """The lines of a function with clocks, and their owners."""
    first = body_start(source, start)
    yield from lines_between(source, start, first)
    yield from unowned(names.entry(function))
    for group in runs(first, stop, partial(begins_interval, source)):
        lines = source.lines[group.start : group.stop]
        returned = lines[-1].removeprefix("    return ")
        if returned is not lines[-1]:
            lines[-1] = f"    {names.locals[5]} = {returned}"
        calls = not source.starts.keys().isdisjoint(NAME.findall("\n".join(lines)))
        number = len(meter.intervals)
        meter.intervals.append(Interval(function, source.owners[group.stop - 1], calls))
        if calls:
            yield from unowned(names.hold())
        yield from zip(lines, source.owners[group.start : group.stop], strict=True)
        yield from unowned(names.read_around_calls(number) if calls else names.read(number))
    yield from unowned(names.leave())
    if source.lines[stop - 1].startswith("    return "):
        yield f"    return {names.locals[5]}", None


def unowned(lines: Iterator[str]) -> Iterator[tuple[str, None]]:
    """Lines that compute no expression."""
    return ((line, None) for line in lines)


def begins_interval(source: Source, i: int) -> bool:
    """True if a line computes another expression than the one before it, unless in a block."""
    is_inside_block = not re.match(r"    (?!else|elif|except|finally|\s)", source.lines[i])
    return not is_inside_block and source.owners[i] is not source.owners[i - 1]


def measured_cost(names: ClockNames, clock: Clock) -> Cost:
    """The clock's own cost: the least time of intervals and of functions that do nothing."""
    intervals = [line for k in range(READS) for line in names.read(k)]
    around = [line for k in range(READS) for line in (*names.hold(), *names.read_around_calls(k))]
    bodies = {"plain": intervals, "around": around, "empty": []}
    scope: dict[str, Any] = {"clock": clock}
    meter = Meter([], [0] * READS, dict.fromkeys(bodies, 0))
    scope |= names.scope(meter, clock, Cost())
    for name, lines in bodies.items():
        text = [f"def {name}():", *names.entry(name), *lines, *names.leave()]
        exec("\n".join(text), scope)
    exec(CALLER, scope)
    least = {}
    for name in ("plain", "around"):
        least[name] = min(reading(scope[name], meter) for _ in range(ROUNDS))
    calls = min(scope["caller"](scope["empty"]) for _ in range(ROUNDS))
    bare = min(scope["caller"](scope["bare"]) for _ in range(ROUNDS))
    return Cost(least["plain"], least["around"], max(calls - bare, 0.0))


CALLER = """
def bare():
    pass
def caller(f):
    start = clock()
    f(); f(); f(); f(); f(); f(); f(); f(); f(); f()
    return (clock() - start) / 10
"""


def reading(run: Callable[[], Any], meter: Meter) -> float:
    """Nanoseconds of an interval that does nothing, by its own clock."""
    meter.clear()
    run()
    return sum(meter.spent) / len(meter.spent)


def times(meter: Meter, cost: Cost) -> Sequence[float]:
    """The nanoseconds of each interval, without those of its clock."""
    return [
        spent - meter.counts[i.function] * (cost.read_around_calls if i.calls else cost.read)
        for i, spent in zip(meter.intervals, meter.spent, strict=True)
    ]
