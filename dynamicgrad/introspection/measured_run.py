"""The memory of an eager step as it was measured, operation by operation."""

import tracemalloc
from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradops.inspection.traced_memory import traced
from gradops.transforms.several_outputs import SEVERAL

from ..engine.node import Node, Part
from .sampling import backward, forward, run_arguments
from .view import vertices_of


class MeasuredRun:
    """A run as `tracemalloc` sees it: the most bytes in each step, and those alive after it."""

    def __init__(self, f: Callable[..., Any], args: Sequence[Any]) -> None:
        self.peaks: list[int] = []
        self.after: list[int] = []
        self.results: list[int] = []  # bytes of the results of steps
        with traced():
            leaves = run_arguments(args)
            self.start = tracemalloc.get_traced_memory()[0]
            self.run(f, leaves)

    def run(self, f: Callable[..., Any], args: Sequence[Any]) -> None:
        """Run forward and backward.

        What was recorded but is not on the tape joins the next step that is; a step that was not
        noted, of several results, joins the next that was.
        """
        samples: list[tuple[int, int, int]] = []
        loss = forward(lambda node: samples.append((node.number, *self.sample())), f, args)
        samples.append((loss.node.number + 1, *self.sample()))
        steps = [(v.number, bytes_of(v)) for v in vertices_of([loss]) if isinstance(v, Node)]
        begin = 0
        for number, nbytes in steps:
            end = bisect_left(samples, (number,))
            self.peaks.append(max(most for _, _, most in samples[min(begin, end) : end + 1]))
            self.after.append(samples[end][1])
            self.results.append(nbytes)
            begin = end + (samples[end][0] == number)
        samples.clear()
        backward(self.sample_backward, loss)

    def sample_backward(self, v: Any, wanted: Sequence[int], cotangents: Sequence[Any]) -> None:
        """Take the sample of a step of the backward."""
        if type(v) is not Part:
            self.peaks.append(self.sample()[1])

    def sample(self) -> tuple[int, int]:
        """The bytes of the run that are alive, and the most there were since the last sample."""
        now, most = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        return now - self.start, most - self.start

    def kept(self, step: int) -> int:
        """The bytes that a step of the forward left alive besides its result."""
        if step >= len(self.after):
            return 0
        before = self.after[step - 1] if step else 0
        return max(0, self.after[step] - before - self.results[step])


def bytes_of(v: Any) -> int:
    """The bytes of the value of a vertex; the parts of several values have their own."""
    return 0 if v.shape is SEVERAL else int(np.prod(v.shape)) * v.dtype.itemsize
