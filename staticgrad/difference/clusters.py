"""Nodes without a partner, aligned within the clusters in which they lie."""

from collections import defaultdict
from collections.abc import Sequence

from .matching import LOOKED_AT, Matching, neighbours
from .nets import Net

CHANGED, CHANGED_KIND, GAP = 1.01, 1.2, 1.0  # costs of alignments: an edit each
REWIRED, OTHER_NAME, NEVER = 0.3, 0.05, 9.0
Bound = tuple[int, int]
MOST = 400  # nodes of a cluster that are aligned by all pairs


def align_clusters(matching: Matching) -> None:
    """Pair nodes that are left, in clusters that have the same neighbours, at the least cost."""
    of_a = clusters(matching.a, matching.ahead)
    of_b = clusters(matching.b, matching.back)
    where: dict[Bound, list[int]] = defaultdict(list)
    for k, cluster in enumerate(of_b):
        for bound in boundary(matching.b, cluster, range(len(matching.b)), matching.back):
            where[bound].append(k)
    edges = []
    for cluster in of_a:
        bounds = boundary(matching.a, cluster, matching.ahead, matching.ahead)
        edges.append(sorted({k for bound in bounds for k in where[bound]}))
    for here, there in joined(edges, len(of_b)):
        align(matching, sorted(i for c in here for i in of_a[c]),
              sorted(j for c in there for j in of_b[c]))  # fmt: skip


def clusters(net: Net, partners: Sequence[int]) -> list[list[int]]:
    """The connected components of the nodes without a partner."""
    result, seen = [], [p != -1 for p in partners]
    for start in range(len(net)):
        if seen[start]:
            continue
        component, stack = [], [start]
        seen[start] = True
        while stack:
            i = stack.pop()
            component.append(i)
            for x in neighbours(net, i):
                if not seen[x]:
                    seen[x] = True
                    stack.append(x)
        result.append(component)
    return result


def boundary(
    net: Net, cluster: Sequence[int], names: Sequence[int], partners: Sequence[int]
) -> set[Bound]:
    """The neighbours of a cluster, numbered as in the second graph: operands and readers."""
    operands = {(names[x], -1) for i in cluster for x in net.inputs[i] if partners[x] != -1}
    readers = {(names[r], at) for i in cluster for r, at in net.readers[i] if partners[r] != -1}
    return operands | readers


def joined(edges: Sequence[Sequence[int]], count: int) -> list[tuple[list[int], list[int]]]:
    """The connected groups of clusters of both graphs that share neighbours."""
    back: list[list[int]] = [[] for _ in range(count)]
    for c, others in enumerate(edges):
        for k in others:
            back[k].append(c)
    result, seen = [], [False] * len(edges)
    for start in range(len(edges)):
        if seen[start] or not edges[start]:
            continue
        here: list[int] = []
        there: dict[int, None] = {}
        stack = [start]
        seen[start] = True
        while stack:
            c = stack.pop()
            here.append(c)
            for k in edges[c]:
                if k not in there:
                    there[k] = None
                    new = [o for o in back[k] if not seen[o]]
                    stack += new
                    for o in new:
                        seen[o] = True
        result.append((here, list(there)))
    return result


def align(matching: Matching, here: Sequence[int], there: Sequence[int]) -> None:
    """Pair nodes of two clusters in order, at the least cost: an edit distance."""
    if not here or not there or len(here) * len(there) > MOST * MOST:
        return
    rows = [[GAP * j for j in range(len(there) + 1)]]
    for i in here:
        last, row = rows[-1], [rows[-1][0] + GAP]
        for k, j in enumerate(there):
            best = min(last[k + 1], row[k]) + GAP
            row.append(min(best, last[k] + cost(matching, i, j)))
        rows.append(row)
    m, n = len(here), len(there)
    while m and n:
        i, j = here[m - 1], there[n - 1]
        if rows[m][n] == rows[m - 1][n - 1] + cost(matching, i, j):
            matching.pair(i, j)
            m, n = m - 1, n - 1
        elif rows[m][n] == rows[m - 1][n] + GAP:
            m -= 1
        else:
            n -= 1


def cost(matching: Matching, i: int, j: int) -> float:
    """The cost of pairing two nodes: none for equal ones among the same neighbours."""
    a, b = matching.a, matching.b
    if max(i - len(a.nodes), j - len(b.nodes)) >= 0:
        return NEVER  # sinks are paired by name
    result = 0.0 if a.names[i] == b.names[j] else OTHER_NAME
    if a.labels[i] != b.labels[j]:
        result += CHANGED if a.kinds[i] == b.kinds[j] else CHANGED_KIND
        if len(a.inputs[i]) != len(b.inputs[j]):
            result += REWIRED
    for x, y in zip(a.inputs[i], b.inputs[j]):
        if matching.ahead[x] not in (-1, y) and matching.back[y] not in (-1, x):
            result += REWIRED
    old = {(p, at) for r, at in a.readers[i][:LOOKED_AT] if (p := matching.ahead[r]) != -1}
    new = {(r, at) for r, at in b.readers[j][:LOOKED_AT] if matching.back[r] != -1}
    return result + REWIRED * min(2, len(old ^ new))
