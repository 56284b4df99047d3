"""Work that threads share: for kernels of many NumPy calls, each of which lets others run.

OpenBLAS uses all cores by itself, but only inside one product of matrices. A kernel that also
copies much is faster if each core copies and multiplies. Threads are made for one call, and end
with it.
"""

import contextvars
import itertools
import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any

VARIABLES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")


def cores() -> int:
    """How many threads a kernel may use: what the user allows OpenBLAS, at most the cores."""
    try:
        found = len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        found = os.cpu_count() or 1
    for name in VARIABLES:
        if (said := os.environ.get(name, "")).isdecimal():
            return max(1, min(found, int(said)))
    return found


def in_threads(work: Callable[[Any], Any], parts: Sequence[Any]) -> list[Any]:
    """`work` of each part, in order; in as many threads as there are cores and parts."""
    if len(parts) < 2 or (count := min(cores(), len(parts))) < 2:
        return [work(part) for part in parts]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(count) as pool:
        contexts = [contextvars.copy_context() for _ in parts]
        jobs = [pool.submit(c.run, work, part) for c, part in zip(contexts, parts, strict=True)]
        return [job.result() for job in jobs]


def shared(parts: Iterable[Any], most: int) -> list[list[Any]]:
    """Parts in their order, as lists of nearly equal lengths."""
    parts = list(parts)
    count = max(1, min(most, len(parts)))
    bounds = [i * len(parts) // count for i in range(count + 1)]
    return [parts[a:b] for a, b in itertools.pairwise(bounds)]
