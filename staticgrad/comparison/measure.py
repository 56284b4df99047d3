"""Times of several functions, called in turns so that they are comparable."""

import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

from gradops.inspection.timeline.memory import quantity

Run = Callable[[], Any]
ROUNDS = 7


def seconds_per_call(runs: Sequence[Run], budget: float) -> list[float]:
    """The median seconds of a call of each function, in about `budget` seconds together.

    In each of several rounds, every function is called as often as fits into its share.
    """
    if not runs:
        return []
    share = budget / ROUNDS / len(runs)
    counts = [max(1, int(share / max(seconds_of(run, 1), 1e-9))) for run in runs]
    counts = [max(1, int(share / seconds_of(run, min(n, 10)))) for run, n in zip(runs, counts)]
    times: list[list[float]] = [[] for _ in runs]
    rounds = 1 if sum(seconds_of(run, 1) for run in runs) > budget else ROUNDS
    for _ in range(rounds):
        for run, count, found in zip(runs, counts, times):
            found.append(seconds_of(run, count))
    return [statistics.median(found) for found in times]


def seconds_of(run: Run, count: int) -> float:
    """The mean seconds of a call, of `count` calls."""
    start = time.perf_counter()
    for _ in range(count):
        run()
    return max((time.perf_counter() - start) / count, 1e-9)


def break_even(first: float, later: float, other_first: float, other_later: float) -> float:
    """The number of calls after which one way has taken less time than another; it may be infinite.

    `first` is the time to its first result, `later` that of each further call.
    """
    if first <= other_first:
        return 1.0 if later <= other_later else float("nan")
    if later >= other_later:
        return float("inf")
    return 1 + (first - other_first) / (other_later - later)


def time_text(seconds: float | None) -> str:
    """`1.23 us`, `45.6 ms`: three digits."""
    if seconds is None:
        return ""
    for unit, scale in (("us", 1e-6), ("ms", 1e-3)):
        if seconds < 999.5 * scale:
            return f"{seconds / scale:#.3g}".rstrip(".") + f" {unit}"
    return f"{seconds:#.3g}".rstrip(".") + " s"


def bytes_text(count: int | None) -> str:
    """`512 B`, `1.23 MB`: three digits at most."""
    return "" if count is None else quantity(count)


def calls_text(calls: float | None) -> str:
    """The number of calls after which a way pays."""
    if calls is None:
        return ""
    if calls == float("inf"):
        return "never"
    return "always" if calls <= 1 else "" if calls != calls else f"{calls:,.0f} calls"
