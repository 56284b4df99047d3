"""Threads for kernels of many NumPy calls, each of which releases the GIL.

OpenBLAS uses all cores, but only inside one matrix product. A kernel that also copies much is
faster if each core copies and multiplies. Threads are started for one call, and end with it: 65 to
100 us for each.
"""

import itertools
import operator
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from contextvars import copy_context
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from threading import Thread

VARIABLES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")
LIMIT = np.zeros(1, np.int64)  # what was set, or zero; machine code reads it where it is


def set_num_threads(n: int) -> None:
    """Set on how many threads kernels and machine code run, at most one for each core.

    BLAS reads `OPENBLAS_NUM_THREADS` instead, before NumPy is imported; by default, so do we.
    Raises ValueError for less than one, TypeError for what is no integer.

    >>> usual = get_num_threads()
    >>> set_num_threads(1)
    >>> get_num_threads()
    1
    >>> set_num_threads(usual)

    """
    if operator.index(n) < 1:
        raise ValueError(f"set_num_threads({n}): at least one thread runs")
    LIMIT[0] = min(n, machine_cores())


def get_num_threads() -> int:
    """The number of threads on which kernels and machine code run.

    >>> get_num_threads() >= 1
    True
    """
    return cores()


def machine_cores() -> int:
    """The number of cores on which this process may run."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


def cores() -> int:
    """The number of threads a kernel may use: what was set, or OpenBLAS's limit."""
    found = machine_cores()
    if LIMIT[0]:
        return int(LIMIT[0])
    for name in VARIABLES:
        if (said := os.environ.get(name, "")).isdecimal():
            return max(1, min(found, int(said)))
    return found


def in_threads(work: Callable[[Iterator[Any]], Any], parts: Sequence[Any]) -> None:
    """Work on parts in as many threads as there are cores and parts, including this one.

    `work` is called once in each thread, with an iterator of the parts that it takes.
    """
    left, failures = deque(parts), []

    def taken() -> Iterator[Any]:
        with suppress(IndexError):  # no part is left
            while True:
                yield left.popleft()

    def run() -> None:
        try:
            work(taken())
        except BaseException as failure:
            failures.append(failure)
            left.clear()

    count = min(cores(), len(parts)) if len(parts) > 1 else 1
    helpers = start_threads(run, count - 1)
    run()
    for helper in helpers:
        helper.join()
    if failures:
        raise failures.pop()  # or it would refer to itself


def start_threads(run: Callable[[], None], count: int) -> list["Thread"]:
    """Up to `count` running threads; fewer where a limit is met, or Python is exiting."""
    from threading import Thread

    found: list[Thread] = []
    with suppress(RuntimeError):
        for _ in range(count):
            helper = Thread(target=copy_context().run, args=(run,))
            helper.start()
            found.append(helper)
    return found


def share_parts(parts: Iterable[Any], most: int) -> list[list[Any]]:
    """Parts in order, as lists of nearly equal lengths."""
    parts = list(parts)
    count = max(1, min(most, len(parts)))
    bounds = [i * len(parts) // count for i in range(count + 1)]
    return [parts[a:b] for a, b in itertools.pairwise(bounds)]
