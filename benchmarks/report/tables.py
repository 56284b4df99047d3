"""Results as Markdown tables."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from ..columns import BY_HAND, DEFAULT_LEVEL, EAGER, NATIVE, OURS, TORCH
from ..measure.cells import Cell
from ..rows import ORDER, TITLES

Row = tuple[str, int]
Table = dict[Row, dict[str, Cell]]


def by_row(cells: Iterable[Cell]) -> Table:
    """The cells of each row and number of threads, by library, in the order of the workloads."""
    table: Table = {}
    for c in sorted(cells, key=lambda c: (ORDER.index(c.row), c.threads)):
        table.setdefault((c.row, c.threads), {})[c.library] = c
    return table


def markdown(header: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """A table; its first column is text."""
    head = f"| {' | '.join(header)} |\n|---|{'--:|' * (len(header) - 1)}\n"
    return head + "".join(f"| {' | '.join(line)} |\n" for line in lines)


def label(row: Row) -> str:
    """The title, with the threads if there is more than one."""
    return TITLES[row[0]] + (f" ({row[1]})" if row[1] > 1 else "")


def digits(x: float) -> str:
    """Three digits."""
    return f"{x:.0f}" if x >= 100 else f"{x:.1f}" if x >= 10 else f"{x:.2f}"


def duration(us: float) -> str:
    """Microseconds in the unit that fits."""
    scale, unit = (1e6, "s") if us >= 1e6 else (1e3, "ms") if us >= 1e3 else (1, "us")
    return f"{digits(us / scale)} {unit}"


def grid(table: Table, libraries: Sequence[str], shown: Callable[[Cell], str]) -> str:
    """A table of one quantity: a line for each row, a column for each library."""
    lines = []
    for row, cells in table.items():
        found = [cells.get(name) for name in libraries]
        lines.append([label(row), *(shown(c) if c else "" for c in found)])
    return markdown(["workload", *libraries], lines)


def time_cell(cell: Cell) -> str:
    """The median, or a short word for why there is none."""
    if cell.us is not None:
        return duration(cell.us)
    reason = cell.reason or ""
    return "wrong" if reason.startswith("wrong") else "too long" if "above" in reason else "-"


def first_cell(cell: Cell) -> str:
    """Seconds of building, compiling and the first call; then those with code from the cache."""
    if cell.first is None:
        return "-"
    return f"{cell.first:.2f}" + (f" / {cell.warm:.3f}" if cell.warm is not None else "")


def memory_cell(cell: Cell) -> str:
    """Peak resident memory in MB, and that after the first call."""
    return "-" if cell.peak is None else f"{cell.peak:.0f} / {cell.steady:.0f}"


def error_cell(cell: Cell) -> str:
    """The relative error."""
    return "-" if cell.error is None else f"{cell.error:.0e}"


def times(cells: dict[str, Cell]) -> dict[str, float]:
    """The medians of a row."""
    return {name: c.us for name, c in cells.items() if c.us is not None}


def peaks(cells: dict[str, Cell]) -> dict[str, float]:
    """The peaks of memory of a row."""
    return {name: c.peak for name, c in cells.items() if c.peak}


def best_peer(found: dict[str, float]) -> str | None:
    """The library with the least time or memory that is neither ours nor NumPy."""
    peers = [name for name in found if name not in OURS]
    return min(peers, key=found.__getitem__, default=None)


RATIOS = ["staticgrad / by hand", "staticgrad / JAX", "best peer", "staticgrad / best peer",
          "native / best peer", "native / staticgrad", "native / compiled by hand",
          "dynamicgrad / torch"]  # fmt: skip
COMPILED_BY_HAND: Mapping[Row, float] = {
    ("scalar", 1): 0.7, ("bce", 1): 0.4, ("mlp", 1): 33, ("rnn", 1): 790, ("chain", 1): 16,
    ("elementwise", 2): 700, ("adam", 2): 8_000,
}  # fmt: skip
"""Microseconds of machine code for one workload each, without checks: of a machine like ours."""


def ratios(table: Table) -> str:
    """Times of our packages relative to others; above 1 we are slower."""
    return markdown(["workload", *RATIOS], [[label(r), *ratio_cells(r, times(c))]
                                            for r, c in table.items()])  # fmt: skip


def ratio_cells(row: Row, found: dict[str, float]) -> list[str]:
    """The ratios of a row, those above the target in bold."""
    peer = best_peer(found)
    by_compiler = {NATIVE: found[NATIVE]} if NATIVE in found else {}
    if row in COMPILED_BY_HAND:
        by_compiler[BY_HAND] = COMPILED_BY_HAND[row]
    return [
        ratio(found, DEFAULT_LEVEL, BY_HAND, 1.15), ratio(found, DEFAULT_LEVEL, "JAX jit", 1.0),
        peer or "-", ratio(found, DEFAULT_LEVEL, peer, 1.0), ratio(found, NATIVE, peer, 1.0),
        ratio(found, NATIVE, DEFAULT_LEVEL, 1.0), ratio(by_compiler, NATIVE, BY_HAND, 1.3),
        ratio(found, EAGER, TORCH, 1.0),
    ]  # fmt: skip


MEMORY_RATIOS = ["staticgrad / torch", "best peer", "staticgrad / best peer", "dynamicgrad / torch"]


def memory_ratios(table: Table) -> str:
    """Peaks of memory of our packages relative to others; above 1 we take more."""
    lines = [[label(r), *memory_ratio_cells(peaks(c))] for r, c in table.items()]
    return markdown(["workload", *MEMORY_RATIOS], lines)


def memory_ratio_cells(found: dict[str, float]) -> list[str]:
    """The ratios of memory of a row, those above the target in bold."""
    peer = best_peer(found)
    return [
        ratio(found, DEFAULT_LEVEL, TORCH, 1.0), peer or "-",
        ratio(found, DEFAULT_LEVEL, peer, 1.1), ratio(found, EAGER, TORCH, 1.0),
    ]  # fmt: skip


def ratio(found: dict[str, float], ours: str, other: str | None, target: float) -> str:
    """One ratio, in bold above the target."""
    if ours not in found or other not in found:
        return "-"
    value = found[ours] / found[other]
    return f"**{value:.2f}**" if round(value, 2) > target else f"{value:.2f}"
