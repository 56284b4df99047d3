"""The picture of a flame: frames from above, each over those inside it, as wide as their time.

Note [Small frames]. A frame narrower than a pixel is not drawn; what is next to it is where it
would be anyway, as widths add up.
"""

from collections.abc import Iterator

from . import svg
from .flame import BACKWARD, FORWARD, Flame, Frame
from .profile import duration

WIDTH, MARGIN, TOP = 1000, 16, 56
HEIGHT, NARROW = 20, 0.7  # of a frame, and the width below which it is not drawn
DEEPEST = 40  # levels
STYLE = """\
.frame{stroke:var(--paper);fill:#9aa3ad}.forward{fill:#56b4e9}.backward{fill:#e69f00}
.node{fill:#c6cbd1}.node.forward{fill:#a5d8f3}.node.backward{fill:#f6cf78}.in{fill:#111}
.frame:hover{stroke:var(--ink)}"""
NAMES = {FORWARD: "forward", BACKWARD: "backward"}


def flame_svg(flame: Flame) -> str:
    """The picture of a flame."""
    scale = (WIDTH - 2 * MARGIN) / (flame.seconds or 1.0)
    parts, deepest = [*legend(flame)], 0
    for depth, start, frame in flame.walk():
        width = frame.seconds * scale
        if width >= NARROW and depth < DEEPEST:
            deepest = max(deepest, depth + 1)
            share = frame.seconds / (flame.seconds or 1.0)
            parts += box(frame, MARGIN + start * scale, TOP + depth * HEIGHT, width, share)
    height = TOP + deepest * HEIGHT + MARGIN
    return svg.picture(WIDTH, height, f"{flame.title}: {duration(flame.seconds)}", parts, STYLE)


def legend(flame: Flame) -> Iterator[str]:
    """The title, and the colours and what they mean."""
    yield svg.text(MARGIN, 24, f"{flame.title}, {duration(flame.seconds)} a run", "title")
    x = WIDTH - 260.0
    for kind, name in (*NAMES.items(), ("", "both")):
        yield svg.rectangle(x, 14, 12, 12, f"frame {kind}".strip())
        yield svg.text(x + 18, 24, name)
        x += 34 + svg.LETTER * len(name)


def box(frame: Frame, x: float, y: float, width: float, share: float) -> Iterator[str]:
    """A frame, with its name where there is room, and the rest where a person points at it."""
    kind = " ".join(filter(None, ["frame", frame.kind, "" if frame.children else "node"]))
    tip = [frame.name, f"{duration(frame.seconds)}, {share:.1%}", frame.about]
    yield svg.rectangle(x, y, width, HEIGHT - 1, kind, tip)
    letters = int((width - 8) / svg.LETTER)
    if letters >= 3:
        name = frame.name if frame.children else frame.name.rpartition("/")[2]
        label = name if len(name) <= letters else f"{name[: letters - 1]}…"
        yield svg.text(x + 4, y + 14, label, "in")
