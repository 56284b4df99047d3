"""`compare`: one function in every mode, measured."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from gradops import TransformError, leaves_of

from ..runtime.backends import choice
from .bits import is_same_to_the_bit
from .failures import Failure, failure_of
from .measure import seconds_per_call
from .result import Comparison, Row, with_distances
from .subject import Subject, Wrt, is_operand, subject_of
from .ways import AsWritten, InMachineCode, OnNumPy, Optimized, Outcome

LONG = 1.0  # seconds of a first call that is not repeated


def compare(
    f: Callable[..., Any], /, *args: Any, wrt: Wrt = None, seconds: float = 1.0,
    html: str | os.PathLike[str] | None = None,
) -> Comparison:  # fmt: skip
    """Run a function in every mode: plain NumPy, the tape, and a graph on each backend.

    `f` is a plain NumPy function, or one of either package, that returns a number, or several
    results of which the first real number is differentiated. `args` are arrays, tensors, or
    structures of them; other arguments are settings. `wrt` names those to differentiate by, by
    position or name; by default all floats. The times of calls take about `seconds` together.
    `html` is a file for the page that `Comparison.save` writes.

    A mode that cannot run the function is a row that says why, and where. Raises OptionError for
    arguments without floats and for a `wrt` that is no argument; TransformError for a function that
    returns no number, writes to its arguments, or gives other values in each call.

    >>> print(sg.compare(lambda x: np.sum(np.tanh(x) ** 2), np.linspace(0, 1, 5)))
    <lambda>(x: float64[5])
                               value   bits      gradient   bits ...
      NumPy              1.256977...
      tape               1.256977...  equal  norm 1.31297 ...
      graph, optimize=0  1.256977...  equal  norm 1.31297  equal ...
      graph, optimize=2  1.256977...
    bits: values beside NumPy, gradients beside tape
    """
    subject = subject_of(f, args, wrt)
    warm_up()
    with np.errstate(all="ignore"):
        started = start_all(subject)
        require_results(started)
        rows = measured_rows(started, seconds)
    result = Comparison(started[1].subject, tuple(with_distances(rows)))
    if html is not None:
        result.save(html)
    return result


@dataclass
class Started:
    """A mode with its first result, or the reason why there is none."""

    title: str
    subject: Subject
    way: Any = None
    outcome: Outcome | None = None
    failure: Failure | None = None
    error: Exception | None = None
    seconds: float = 0.0


def ways() -> list[Any]:
    """The modes. Machine code needs the extra `native`."""
    from .tape import OnTape

    found = [OnNumPy, OnTape, AsWritten, Optimized]
    return [*found, InMachineCode] if choice.is_installed() else list(found)


@cache
def warm_up() -> None:
    """Run every mode once, as the times do not count what libraries do when they are imported."""
    subject = subject_of(np.sum, [np.ones(2)], None)
    for way in ways():
        way(subject).run()


def start_all(subject: Subject) -> list[Started]:
    """All modes; with tensors, where the function turns out to need them."""
    plain, tape, *graphs = ways()
    found = [start(plain, subject), start(tape, subject)]
    if isinstance(found[1].error, AttributeError | TypeError) and not subject.takes_tensors:
        from .tape import with_tensors

        again = start(tape, with_tensors(subject))
        found[1] = found[1] if again.outcome is None else again
    return [*found, *[start(way, found[1].subject) for way in graphs]]


def start(way: Any, subject: Subject) -> Started:
    """A mode after its first call; the faster of two, as the first may import a library."""
    found = start_once(way, subject)
    if found.outcome is None or found.seconds > LONG or not way.starts_alike:
        return found
    again = start_once(way, subject)
    return found if again.outcome is None or again.seconds > found.seconds else again


def start_once(way: Any, subject: Subject) -> Started:
    """A mode after its first call, or the reason why it failed."""
    found, stage = Started(way.title, subject), way.stage
    begin = time.perf_counter()
    try:
        found.way = way(subject)
        stage = "while it runs"
        result = found.way.run()
        found.seconds = time.perf_counter() - begin
        found.outcome = found.way.outcome(result)
        found.title = found.way.title
    except Exception as error:  # of the user's program, in this mode
        found.error, found.failure = error, failure_of(error, stage)
    return found


def require_results(started: list[Started]) -> None:
    """Refuse a function that no mode can run, and one whose calls are not alike."""
    for each in started:
        if isinstance(each.error, TransformError) and str(each.error).startswith("compare: "):
            raise each.error
    plain = started[0]
    if all(each.outcome is None for each in started):
        assert plain.error is not None
        raise plain.error
    if plain.outcome is not None:
        require_pure(plain.way)


def require_pure(plain: OnNumPy) -> None:
    """Refuse a function that writes to its arguments, or gives other values in each call."""
    name, given = plain.subject.name, plain.subject.arrays()
    for label, before, after in zip(plain.subject.labels, given, leaves_of(plain.args)):
        if is_operand(before) and not is_same_to_the_bit([before], [after]):
            raise TransformError(
                f"compare: {name} writes to its argument {label}, so that no two calls are alike"
                "\n  hint: let it work on a copy: x = x.copy()"
            )
    once, again = (plain.outcome(plain.run()).values for _ in range(2))
    if not is_same_to_the_bit(once, again):
        raise TransformError(
            f"compare: {name} gives other values in each call\n  hint: draw random numbers before,"
            " and give them as an argument; keep no state between calls"
        )


def measured_rows(started: list[Started], seconds: float) -> list[Row]:
    """The rows of all modes, with times, memory and nodes."""
    running = [each for each in started if each.outcome is not None]
    times = seconds_per_call([each.way.run for each in running], seconds)
    by_title = dict(zip([each.title for each in running], times))
    return [row_of(each, by_title.get(each.title)) for each in started]


def row_of(started: Started, seconds: float | None) -> Row:
    """The row of a mode."""
    if started.outcome is None:
        return Row(started.title, failure=started.failure)
    way = started.way
    return Row(
        started.title, started.outcome, None, seconds, started.seconds, peak=way.peak(),
        nodes=way.nodes,
    )  # fmt: skip
