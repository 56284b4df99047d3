"""The memory that a run allocates, as `tracemalloc` sees it: NumPy reports that of arrays to it."""

import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def traced() -> Iterator[None]:
    """Trace allocations inside the block; after it only if they were traced before."""
    tracing = tracemalloc.is_tracing()
    if not tracing:
        tracemalloc.start()
    try:
        yield
    finally:
        if not tracing:
            tracemalloc.stop()


def peak_of(run: Callable[[], Any]) -> int:
    """The most memory that one call allocates, in bytes, above what was there before."""
    with traced():
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        run()
        return tracemalloc.get_traced_memory()[1] - before
