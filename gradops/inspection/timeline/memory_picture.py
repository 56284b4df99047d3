"""The picture of a run's memory: live bytes by step, and for how long the largest are alive.

Note [Columns]. A picture has at most some hundred columns. One of many steps shows the step with
the most live bytes among them, so the peak is always seen.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from . import svg
from .memory import Allocation, Keeps, MemoryTimeline, quantity

WIDTH, LEFT, RIGHT = 1000, 72, 300
CHART, BAR, BARS = 190, 15, 10  # heights of the chart and of a bar, and how many there are
TOP, GAP = 56, 40
COLUMNS = 480
LETTERS = 31  # of a name beside a bar
CLASSES = {
    Keeps.SAVED: "saved", Keeps.FORWARD: "forward", Keeps.BACKWARD: "backward",
    Keeps.RESULT: "result", Keeps.INSIDE: "inside",
}  # fmt: skip
"""The reasons in the order in which they are stacked, from below, and their classes."""

STYLE = """\
.saved{fill:#0072b2}.forward{fill:#56b4e9}.backward{fill:#e69f00}.result{fill:#009e73}
.inside{fill:#cc79a7}.hatch{fill:url(#memory-hatch)}.measured{fill:none;stroke:var(--ink);
stroke-width:1.2;stroke-dasharray:1 2}"""
DEFS = (
    '<defs><pattern id="memory-hatch" width="5" height="5" patternUnits="userSpaceOnUse"'
    ' patternTransform="rotate(45)"><path d="M0 0V5" stroke="#fff" stroke-opacity=".45"/>'
    "</pattern></defs>"
)


def memory_svg(timelines: Sequence[MemoryTimeline]) -> str:
    """The picture of timelines, one below the other on one scale."""
    top = max((t.peak for t in timelines), default=0)
    top = max([top, *(t.measured_peak or 0 for t in timelines)])
    parts, y = [*legend(timelines)], float(TOP)
    for t in timelines:
        panel = Panel(t, y, top)
        parts += panel.parts()
        y += panel.height
    title = "Memory of a run: " + ", ".join(t.title for t in timelines)
    return svg.picture(WIDTH, y, title, parts, STYLE, DEFS)


def legend(timelines: Sequence[MemoryTimeline]) -> Iterator[str]:
    """The colours and what they mean."""
    yield svg.text(16, 24, "Live bytes by step", "title")
    x = 190.0
    for keeps, kind in CLASSES.items():
        if any(keeps in t.by_reason for t in timelines):
            yield from swatch(x, 14, kind)
            yield svg.text(x + 18, 24, keeps)
            x += 30 + svg.LETTER * len(keeps)
    if any(t.measured for t in timelines):
        yield svg.line(x, 20, x + 14, 20, "measured")
        yield svg.text(x + 18, 24, "measured")


def swatch(x: float, y: float, kind: str) -> Iterator[str]:
    """A small square in the colour of a reason."""
    yield svg.rectangle(x, y, 12, 12, kind)
    if kind == "saved":
        yield svg.rectangle(x, y, 12, 12, "hatch")


class Column(NamedTuple):
    """Some steps side by side, and the one among them that is shown."""

    first: int
    last: int
    shown: int


def columns(t: MemoryTimeline) -> list[Column]:
    """The columns of a picture. See Note [Columns]."""
    edges = np.linspace(0, len(t.steps), min(COLUMNS, len(t.steps)) + 1).astype(int)
    return [
        Column(int(a), int(b) - 1, int(a) + int(t.live[a:b].argmax())) for a, b in pairwise(edges)
    ]


class Panel:
    """The picture of one timeline from a height on; `top` are the bytes at the upper edge."""

    def __init__(self, t: MemoryTimeline, y: float, top: int) -> None:
        self.t, self.y, self.top = t, y + 26, max(top, 1)
        self.width = WIDTH - LEFT - RIGHT
        self.alive = t.alive(t.peak_step)[:BARS] if t.steps else []
        self.height = 26 + CHART + 26 + BAR * len(self.alive) + GAP

    def parts(self) -> Iterator[str]:
        """The pieces of the picture."""
        yield svg.text(16, self.y - 10, self.heading(), longest=140)
        yield from self.scale()
        if self.t.steps:
            yield from self.areas()
            yield from self.phases()
            yield from self.bars()
            yield from self.peak()
            yield from self.tips()

    def heading(self) -> str:
        """The name of the timeline and its peak in words."""
        t = self.t
        if not t.steps:
            return f"{t.title}: no steps"
        at = t.steps[t.peak_step]
        text = f"{t.title}: peak {quantity(t.peak)} at {at.name}"
        if at.line:
            text += f" ({at.line})"
        if t.measured_peak is not None:
            text += f"; measured {quantity(t.measured_peak)}"
        return text + (f"; kept between runs {quantity(t.held)}" if t.held else "")

    def x(self, step: float) -> float:
        """The place of a step's left edge."""
        return LEFT + self.width * step / max(len(self.t.steps), 1)

    def at(self, nbytes: float) -> float:
        """The height of a number of bytes."""
        return self.y + CHART * (1 - nbytes / self.top)

    def scale(self) -> Iterator[str]:
        """The lines and numbers of the scale of bytes."""
        for nbytes in svg.round_steps(self.top):
            y = self.at(nbytes)
            yield svg.line(LEFT, y, LEFT + self.width, y)
            yield svg.text(LEFT - 8, y + 4, quantity(nbytes), "end faint")

    def areas(self) -> Iterator[str]:
        """The areas of the reasons, one on the other, and the measured bytes as a line."""
        shown = columns(self.t)
        below = np.zeros(len(shown))
        for keeps, kind in CLASSES.items():
            if keeps in self.t.by_reason:
                above = below + self.t.by_reason[keeps][[c.shown for c in shown]]
                path = self.area(shown, below, above)
                yield f'<path class="{kind}" d="{path}"/>'
                if kind == "saved":
                    yield f'<path class="hatch" d="{path}"/>'
                below = above
        if self.t.measured:
            yield f'<path class="measured" d="{self.outline(shown)}"/>'

    def area(self, shown: Sequence[Column], low: np.ndarray, high: np.ndarray) -> str:
        """The path around columns between two heights."""
        edges = [(self.x(c.first), self.x(c.last + 1)) for c in shown]
        upper = [
            f"{x:.1f} {self.at(v):.1f}" for pair, v in zip(edges, high) for x in pair
        ]  # fmt: skip
        lower = [f"{x:.1f} {self.at(v):.1f}" for pair, v in zip(edges, low) for x in pair]
        return f"M{'L'.join([*upper, *reversed(lower)])}Z"

    def outline(self, shown: Sequence[Column]) -> str:
        """The path of the measured bytes."""
        points = []
        for c in shown:
            y = self.at(max(self.t.measured[c.first : c.last + 1]))
            points += [f"{self.x(c.first):.1f} {y:.1f}", f"{self.x(c.last + 1):.1f} {y:.1f}"]
        return f"M{'L'.join(points)}"

    def phases(self) -> Iterator[str]:
        """Where the forward ends and the backward begins."""
        start, y = self.t.backward_step, self.y + CHART + 16
        ends = len(self.t.steps) if start is None else start
        if ends:
            middle = (self.x(0) + self.x(ends)) / 2
            yield svg.text(middle, y, f"forward, {ends} steps", "middle faint")
        if start is not None:
            yield svg.line(self.x(start), self.y, self.x(start), self.y + CHART + 20, "mark")
            count = len(self.t.steps) - start
            middle = (self.x(start) + self.x(len(self.t.steps))) / 2
            yield svg.text(middle, y, f"backward, {count} steps", "middle faint")

    def bars(self) -> Iterator[str]:
        """The allocations that are alive at the peak, each as a bar over its steps."""
        y = self.y + CHART + 26
        for a in self.alive:
            x, end = self.x(a.first), self.x(a.last + 1)
            yield svg.rectangle(x, y, max(end - x, 1.5), BAR - 4, CLASSES[a.keeps], tip_of(a))
            if a.keeps is Keeps.SAVED:
                yield svg.rectangle(x, y, max(end - x, 1.5), BAR - 4, "hatch", tip_of(a))
            x = LEFT + self.width + 66
            yield svg.text(x - 8, y + 10, quantity(a.nbytes), "end")
            both = f"{a.name}  {a.line}"
            yield svg.text(x, y + 10, both if len(both) <= LETTERS else a.name, longest=LETTERS)
            y += BAR

    def peak(self) -> Iterator[str]:
        """The mark of the peak, through the chart and the bars."""
        x = (self.x(self.t.peak_step) + self.x(self.t.peak_step + 1)) / 2
        y = self.at(self.t.peak)
        bottom = self.y + CHART + 26 + BAR * len(self.alive)
        yield svg.line(x, y, x, bottom, "mark")
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="none" stroke="var(--ink)"/>'
        yield svg.text(LEFT + self.width + 14, self.y + CHART + 16, "alive at the peak", "faint")

    def tips(self) -> Iterator[str]:
        """The tooltip of a column."""
        for c in columns(self.t):
            step = self.t.steps[c.shown]
            about = [f"step {c.shown + 1}: {step.name}", step.line, quantity(self.t.live[c.shown])]
            about += [
                f"{quantity(v[c.shown])} {k}" for k, v in self.t.by_reason.items() if v[c.shown]
            ]
            x = self.x(c.first)
            yield svg.rectangle(x, self.y, self.x(c.last + 1) - x, CHART, "hover", about)


def tip_of(a: Allocation) -> list[str]:
    """The tooltip of a bar."""
    alive = f"alive in steps {a.first + 1} to {a.last + 1}"
    return [a.name, a.line, f"{quantity(a.nbytes)}, {a.keeps}", alive]
