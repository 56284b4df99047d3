"""SVG: the mirror layout as a picture, without scripts and fonts of its own."""

from bisect import bisect
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from html import escape
from typing import NamedTuple

from ..layout import Layout, mirror_layout
from ..model import GraphView, NodeView, Role
from .labels import label_lines, shown, tooltip

WIDTH, GAP = 172, 24  # of a node, and between nodes
LINE, PAD = 14, 10
HEIGHT = 3 * LINE + PAD  # of a node of three lines
STEP = HEIGHT + 26  # from one row to the next
MARGIN = 24
RISE = 22  # of a line over nodes of its row
LETTERS = 28  # that fit into a node
RULES = {
    "": "background:#fff;font:11px Helvetica,Arial,sans-serif",
    "text": "fill:#111;text-anchor:middle", "rect": "stroke:#6b7280",
    ".input rect": "fill:#dbeafe", ".parameter rect": "fill:#fde68a", ".constant rect": "fill:#fff",
    ".forward rect": "fill:#dcfce7", ".backward rect": "fill:#fee2e2;stroke-dasharray:4 2",
    ".update rect": "fill:#ede9fe", ".result rect": "stroke-width:2.5;stroke:#111",
    ".small": "font-size:10px;fill:#374151", "path": "fill:none;stroke:#374151",
    ".saved": "stroke:#9ca3af;stroke-dasharray:2 3",
    ".heading": "font-weight:bold;text-anchor:start",
}  # fmt: skip
STYLE = "".join(f".gradops-svg {selector}{{{rule}}}" for selector, rule in RULES.items())
"""Rules that hold in these pictures alone, as one may stand in a page of another."""
ROUND = {Role.INPUT, Role.PARAMETER}
READ_ACROSS = {Role.INPUT, Role.PARAMETER, Role.FORWARD}
HEADINGS = ("forward", "backward", "update")


class Point(NamedTuple):
    """The middle of a node."""

    x: int
    y: int


def to_svg(view: GraphView) -> str:
    """The view as an SVG picture: forward left, backward right, each node beside its cause.

    Updates of variables are in a third column. The graphs of loops and branches stand below, each
    under its name. Lines lead to a node from its operands; dashed ones from forward to backward.
    """
    pictures = [("", view), *view.graphs.items()]
    width, y, parts = 0, 0, []
    for name, each in pictures:
        drawn = Picture(each, y)
        parts += list(drawn.parts(name))
        width, y = max(width, drawn.width), y + drawn.height
    size = f'width="{width}" height="{y}" viewBox="0 0 {width} {y}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} class="gradops-svg" role="img">'
    title = f"<title>{escape(shown(view.title))}</title>"
    marker = (
        '<defs><marker id="gradops-arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="6"'
        ' markerHeight="6" orient="auto-start-reverse"><path d="M0 0L8 4L0 8z"'
        ' style="fill:#374151"/></marker></defs>'
    )
    return "\n".join([head, title, f"<style>{STYLE}</style>", marker, *parts, "</svg>"]) + "\n"


