"""Graphs and tapes in notebooks: a small one as a picture, a large one as a table."""

from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape

from .formats.labels import shown
from .formats.svg import to_svg
from .model import GraphView, NodeView, Role

LIMIT = 200  # nodes that a picture in a notebook has
SHOWN = 20  # rows of a table
Bundle = dict[str, str]
Row = Sequence[object]


def bundle(text: str, html: str = "") -> Bundle:
    """The forms of an object, by MIME type: plain text, and HTML if there is any."""
    return {"text/plain": text, **({"text/html": html} if html else {})}


def view_html(view: GraphView) -> str:
    """The view as a picture that scrolls, or if it is large, a table of its ops."""
    if sum(map(len, (view, *view.graphs.values()))) <= LIMIT:
        return f'<div style="overflow:auto;max-height:40em">{to_svg(view)}</div>'
    return f"<p>{len(view):,} nodes; to_svg() draws them.</p>{ops_table(view.nodes)}"


def ops_table(nodes: Iterable[NodeView]) -> str:
    """How many nodes there are of each op and role."""
    counts = Counter((n.op, n.role) for n in nodes if n.role is not Role.CONSTANT)
    return table(("op", "role", "nodes"), [(*k, count) for k, count in counts.most_common()])


def arrays_table(nodes: Iterable[NodeView]) -> str:
    """Parameters with their types, bytes, mean and spread."""
    rows: list[Row] = []
    for n in nodes:
        s = n.statistics
        known = ("", "") if s is None else (f"{s.mean:.4g}", f"{s.std:.4g}")
        rows.append((n.name, n.type, "" if n.nbytes is None else f"{n.nbytes:,}", *known))
    return table(("name", "type", "bytes", "mean", "std"), rows)


def counts_table(counts: Counter[str]) -> str:
    """How many operations there are of each name."""
    return table(("op", "operations"), counts.most_common())


def table(heads: Sequence[str], rows: Sequence[Row]) -> str:
    """Rows as HTML; of many, the first ones."""
    lines = [cells("th", heads), *(cells("td", row) for row in rows[:SHOWN])]
    more = f"<p>and {len(rows) - SHOWN:,} more</p>" if len(rows) > SHOWN else ""
    return f"<table>{''.join(lines)}</table>{more}"


def cells(tag: str, row: Row) -> str:
    """One row of a table."""
    return f"<tr>{''.join(f'<{tag}>{escape(shown(str(x)))}</{tag}>' for x in row)}</tr>"


def preformatted(text: str) -> str:
    """Text in HTML, as it is."""
    return f"<pre>{escape(text)}</pre>"


def folded(summary: str, html: str) -> str:
    """HTML that opens by a click on its summary."""
    return f"<details><summary>{escape(shown(summary))}</summary>{html}</details>"
