"""Times of functions, measured in turns."""

import statistics
import time
from collections.abc import Callable, Mapping
from typing import Any

SECONDS = 0.004  # of one measurement
ROUNDS = range(7, 42)  # at least and at most
SLOW, FEW = 100_000, 3  # microseconds above which a run is measured that often
BUDGET = 0.25  # seconds for each function, in which more rounds than the least are made
ASLEEP = 0.1  # seconds after which threads of a pool no longer spin, of OpenBLAS and OpenMP


Clock = Callable[[], float]


def microseconds(run: Callable[[], Any], count: int, clock: Clock = time.perf_counter) -> float:
    """The time of one run in microseconds, averaged over `count` runs."""
    start = clock()
    for _ in range(count):
        run()
    return (clock() - start) / count * 1e6


def repetitions(
    run: Callable[[], Any], seconds: float = SECONDS, clock: Clock = time.perf_counter
) -> int:
    """The number of runs that take about `seconds`."""
    run()
    count = 1
    while count < 1_000_000:
        took = microseconds(run, count, clock) * count / 1e6
        if took > seconds / 4:
            return max(1, round(count * seconds / took))
        count *= 4
    return count


def turns(
    runs: Mapping[str, Callable[[], Any]], rounds: range, budget: float,
    clock: Clock = time.perf_counter, note: Callable[[str], object] = str, pause: float = 0.0,
) -> dict[str, list[float]]:  # fmt: skip
    """The times of each run in microseconds: in each round all are measured, one after another.

    Those above `SLOW` are measured in the first rounds only. `note` is told whose turn it is.
    A turn begins with a pause of that many seconds, and as long with runs that are not measured.
    """
    counts = {}
    for name, run in runs.items():
        note(name)
        counts[name] = repetitions(run, SECONDS, clock)
    times: dict[str, list[float]] = {name: [] for name in runs}
    start = time.perf_counter()
    for i in range(rounds.stop - 1):
        if i >= rounds.start and time.perf_counter() - start > budget * len(runs):
            break
        for name, run in runs.items():
            if i < FEW or times[name][-1] < SLOW:
                note(name)
                if pause:
                    time.sleep(pause)
                    warm(run, pause)
                times[name].append(microseconds(run, counts[name], clock))
    return times


def warm(run: Callable[[], Any], seconds: float) -> None:
    """Run for at least some seconds: after a pause, some systems keep all threads on one core."""
    end = time.perf_counter() + seconds
    run()
    while time.perf_counter() < end:
        run()


def medians(
    runs: Mapping[str, Callable[[], Any]], rounds: range = ROUNDS, budget: float = BUDGET
) -> dict[str, float]:
    """The median time of each in microseconds, of rounds in which all are measured in turn."""
    return {name: statistics.median(ts) for name, ts in turns(runs, rounds, budget).items()}
