"""Progress of a loop: a bar where a person watches, plain lines elsewhere.

Note [Lines]. A log wants few lines: the first comes after a second, and each later one when twice
the time has passed, or a minute. The last line always comes, so a log says how a loop ended.
"""

import math
import sys
import time
from collections.abc import Iterable, Iterator, Sized
from contextlib import suppress
from types import TracebackType
from typing import Any, TextIO, TypeVar

T = TypeVar("T")

FIRST, LONGEST = 1.0, 60.0  # seconds until the first line, and at most between two


class Progress:
    """The progress of a loop of `total` steps, with values to watch: the rate, and the time left.

    At a terminal it is the bar of tqdm, if that is installed (the extra `examples`); elsewhere and
    without it, lines from time to time. Both go to `stream`, by default the standard error.

    >>> import sys
    >>> from gradops.inspection.progress import Progress
    >>> with Progress(3, "training", stream=sys.stdout) as bar:  # doctest: +ELLIPSIS
    ...     for loss in (0.5, 0.25, 0.125):
    ...         bar.update(loss=loss)
    training: 3/3 steps, loss 0.125, ... steps/s, took 0 s
    """

    def __init__(
        self, total: int | None = None, label: str = "", unit: str = "step",
        stream: TextIO | None = None,
    ) -> None:  # fmt: skip
        self.done, self.values = 0, dict[str, Any]()
        stream = sys.stderr if stream is None else stream
        self.display = bar(total, label, unit, stream) or Lines(total, label, unit, stream)

    def update(self, steps: int = 1, **values: Any) -> None:
        """Count steps, and set values to watch: numbers, or whatever prints shortly."""
        self.done += steps
        self.values |= values
        self.display.show(self.done, self.values)

    def __enter__(self) -> "Progress":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self.display.end(self.done, self.values)


def progress(
    steps: Iterable[T], label: str = "", unit: str = "step", stream: TextIO | None = None
) -> Iterator[T]:
    """The steps one after another, while their progress is shown: see `Progress`.

    >>> import sys
    >>> from gradops.inspection.progress import progress
    >>> [n * n for n in progress(range(3), "squares", stream=sys.stdout)]  # doctest: +ELLIPSIS
    squares: 3/3 steps, ... steps/s, took 0 s
    [0, 1, 4]
    """
    total = len(steps) if isinstance(steps, Sized) else None
    with Progress(total, label, unit, stream) as shown:
        for step in steps:
            yield step
            shown.update()


class Lines:
    """Progress as lines of text, fewer and fewer: see Note [Lines]."""

    def __init__(self, total: int | None, label: str, unit: str, stream: TextIO) -> None:
        self.total, self.label, self.unit, self.stream = total, label, unit, stream
        self.start = time.monotonic()
        self.due = FIRST
        self.shown = -1

    def show(self, done: int, values: dict[str, Any]) -> None:
        """Write a line, if one is due."""
        seconds = time.monotonic() - self.start
        if seconds >= self.due and done != self.total:
            self.due = seconds + min(seconds, LONGEST)
            self.write(done, values, seconds)

    def end(self, done: int, values: dict[str, Any]) -> None:
        """Write the last line."""
        self.write(done, values, time.monotonic() - self.start, ended=True)

    def write(self, done: int, values: dict[str, Any], seconds: float, ended: bool = False) -> None:
        """Write a line."""
        of = "" if self.total is None else f"/{self.total}"
        parts = [f"{done}{of} {self.unit}s", *(f"{k} {shortly(v)}" for k, v in values.items())]
        if done and seconds:
            parts.append(f"{done / seconds:.3g} {self.unit}s/s")
        if ended:
            parts.append(f"took {duration(seconds)}")
        elif done and self.total:
            parts.append(f"{duration((self.total - done) * seconds / done)} left")
        begin = f"{self.label}: " if self.label else ""
        print(begin + ", ".join(parts), file=self.stream, flush=True)


class Bar:
    """Progress as a bar of tqdm."""

    def __init__(self, tqdm: Any) -> None:
        self.tqdm = tqdm

    def show(self, done: int, values: dict[str, Any]) -> None:
        """Move the bar; tqdm decides when it is drawn."""
        if values:
            text = ", ".join(f"{k} {shortly(v)}" for k, v in values.items())
            self.tqdm.set_postfix_str(text, refresh=False)
        self.tqdm.update(done - self.tqdm.n)

    def end(self, done: int, values: dict[str, Any]) -> None:
        """Leave the bar as it is."""
        self.tqdm.close()


def bar(total: int | None, label: str, unit: str, stream: TextIO) -> Bar | None:
    """A bar of tqdm on a terminal; None on another stream, and without tqdm."""
    if not stream.isatty():
        return None
    with suppress(ImportError):
        from tqdm import tqdm

        return Bar(tqdm(total=total, desc=label or None, unit=unit, file=stream, leave=True))
    return None


def shortly(value: Any) -> str:
    """A value in few letters: a number with four digits."""
    number = isinstance(value, int | float) or hasattr(value, "dtype")
    return f"{float(value):.4g}" if number else str(value)


def duration(seconds: float) -> str:
    """A time in words: `3 s`, `2 min 5 s`, `1 h 4 min`."""
    if not math.isfinite(seconds):
        return "?"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
