"""The page of a comparison: one HTML document without scripts that needs no network."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING

from gradops.inspection.page.palette import palette

from .failures import Failure
from .result import HEADINGS
from .ways import Optimized

if TYPE_CHECKING:
    from .result import Comparison
    from .surfacing import Surfacing
    from .trail import Step

POLICY = "default-src 'none'; style-src 'unsafe-inline'"  # the page loads nothing
MOST_STEPS = 300
ABOUT_STEPS = """\
Each row is an operation. The graph knows its type when the line runs, for all values at once; the
tape has its value then. The graph computes values later, in each run; the tape runs all lines
again, and derives the gradient again, in each call."""
ABOUT_MISTAKES = """\
Small programs, and then the function above with other arguments, run in each mode for this page:
what surfaced, and when."""


def page(comparison: "Comparison") -> str:
    """The document."""
    title = escape(f"compare: {comparison.subject.name}")
    sections = "\n".join(sections_of(comparison))
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
{sections}
</body>
</html>
"""


@cache
def style() -> str:
    """The style sheet."""
    return palette() + files(__package__).joinpath("page.css").read_text(encoding="utf-8")


def sections_of(comparison: "Comparison") -> Iterator[str]:
    """The parts of the page."""
    yield f"<section>{table_html(comparison)}</section>"
    yield section("steps", "What each mode knew, and when", ABOUT_STEPS, steps_html(comparison))
    yield section("mistakes", "Where mistakes surface", ABOUT_MISTAKES,
                  "\n".join(map(surfacing_html, comparison.surfacing)))  # fmt: skip


def section(name: str, title: str, about: str, body: str) -> str:
    """A section with a heading and a sentence on it."""
    return f'<section id="{name}"><h2>{title}</h2><p>{about}</p>\n{body}</section>'


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
    lines = [f'<table class="numbers"><thead><tr>{head}</tr></thead><tbody>']
    for title, *cells in rows:
        others = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
        lines.append(f'<tr><th scope="row">{escape(title)}</th>{others}</tr>')
    return "\n".join([*lines, "</tbody></table>"])


def steps_html(comparison: "Comparison") -> str:
    """The operations in order: forward, gradient, and what follows once for the graph."""
    head = "".join(
        f'<th scope="col">{text}</th>'
        for text in ("line", "op", "graph, as it is built: a type", "tape, at once: a value",
                     "graph, when it runs")
    )  # fmt: skip
    lines = [f'<table class="steps"><thead><tr>{head}</tr></thead><tbody>']
    steps, phase, line = comparison.steps, "", ""
    for step in steps[:MOST_STEPS]:
        if step.phase != phase:
            phase = step.phase
            lines.append(f'<tr class="phase"><th colspan="5">{PHASES[phase]}</th></tr>')
        shown = "" if step.line == line else step.line
        line = step.line
        lines.append(step_html(step, shown))
    if len(steps) > MOST_STEPS:
        lines.append(f'<tr><td colspan="5">and {len(steps) - MOST_STEPS:,} more</td></tr>')
    return "\n".join([*lines, *compilation(comparison), "</tbody></table>"])


PHASES = {
    "forward": "the program runs",
    "gradient": "the gradient: nodes of the graph; values by backward() on the tape, then freed",
}


def step_html(step: "Step", line: str) -> str:
    """A row of the steps."""
    cells = [("line", line), ("", step.op), ("graph", step.graph), ("tape", step.tape),
             ("graph", step.later)]  # fmt: skip
    return "<tr>" + "".join(f'<td class="{c}">{escape(text)}</td>' for c, text in cells) + "</tr>"


def compilation(comparison: "Comparison") -> list[str]:
    """The passes and the code of the graph; empty where there is none."""
    if not any(step.graph for step in comparison.steps):
        return []
    executable = Optimized(comparison.subject).executable
    before, after = (sum(e.op is not None for e in g.order) for g in
                     (executable.written, executable.graph))  # fmt: skip
    text = f"once: passes make {after} operations of {before}; then each call runs this code"
    return [f'<tr class="phase"><th colspan="5">{text}</th></tr>',
            f'<tr><td colspan="5"><pre>{escape(executable.source)}</pre></td></tr>']  # fmt: skip


def surfacing_html(found: "Surfacing") -> str:
    """A program and what became of it in each mode."""
    from .surfacing import MODES

    source = f"<pre>{escape(found.source)}</pre>" if found.source else ""
    cells = [
        f'<tr><th scope="row">{mode}</th>{outcome_html(outcome)}</tr>'
        for mode, outcome in zip(MODES, found.outcomes, strict=True)
    ]
    rows = "\n".join(cells)
    return f"<h3>{escape(found.title)}</h3>{source}\n<table><tbody>\n{rows}\n</tbody></table>"


def outcome_html(outcome: Failure | str) -> str:
    """The stage and the text of what happened."""
    if isinstance(outcome, str):
        return f'<td class="stage">never</td><td class="text">{escape(outcome)}</td>'
    before = f"<p>without checks: {escape(outcome.before)}</p>" if outcome.before else ""
    return (
        f'<td class="stage bad">{escape(outcome.stage)}</td><td class="text">{before}'
        f"<pre>{escape(outcome.kind)}: {escape(outcome.message)}</pre></td>"
    )
