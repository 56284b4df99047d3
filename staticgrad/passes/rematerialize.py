"""Rematerialization: forward values are computed again in the backward, to hold fewer of them.

The values to keep are a minimum cut of the forward graph, between what is always there (inputs,
results, ops that are not repeated) and what the backward reads; the capacity of a value is its
size. See Zheng and He, "Min-cut optimal(ish) recomputation", PyTorch developer forum, 2022. Where
the cheap ops do not suffice, further values are given up in the order of bytes saved per operation,
each if a simulation of the schedule says that the peak falls.
"""

from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass
from typing import ClassVar

from gradops.core.errors import OptionError
from gradops.core.traits import Trait

from ..control.recompute import recompute
from ..ir.expr import Expr, Kind, whole_of
from ..ir.graph import FrozenGraph
from ..ir.interning import Interning
from .interface import Pass
from .subgraphs import is_pure

Peak = Callable[[FrozenGraph], int]
Sizes = Callable[[Expr], int]
CHEAP = frozenset({Trait.ELEMENTWISE, Trait.BROADCASTING, Trait.VIEW, Trait.RETYPING})
EXPENSIVE = frozenset({"multilinear", "of its own"})  # families of ops
MOST_TRIALS = 64  # values that are given up one by one, each with a simulation
FOREVER = 1 << 62


@dataclass(frozen=True)
class Rematerialize(Pass):
    """Compute forward values again in the backward until the predicted peak is within a budget.

    `budget` and `peak(graph)` count the bytes that a run allocates at once, `size(expression)`
    those of one value. Raises OptionError if the budget is not reached.
    """

    budget: int
    peak: Peak
    size: Sizes
    whole: ClassVar[bool] = True

    def __call__(self, graph: FrozenGraph) -> FrozenGraph:
        phases = Phases(graph)
        best = Choice(phases.saved, graph, self.peak(graph))
        for is_repeated in (is_cheap, is_moderate):
            if best.peak > self.budget:
                kept = minimum_cut(phases, self.size, is_repeated)
                best = min(best, self.choice(phases, kept), key=lambda choice: choice.peak)
        best = self.without_more(phases, best)
        if best.peak > self.budget:
            raise OptionError(
                "compile", [], f"memory_budget={self.budget} is below {best.peak} bytes, the least"
                " peak that was reached", hint="fetch less at once, or feed smaller batches",
            )  # fmt: skip
        return best.graph

    def choice(self, phases: "Phases", kept: Set[Expr]) -> "Choice":
        """The graph that keeps some forward values alone, and its peak."""
        graph = phases.keeping(kept)
        return Choice(kept, graph, self.peak(graph))

    def without_more(self, phases: "Phases", best: "Choice") -> "Choice":
        """The choice after giving up kept values one by one, as long as the peak falls.

        Of a chain, every other value is tried first, so that no long stretch is computed again.
        """
        chain = [e for e in phases.forward if e in best.kept and e.op is not None and is_pure(e)]
        candidates = [*chain[1::2], *chain[::2]]
        candidates.sort(key=lambda e: self.size(e) / work(e), reverse=True)
        for e in candidates[:MOST_TRIALS]:
            if best.peak <= self.budget:
                break
            other = self.choice(phases, best.kept - {e})
            best = min(best, other, key=lambda choice: choice.peak)
        return best


@dataclass(frozen=True)
class Choice:
    """The forward values that are kept, the graph that keeps them, and its peak."""

    kept: Set[Expr]
    graph: FrozenGraph
    peak: int


def is_cheap(e: Expr) -> bool:
    """True for ops that cost a pass over memory, as reading a kept value does."""
    return e.op is not None and not CHEAP.isdisjoint(e.op.traits) and is_pure(e)


def is_moderate(e: Expr) -> bool:
    """True for all ops but products of matrices, convolutions, solvers and control flow."""
    assert e.op is not None
    return is_pure(e) and e.op.family not in EXPENSIVE


