"""The page of the benchmarks: its figures are replaced, its text stays."""

import re
from pathlib import Path

from ..columns import DEFAULT_LEVEL, LIBRARIES
from .plots import chart
from .results import Results, reasons, save
from .tables import (
    Table,
    by_row,
    error_cell,
    first_cell,
    grid,
    label,
    memory_cell,
    memory_ratios,
    peaks,
    ratios,
    time_cell,
    times,
)  # fmt: skip

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE, FOLDER = DOCS / "benchmarks.md", DOCS / "benchmarks"
SECTION = "<!-- begin: {0} -->\n{1}<!-- end: {0} -->"


def write(results: Results, page: Path = PAGE, folder: Path = FOLDER) -> None:
    """Write the results, the plots, and the figures of the page."""
    folder.mkdir(exist_ok=True)
    table = by_row(results.cells)
    save(folder / "results.json", results)
    for name, text in plots(table).items():
        (folder / f"{name}.svg").write_text(text)
    page.write_text(filled(page.read_text(), sections(results, table)))


def filled(text: str, sections: dict[str, str]) -> str:
    """The text with the sections between their marks; raises ValueError for a mark not there."""
    for name, content in sections.items():
        pattern = re.escape(SECTION).replace(r"\{0\}", name).replace(r"\{1\}", ".*?")
        replacement = SECTION.format(name, content)
        text, count = re.subn(pattern, lambda _, r=replacement: r, text, flags=re.DOTALL)
        if count != 1:
            raise ValueError(f"the page has the marks of {name!r} {count} times, not once")
    return text


def measured(table: Table) -> list[str]:
    """The libraries of the table, in the order of the columns."""
    there = {name for cells in table.values() for name in cells}
    return [lib.name for lib in LIBRARIES if lib.name in there]


def sections(results: Results, table: Table) -> dict[str, str]:
    """The generated parts of the page, by name."""
    names = measured(table)
    single = {row: cells for row, cells in table.items() if row[1] == min(
        n for key, n in table if key == row[0])}  # fmt: skip
    tools = {name: found for name, found in results.surroundings.items() if name != "date"}
    about = ", ".join(f"{name} {found}" for name, found in tools.items())
    return {
        "about": f"Measured on {results.surroundings['date']} with {about}.\n",
        "times": grid(table, names, time_cell),
        "ratios": ratios(table),
        "first": grid(single, names, first_cell),
        "memory": grid(single, names, memory_cell),
        "memory ratios": memory_ratios(single),
        "errors": grid(single, names, error_cell),
        "reasons": "".join(f"* {line}\n" for line in reasons(results.cells)),
    }


def plots(table: Table) -> dict[str, str]:
    """The charts by name."""
    names, single = measured(table), {r: c for r, c in table.items() if r[1] == 1}
    relative = []
    for row, cells in table.items():
        found = times(cells)
        if unit := found.get(DEFAULT_LEVEL):
            relative.append((label(row), {name: us / unit for name, us in found.items()}))
    memory = [(label(r), peaks(cells)) for r, cells in single.items()]
    first = [(label(r), {n: c.first for n, c in cells.items() if c.first})
             for r, cells in single.items()]  # fmt: skip
    return {
        "times": chart(f"time relative to {DEFAULT_LEVEL}: left of 1 is faster", relative, names),
        "memory": chart("peak memory above that after imports, MB", memory, names),
        "first": chart("building, compiling and the first call, seconds", first, names),
    }
