"""Time limits, and reasons why a library did not run."""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..libraries.interface import Library, Refusal
from ..workload import Arrays, Run, Workload

LENGTH = 120  # of a reason


class TooLong(BaseException):
    """A call took longer than its limit. No `except Exception` of a library catches it."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise TooLong in the block after that many seconds, when Python gets control again."""

    def expired(*_: object) -> None:
        raise TooLong(too_long(seconds))

    before = signal.signal(signal.SIGALRM, expired)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def too_long(seconds: float) -> str:
    """The reason of a call that was interrupted."""
    return f"first call above {seconds:.0f} s"


def first_call(
    library: Library, workload: Workload, inputs: tuple[Arrays, Arrays], limit: float
) -> tuple[Run, Any, float]:
    """The workload built, the results of its first call, and the seconds of both together."""
    with limited(limit):
        start = time.perf_counter()
        run = library.build(workload, *inputs)
        results = run()
        return run, results, time.perf_counter() - start


def reason(error: BaseException) -> str:
    """The error in a line, of its first two."""
    if isinstance(error, Refusal | TooLong):
        return str(error)
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {' '.join(lines[:2])}"[:LENGTH]