class Picture:
    """The drawing of one graph from a height on."""

    def __init__(self, view: GraphView, top: int) -> None:
        self.view, self.top = view, top
        layout = mirror_layout(view.nodes)
        lanes = [0, 0, 0]
        for cell in layout.cells.values():
            lanes[cell.band] = max(lanes[cell.band], cell.lane + 1)
        step = WIDTH + GAP
        self.axis = MARGIN + lanes[0] * step
        starts = (MARGIN, self.axis + GAP, self.axis + GAP + lanes[1] * step + GAP * bool(lanes[1]))
        self.starts = [x for x, n in zip(starts, lanes, strict=True)]
        self.lanes = lanes
        self.width = max(starts[2] + lanes[2] * step, 2 * MARGIN + WIDTH) + MARGIN
        self.points = dict(self.places(layout))
        self.lane_heights = defaultdict[int, list[int]](list)
        for x, y in sorted(self.points.values()):
            self.lane_heights[x].append(y)

    def places(self, layout: Layout) -> Iterator[tuple[int, Point]]:
        """The middle of each node; sets the height."""
        lines = [0] * max(layout.rows, 1)
        for cell in layout.cells.values():
            lines[cell.row] = max(lines[cell.row], cell.line)
        tops, y = [], self.top + MARGIN + STEP // 2
        for count in lines:
            tops.append(y)
            y += (count + 1) * STEP
        self.height = y - self.top + MARGIN - STEP // 2
        step = WIDTH + GAP
        for i, cell in layout.cells.items():
            x = self.axis - (cell.lane + 1) * step if cell.band == 0 else (
                self.starts[cell.band] + cell.lane * step
            )  # fmt: skip
            yield i, Point(x + WIDTH // 2, tops[cell.row] + cell.line * STEP + HEIGHT // 2)

    def parts(self, name: str) -> Iterator[str]:
        """The elements: headings, then lines, then nodes over them."""
        heading = escape(shown(name)) if name else ""
        for k, text in enumerate(HEADINGS):
            if self.lanes[k] and (k or self.lanes[1] or heading):
                said = f"{heading}: {text}" if heading else text
                at = f'x="{self.starts[k]}" y="{self.top + 16}"'
                yield f'<text class="heading" {at}>{said}</text>'
        roles = {n.id: n.role for n in self.view.nodes}
        for n in self.view.nodes:
            for i in n.inputs:
                yield self.edge(i, n, roles[i])
        results = self.view.results
        for n in self.view.nodes:
            yield self.box(n, n.id in results)

    def edge(self, i: int, n: NodeView, role: Role) -> str:
        """The line from an operand to a node."""
        a, b = self.points[i], self.points[n.id]
        if a.y == b.y and abs(a.x - b.x) > WIDTH + GAP:  # over what stands between them
            y = a.y - HEIGHT // 2
            line = f"M{a.x} {y}C{a.x} {y - RISE} {b.x} {y - RISE} {b.x} {y}"
        elif a.y == b.y:
            side = WIDTH // 2 if b.x > a.x else -WIDTH // 2
            line = f"M{a.x + side} {a.y}L{b.x - side} {b.y}"
        elif a.x == b.x and self.is_between(a, b):  # beside what stands between them
            x = a.x + WIDTH // 2
            line = f"M{x} {a.y}C{x + GAP} {a.y} {x + GAP} {b.y} {x} {b.y}"
        else:
            half = HEIGHT // 2 if b.y > a.y else -HEIGHT // 2
            y, z = a.y + half, b.y - half
            line = f"M{a.x} {y}C{a.x} {y + half} {b.x} {z - half} {b.x} {z}"
        is_across = n.role is Role.BACKWARD and role in READ_ACROSS
        kind = ' class="saved"' if is_across else ""
        return f'<path{kind} d="{line}" marker-end="url(#gradops-arrow)"/>'

    def is_between(self, a: Point, b: Point) -> bool:
        """True if a node stands between two others of one lane."""
        heights = self.lane_heights[a.x]
        return abs(bisect(heights, a.y) - bisect(heights, b.y)) > 1

    def box(self, n: NodeView, is_result: bool) -> str:
        """A node, with up to three lines of text."""
        x, y = self.points[n.id]
        corner = HEIGHT // 2 if n.role in ROUND else 3
        first, *others = label_lines(n)[:3]
        start = y - len(others) * LINE // 2 + 4
        texts = f'<text x="{x}" y="{start}">{letters(first)}</text>'
        for line in others:
            start += LINE
            texts += f'<text class="small" x="{x}" y="{start}">{letters(line)}</text>'
        kind = f"{n.role} result" if is_result else n.role
        return (
            f'<g class="{kind}"><title>{escape(tooltip(n))}</title>'
            f'<rect x="{x - WIDTH // 2}" y="{y - HEIGHT // 2}" width="{WIDTH}" height="{HEIGHT}"'
            f' rx="{corner}"/>{texts}</g>'
        )


@lru_cache(maxsize=4096)
def letters(line: str) -> str:
    """A line of a label as text of an element, as much of it as fits into a node."""
    return escape(shown(line, LETTERS))