def work(e: Expr) -> int:
    """A rough number of operations: more for products than for elementwise ops."""
    return 1 if is_cheap(e) else 4 if is_moderate(e) else 32


class Phases:
    """A graph in two phases: the backward, which depends on gradients, and the forward before."""

    def __init__(self, graph: FrozenGraph) -> None:
        self.graph, self.results = graph, set(graph.results)
        self.backward: set[Expr] = set()
        for e in graph.order:
            if e.origin is not None or not self.backward.isdisjoint(e.inputs):
                self.backward.add(e)
        self.forward = [e for e in graph.order if e not in self.backward]
        reads = (x for e in graph.order if e in self.backward for x in e.inputs)
        self.saved = {x for x in reads if x not in self.backward}

    def is_free(self, e: Expr) -> bool:
        """True for a forward value that exists in any case."""
        return e.op is None or e in self.results

    def keeping(self, kept: Iterable[Expr]) -> FrozenGraph:
        """The graph whose backward computes again what is not kept.

        The copies begin with the op `recompute`, so that they are not the originals.
        """
        present, again = set(kept), dict[Expr, Expr]()
        graph = self.graph
        needed = self.recomputed(present)

        def make(e: Expr, inputs: Sequence[Expr], intern: Interning) -> Expr:
            if e not in self.backward:
                return intern.copy(e, inputs)
            return intern.copy(
                e, [copy(x, y, intern) for x, y in zip(e.inputs, inputs, strict=True)]
            )

        def copy(x: Expr, y: Expr, intern: Interning) -> Expr:
            """The copy of forward value `x`, whose original has become `y`."""
            if x in self.backward or x not in needed:
                return y
            for v in needed[x]:
                if v not in again:
                    operands = [again[z] if z in again else marked(z, intern) for z in v.inputs]
                    again[v] = intern.copy(v._replace(inputs=tuple(operands)), operands)
            return again[x]

        def marked(z: Expr, intern: Interning) -> Expr:
            again[z] = z if z.kind is Kind.CONSTANT else intern.copy(recompute_of(z), (z,))
            return again[z]

        return graph.remade(make)

    def recomputed(self, present: Set[Expr]) -> dict[Expr, list[Expr]]:
        """For each saved value that is not present, what is computed for it, in order."""
        result: dict[Expr, list[Expr]] = {}
        position = {e: i for i, e in enumerate(self.forward)}
        for end in self.saved:
            if end in present or self.is_free(end):
                continue
            stack, chain = [end], {end}
            while stack:
                for x in stack.pop().inputs:
                    if x not in chain and x not in present and not self.is_free(x):
                        chain.add(x)
                        stack.append(x)
            result[end] = sorted(chain, key=position.__getitem__)
        return result


def recompute_of(x: Expr) -> Expr:
    """The expression that marks a value from which others are computed again."""
    return x._replace(kind=Kind.OP, op=recompute, inputs=(x,), attrs={}, value=None)


def minimum_cut(phases: Phases, size: Sizes, is_repeated: Callable[[Expr], bool]) -> set[Expr]:
    """The forward values to keep: the fewest bytes from which the backward can be computed."""
    import networkx as nx

    net = nx.DiGraph()
    number = {e: 2 * i for i, e in enumerate(phases.forward)}  # where it is read: one more
    source, sink = -1, -2
    net.add_nodes_from((source, sink))
    for e, i in number.items():
        is_view = e.op is not None and Trait.VIEW in e.op.traits and whole_of(e) is None
        capacity = 0 if phases.is_free(e) else FOREVER if is_view else size(e)
        net.add_edge(i, i + 1, capacity=capacity)
        if phases.is_free(e) or not (is_view or is_repeated(e)):
            net.add_edge(source, i, capacity=FOREVER)
        net.add_edges_from([(number[x] + 1, i) for x in e.inputs], capacity=FOREVER)
        if e in phases.saved:
            net.add_edge(i + 1, sink, capacity=FOREVER)
    _, (reached, _) = nx.minimum_cut(net, source, sink)
    return {e for e, i in number.items() if i in reached and i + 1 not in reached}
