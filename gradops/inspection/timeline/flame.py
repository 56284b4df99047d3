"""Times as a flame: nested frames, each as wide as the time that is spent in it.

Note [Other]. Time that belongs to no node, as the entry of a function, is a frame of its own.
"""

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...core.errors import OptionError
from .profile import Profile, ProfileRow, duration

OTHER = "(other)"
FORWARD, BACKWARD = "forward", "backward"
DEEPEST, SHOWN = 6, 0.01  # levels and share of the frames in the text


@dataclass(frozen=True)
class Frame:
    """A name, the time in it, and the frames inside, the longest first.

    `kind` is "forward", "backward", or empty where both are in it; `about` is what else there is to
    say of a node: its type, line, calls and operations.
    """

    name: str
    seconds: float
    kind: str = ""
    about: str = ""
    children: tuple["Frame", ...] = ()


@dataclass(frozen=True)
class Flame:
    """The frames of a profile, the longest first. Printing it shows them as a tree."""

    title: str
    frames: tuple[Frame, ...]

    @property
    def seconds(self) -> float:
        """The time of one run."""
        return sum(frame.seconds for frame in self.frames)

    def walk(self) -> Iterator[tuple[int, float, Frame]]:
        """All frames with their depth and the time to the left of them, each before its own."""
        stack = placed(0, 0.0, self.frames)[::-1]
        while stack:
            depth, start, frame = stack.pop()
            yield depth, start, frame
            stack += placed(depth + 1, start, frame.children)[::-1]

    def to_dict(self) -> dict[str, Any]:
        """The flame as plain data: nested dicts of name, seconds, kind, about and children."""
        top: dict[str, Any] = {"name": self.title, "seconds": self.seconds, "children": []}
        parents: list[dict[str, Any]] = [top]
        for depth, _, frame in self.walk():
            facts = {"name": frame.name, "seconds": frame.seconds, "kind": frame.kind,
                     "about": frame.about, "children": []}  # fmt: skip
            del parents[depth + 1 :]
            parents[-1]["children"].append(facts)
            parents.append(facts)
        return top

    def to_json(self, **options: Any) -> str:
        """The flame as JSON; options are those of `json.dumps`."""
        return json.dumps(self.to_dict(), **options)

    def to_svg(self) -> str:
        """The flame as a picture."""
        from .flame_picture import flame_svg

        return flame_svg(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture as an SVG file."""
        Path(path).write_text(self.to_svg(), encoding="utf-8")

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def __str__(self) -> str:
        total = self.seconds or 1.0
        lines = [f"{self.title}: {duration(self.seconds)}"]
        for depth, _, frame in self.walk():
            if depth < DEEPEST and frame.seconds / total >= SHOWN:
                share = f"{frame.seconds / total:.0%}"
                lines.append(f"{share:>5}  {'  ' * depth}{frame.name}")
        return "\n".join(lines)


def placed(depth: int, start: float, frames: Sequence[Frame]) -> list[tuple[int, float, Frame]]:
    """Frames of one depth side by side from a time on."""
    result = []
    for frame in frames:
        result.append((depth, start, frame))
        start += frame.seconds
    return result


class Branch:
    """A frame under construction."""

    __slots__ = ("about", "branches", "kinds", "seconds")

    def __init__(self) -> None:
        self.seconds = 0.0
        self.about = ""
        self.kinds: set[str] = set()
        self.branches: dict[str, Branch] = {}


def flame_of(profile: Profile, by: str) -> Flame:
    """The flame of a profile by "scope" or "line"; raises OptionError for something else."""
    if by not in ("scope", "line"):
        raise OptionError("flame", [], f"by is scope or line, not {by!r}")
    root = Branch()
    for row in profile.rows:
        branch = root
        kind = (BACKWARD if is_backward(row) else FORWARD) if row.op else ""
        for name in path_of(row, by):
            branch = branch.branches.setdefault(name, Branch())
            branch.seconds += max(row.seconds, 0.0)
            branch.kinds.add(kind)
        branch.about = about(row)
    return Flame(f"time by {by}", frames_of(root))


def frames_of(root: Branch) -> tuple[Frame, ...]:
    """The finished frames below a branch, built from the deepest up."""
    order, stack = [], [root]
    while stack:
        branch = stack.pop()
        order.append(branch)
        stack += branch.branches.values()
    built: dict[int, tuple[Frame, ...]] = {}
    for branch in reversed(order):
        frames = [
            Frame(name, b.seconds, min(b.kinds) if len(b.kinds) == 1 else "", b.about, built[id(b)])
            for name, b in branch.branches.items()
        ]
        built[id(branch)] = tuple(sorted(frames, key=lambda frame: -frame.seconds))
    return built[id(root)]


def is_backward(row: ProfileRow) -> bool:
    """True for a node of a gradient."""
    return row.name.startswith("gradients/")


def path_of(row: ProfileRow, by: str) -> list[str]:
    """The names from the outermost frame to that of a node."""
    if not row.op:
        return [OTHER, row.name]
    if by == "scope":
        return [*filter(None, row.scope.split("/")), row.name.rpartition("/")[2]]
    file = row.line.rpartition(":")[0] or "(unknown)"
    function = [f"{row.function}()"] if row.function not in ("", "run") else []
    return [*function, file, row.line or "(unknown)", row.name]


def about(row: ProfileRow) -> str:
    """Facts about a node besides its name and time."""
    calls = f"{row.count} times" if row.count != 1 else ""
    flops = f"{row.flops:,} operations" if row.flops else ""
    return ", ".join(filter(None, [row.op, row.type, row.line, calls, flops]))
