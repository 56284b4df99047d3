"""Colours of the columns of a sparse matrix: those of one colour share no row.

Note [Colouring]. The sum of the columns of a colour has every entry of each of them at a place of
its own, so one product with a vector of zeros and ones gives them all. Three ways are tried, and
that with the fewest colours is taken: the number of the column modulo a small number, which is the
best for bands and many stencils; networkx's greedy colouring of small matrices; and for large ones
a greedy colouring of many columns at a time, in which those with the highest of random priorities
among their neighbours go first (M. Jones and P. Plassmann, A parallel graph coloring heuristic,
SIAM J. Sci. Comput. 14, 1993). Dense rows are better left to reverse mode: see `compression.py`.
"""

from itertools import count
from typing import Any

import numpy as np

SMALL = 1500  # columns, up to which networkx colours them
PERIODS = 24  # tried beyond the number of entries in the fullest row
ROUNDS = 60  # after which columns are coloured one by one
WORD = 62  # colours that fit the bits of an integer


def color_columns(pattern: Any) -> np.ndarray:
    """A colour for each column of a CSR pattern; columns of one colour share no row."""
    n = pattern.shape[1]
    if not pattern.nnz:
        return np.zeros(n, np.int64)
    least = int(np.diff(pattern.indptr).max())
    found = periodic(pattern, least)
    if found is not None and found.max() + 1 == least:
        return found
    other = by_networkx(pattern) if n <= SMALL else by_priorities(conflicts(pattern))
    return other if found is None or other.max() < found.max() else found


def periodic(pattern: Any, least: int) -> np.ndarray | None:
    """The columns' numbers modulo the least number that is right; None if none is found soon."""
    rows = np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr))
    for period in range(least, min(least + PERIODS, pattern.shape[1] + 1)):
        places = rows * period + pattern.indices % period
        if is_distinct(places, pattern.shape[0] * period):
            return np.arange(pattern.shape[1]) % period
    return None


def is_distinct(places: np.ndarray, end: int) -> bool:
    """True if no number below `end` occurs twice."""
    seen = np.zeros(end, bool)
    seen[places] = True
    return int(np.count_nonzero(seen)) == places.size


def conflicts(pattern: Any) -> Any:
    """Which columns share a row, as a CSR matrix without its diagonal."""
    ones = pattern.astype(np.int32)
    graph = (ones.T @ ones).tocoo()
    keep = graph.row != graph.col
    from scipy import sparse

    values = np.ones(int(keep.sum()), np.int8)
    return sparse.csr_array((values, (graph.row[keep], graph.col[keep])), graph.shape)


def by_networkx(pattern: Any) -> np.ndarray:
    """The colours that networkx finds when the columns with most neighbours go first."""
    import networkx as nx

    edges = conflicts(pattern).tocoo()
    graph = nx.Graph()
    graph.add_nodes_from(range(pattern.shape[1]))
    graph.add_edges_from(zip(edges.row.tolist(), edges.col.tolist(), strict=True))
    found = nx.greedy_color(graph, "largest_first")
    return np.array([found[k] for k in range(pattern.shape[1])], np.int64)


def by_priorities(graph: Any) -> np.ndarray:
    """The colours of a greedy algorithm that takes many columns at a time."""
    n = graph.shape[0]
    degree = np.diff(graph.indptr)
    priority = degree + np.random.default_rng(0).random(n)
    colors = np.full(n, -1, np.int64)
    rest = np.arange(n)
    for _ in range(ROUNDS):
        if not rest.size:
            return colors
        own = graph[rest]
        rows = np.repeat(np.arange(rest.size), np.diff(own.indptr))
        waits = (colors[own.indices] < 0) & (priority[own.indices] > priority[rest[rows]])
        first = np.bincount(rows[waits], minlength=rest.size) == 0
        now = rest[first]
        colors[now] = free_colors(graph[now], colors)
        rest = rest[~first]
    for k in rest[np.argsort(-priority[rest])]:  # neighbours of one another, most of them
        taken = set(colors[graph.indices[graph.indptr[k] : graph.indptr[k + 1]]].tolist())
        colors[k] = next(c for c in count() if c not in taken)
    return colors


def free_colors(rows: Any, colors: np.ndarray) -> np.ndarray:
    """The least colour of each row that no column of it has."""
    taken = colors[rows.indices]
    result = np.full(rows.shape[0], -1, np.int64)
    for base in range(0, int(taken.max(initial=0)) + WORD + 1, WORD):
        inside = (taken >= base) & (taken < base + WORD)
        bits = np.where(inside, np.left_shift(1, np.where(inside, taken - base, 0)), 0)
        used = np.zeros(rows.shape[0], np.int64)
        full = np.diff(rows.indptr) > 0
        if bits.size:
            used[full] = np.bitwise_or.reduceat(bits, rows.indptr[:-1][full])
        free = ~used & ((1 << WORD) - 1)
        lowest = free & -free
        open_ones = (result < 0) & (free != 0)
        result[open_ones] = base + np.log2(lowest[open_ones]).astype(np.int64)
    return result


def color_symmetric(pattern: Any) -> np.ndarray:
    """A colour for each column of a symmetric pattern, from whose sums all entries can be read.

    An entry can be read in its row or in that of its mirror image, as by star colourings (A.
    Gebremedhin, F. Manne, A. Pothen, What color is your Jacobian?, SIAM Review 47, 2005): so dense
    rows take a colour of their own, and the others are coloured without them.
    """
    counts = np.diff(pattern.indptr)
    best = color_columns(pattern) if int(counts.max(initial=0)) < 2 * SMALL else None
    order = np.argsort(-counts, kind="stable")
    typical = np.median(counts) if counts.size else 0
    heavy = int(np.count_nonzero(counts > 4 * typical + 8))
    for apart in sorted({heavy, min(heavy, 1)} - {0}):
        colors = without_rows(pattern, order[:apart])
        if best is None or colors.max() < best.max():
            best = colors
    return color_columns(pattern) if best is None else smaller_period(pattern, best)


def without_rows(pattern: Any, heavy: np.ndarray) -> np.ndarray:
    """Colours in which some columns have one of their own, and the others are right among them."""
    keep = np.ones(pattern.shape[0], bool)
    keep[heavy] = False
    rest = pattern[keep][:, keep]
    colors = np.empty(pattern.shape[0], np.int64)
    colors[keep] = color_columns(rest)
    colors[heavy] = (colors[keep].max() + 1 if keep.any() else 0) + np.arange(heavy.size)
    return colors


def smaller_period(pattern: Any, best: np.ndarray) -> np.ndarray:
    """The columns' numbers modulo a number of colours below those of `best`, if that is right."""
    for period in range(2, int(best.max(initial=0)) + 1):
        colors = np.arange(pattern.shape[0]) % period
        if readable(pattern, colors).all():
            return colors
    return best


def readable(pattern: Any, colors: np.ndarray) -> np.ndarray:
    """For each entry, whether it can be read in its own row or in that of its mirror image."""
    own = alone(pattern, colors)
    rows = np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr))
    order = np.lexsort((rows, pattern.indices))  # of the mirror images
    mirrored = np.empty_like(own)
    mirrored[:] = own[order]
    return own | mirrored


def alone(pattern: Any, colors: np.ndarray) -> np.ndarray:
    """For each entry, whether no other one of its row has its colour."""
    rows = np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr))
    places = rows * (int(colors.max(initial=0)) + 1) + colors[pattern.indices]
    result: np.ndarray = np.bincount(places)[places] == 1
    return result
