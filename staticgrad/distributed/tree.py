"""The tree by which partial results are added, the same whoever computes which of them.

Note [The tree]. Leaf `i` is the result of block `i`. A node is the sum of two neighbours of the
level below; the last one of an odd number moves up as it is. So each addition has the same operands
on any number of workers, in any order of arrival, and after a block was computed again: the bits of
the result depend on the blocks alone.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

Node = tuple[int, int]
"""A node of the tree: its level, from the leaves up, and its place there."""


class Partial(NamedTuple):
    """The sums of results over some blocks, and how many rows these have."""

    rows: int
    sums: tuple[np.ndarray, ...]

    def plus(self, other: "Partial") -> "Partial":
        """The sums over the blocks of both."""
        sums = [np.add(a, b) for a, b in zip(self.sums, other.sums, strict=True)]
        return Partial(self.rows + other.rows, tuple(sums))


def levels_of(count: int) -> list[int]:
    """The number of nodes of each level, from the leaves to the root.

    >>> from staticgrad.distributed.tree import levels_of
    >>> levels_of(5)
    [5, 3, 2, 1]
    """
    result = [count]
    while result[-1] > 1:
        result.append((result[-1] + 1) // 2)
    return result


def merge(nodes: Mapping[Node, Partial], count: int) -> dict[Node, Partial]:
    """The highest nodes that can be computed from `nodes`, in a tree of `count` leaves."""
    here = dict(nodes)
    for level, width in enumerate(levels_of(count)[:-1]):
        for _, place in sorted(node for node in here if node[0] == level):
            left, right = (level, place & ~1), (level, place | 1)
            if left in here and (right in here or right[1] == width):
                first = here.pop(left)
                both = first if right[1] == width else first.plus(here.pop(right))
                here[level + 1, place // 2] = both
    return here


def root(count: int) -> Node:
    """The node that is the sum of all leaves."""
    return len(levels_of(count)) - 1, 0


def total(partials: Sequence[Partial]) -> Partial:
    """The sum of all partial results, by the tree."""
    leaves = {(0, i): partial for i, partial in enumerate(partials)}
    return merge(leaves, len(partials))[root(len(partials))]


class Accumulator:
    """The sum of partial results that come in any order; few of them are held at a time."""

    def __init__(self, count: int) -> None:
        self.count, self.nodes = count, dict[Node, Partial]()

    def add(self, nodes: Iterable[tuple[Node, Partial]]) -> None:
        """Add nodes, and all sums that are known with them."""
        self.nodes = merge(self.nodes | dict(nodes), self.count)

    def result(self) -> Partial:
        """The sum of all leaves."""
        return self.nodes[root(self.count)]
