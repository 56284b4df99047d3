"""Better partners for nodes whose readers have changed.

Note [Coincidences]. An edit may give an expression the very operands that an equal op near it, or
far away, had before; so it was taken for that one, and all readers of both have changed. Where a
reader's operand is another one of the same kind than before, they are made partners instead, if
fewer nodes have changed then.
"""

from collections.abc import Iterable, Iterator, Sequence

from .clusters import align_clusters
from .matching import Matching
from .nets import Net

ROUNDS = 5
CHAIN = 8  # pairs that are made in one step


def refine(matching: Matching) -> None:
    """Align clusters, and exchange partners where it saves changes, until nothing is gained."""
    for _ in range(ROUNDS):
        align_clusters(matching)
        if not sum(improve(matching, x, y) for x, y in suspects(matching)):
            return


def suspects(matching: Matching) -> Iterator[tuple[int, int]]:
    """Operands at the same place of partners that are not partners, but alike, or one has none."""
    a, b = matching.a, matching.b
    for i in range(len(a)):
        if (j := matching.ahead[i]) != -1:
            for x, y in zip(a.inputs[i], b.inputs[j]):
                is_alone = -1 in (matching.ahead[x], matching.back[y])
                if matching.ahead[x] != y and (is_alone or matching.are_alike(x, y)):
                    yield x, y
    for x in range(len(a)):
        if matching.ahead[x] == -1:
            alike = [other for other in near(a, x) if a.labels[other] == a.labels[x]]
            yield from ((x, j) for other in alike if (j := matching.ahead[other]) != -1)


def improve(matching: Matching, x: int, y: int) -> bool:
    """Make two nodes partners, and their operands too, if there are fewer changes then."""
    attempts = (1, False), (CHAIN, False), (1, True), (2, True)
    return any(Exchange(matching, x, y, *attempt).is_better() for attempt in attempts)


class Exchange:
    """A change of partners that can be undone. Two nodes become partners, and so may those below.

    `depth` is the most pairs that are made. With `anew`, a node that is left alone becomes the
    partner of what is read in its place now, whatever that is.
    """

    def __init__(self, matching: Matching, x: int, y: int, depth: int, anew: bool) -> None:
        self.matching, self.anew = matching, anew
        self.journal: list[tuple[list[int], int, int, int]] = []
        self.of_a: set[int] = set()
        self.of_b: set[int] = set()
        stack = [(x, y)]
        while stack and depth:
            i, j = stack.pop()
            if matching.ahead[i] != j and (anew or matching.are_alike(i, j)):
                depth -= 1
                self.make_partners(i, j)
                stack += zip(matching.a.inputs[i], matching.b.inputs[j])

    def make_partners(self, x: int, y: int) -> None:
        """Make two nodes partners, and those that they leave alone, if these are alike."""
        matching = self.matching
        p, q = matching.ahead[x], matching.back[y]
        z = p if p != -1 or q == -1 else partner_by_readers(matching, q, self.anew)
        self.of_a |= {x, q, matching.back[z] if z != -1 else -1} - {-1}
        self.of_b |= {y, p, z} - {-1}
        self.set(q, -1)
        self.set(x, y)
        if -1 not in (q, z) and z != y and (self.anew or matching.are_alike(q, z)):
            self.set(matching.back[z] if matching.back[z] != x else -1, -1)
            self.set(q, z)
        elif p != -1:
            self.put(matching.back, p, -1)

    def set(self, i: int, j: int) -> None:
        """Give a node of the first graph a partner, or none."""
        if i != -1:
            self.put(self.matching.ahead, i, j)
        if i != -1 and j != -1:
            self.put(self.matching.back, j, i)

    def put(self, partners: list[int], i: int, new: int) -> None:
        """Change one entry, and remember it."""
        self.journal.append((partners, i, partners[i], new))
        partners[i] = new

    def is_better(self) -> bool:
        """True if there are fewer changes now; else all is as it was before."""
        of_a, of_b = around(self.matching, self.of_a, self.of_b)
        after = cost(self.matching, of_a, of_b)
        for partners, i, old, _ in reversed(self.journal):
            partners[i] = old
        if not self.journal or after >= cost(self.matching, of_a, of_b):
            return False
        for partners, i, _, new in self.journal:
            partners[i] = new
        return True


def partner_by_readers(matching: Matching, q: int, any_node: bool) -> int:
    """A node that is read where a node was, and has no partner or may be `any_node`; else -1."""
    for r, position in matching.a.readers[q]:
        there = matching.b.inputs[matching.ahead[r]] if matching.ahead[r] != -1 else ()
        if position < len(there) and (any_node or matching.back[there[position]] == -1):
            return there[position]
    return -1


def around(
    matching: Matching, of_a: set[int], of_b: set[int]
) -> tuple[set[int], set[int]]:  # fmt: skip
    """Nodes of both graphs with their readers, and the partners of these."""
    of_a = with_readers(matching.a, of_a)
    of_b = with_readers(matching.b, of_b)
    partners = {matching.back[j] for j in of_b} - {-1}
    return of_a | partners, of_b | ({matching.ahead[i] for i in of_a} - {-1})


def with_readers(net: Net, nodes: Iterable[int]) -> set[int]:
    """Nodes and their readers."""
    return {*nodes, *(r for i in nodes for r, _ in net.readers[i])}


def near(net: Net, i: int) -> Iterator[int]:
    """The operands and readers of a node, and theirs."""
    first = some_neighbours(net, i)
    yield from dict.fromkeys([*first, *(y for x in first for y in some_neighbours(net, x))])


def some_neighbours(net: Net, i: int) -> list[int]:
    """Some operands and readers of a node."""
    return [*net.inputs[i], *(r for r, _ in net.readers[i][:8])]


def cost(matching: Matching, of_a: set[int], of_b: set[int]) -> int:
    """The number of nodes among some that were removed, added or changed."""
    changes = sum(
        matching.ahead[i] == -1 or has_changed(matching, i, matching.ahead[i]) for i in of_a
    )
    return changes + sum(matching.back[j] == -1 for j in of_b)


def has_changed(matching: Matching, i: int, j: int) -> bool:
    """True if partners have other labels, or operands that are not partners."""
    old: Sequence[int] = matching.a.inputs[i]
    new: Sequence[int] = matching.b.inputs[j]
    if matching.a.labels[i] != matching.b.labels[j] or len(old) != len(new):
        return True
    return not all(map(matching.is_consequence, old, new))
