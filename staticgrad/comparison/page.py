"""The page of a comparison: one HTML document without scripts that needs no network."""

from collections.abc import Iterable, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING

from .result import HEADINGS

if TYPE_CHECKING:
    from .result import Comparison

POLICY = "default-src 'none'; style-src 'unsafe-inline'"  # the page loads nothing


def page(comparison: "Comparison") -> str:
    """The document."""
    title = escape(f"compare: {comparison.subject.name}")
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
{style()}</style>
</head>
<body>
<h1>{escape(str(comparison.subject))}</h1>
{table_html(comparison)}
</body>
</html>
"""


@cache
def style() -> str:
    """The style sheet."""
    return files(__package__).joinpath("page.css").read_text(encoding="utf-8")


def table_html(comparison: "Comparison") -> str:
    """The table of all modes, and below it why some have failed."""
    rows = [row.cells for row in comparison.rows]
    kept = [i for i in range(len(HEADINGS)) if i == 0 or any(row[i] for row in rows)]
    parts = [table([HEADINGS[i] for i in kept], [[row[i] for i in kept] for row in rows])]
    for failure, titles in comparison.failures.items():
        parts.append(f"<p>{escape(titles)}:</p><pre>{escape(str(failure))}</pre>")
    return "\n".join([*parts, f"<p>bits: {escape(comparison.reference)}</p>"])


def table(headings: Iterable[str], rows: Sequence[Iterable[str]]) -> str:
    """A table of texts, with the first column as headings of the rows."""
    head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in headings)
    lines = [f"<table><thead><tr>{head}</tr></thead><tbody>"]
    for title, *cells in rows:
        others = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
        lines.append(f'<tr><th scope="row">{escape(title)}</th>{others}</tr>')
    return "\n".join([*lines, "</tbody></table>"])
