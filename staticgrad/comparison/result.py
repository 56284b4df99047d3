"""The result of a comparison: rows of data, printed as a table, and saved as a page."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .bits import is_same_to_the_bit, text_of_distance, ulps
from .failures import Failure
from .measure import break_even, bytes_text, calls_text, time_text
from .subject import Subject
from .ways import Outcome

if TYPE_CHECKING:
    from .surfacing import Surfacing
    from .trail import Step

HEADINGS = ("", "value", "bits", "gradient", "bits", "per call", "first result", "pays after",
            "peak", "nodes")  # fmt: skip


@dataclass(frozen=True)
class Row:
    """The measurements of one mode.

    `outcome` has the values and gradients as arrays; it is None where the mode failed, of which
    `failure` says why. `seconds` is the time of a call, `first` that to the first result, tracing
    and compiling included, `pays_after` the number of calls after which the mode has taken less
    time than the tape. `peak` is in bytes. `value_ulps` and `gradient_ulps` are distances from the
    first mode that has a value, or a gradient.
    """

    title: str
    outcome: Outcome | None = None
    failure: Failure | None = None
    seconds: float | None = None
    first: float | None = None
    pays_after: float | None = None
    peak: int | None = None
    nodes: str = ""
    value_ulps: float | None = None
    gradient_ulps: float | None = None
    value_bits: str = ""
    gradient_bits: str = ""

    @property
    def cells(self) -> tuple[str, ...]:
        """The texts of the table's row."""
        if self.outcome is None:
            return (self.title, "not run", *[""] * (len(HEADINGS) - 2))
        gradient = self.outcome.gradients
        return (
            self.title, number_text(self.outcome.value), self.value_bits,
            "" if gradient is None else gradient_text(gradient), self.gradient_bits,
            time_text(self.seconds), time_text(self.first), calls_text(self.pays_after),
            bytes_text(self.peak), self.nodes,
        )  # fmt: skip


