"""The interface of passes: a graph in, a graph out, and how exact the result is."""

import re
from typing import ClassVar

from ..ir.graph import FrozenGraph


class Pass:
    """A transformation of a frozen graph that keeps what it computes.

    A pass mutates nothing. One with options is a frozen dataclass whose fields they are. With a
    `bound` of 0 results keep their bits. Otherwise a result differs by at most `bound` times the
    rounding error of the graph itself: eps times the largest magnitude, plus what a change of the
    feeds and of constant arrays by eps changes. A pass is applied to the graphs inside loops and
    branches first; one that is `whole` is applied once, to the outermost graph, and deals with
    inner graphs itself.
    """

    bound: ClassVar[float] = 0.0
    whole: ClassVar[bool] = False

    @property
    def name(self) -> str:
        """The name that switches it: `drop_broadcasts` for `DropBroadcasts()`."""
        return snake_case(type(self).__name__)

    def __call__(self, graph: FrozenGraph) -> FrozenGraph:
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(other) == vars(self)

    def __hash__(self) -> int:
        return hash(type(self))

    def __repr__(self) -> str:
        options = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__qualname__}({options})"

    def __str__(self) -> str:
        return self.name


def snake_case(name: str) -> str:
    """`drop_broadcasts` for `DropBroadcasts`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
