"""The interface of passes: a graph in, a graph out, and how exact the result is."""

import re
from dataclasses import dataclass
from typing import ClassVar

from ..ir.graph import FrozenGraph


@dataclass(frozen=True)
class Pass:
    """A transformation of a frozen graph that keeps what it computes.

    A pass is a frozen dataclass whose fields are its options; it mutates nothing. With a `bound` of
    0 results keep their bits. Otherwise a result differs by at most `bound` times the rounding
    error of the graph itself: eps times the largest magnitude, plus what a change of the feeds and
    of constant arrays by eps changes. A pass is applied to the graphs inside loops and branches
    first; one that is `whole` is applied once, to the outermost graph, and deals with inner graphs
    itself.
    """

    bound: ClassVar[float] = 0.0
    whole: ClassVar[bool] = False

    @property
    def name(self) -> str:
        """The name that switches it: `drop_broadcasts` for `DropBroadcasts()`."""
        return snake_case(type(self).__name__)

    def __call__(self, graph: FrozenGraph) -> FrozenGraph:
        raise NotImplementedError

    def __str__(self) -> str:
        return self.name


def snake_case(name: str) -> str:
    """`drop_broadcasts` for `DropBroadcasts`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
