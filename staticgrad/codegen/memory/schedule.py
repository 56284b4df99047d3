"""The schedule: an order of execution whose peak of memory is low.

Note [Schedule]. Of several orders the one with the lowest simulated peak is taken; if it saves
little, the order of the program. Candidates are greedy: forwards, the expression that frees most
bytes less those it allocates comes next; backwards, the one comes last whose operands take the
fewest bytes beyond what it gives. Effects keep their order, since tokens make it data flow. A size
that depends on data is used after the expression that determines it. Unknown sizes count as
`NOMINAL`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import repeat

from gradops.core.dims import Dim
from gradops.core.traits import Trait

from ...ir.expr import Expr, whole_of
from ...ir.graph import FrozenGraph
from ...ir.kinds import Kind
from ...ir.nominal import nominal_bytes
from ...ir.pairs import pairs_in
from ...ir.sizes import names_in, sizes_determined_by
from .lifetimes import is_fused, lifetimes, memory_of_views

TINY = 256  # bytes of a value that weighs less than its array object and a name
SMALL = 1 << 18  # bytes of a peak that fits in the cache: a lower one saves nothing
GAIN = 0.98  # of the peak of the program's order: a change of order must save more


@dataclass(frozen=True)
class Problem:
    """A graph by numbers, in the order of the program.

    `bytes` are what each expression allocates, `reads` the numbers of those whose memory it reads,
    `after` those that it follows. `overwrites` are the operands that it may be computed in place
    of. What leaves the run, and what comes into it, is among `kept`.
    """

    bytes: list[int]
    reads: list[list[int]]
    after: list[list[int]]
    overwrites: list[list[int]]
    kept: set[int]

    def __len__(self) -> int:
        return len(self.bytes)


def schedule(graph: FrozenGraph) -> Sequence[Expr]:
    """The expressions of a graph in an order of low peak. See Note [Schedule]."""
    if "schedule" not in graph.derived:
        order = with_parts_together(with_pairs_together(graph, best_order(graph)))
        graph.derived["schedule"] = order
    result: Sequence[Expr] = graph.derived["schedule"]
    return result


def with_pairs_together(graph: FrozenGraph, order: Sequence[Expr]) -> Sequence[Expr]:
    """The order with the second expression of each pair after the first."""
    if not graph.paired or not (pairs := pairs_in(graph)):
        return order
    seconds = set(pairs.values())
    return tuple([x for e in order if e not in seconds for x in (e, pairs.get(e)) if x is not None])


def with_parts_together(order: Sequence[Expr]) -> Sequence[Expr]:
    """The order with the values of each fusion group after it: they are computed with it."""
    parts: dict[Expr, list[Expr]] = {e: [] for e in order if is_fused(e)}
    if not parts:
        return order
    for e in order:
        if (whole := whole_of(e)) in parts:
            parts[whole].append(e)
    moved = {e for some in parts.values() for e in some}
    return tuple([x for e in order if e not in moved for x in (e, *parts.get(e, ()))])


def predicted_peak(graph: FrozenGraph) -> int:
    """The most bytes that a run allocates at once, results included and inputs not.

    Each unknown size counts as `NOMINAL`.
    """
    number = {e: i for i, e in enumerate(graph.order)}
    return simulated_peak(problem(graph), [number[e] for e in schedule(graph)])


def best_order(graph: FrozenGraph) -> Sequence[Expr]:
    """The order with the lowest simulated peak."""
    if peak_above(graph) <= SMALL:
        return graph.order
    p = problem(graph)
    program = list(range(len(p)))
    least = simulated_peak(p, program)
    if least <= max(SMALL, unavoidable(p)):
        return graph.order
    best, limit = program, GAIN * least
    for candidate in (most_freed_first, most_needed_last):
        found = candidate(p)
        peak = simulated_peak(p, found)
        if peak < limit:
            best, limit = found, peak
    return graph.order if best is program else tuple([graph.order[i] for i in best])


def peak_above(graph: FrozenGraph) -> int:
    """The peak of the program's order, or more: as if nothing were computed in place.

    Values that are smaller than what Python needs for them do not count.
    """
    lives = lifetimes(graph, graph.order, {})
    freed = [0] * (lives.end + 1)
    live = peak = 0
    for i, e in enumerate(graph.order):
        if e.op is not None and e not in lives.roots:
            size = nominal_bytes(e.type)
            if size >= TINY:
                live += size
                freed[lives.last[e]] += size
        peak = max(peak, live)
        live -= freed[i]
    return peak


def problem(graph: FrozenGraph) -> Problem:
    """The graph by numbers."""
    order, roots = graph.order, memory_of_views(graph)
    number = {e: i for i, e in enumerate(order)}
    sources = size_sources(graph)
    p = Problem([], [], [], [], {i for i, e in enumerate(order) if e.op is None})
    p.kept.update(number[r] for e in graph.results for r in roots.get(e, (e,)))
    for e in order:
        after = [number[x] for x in dict.fromkeys(e.inputs)]
        memory, same = after, list[int]()
        if not roots.keys().isdisjoint(e.inputs):
            memory = list({number[r]: None for x in e.inputs for r in roots.get(x, (x,))})
        if e.op is not None and Trait.ELEMENTWISE in e.op.traits:
            same = [number[x] for x in e.inputs if x not in roots and x.type == e.type]
        p.bytes.append(nominal_bytes(e.type) if e.op is not None and e not in roots else 0)
        p.reads.append([i for i in memory if i not in p.kept])
        p.after.append([*after, *(number[x] for x in sources[e])] if e in sources else after)
        p.overwrites.append(same)
    return p


def size_sources(graph: FrozenGraph) -> dict[Expr, list[Expr]]:
    """The expressions that determine sizes from data, for each expression that uses them."""
    known = sizes_determined_by(graph.inputs)
    first: dict[str, Expr] = {}
    for e in graph.order:
        if e.op is not None:
            for n in e.type.shape:
                if type(n) is Dim and n.linear and n == Dim(n.linear[0]):
                    first.setdefault(n.linear[0], e)
    if first.keys() <= known:
        return {}
    uses: dict[Expr, list[Expr]] = {}
    seen: set[Expr] = set()
    for e in graph.order:
        if e.op is not None or e.kind is Kind.SIZE:
            names = names_in((*e.shape, e.value if e.kind is Kind.SIZE else 0, *e.attrs.values()))
            found = dict.fromkeys(first[n] for n in sorted(names - known) if n in first)
            uses[e] = [x for x in found if x in seen]
        seen.add(e)
    return uses


def unavoidable(p: Problem) -> int:
    """The peak that no order is below: of one expression, or of all results together."""
    most = sum(p.bytes[i] for i in p.kept)
    for size, reads in zip(p.bytes, p.reads, strict=True):
        most = max(most, size + sum([p.bytes[r] for r in reads]))
    return most


def simulated_peak(p: Problem, order: Sequence[int]) -> int:
    """The most bytes in use at once, if dying operands are overwritten where they may be."""
    readers = reader_counts(p)
    live = peak = 0
    for i in order:
        freed = 0
        for r in p.reads[i]:
            readers[r] -= 1
            if not readers[r]:
                freed += p.bytes[r]
        size = p.bytes[i]
        in_place = any(not readers[r] and r not in p.kept for r in p.overwrites[i])
        peak = max(peak, live if in_place else live + size)
        live += size - freed
        if not readers[i] and i not in p.kept:
            live -= size
    return peak


def reader_counts(p: Problem) -> list[int]:
    """How many expressions read the memory of each."""
    result = [0] * len(p)
    for reads in p.reads:
        for r in reads:
            result[r] += 1
    return result


def followers(after: Sequence[Sequence[int]]) -> list[list[int]]:
    """For each number, those that name it."""
    result: list[list[int]] = [[] for _ in repeat(None, len(after))]
    for i, numbers in enumerate(after):
        for j in numbers:
            result[j].append(i)
    return result


def most_freed_first(p: Problem) -> list[int]:
    """List scheduling: of what can be computed, what frees most less what it allocates."""
    readers, users = reader_counts(p), followers(p.after)
    remaining = [0] * len(p)  # the sum of the numbers of readers; of one reader, its number
    for i, reads in enumerate(p.reads):
        for r in reads:
            remaining[r] += i

    def cost(i: int) -> int:
        return p.bytes[i] - sum([p.bytes[r] for r in p.reads[i] if readers[r] == 1])

    def visit(i: int, push: Callable[[int], None]) -> None:
        for r in p.reads[i]:
            readers[r] -= 1
            remaining[r] -= i
            if readers[r] == 1:
                push(remaining[r])

    return greedy(p.after, users, cost, visit)


def most_needed_last(p: Problem) -> list[int]:
    """List scheduling backwards: of what may come last, what needs least beyond what it gives."""
    needed = [i in p.kept for i in range(len(p))]
    readers = followers(p.reads)

    def cost(i: int) -> int:
        return sum([p.bytes[r] for r in p.reads[i] if not needed[r]]) - p.bytes[i]

    def visit(i: int, push: Callable[[int], None]) -> None:
        for r in p.reads[i]:
            if not needed[r]:
                needed[r] = True
                for j in readers[r]:
                    push(j)

    return greedy(followers(p.after), p.after, cost, visit, last=True)[::-1]


def greedy(
    before: Sequence[Sequence[int]], users: Sequence[Sequence[int]], cost: Callable[[int], int],
    visit: Callable[[int, Callable[[int], None]], None], last: bool = False,
) -> list[int]:  # fmt: skip
    """The numbers, each after those before it, the cheapest first; ties by number.

    `visit(i, push)` notes that `i` comes next and pushes those that have become cheaper. With
    `last` ties go to the highest number.
    """
    waiting = [len(numbers) for numbers in before]
    sign = -1 if last else 1
    ready = [(cost(i), sign * i) for i, count in enumerate(waiting) if not count]
    heapify(ready)
    result: list[int] = []

    def push(i: int) -> None:
        if not waiting[i]:
            heappush(ready, (cost(i), sign * i))

    while ready:
        i = sign * heappop(ready)[1]
        if waiting[i] < 0:
            continue
        waiting[i] = -1
        result.append(i)
        visit(i, push)
        for j in users[i]:
            waiting[j] -= 1
            push(j)
    return result
