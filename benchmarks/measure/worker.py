"""A process that measures rows: all libraries in turns, on one number of threads.

python -m benchmarks.measure.worker '{"rows": [...], ...}'
"""

import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..columns import LIBRARIES
from ..libraries.interface import Library
from ..rows import BY_KEY
from ..workload import Run, Workload
from .cells import Cell, append, turn_file
from .check import error, reference, require_close
from .limits import TooLong, first_call, reason, too_long
from .timing import ASLEEP, BUDGET, ROUNDS, turns
from .warnings import silence

QUICK = (range(3, 8), 0.05)
# Processor time varies less on a busy machine, but adds up what threads do at once.
CLOCKS = {1: time.process_time, 2: time.perf_counter}


def main(orders: dict[str, Any]) -> None:
    """Measure the rows, and add the cells of each to the file.

    It ends before its time when it has interrupted a call: native code may not survive that.
    """
    silence()
    libraries = [lib for lib in LIBRARIES if lib.name in orders["libraries"]]
    skipped = set(map(tuple, orders["skipped"]))
    rounds = QUICK if orders["quick"] else (ROUNDS, BUDGET)
    for key in orders["rows"]:
        start = time.perf_counter()
        workload = BY_KEY[key]
        wanted = [lib for lib in libraries if (key, lib.name) not in skipped]
        turn = Path(turn_file(orders["out"]))
        note = lambda name, key=key, turn=turn: turn.write_text(f"{key}\n{name}")
        cells = measure(workload, wanted, orders["threads"], orders["limit"], rounds, note)
        append(Path(orders["out"]), cells)
        took = time.perf_counter() - start
        print(f"  {key} on {orders['threads']}: {took:.0f} s", file=sys.stderr, flush=True)
        if any(cell.reason == too_long(orders["limit"]) for cell in cells):
            return


def measure(
    workload: Workload, libraries: list[Library], threads: int, limit: float,
    rounds: tuple[range, float], note: Callable[[str], object] = str,
) -> list[Cell]:  # fmt: skip
    """A cell for each library: checked, then timed in turns; `note` is told whose turn it is."""
    expected = reference(workload)[1]
    runs: dict[str, Run] = {}
    cells = {lib.name: Cell(workload.key, threads, lib.name) for lib in libraries}
    for library in libraries:
        cell = cells[library.name]
        note(library.name)
        try:
            inputs = workload.inputs(workload.sizes)
            run, results, cell.first = first_call(library, workload, inputs, limit)
            cell.error = error(library.arrays(workload, results), expected)
            require_close(workload, cell.error)
            runs[library.name] = run
        except (Exception, TooLong) as failure:
            cell.reason = reason(failure)
    # Threads of one library that still wait for work would take a core from the next.
    pause = ASLEEP if threads > 1 else 0.0
    for name, times in turns(runs, *rounds, CLOCKS[min(threads, 2)], note, pause).items():
        cell = cells[name]
        cell.us = statistics.median(times)
        cell.low, _, cell.high = statistics.quantiles(times, n=4)
    return list(cells.values())


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
