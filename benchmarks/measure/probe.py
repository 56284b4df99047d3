"""A process that runs one library on one row: the time of its first call, and its memory.

python -m benchmarks.measure.probe '{"row": ..., "library": ..., ...}'
"""

import gc
import importlib
import json
import sys
import time
from pathlib import Path
from typing import Any

from ..columns import LIBRARIES
from ..libraries.interface import Library
from ..rows import BY_KEY
from .cells import Cell, append
from .limits import TooLong, first_call, reason
from .warnings import silence

CALLS, SECONDS = 20, 0.5  # after the first, at most
MB = 1024
IMPORTED = {"llvmlite": "llvmlite.binding"}  # the module of a package that does the work


def main(orders: dict[str, Any]) -> None:
    """Run the row, and add its cell to the file."""
    silence()
    workload = BY_KEY[orders["row"]]
    library = next(lib for lib in LIBRARIES if lib.name == orders["library"])
    cell = Cell(workload.key, orders["threads"], library.name)
    try:
        imports(library)
        gc.collect()
        imported = resident("VmRSS")
        inputs = workload.inputs(workload.sizes)  # drawn in float64, which is not counted
        reset_peak()
        run, results, cell.first = first_call(library, workload, inputs, orders["limit"])
        del results
        first_peak = resident("VmHWM")
        reset_peak()
        repeat(run)
        cell.steady = (resident("VmHWM") - imported) / MB
        cell.peak = max((first_peak - imported) / MB, cell.steady)
    except (Exception, TooLong) as failure:
        cell.reason = reason(failure)
    append(Path(orders["out"]), [cell])


def imports(library: Library) -> None:
    """Import the adapter, and what it imports when it builds."""
    assert library.adapter
    for package in (library.package, dict(library.options).get("package")):
        if package:
            importlib.import_module(IMPORTED.get(package, package))


def repeat(run: Any) -> None:
    """Several calls, within some time."""
    end = time.perf_counter() + SECONDS
    for _ in range(CALLS):
        run()
        if time.perf_counter() > end:
            break


def resident(what: str) -> int:
    """Resident memory of this process in KB: now (VmRSS), or its peak (VmHWM). Linux only."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(what))


def reset_peak() -> None:
    """Let the peak start at what is resident now."""
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
