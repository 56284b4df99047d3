"""The benchmark table of docs/benchmarks.md: all libraries in one run, interleaved, medians.

make bench
"""

import os
import platform
import statistics
import time
from collections.abc import Callable
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # small workloads run on one thread

from larger import LARGER
from networks import NETWORKS
from workloads import WORKLOADS

COLUMNS = ["dynamicgrad", "torch", "staticgrad", "NumPy by hand", "JAX jit"]
LARGER_COLUMNS = ["dynamicgrad", "torch", "HIPS autograd", "sg.function", "staticgrad"]
ROUNDS, SECONDS = 41, 0.004


def repetitions(run: Callable[[], Any]) -> int:
    """The number of runs that take about `SECONDS`."""
    run()
    start = time.perf_counter()
    run()
    once = time.perf_counter() - start
    return max(1, int(SECONDS / once)) if once > SECONDS / 20 else settled(run)


def settled(run: Callable[[], Any]) -> int:
    """The same for a short run, which is timed more often."""
    start = time.perf_counter()
    for _ in range(20):
        run()
    return max(1, int(SECONDS * 20 / (time.perf_counter() - start)))


def microseconds(run: Callable[[], Any], count: int) -> float:
    """The time of one run in microseconds, averaged over `count` runs."""
    start = time.perf_counter()
    for _ in range(count):
        run()
    return (time.perf_counter() - start) / count * 1e6


def medians(runs: dict[str, Callable[[], Any]], rounds: int = ROUNDS) -> dict[str, float]:
    """The median time of each, measured interleaved so that all see the same noise."""
    counts = {name: repetitions(run) for name, run in runs.items()}
    times: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            times[name].append(microseconds(run, counts[name]))
    return {name: statistics.median(found) for name, found in times.items()}


def cells(found: dict[str, float]) -> list[str]:
    """One line of the table: the medians and two ratios."""
    shown = [f"{found[c]:.1f}" if c in found else "-" for c in COLUMNS]
    eager = f"{found['torch'] / found['dynamicgrad']:.2f}x" if "torch" in found else "-"
    static = f"{found['staticgrad'] / found['NumPy by hand']:.2f}x"
    return [*shown, eager, static]


def larger_cells(found: dict[str, float]) -> list[str]:
    """One line of the second table: medians in milliseconds, and the ratios to other libraries."""
    shown = [f"{found[c] / 1e3:.2f}" if c in found else "-" for c in LARGER_COLUMNS]
    peers = [found.get(p) for p in ("torch", "HIPS autograd")]
    return [*shown, *(f"{p / found['dynamicgrad']:.2f}x" if p else "-" for p in peers)]


def main() -> None:
    """Print the tables as Markdown."""
    print(f"Python {platform.python_version()}, {platform.machine()}; microseconds, medians.\n")
    titles = ["workload", *COLUMNS, "torch / dynamicgrad", "staticgrad / by hand"]
    print(f"| {' | '.join(titles)} |\n|---|{'--:|' * (len(titles) - 1)}")
    for title, workload in WORKLOADS.items():
        print(f"| {' | '.join([title, *cells(medians(workload()))])} |")
    ratios = ["torch / dynamicgrad", "HIPS / dynamicgrad"]
    titles = ["larger workload, milliseconds", *LARGER_COLUMNS, *ratios]
    print(f"\n| {' | '.join(titles)} |\n|---|{'--:|' * (len(titles) - 1)}")
    for title, workload in (LARGER | NETWORKS).items():
        print(f"| {' | '.join([title, *larger_cells(medians(workload(), rounds=11))])} |")


if __name__ == "__main__":
    main()
