"""Profiles: the time, the bytes and the operations of a run, by node, scope and line.

Note [Profile]. The code that is measured is the generated code itself with a clock between its
lines, see Note [Clocks]. Bytes and operations follow from the types of operands and results; where
sizes are known only when the graph runs, it is run once more by the interpreter to see them.
"""

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gradops import ArrayType
from gradops.core.dims import product
from gradops.core.errors import OptionError
from gradops.core.flops import flops_of
from gradops.core.source_location import short
from gradops.core.traits import Trait
from gradops.core.types import type_of

from ..codegen.instrumented.clocks import Clock, Cost, Meter, times, with_clocks
from ..codegen.load import load
from ..codegen.source import Source
from ..ir.expr import Expr, Kind, sequence
from ..ir.graph import FrozenGraph, inner_graphs
from .backends.interpreter import interpret
from .feeds import as_feed, sizes_of_feeds
from .generated import source_of

if TYPE_CHECKING:
    from .backends.native_executable import NativeExecutable
    from .executable import Executable

ENTRY = "(entry and return of {})"
SHOWN = 40  # rows of a table
UNITS = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
Work = Mapping[Expr, tuple[int, int]]
"""The operations and the bytes of each expression in one run."""


@dataclass(frozen=True)
class ProfileRow:
    """The cost of one node, or of several, in one run.

    `count` is how often it was computed, `seconds` its time, `share` its part of the total;
    `flops` counts floating-point operations, `bytes` those of operands and results.
    """

    name: str
    count: int
    seconds: float
    share: float
    flops: int
    bytes: int
    op: str = ""
    type: str = ""
    scope: str = ""
    line: str = ""
    function: str = ""


@dataclass(frozen=True)
class Profile:
    """The cost of a run by node: `rows`, the longest first. Printing it shows a table.

    `seconds` is their sum, and `run_seconds` the time of the code without clocks, measured in turns
    with the code that has them. Of a graph that runs in machine code, which has no lines to put
    clocks between, it is the profile of NumPy's code; `native_seconds` is the time of the former.
    """

    rows: tuple[ProfileRow, ...]
    run_seconds: float
    repeat: int
    native_seconds: float | None = None

    @property
    def seconds(self) -> float:
        """The time of one run: the sum of all rows."""
        return sum(row.seconds for row in self.rows)

    def by(self, column: str) -> tuple[ProfileRow, ...]:
        """The rows by "node", or summed by "op", "scope", "line" or "function", longest first."""
        if column == "node":
            return self.rows
        if column not in ("op", "scope", "line", "function"):
            raise OptionError(
                "profile", [], f"by is node, op, scope, line or function, not {column!r}"
            )
        grouped: dict[str, list[ProfileRow]] = {}
        for row in self.rows:
            grouped.setdefault(getattr(row, column) or row.name, []).append(row)
        return by_time(summed(name, rows) for name, rows in grouped.items())

    def table(self, by: str = "node", limit: int = SHOWN) -> str:
        """A table of at most `limit` rows, and totals."""
        rows = self.by(by)
        more = len(rows) - limit
        cells = [("time", "share", "calls", "flop", "flop/s", "bytes", by), *map(cells_of, rows)]
        if more > 0:
            rest = summed(f"... {more} more", rows[limit:])
            cells = [*cells[: limit + 1], cells_of(rest)]
        total = summed("total", self.rows)
        lines = aligned([*cells, cells_of(total)])
        ratio = self.seconds / self.run_seconds if self.run_seconds else 1.0
        note = f"without clocks {duration(self.run_seconds)}, ratio {ratio:.2f}"
        lines.append(f"mean of the faster half of {self.repeat} runs; {note}")
        if self.native_seconds is not None:
            native = f"machine code, which runs instead, takes {duration(self.native_seconds)}"
            lines.append(f"this is NumPy's code; {native}")
        return "\n".join(lines)

    def to_json(self, **options: Any) -> str:
        """The profile as JSON; options are those of `json.dumps`."""
        rows = [asdict(row) for row in self.rows]
        facts = {"seconds": self.seconds, "run_seconds": self.run_seconds, "repeat": self.repeat,
                 "native_seconds": self.native_seconds}  # fmt: skip
        return json.dumps({**facts, "rows": rows}, **options)

    def __str__(self) -> str:
        return self.table()

    def __repr__(self) -> str:
        return f"<Profile of {len(self.rows)} nodes, {duration(self.seconds)}>"


