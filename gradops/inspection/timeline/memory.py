"""The memory of a run over its steps: what is alive when, and what is alive at the peak.

Note [Memory of steps]. A step computes one node. Memory is alive from the step that allocates it
to the last that reads it, both included; what a step needs besides, in loops and inside kernels,
is alive in that step alone. A leaf, a feed or a constant takes no step and is not counted: it is
there before the run.
"""

import json
import os
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

SHOWN = 12  # allocations in the text


class Keeps(StrEnum):
    """The reason why memory is alive."""

    FORWARD = "values of the forward"
    SAVED = "saved for the backward"
    BACKWARD = "values of the backward"
    RESULT = "results"
    INSIDE = "inside loops and kernels"


@dataclass(frozen=True, slots=True)
class Step:
    """One node as it is computed: its name, op, scope and the user's line."""

    name: str
    op: str
    scope: str = ""
    line: str = ""
    backward: bool = False


@dataclass(frozen=True, slots=True)
class Allocation:
    """Memory that is alive from the step `first` to the step `last`, and why."""

    name: str
    nbytes: int
    first: int
    last: int
    keeps: Keeps
    line: str = ""


@dataclass(frozen=True)
class MemoryTimeline:
    """The live bytes of a run by step, and what they are. Printing it shows the peak.

    `held` are bytes that are kept between runs, as an arena is. `measured` are the most bytes in
    each step of a run, where one was measured.
    """

    title: str
    steps: tuple[Step, ...]
    allocations: tuple[Allocation, ...]
    held: int = 0
    measured: tuple[int, ...] = ()
    inside: dict[int, int] = field(default_factory=dict)  # bytes in one step alone

    @cached_property
    def by_reason(self) -> dict[Keeps, np.ndarray[Any, Any]]:
        """The live bytes of each step, by the reason why they are alive."""
        count = len(self.steps)
        result = {k: np.zeros(count + 1, np.int64) for k in Keeps}
        for k in Keeps:
            chosen = [a for a in self.allocations if a.keeps is k]
            np.add.at(result[k], [a.first for a in chosen], [a.nbytes for a in chosen])
            np.subtract.at(result[k], [a.last + 1 for a in chosen], [a.nbytes for a in chosen])
        result = {k: np.cumsum(v)[:count] for k, v in result.items()}
        for step, nbytes in self.inside.items():
            result[Keeps.INSIDE][step] += nbytes
        return {k: v for k, v in result.items() if v.any()}

    @cached_property
    def live(self) -> np.ndarray[Any, Any]:
        """The live bytes of each step."""
        return sum(self.by_reason.values(), np.zeros(len(self.steps), np.int64))

    @property
    def peak_step(self) -> int:
        """The first step with the most live bytes."""
        return int(self.live.argmax()) if self.steps else 0

    @property
    def peak(self) -> int:
        """The most bytes that are alive in one step."""
        return int(self.live.max(initial=0))

    @property
    def measured_peak(self) -> int | None:
        """The most bytes of a run that was measured; None if none was."""
        return max(self.measured) if self.measured else None

    @property
    def backward_step(self) -> int | None:
        """The first step of the backward."""
        return next((i for i, step in enumerate(self.steps) if step.backward), None)

    def alive(self, step: int) -> list[Allocation]:
        """The allocations that are alive in a step, the largest first."""
        found = [a for a in self.allocations if a.first <= step <= a.last]
        return sorted(found, key=lambda a: (-a.nbytes, a.first))

    def to_json(self, **options: Any) -> str:
        """The timeline as JSON; options are those of `json.dumps`. See `to_dict`."""
        return json.dumps(self.to_dict(), **options)

    def to_dict(self) -> dict[str, Any]:
        """The timeline as plain data: its fields, and live bytes, peak and backward by step."""
        facts = asdict(self) | {"live": self.live.tolist(), "peak_step": self.peak_step}
        facts["inside"] = sorted(self.inside.items())
        return facts | {"peak": self.peak, "backward_step": self.backward_step}

    def to_svg(self, *beside: "MemoryTimeline") -> str:
        """A picture of this timeline, and of others on the same scale below it."""
        from .memory_picture import memory_svg

        return memory_svg([self, *beside])

    def save(self, path: str | os.PathLike[str], *beside: "MemoryTimeline") -> None:
        """Write the picture, of this timeline and others, as an SVG file."""
        Path(path).write_text(self.to_svg(*beside), encoding="utf-8")

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> list[str]:
        """The text: the peak, where it is, and the largest of what is alive there."""
        if not self.steps:
            return [f"{self.title}: no steps"]
        at = self.steps[self.peak_step]
        where = "backward" if at.backward else "forward"
        lines = [
            f"{self.title}: {quantity(self.peak)} are alive at the peak, in step"
            f" {self.peak_step + 1} of {len(self.steps)}, {at.name} ({where})"
        ]
        if self.measured_peak is not None:
            lines.append(f"measured peak {quantity(self.measured_peak)}")
        if self.held:
            lines.append(f"kept between runs {quantity(self.held)}")
        alive = self.alive(self.peak_step)
        lines += [row(a) for a in alive[:SHOWN]]
        rest = sum(a.nbytes for a in alive[SHOWN:])
        if rest:
            lines.append(f"{quantity(rest):>10}  {len(alive) - SHOWN} more")
        if inside := self.inside.get(self.peak_step):
            lines.append(f"{quantity(inside):>10}  {Keeps.INSIDE}")
        return lines

    def __repr__(self) -> str:
        return f"<MemoryTimeline of {len(self.steps)} steps, peak {quantity(self.peak)}>"


def row(a: Allocation) -> str:
    """An allocation as a line of text."""
    line = f"  {a.line}" if a.line else ""
    return f"{quantity(a.nbytes):>10}  {a.name}, {a.keeps}, steps {a.first + 1}-{a.last + 1}{line}"


def quantity(nbytes: float) -> str:
    """A number of bytes as text: `1.25 MB`."""
    for scale, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if nbytes >= 0.9995 * scale:  # 999.6 kB is 1 MB in three digits
            return f"{nbytes / scale:.3g} {unit}"
    return f"{nbytes:.0f} B"
