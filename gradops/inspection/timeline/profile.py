"""Profiles: the cost of a run by node, summed by op, scope and line, as tables and flames."""

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from ...core.errors import OptionError

if TYPE_CHECKING:
    from .flame import Flame

SHOWN = 40  # rows of a table
UNITS = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


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

    def flame(self, path: str | os.PathLike[str] | None = None, by: str = "scope") -> "Flame":
        """The times by scope, or by line, as a flame; `path` is a file for its picture, an SVG.

        A flame by "scope" has the levels of name scopes and modules, one by "line" functions, files
        and lines.

        >>> x = sg.placeholder("float64", [8], name="x")
        >>> with sg.name_scope("layer"):
        ...     y = sg.exp(x)
        >>> flame = sg.compile(y, [x]).profile([np.ones(8)]).flame()
        >>> [frame.name for frame in flame.frames if frame.name != "(other)"]
        ['layer']
        """
        from .flame import flame_of

        result = flame_of(self, by)
        if path is not None:
            result.save(path)
        return result

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