def summed(name: str, rows: Sequence[ProfileRow]) -> ProfileRow:
    """One row for several."""
    seconds, share = sum(r.seconds for r in rows), sum(r.share for r in rows)
    counts = [sum(getattr(r, k) for r in rows) for k in ("flops", "bytes")]
    return ProfileRow(name, sum(r.count for r in rows), seconds, share, *counts)


def by_time(rows: Iterable[ProfileRow]) -> tuple[ProfileRow, ...]:
    """The rows, the longest first."""
    return tuple(sorted(rows, key=lambda row: -row.seconds))


def cells_of(row: ProfileRow) -> tuple[str, ...]:
    """A row as text."""
    rate = quantity(row.flops / row.seconds) if row.flops and row.seconds > 0 else ""
    where = "  ".join(filter(None, [row.name, row.type, row.line]))
    return (
        duration(row.seconds), f"{row.share:.1%}", str(row.count),
        quantity(row.flops) if row.flops else "", rate, quantity(row.bytes) if row.bytes else "",
        where,
    )  # fmt: skip


def aligned(cells: Sequence[Sequence[str]]) -> list[str]:
    """Lines of right-aligned columns; the last is left-aligned."""
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [
        "  ".join([*map(str.rjust, line[:-1], widths), line[-1]]).rstrip() for line in cells
    ]  # fmt: skip


def duration(seconds: float) -> str:
    """Seconds as text: `1.25 ms`."""
    for scale, unit in ((1.0, "s"), (1e-3, "ms")):
        if abs(seconds) >= scale:
            return f"{seconds / scale:.2f} {unit}"
    return f"{seconds * 1e6:.2f} us"


def quantity(x: float) -> str:
    """A number as text: `1.25M`."""
    for scale, unit in UNITS:
        if x >= scale:
            return f"{x / scale:.3g}{unit}"
    return f"{x:.3g}"


def profiled(
    executable: "Executable", feeds: Any, repeat: int, clock: Clock = time.perf_counter_ns
) -> Profile:
    """The profile of an executable for feeds. See Note [Profile]."""
    if repeat < 1:
        raise OptionError("profile", [], f"repeat is at least 1, not {repeat}")
    args = arguments(executable, feeds)
    if any(a.ndim > 1 and not a.flags.c_contiguous for a in args) and not executable.any_layout:
        executable = executable.for_any_layout
    if executable.graph.lowering and fails(executable, args):
        executable = executable.on_arrays
    source, meter, cost = with_clocks(scoped(executable), clock)
    run = load(source)
    spent, plain = measured(executable, run, args, meter, cost, repeat)
    counts = dict(meter.counts)
    work = work_of(executable.graph, args, counts_by_graph(meter))
    total = sum(spent) or 1.0
    rows = by_time(
        row_of(i.e, i.function, counts[i.function], nanoseconds, total, work)
        for i, nanoseconds in zip(meter.intervals, spent, strict=True)
    )
    return Profile(joined(rows), plain * 1e-9, repeat)


def profiled_by_numpy(executable: "NativeExecutable", feeds: Any, repeat: int) -> Profile:
    """The profile of NumPy's code of a graph, beside the time of its machine code."""
    result = profiled(executable.by_numpy, feeds, repeat)
    args, times = arguments(executable, feeds), []
    executable(*args)
    for _ in range(repeat):
        start = time.perf_counter()
        executable(*args)
        times.append(time.perf_counter() - start)
    half = (repeat + 1) // 2
    return replace(result, native_seconds=sum(sorted(times)[:half]) / half)


def fails(executable: "Executable", args: Sequence[Any]) -> bool:
    """True if Python's floats raise for these values; then the code for arrays is run."""
    try:
        executable.run(*args)
    except (ArithmeticError, ValueError):
        return True
    return False


def arguments(executable: "Executable", feeds: Any) -> list[np.ndarray]:
    """The arrays of all inputs, from feeds in order or a mapping of names."""
    named = isinstance(feeds, Mapping)
    given = {getattr(k, "name", k): v for k, v in feeds.items()} if named else {}
    values = executable.bind(() if named else tuple(sequence(feeds)), given)
    inputs = executable.graph.inputs
    arrays = [as_feed(e, value) for e, value in zip(inputs, values, strict=True)]
    sizes_of_feeds(inputs, arrays)
    return arrays


def scoped(executable: "Executable") -> Source:
    """The source of an executable, with all that it refers to."""
    graph, form, any_layout = executable.graph, executable.form, executable.any_layout
    return source_of(graph, form, any_layout, has_loops=False)


