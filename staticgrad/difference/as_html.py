"""The differences of two graphs in HTML."""

from html import escape
from typing import TYPE_CHECKING

from gradops.inspection.page.palette import palette

if TYPE_CHECKING:
    from .changes import GraphDiff

NAMES = {"-": "removed", "+": "added", "~": "changed"}
STYLE = """\
body {
  margin: 2rem; font-family: system-ui, sans-serif;
  color: var(--text); background: var(--background);
}
ol { list-style: none; padding: 0; font: 0.85rem/1.5 ui-monospace, monospace; }
li { white-space: pre-wrap; overflow-wrap: anywhere; padding: 0 0.5rem; }
.removed { background: var(--backward); }
.added { background: var(--parameter); }
.changed { background: var(--constant); color: var(--faint); }
"""
POLICY = "default-src 'none'; style-src 'unsafe-inline'"  # the page loads nothing


def page(found: "GraphDiff") -> str:
    """A document that needs no network."""
    title = escape(" and ".join(found.names))
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<title>diff of {title}</title>
<style>
{palette()}{STYLE}</style>
</head>
<body>
<h1>{title}</h1>
{listing(found)}
</body>
</html>
"""


def listing(found: "GraphDiff") -> str:
    """The changes as a list, each line with its mark, and those of graphs inside."""
    parts = []
    for name, each in [("", found), *found.inner.items()]:
        heading = f"<h2>in graph {escape(name)}</h2>" if name else ""
        items = [
            f'<li class="{NAMES[mark]}">{mark} {escape(text)}</li>' for mark, text in each.lines()
        ]
        parts.append(f"{heading}<p>{escape(each.summary)}</p><ol>{''.join(items)}</ol>")
    return "\n".join(parts)
