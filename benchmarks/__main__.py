"""Measure all libraries on all workloads.

make bench
make bench ARGS="--rows mlp,rnn --libraries staticgrad,torch --quick"
"""

import argparse
import sys

from .columns import LIBRARIES
from .measure.cells import Cell, append
from .measure.processes import Session
from .report.tables import by_row, label, markdown, shown
from .rows import WORKLOADS

SLOW = ("torch.compile", "PyTensor")  # compile for seconds; a quick run names them to have them


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--rows", default="", help="parts of keys of rows, with commas")
    parser.add_argument("--libraries", default="", help="parts of names of libraries, with commas")
    parser.add_argument("--threads", default="1,2", help="numbers of threads, with commas")
    parser.add_argument("--quick", action="store_true", help="few rounds; no memory, no files")
    parser.add_argument("--limit", type=float, default=30, help="seconds for a first call")
    return parser.parse_args()


def picked(names: list[str], parts: str) -> list[str]:
    """The names that contain one of the parts; a part that is a name picks that one only."""
    wanted = [p for p in parts.split(",") if p]
    exact = set(wanted) & set(names)
    return [n for n in names if not wanted or n in exact
            or any(p in n for p in wanted if p not in exact)]  # fmt: skip


def main() -> None:
    """Measure, and print the table."""
    args = arguments()
    installed = [lib.name for lib in LIBRARIES if lib.installed]
    if args.quick and not args.libraries:
        installed = [name for name in installed if name not in SLOW]
    libraries = picked(installed, args.libraries)
    rows = picked([w.key for w in WORKLOADS], args.rows)
    threads = [int(n) for n in args.threads.split(",")]
    session = Session(rows, libraries, threads, args.quick, args.limit)
    cells = session.measure(memory=not args.quick)
    append(session.folder / "cells.jsonl", cells)
    print(session.folder, file=sys.stderr)
    print(times(cells, libraries))
    for c in cells:
        if c.reason:
            print(f"{c.row} ({c.threads}), {c.library}: {c.reason}", file=sys.stderr)


def times(cells: list[Cell], libraries: list[str]) -> str:
    """The medians."""
    titles = {w.key: w.title for w in WORKLOADS}
    lines = []
    for (row, threads), of in by_row(cells, WORKLOADS).items():
        found = [of.get(name) for name in libraries]
        lines.append([label(titles, row, threads),
                      *(shown(c.us) if c and c.us else "-" for c in found)])  # fmt: skip
    return markdown(["workload", *libraries], lines)


if __name__ == "__main__":
    main()