def measured(
    executable: "Executable", run: Callable[..., Any], args: Sequence[Any], meter: Meter,
    cost: Cost, repeat: int,
) -> tuple[list[float], float]:  # fmt: skip
    """The nanoseconds of each interval, and of the code without clocks: means of faster halves."""
    results, plain = list[Sequence[float]](), list[float]()
    plain_run = load(scoped(executable))
    with np.errstate(all="ignore") if executable.silent else nullcontext():
        run(*args), plain_run(*args)  # the first run allocates buffers
        for _ in range(repeat):
            meter.clear()
            run(*args)
            results.append(times(meter, cost))
            start = time.perf_counter_ns()
            plain_run(*args)
            plain.append(time.perf_counter_ns() - start)
    half = (repeat + 1) // 2
    fastest = sorted(results, key=sum)[:half]
    return [sum(c) / half for c in zip(*fastest, strict=True)], sum(sorted(plain)[:half]) / half


def row_of(
    e: Expr | None, function: str, count: int, nanoseconds: float, total: float, work: Work
) -> ProfileRow:
    """The row of one interval."""
    seconds, share = nanoseconds * 1e-9, nanoseconds / total
    if e is None or e.kind is not Kind.OP or e.op is None:
        is_size = e is not None and e.kind is Kind.SIZE
        name = e.name if e is not None and is_size else ENTRY.format(function)
        return ProfileRow(name, count, seconds, share, 0, 0, function=function)
    flops, bytes = work.get(e, (0, 0))
    return ProfileRow(
        e.name, count, seconds, share, flops, bytes, e.op.name, str(e.type),
        e.name.rpartition("/")[0], "" if e.place is None else short(e.place), function,
    )  # fmt: skip


def joined(rows: Sequence[ProfileRow]) -> tuple[ProfileRow, ...]:
    """The rows, with one for all intervals of a function that compute nothing."""
    same: dict[tuple[str, str], list[ProfileRow]] = {}
    for row in rows:
        same.setdefault((row.name, row.function), []).append(row)
    several = (
        replace(rows[0], seconds=sum(r.seconds for r in rows), share=sum(r.share for r in rows))
        for rows in same.values()
    )
    return by_time(several)


def counts_by_graph(meter: Meter) -> dict[Expr, int]:
    """How often each expression was computed in one run."""
    return {i.e: meter.counts[i.function] for i in meter.intervals if i.e is not None}


def work_of(graph: FrozenGraph, args: Sequence[Any], counts: Mapping[Expr, int]) -> Work:
    """The operations and bytes of each expression, in one run."""
    every = [e for each in (graph, *inner_graphs(graph)) for e in each.order]
    if all(is_known(e.type) for e in every):
        return {e: scaled(work_in(e, e.type, [x.type for x in e.inputs]), counts.get(e, 0))
                for e in every}  # fmt: skip
    seen: dict[Expr, Any] = {}
    result: dict[Expr, tuple[int, int]] = {}

    def watch(e: Expr, value: Any) -> None:
        seen[e] = type_of(value) if type(e.type) is ArrayType else e.type
        flops, bytes = result.get(e, (0, 0))
        more_flops, more_bytes = work_in(e, seen[e], [seen[x] for x in e.inputs])
        result[e] = flops + more_flops, bytes + more_bytes

    interpret(graph, args, watch)
    return result


def is_known(type: ArrayType) -> bool:
    """True if a type has no unknown sizes, or is not of one array."""
    return isinstance(product(type.shape), int)


def scaled(work: tuple[int, int], count: int) -> tuple[int, int]:
    """The work of several computations."""
    return work[0] * count, work[1] * count


def work_in(e: Expr, result: Any, types: Sequence[Any]) -> tuple[int, int]:
    """The operations and bytes of one computation; views move nothing."""
    if e.op is None or any(type(t) is not ArrayType for t in (result, *types)):
        return 0, 0
    if Trait.CONTROL in e.op.traits:
        return 0, 0
    flops = flops_of(e.op, result, list(types), e.attrs)
    moved = 0 if Trait.VIEW in e.op.traits else sum(map(bytes_of, (result, *types)))
    return flops if isinstance(flops, int) else 0, moved


def bytes_of(type: ArrayType) -> int:
    """The bytes of an array whose sizes are known."""
    size = product(type.shape)
    return size * type.dtype.itemsize if isinstance(size, int) else 0
