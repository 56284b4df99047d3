"""The report of an executable's memory: the plan, the peak that follows from it, and a measurement.

Note [Measured peak]. A run is measured when its arenas exist, as in every call but the first.
Arenas count by their size. What else is allocated during the run, results included, is what
`tracemalloc` sees at its worst moment; NumPy reports to it all memory of arrays.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from gradops import OptionError
from gradops.core.source_location import short
from gradops.inspection.traced_memory import peak_of

from ..codegen.memory.accounting import Use, accounts
from ..codegen.memory.arena import Pools
from ..ir.graph import all_expressions
from ..ir.nominal import NOMINAL
from ..ir.sizes import names_in

if TYPE_CHECKING:
    from .executable import Executable

SHOWN = 20  # buffers in the text of a report


@dataclass(frozen=True)
class BufferRow:
    """Memory of a run: the values computed into it one after another, and where and when it is.

    `kind` is "arena" for a part of the arena, at `offset`; "new" for an array that is allocated in
    each run, "result" for one that leaves it. `first` and `last` are positions in the schedule of
    the function: when it is written first, and read last.
    """

    name: str
    type: str
    bytes: int
    kind: str
    offset: int | None
    first: int
    last: int
    line: str
    function: str


@dataclass(frozen=True)
class MemoryReport:
    """The memory that a run takes, in bytes; printing it shows the plan.

    `predicted_peak` is the arenas and the most that new arrays take at once. `lower_bound` is the
    most that is in use at once in this schedule: no placement takes less. `arena_bound` is the
    same for the arenas alone. `unshared` is what memory of its own for each value would take,
    `fetched` the bytes of results. `sizes` are those of the named dimensions that the report is
    for; those in `assumed` are not known. `measured_peak` is None unless `measure` was called.
    Feeds and constants are not counted.
    """

    predicted_peak: int
    lower_bound: int
    arena: int
    arena_bound: int
    unshared: int
    fetched: int
    sizes: dict[str, int]
    assumed: tuple[str, ...]
    buffers: tuple[BufferRow, ...]
    measured_peak: int | None = None
    executable: "Executable | None" = field(default=None, repr=False, compare=False)

    def at(self, **sizes: int) -> "MemoryReport":
        """The report for other sizes of the named dimensions. Raises OptionError for other names.

        >>> x = sg.placeholder("float32", ["n", 1000], name="x")
        >>> f = sg.compile(sg.reduce_sum(sg.exp(x)), [x])
        >>> f.report.at(n=16).arena_bound, f.report.at(n=32).arena_bound
        (64000, 128000)
        """
        assert self.executable is not None
        return report_of(self.executable, {**self.sizes, **sizes}, {*sizes})

    def measure(self, *feeds: Any) -> "MemoryReport":
        """The report for the sizes of feeds, with the peak of a run. See Note [Measured peak].

        >>> x = sg.placeholder("float64", [1000, 1000], name="x")
        >>> f = sg.compile(sg.matmul(sg.exp(x), x), [x])
        >>> report = f.report.measure(np.ones((1000, 1000)))
        >>> abs(report.measured_peak / report.predicted_peak - 1) < 0.01
        True
        """
        assert self.executable is not None
        return measured(self.executable, feeds)

    def to_json(self, **options: Any) -> str:
        """The report as JSON; options are those of `json.dumps`."""
        facts = asdict(replace(self, executable=None))
        del facts["executable"]
        return json.dumps(facts, **options)

    def __str__(self) -> str:
        return "\n".join([*totals(self), *table(self.buffers)])


def current_report(executable: "Executable") -> MemoryReport:
    """The report of an executable for the sizes that it has placed buffers for last."""
    return report_of(executable, sizes_placed_last(executable), set())


def pools_of_run(executable: "Executable") -> list[Pools]:
    """The arenas of the functions that an executable runs."""
    scope = getattr(executable.run, "__globals__", {})
    return [pools for pools in scope.values() if isinstance(pools, Pools)]


def sizes_placed_last(executable: "Executable") -> dict[str, int]:
    """The sizes of the named dimensions for which the offsets were computed last."""
    result: dict[str, int] = {}
    arena = executable.emitted.plans["run"].arena
    for pools in pools_of_run(executable):
        if arena is not None and pools.arena.pools == arena.pools and pools.arena.placements:
            last = next(reversed(pools.arena.placements))
            result = dict(zip(pools.arena.names, last, strict=True))
    return result


def report_of(executable: "Executable", sizes: Mapping[str, int], given: set[str]) -> MemoryReport:
    """The report for sizes by name; others are assumed."""
    graph, plans = executable.graph, executable.emitted.plans
    names = names_in(e.shape for e in all_expressions(graph))
    if unknown := sorted(given - names):
        raise OptionError(
            "report", [], f"no dimension is called {unknown[0]!r}",
            hint=f"the names are {', '.join(sorted(names)) or 'none'}",
        )  # fmt: skip
    known = {n: sizes[n] for n in sorted(names) if n in sizes}
    assumed = [n for n in sorted(names_in(e.shape for e in graph.order)) if n not in known]
    found = accounts({plan.graph: plan for plan in plans.values()}, graph, known)
    labels = {plan.graph: name for name, plan in plans.items()}
    rows = [row_of(use, labels[key[0]]) for key, each in found.items() for use in each.uses]
    every, whole = list(found.values()), list(found.values())[-1]
    arena = sum(each.arena for each in every)
    return MemoryReport(
        arena + whole.peak_new, whole.peak_live, arena, sum(each.arena_bound for each in every),
        sum(each.unshared for each in every), whole.fetched,
        known | dict.fromkeys(assumed, NOMINAL), tuple(assumed),
        tuple(sorted(rows, key=lambda row: -row.bytes)), executable=executable,
    )  # fmt: skip


def row_of(use: Use, function: str) -> BufferRow:
    """One row of the plan."""
    first = use.members[0]
    names = ", ".join(e.name for e in use.members)
    line = "" if first.place is None else short(first.place)
    facts = use.bytes, use.where, use.offset, use.first, use.last
    return BufferRow(names, str(first.type), *facts, line, function)


def measured(executable: "Executable", feeds: Sequence[Any]) -> MemoryReport:
    """The report for feeds, with the peak of a run. See Note [Measured peak]."""
    executable(*feeds)
    arenas = sum(
        p.bytes(next(reversed(p.arena.placements)))
        for p in pools_of_run(executable) if p.arena.placements
    )  # fmt: skip
    peak = arenas + peak_of(lambda: executable(*feeds))
    return replace(current_report(executable), measured_peak=peak)


def totals(report: MemoryReport) -> list[str]:
    """The first lines of the text of a report."""
    peak = f"predicted peak {quantity(report.predicted_peak)}"
    if report.measured_peak is not None:
        peak += f", measured {quantity(report.measured_peak)}"
    lines = [
        f"{peak}; at least {quantity(report.lower_bound)} are in use at once",
        f"arena {quantity(report.arena)}, of which {quantity(report.arena_bound)} are in use at"
        f" once; {quantity(report.unshared)} unshared; results {quantity(report.fetched)}",
    ]
    if report.sizes:
        assumed = dict.fromkeys(report.assumed, " (assumed)")
        lines.append("for " + ", ".join(f"{n} = {k}{assumed.get(n, '')}"
                                        for n, k in report.sizes.items()))  # fmt: skip
    return lines


def table(rows: Sequence[BufferRow]) -> list[str]:
    """The largest buffers as aligned columns."""
    cells = [("bytes", "place", "in use", "type", "values"), *map(cells_of, rows[:SHOWN])]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [
        "  ".join([*map(str.rjust, line[:3], widths), line[3].ljust(widths[3]), line[4]]).rstrip()
        for line in cells
    ]
    more = len(rows) - SHOWN
    return [*lines, f"... {more} more"] if more > 0 else lines


def cells_of(row: BufferRow) -> tuple[str, ...]:
    """A row as text."""
    place = row.kind if row.offset is None else f"+{row.offset}"
    where = "" if row.function == "run" else f" in {row.function}"
    line = f"  {row.line}" if row.line else ""
    return str(row.bytes), place, f"{row.first}-{row.last}", row.type, f"{row.name}{where}{line}"


def quantity(bytes: int) -> str:
    """A number of bytes as text."""
    return f"{bytes / 1e6:.2f} MB" if bytes >= 1e5 else f"{bytes} bytes"
