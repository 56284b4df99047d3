"""Results as Markdown tables."""

from collections.abc import Iterable, Sequence

from ..measure.cells import Cell
from ..workload import Workload

Table = dict[tuple[str, int], dict[str, Cell]]


def by_row(cells: Iterable[Cell], workloads: Sequence[Workload]) -> Table:
    """The cells of each row and number of threads, by library, in the order of the workloads."""
    order = {w.key: i for i, w in enumerate(workloads)}
    table: Table = {}
    for c in sorted(cells, key=lambda c: (order[c.row], c.threads)):
        table.setdefault((c.row, c.threads), {})[c.library] = c
    return table


def markdown(header: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """A table; its first column is text."""
    head = f"| {' | '.join(header)} |\n|---|{'--:|' * (len(header) - 1)}\n"
    return head + "".join(f"| {' | '.join(line)} |\n" for line in lines)


def shown(us: float) -> str:
    """Microseconds with three digits, in the unit that fits."""
    value, unit = (us / 1e6, "s") if us >= 1e6 else (us / 1e3, "ms") if us >= 1e3 else (us, "us")
    return f"{value:.{0 if value >= 100 else 1 if value >= 10 else 2}f} {unit}"


def label(titles: dict[str, str], row: str, threads: int) -> str:
    """The title, with the threads if there is more than one."""
    return titles[row] + (f" ({threads})" if threads > 1 else "")
