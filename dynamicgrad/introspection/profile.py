"""The time of an eager step: forward and backward, node by node.

Note [Eager profile]. A node of the forward has the time since the one before, so what the program
computes in between, Python included, counts for the operation that it leads to. A node of the
backward has the time of its rules, and of adding up what they give. Watching costs about a
microsecond a node; the time of a run without it stands below the table.
"""

import time
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from gradops import OptionError
from gradops.inspection.timeline.memory import Step
from gradops.inspection.timeline.profile import Profile, ProfileRow, by_time

from ..engine.node import Node, Part
from .sampling import backward, forward, run_arguments, steps_of_run
from .view import vertices_of

clock = time.perf_counter_ns
REST = "(what is not recorded)"


def profile(f: Callable[..., Any], *args: Any, repeat: int = 10) -> Profile:
    """The time of a call of `f` and of the backward from its result: by node, scope and line.

    `f` returns the loss, alone or as the first of its results. Arrays and tensors of floats among
    `args` are differentiated by, and so are parameters that `f` reads; no `.grad` changes. `f` is
    called about `2 * repeat` times. Raises OptionError if the loss depends on nothing that requires
    a gradient.

    >>> p = dg.profile(lambda x: (x.tanh() * x).sum(), dg.ones(1000), repeat=2)
    >>> sorted(row.op for row in p.rows if row.op)
    ['MulBackward0', 'SumBackward0', 'TanhBackward0', 'mul', 'sum', 'tanh']
    """
    if repeat < 1:
        raise OptionError("profile", [], f"repeat is at least 1, not {repeat}")
    steps, plain, runs = steps_of_run(f, args), list[int](), list[Run]()
    for _ in range(repeat):
        runs.append(Run(f, run_arguments(args)))
        leaves, start = run_arguments(args), clock()
        backward(None, forward(None, f, leaves))
        plain.append(clock() - start)
    half = (repeat + 1) // 2
    fastest = sorted(runs, key=lambda run: run.total)[:half]
    return Profile(rows_of(fastest, steps), sum(sorted(plain)[:half]) / half * 1e-9, repeat)


class Run:
    """A watched run: the nanoseconds of each operation, and of what is not recorded.

    Operations go by their place on the tape, and whether it is their backward.
    """

    def __init__(self, f: Callable[..., Any], args: Sequence[Any]) -> None:
        self.spent: dict[tuple[int, bool], int] = {}
        self.names: dict[int, str] = {}  # PyTorch's names of the backward
        noted: list[tuple[int, int]] = []
        begin = clock()
        loss = forward(lambda node: noted.append((node.number, clock())), f, args)
        noted.append((loss.node.number + 1, clock()))
        order = vertices_of([loss])
        self.places = {v.number: i for i, v in enumerate(order)}
        self.rest = self.share(begin, noted, [v.number for v in order if isinstance(v, Node)])
        del order
        self.last = clock()
        backward(self.see, loss)
        self.rest += clock() - self.last

    def share(self, last: int, noted: Sequence[tuple[int, int]], numbers: Sequence[int]) -> int:
        """Give each operation the time since the one before; return what is left.

        Operations of several results are not noted: the first of them has the time up to the next
        that is.
        """
        begin = 0
        for number, now in noted:
            end = bisect_right(numbers, number)
            if end > begin:
                self.spent[self.places[numbers[begin]], False] = now - last
                last, begin = now, end
        return noted[-1][1] - last

    def see(self, v: Any, wanted: Sequence[int], cotangents: Sequence[Any]) -> None:
        """Give a node of the backward the time since the one before."""
        now = clock()
        place = self.places[v.owner.number if type(v) is Part else v.number]
        self.spent[place, True] = self.spent.get((place, True), 0) + now - self.last
        if type(v) is not Part:
            self.names[place] = v.name()
        self.last = clock()

    @property
    def total(self) -> int:
        """The nanoseconds of the run."""
        return sum(self.spent.values()) + self.rest


def rows_of(runs: Sequence[Run], steps: Sequence[Step]) -> tuple[ProfileRow, ...]:
    """The rows of a profile: the means of some runs."""

    def mean(nanoseconds: Iterable[int]) -> float:
        """The mean of the runs, in seconds."""
        return sum(nanoseconds) / len(runs) * 1e-9

    total = mean(run.total for run in runs) or 1.0
    rows = [row_of(runs[0], steps, *key, mean(run.spent.get(key, 0) for run in runs), total)
            for key in runs[0].spent]  # fmt: skip
    rest = mean(run.rest for run in runs)
    return by_time([*rows, ProfileRow(REST, 1, rest, rest / total, 0, 0)])


def row_of(
    run: Run, steps: Sequence[Step], place: int, is_backward: bool, seconds: float, total: float
) -> ProfileRow:
    """The row of an operation, or of its backward."""
    step = steps[place]
    name, op, scope = step.name, step.op, step.scope
    if is_backward:
        op = run.names.get(place, op)
        name, scope = f"gradients/{name}/{op}", f"gradients/{scope}".rstrip("/")
    return ProfileRow(name, 1, seconds, seconds / total, 0, 0, op, "", scope, step.line)
