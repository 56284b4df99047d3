"""Which nodes of two graphs are the same.

Note [Matching]. First come nodes whose operands are the same all the way down, then those whose
readers are the same all the way up: all but what lies between edits and depends on some. From these
pairs others follow, the best first: operands at the same position and readers of the same kind,
which agree with their neighbours. What is then left lies in small clusters around the edits, which
`clusters` aligns. All steps take linear time, but for the sizes of clusters.
"""

import heapq
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence

from .nets import Net

LOOKED_AT = 32  # readers of a node that count as evidence
AGREES, DISAGREES, SAME_NAME = 4, -1, 1
ENOUGH = 3  # the least evidence for a pair: one neighbour that agrees, and one that does not


class Matching:
    """Pairs of nodes: `ahead[i]` is the partner of node i of `a`, `back[j]` that of j of `b`.

    Nodes without a partner have -1.
    """

    def __init__(self, a: Net, b: Net) -> None:
        self.a, self.b = a, b
        self.ahead, self.back = [-1] * len(a), [-1] * len(b)
        self.pair_unique(enumerate(map(sink_key, range(len(a)), [a] * len(a))),
                         enumerate(map(sink_key, range(len(b)), [b] * len(b))))  # fmt: skip
        self.pair_unique(*(enumerate(ids) for ids in self.downward()))
        self.pair_unique(*(enumerate(ids) for ids in self.upward()))
        self.spread()

    def pair(self, i: int, j: int) -> None:
        """Make two nodes partners."""
        self.ahead[i], self.back[j] = j, i

    def pair_unique(
        self, of_a: Iterable[tuple[int, Hashable]], of_b: Iterable[tuple[int, Hashable]]
    ) -> None:
        """Pair nodes without a partner whose key is that of one node in each graph."""
        places = [defaultdict(list), defaultdict(list)]  # type: ignore[var-annotated]
        for found, keys, partners in zip(places, (of_a, of_b), (self.ahead, self.back)):
            for i, key in keys:
                if key is not None and partners[i] == -1:
                    found[key].append(i)
        for key, here in places[0].items():
            there = places[1].get(key, ())
            if len(here) == len(there) == 1:
                self.pair(here[0], there[0])

    def downward(self) -> list[list[int]]:
        """Numbers that are equal for nodes with equal operands all the way down."""
        table: dict[Hashable, int] = {}
        return [
            [table.setdefault(key, len(table)) for key in keys_down(net, table)]
            for net in (self.a, self.b)
        ]

    def upward(self) -> list[list[int]]:
        """Numbers that are equal for nodes with equal readers all the way up."""
        table: dict[Hashable, int] = {}
        result = []
        for net in (self.a, self.b):
            ids = [0] * len(net)
            for i in reversed(range(len(net))):
                key = net.key(i), tuple(sorted((ids[r], at) for r, at in net.readers[i]))
                ids[i] = table.setdefault(key, len(table))
            result.append(ids)
        return result

    def spread(self) -> None:
        """Pair neighbours of pairs that have equal labels, those with the most evidence first."""
        heap: list[tuple[int, int, int]] = []
        left = {x for i, j in enumerate(self.ahead) if j == -1 for x in neighbours(self.a, i)}
        for i in sorted(left):
            if self.ahead[i] != -1:
                self.push(heap, self.candidates(i, self.ahead[i]))
        while heap:
            negative, i, j = heapq.heappop(heap)
            if self.ahead[i] != -1 or self.back[j] != -1:
                continue
            score = self.score(i, j)
            if score < -negative:  # evidence against it has appeared
                if score >= ENOUGH:
                    heapq.heappush(heap, (-score, i, j))
                continue
            self.pair(i, j)
            self.push(heap, self.candidates(i, j))

    def push(self, heap: list[tuple[int, int, int]], found: Iterable[tuple[int, int]]) -> None:
        """Add pairs that have enough evidence."""
        for i, j in found:
            if self.ahead[i] == -1 and self.back[j] == -1 and self.are_alike(i, j):
                score = self.score(i, j)
                if score >= ENOUGH:
                    heapq.heappush(heap, (-score, i, j))

    def candidates(self, i: int, j: int) -> Iterator[tuple[int, int]]:
        """Pairs of neighbours of two partners: operands by position, readers by label."""
        yield from zip(self.a.inputs[i], self.b.inputs[j])
        of_a, of_b = self.readers(self.a, self.ahead, i), self.readers(self.b, self.back, j)
        for key in of_a.keys() & of_b.keys():
            here, there = of_a[key], of_b[key]
            yield from zip(here, there)
            if len(here) != len(there):
                yield from zip(reversed(here), reversed(there))
            if len(here) > 1 or len(there) > 1:
                by_name = {self.b.names[r]: r for r in there}
                yield from ((r, by_name[n]) for r in here if (n := self.a.names[r]) in by_name)

    @staticmethod
    def readers(net: Net, partners: Sequence[int], i: int) -> dict[Hashable, list[int]]:
        """The readers of a node that have no partner, by label and position."""
        result: dict[Hashable, list[int]] = defaultdict(list)
        for r, position in net.readers[i]:
            if partners[r] == -1:
                result[net.labels[r], position].append(r)
        return result

    def score(self, i: int, j: int) -> int:
        """The evidence that two nodes are the same: neighbours that are, names."""
        score = SAME_NAME if self.a.names[i] == self.b.names[j] else 0
        for x, y in zip(self.a.inputs[i], self.b.inputs[j]):
            score += self.evidence(x, y)
        a_reads = {(self.ahead[r], at) for r, at in self.a.readers[i][:LOOKED_AT]}
        b_reads = {(r, at) for r, at in self.b.readers[j][:LOOKED_AT] if self.back[r] != -1}
        a_reads = {(r, at) for r, at in a_reads if r != -1}
        return score + AGREES * len(a_reads & b_reads) + DISAGREES * len(a_reads ^ b_reads)

    def evidence(self, x: int, y: int) -> int:
        """The evidence of two operands at the same position."""
        if self.ahead[x] == y:
            return AGREES
        return 0 if self.ahead[x] == self.back[y] == -1 else DISAGREES

    def are_alike(self, i: int, j: int) -> bool:
        """True if two nodes have equal labels."""
        return bool(self.a.labels[i] == self.b.labels[j])

    def is_consequence(self, x: int, y: int) -> bool:
        """True if operands are partners, or are so through nodes without a partner."""
        if self.ahead[x] == y:
            return True
        if self.ahead[x] != -1 and self.back[y] != -1:
            return False
        through = {self.ahead[i] for i in ends(self.a, self.ahead, x)}
        return not through.isdisjoint(ends(self.b, self.back, y))


def neighbours(net: Net, i: int) -> Iterator[int]:
    """The operands and readers of a node."""
    yield from net.inputs[i]
    yield from (r for r, _ in net.readers[i])


def ends(net: Net, partners: Sequence[int], start: int) -> set[int]:
    """The nearest nodes with a partner below a node, itself if it has one."""
    result, stack, seen = set(), [start], {start}
    while stack:
        i = stack.pop()
        if partners[i] != -1:
            result.add(i)
            continue
        new = [x for x in net.inputs[i] if x not in seen]
        seen.update(new)
        stack += new
    return result


def keys_down(net: Net, table: dict[Hashable, int]) -> Iterator[Hashable]:
    """The keys of nodes by their operands' numbers, which are entered in `table` in between."""
    ids: list[int] = []
    for i in range(len(net)):
        key = net.key(i), tuple([ids[x] for x in net.inputs[i]])
        yield key
        ids.append(table[key])


def sink_key(i: int, net: Net) -> Hashable:
    """The key of a sink, which is the same in both graphs, and of a named input; else None."""
    if i >= len(net.nodes):
        return "sink", net.names[i]
    e = net.nodes[i]
    return ("input", e.kind, e.name) if net.key(i) != net.labels[i] else None