@dataclass(frozen=True)
class Comparison:
    """One function run in several modes; `print` shows a table, a notebook the page's.

    `rows` has the data, one for each mode; `comparison["tape"]` is a row by its title. `save`
    writes a page.
    """

    subject: Subject = field(repr=False)
    rows: tuple[Row, ...]
    derived: dict[str, list[Any]] = field(default_factory=dict, repr=False, compare=False)

    def __getitem__(self, title: str) -> Row:
        for row in self.rows:
            if row.title == title:
                return row
        raise KeyError(f"{title!r}; the rows are {', '.join(r.title for r in self.rows)}")

    @property
    def steps(self) -> "list[Step]":
        """Each operation, with its type in the graph and its value on the tape."""
        from .trail import steps_of

        return self.once("steps", steps_of)

    @property
    def surfacing(self) -> "list[Surfacing]":
        """Where mistakes surface in each mode, found by running programs that make them."""
        from .surfacing import all_surfacings

        return self.once("surfacing", all_surfacings)

    def once(self, name: str, compute: Callable[[Subject], list[Any]]) -> list[Any]:
        """A result computed from the subject when it is first asked for, and then kept."""
        if name not in self.derived:
            self.derived[name] = compute(self.subject)
        return self.derived[name]

    @property
    def is_exact(self) -> bool:
        """True if the tape and the graph as written have the same values and gradients to the bit.

        False where one of them failed: nobody knows then.
        """
        tape, graph = (r.outcome for r in self.rows if r.title in EXACT)
        return tape is not None and graph is not None and same_outcomes(tape, graph)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a page in HTML that needs no network: the table, the steps, the mistakes."""
        from .page import page

        Path(path).write_text(page(self), encoding="utf-8")

    def _repr_html_(self) -> str:
        from .page import table_html

        return table_html(self)

    def __str__(self) -> str:
        rows = [HEADINGS, *[row.cells for row in self.rows]]
        lines = [str(self.subject), *aligned(rows)]
        lines += [indented(titles, failure) for failure, titles in self.failures.items()]
        return "\n".join([*lines, f"bits: {self.reference}"])

    @property
    def failures(self) -> dict[Failure, str]:
        """Why modes failed, each reason with the titles of the modes."""
        result: dict[Failure, str] = {}
        for row in self.rows:
            if row.failure is not None:
                others = result.get(row.failure)
                result[row.failure] = f"{others}; {row.title}" if others else row.title
        return result

    @property
    def reference(self) -> str:
        """With which modes values and gradients are compared, in words."""
        ran = [row for row in self.rows if row.outcome is not None]
        value = ran[0].title if ran else "nothing"
        slope = next((r.title for r in ran if r.outcome and r.outcome.gradients is not None), "")
        return f"values beside {value}" + (f", gradients beside {slope}" if slope else "")


EXACT = "tape", "graph, optimize=0"


def same_outcomes(a: Outcome, b: Outcome) -> bool:
    """True if two outcomes have the same bits."""
    return is_same_to_the_bit([*a.values, *(a.gradients or [])], [*b.values, *(b.gradients or [])])


def with_distances(rows: Sequence[Row]) -> list[Row]:
    """The rows with the distances of values and gradients, and when they pay."""
    base = next((r.outcome for r in rows if r.outcome is not None), None)
    slopes = (r.outcome.gradients for r in rows if r.outcome is not None)
    slope = next((g for g in slopes if g is not None), None)
    tape = next((r for r in rows if r.title == "tape"), None)
    result = []
    for row in rows:
        if row.outcome is None or base is None:
            result.append(row)
            continue
        changes: dict[str, Any] = {}
        if row.outcome is not base:
            changes["value_ulps"] = ulps(base.values, row.outcome.values)
            changes["value_bits"] = text_of_distance(base.values, row.outcome.values)
        found = row.outcome.gradients
        if found is not None and slope is not None and found is not slope:
            changes["gradient_ulps"] = ulps(slope, found)
            changes["gradient_bits"] = text_of_distance(slope, found)
        if found is not None and tape is not None and row is not tape and tape.seconds:
            changes["pays_after"] = pays_after(row, tape)
        result.append(replace(row, **changes))
    return result


def pays_after(row: Row, tape: Row) -> float:
    """The number of calls after which a mode has taken less time than the tape."""
    times = [row.first, row.seconds, tape.first, tape.seconds]
    return break_even(*[t or 0.0 for t in times])


def number_text(x: np.ndarray) -> str:
    """A number in as many digits as tell it from its neighbours in single precision."""
    return f"{float(x.reshape(())):.9g}"


def gradient_text(gradients: Sequence[np.ndarray]) -> str:
    """The one entry of a gradient, or its norm."""
    if sum(g.size for g in gradients) == 1:
        (entry,) = [g.reshape(-1)[0] for g in gradients if g.size]
        return f"{entry:.9g}"
    return f"norm {norm(gradients):.6g}"


def norm(gradients: Sequence[np.ndarray]) -> float:
    """The norm of all entries together, whose squares need not be in range."""
    sizes = np.concatenate([np.abs(g.astype(np.complex128)).reshape(-1) for g in gradients])
    largest = float(np.max(sizes, initial=0))
    if not largest or not np.isfinite(largest):
        return largest
    return largest * float(np.sqrt(np.sum((sizes / largest) ** 2)))


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of texts in columns: the first to the left, others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    kept = [i for i, w in enumerate(widths) if w]
    return [
        "  " + "  ".join(
            row[i].ljust(widths[i]) if i == 0 else row[i].rjust(widths[i]) for i in kept
        ).rstrip()
        for row in rows
    ]  # fmt: skip


def indented(title: str, failure: Failure) -> str:
    """Why a mode failed, below its title."""
    first, *others = str(failure).splitlines()
    return "\n".join([f"  {title}: {first}", *[f"    {line}" for line in others]])
