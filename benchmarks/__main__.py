"""Measure all libraries on all workloads, and write docs/benchmarks.md.

make bench                                   # everything; writes the page, its plots and results
make bench ARGS="--rows mlp,rnn --libraries staticgrad,torch --quick"    # prints a table
"""

import argparse
import sys
from pathlib import Path

from .columns import LIBRARIES
from .measure.cells import append
from .measure.processes import Session
from .report.page import measured, write
from .report.results import Results, load, reasons, surroundings
from .report.tables import by_row, grid, memory_cell, memory_ratios, ratios, time_cell
from .rows import WORKLOADS

SLOW = ("torch.compile", "PyTensor")  # compile for seconds; a quick run names them to have them


def arguments() -> argparse.Namespace:
    """The command line."""
    shown = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        "python -m benchmarks", description=__doc__, formatter_class=shown
    )
    parser.add_argument("--rows", default="", help="parts of keys of rows, with commas")
    parser.add_argument("--libraries", default="", help="parts of names of libraries, with commas")
    parser.add_argument("--threads", default="1,2", help="numbers of threads, with commas")
    parser.add_argument("--quick", action="store_true", help="few rounds, and no memory")
    parser.add_argument("--only", choices=["times", "memory"], default="", help="one of the parts")
    parser.add_argument("--limit", type=float, default=30, help="seconds for a first call")
    parser.add_argument("--list", action="store_true", help="list rows and libraries")
    parser.add_argument("--render", type=Path, help="write the page from a file of results")
    return parser.parse_args()


def picked(names: list[str], parts: str) -> list[str]:
    """The names that contain one of the parts; a part that is a name picks that one only."""
    wanted = [p for p in parts.split(",") if p]
    exact = set(wanted) & set(names)
    return [n for n in names if not wanted or n in exact
            or any(p in n for p in wanted if p not in exact)]  # fmt: skip


def main() -> None:
    """Measure, and print or write the tables."""
    args = arguments()
    if args.list:
        print("\n".join(f"{w.key:<24} {w.title}" for w in WORKLOADS))
        print("\n" + "\n".join(lib.name for lib in LIBRARIES))
    elif args.render:
        write(load(args.render))
    else:
        report(run(args), is_whole=not (args.quick or args.only or args.rows or args.libraries))


def run(args: argparse.Namespace) -> Results:
    """The rows and libraries that the arguments pick, measured."""
    names = [lib.name for lib in LIBRARIES if lib.installed]
    if args.quick and not args.libraries:
        names = [name for name in names if name not in SLOW]
    rows = picked([w.key for w in WORKLOADS], args.rows)
    threads = [int(n) for n in args.threads.split(",")]
    session = Session(rows, picked(names, args.libraries), threads, args.quick, args.limit)
    parts = [args.only] if args.only else ["times"] if args.quick else ["memory", "times"]
    cells = session.measure(parts)
    append(session.folder / "cells.jsonl", cells)
    print(f"cells in {session.folder}", file=sys.stderr)
    return Results(surroundings(), cells)


def report(results: Results, is_whole: bool) -> None:
    """Print the tables; write the page if everything was measured."""
    table = by_row(results.cells)
    if any(c.us is not None for c in results.cells):
        print(grid(table, measured(table), time_cell) + "\n" + ratios(table))
    if any(c.peak is not None for c in results.cells):
        print(grid(table, measured(table), memory_cell) + "\n" + memory_ratios(table))
    print("\n".join(reasons(results.cells)), file=sys.stderr)
    if is_whole:
        write(results)


if __name__ == "__main__":
    main()
