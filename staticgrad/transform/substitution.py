"""Stand-ins: what takes the place of expressions, and the graph that results.

Note [Stand-ins]. An expression that something stands in for counts twice: as what computes it, on
whatever its inputs have become, and as what its users get. Each is made after what it is made of,
which is an order unless a stand-in is computed from itself. All stand-ins are put in at once: one
that is made of an expression gets that as it is computed, also if it has a stand-in of its own.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from gradops import GraphError

from ..ir.expr import Expr
from ..ir.graph import FrozenGraph
from ..ir.interning import Interning
from ..ir.sizes import no_source, sizes_determined_by, sizes_introduced_by, sizes_missing

Node = tuple[Expr, bool]
"""An expression as it is computed, or with True what its users get. See Note [Stand-ins]."""


@dataclass(frozen=True)
class StandIn:
    """What takes the place of an expression: `build(intern, *operands)`, and its operands."""

    build: Callable[..., Expr]
    operands: Sequence[Node] = ()


@dataclass(frozen=True)
class Surgery:
    """A graph, and what is to stand in for expressions of it. See Note [Stand-ins]."""

    graph: FrozenGraph
    stand_ins: dict[Expr, StandIn]

    def uses(self, expressions: Iterable[Expr]) -> list[Node]:
        """What users get of each."""
        return [(e, e in self.stand_ins) for e in expressions]

    def whole(self) -> FrozenGraph:
        """The graph with its inputs, and with what its outputs and updates are now."""
        g = self.graph
        inputs = [(e, False) for e in g.inputs]
        updates = self.uses(new for _, new in g.updates)
        return self.finish(self.uses(g.outputs), inputs, updates)

    def finish(
        self, outputs: list[Node], inputs: list[Node], updates: Sequence[Node] = ()
    ) -> FrozenGraph:
        """The graph that computes `outputs` and `updates`, from `inputs` and what else it needs."""
        g = self.graph
        live, measured = self.live([*inputs, *outputs, *updates], [e for e, _ in inputs])
        as_written = ((e, stands_in) for e in g for stands_in in (False, True))
        intern, made = Interning(), dict[Node, Expr]()
        for node in self.ordered([node for node in as_written if node in live]):
            made[node] = self.make(intern, node, [made[x] for x in self.operands(node)])
        needed = [(e, False) for e in g.inputs if (e, False) in live]
        graph = FrozenGraph(
            tuple(made[x] for x in dict.fromkeys([*inputs, *needed])),
            tuple(made[y] for y in outputs),
            tuple((made[v, False], made[y]) for (v, _), y in zip(g.updates, updates)),
            tuple(made[x] for x in measured),
            intern.merged,
        )
        kept = graph.reached()
        return replace(graph, sequence=tuple([e for e in intern.table.values() if e in kept]))

    def live(self, ends: list[Node], fed: list[Expr]) -> tuple[dict[Node, None], list[Node]]:
        """What is needed to compute `ends`, and of it what is computed for its size alone."""
        result, measured = self.ordered(ends), []
        while unknown := self.sizes_missing(result, fed):
            source = next((e for e in self.graph if unknown[0] in sizes_introduced_by(e)), None)
            if source is None:
                raise no_source(unknown[0])
            ends = [*ends, (source, False)]
            measured += ends[-1:] if source.op else []
            result = self.ordered(ends)
        return result, measured

    def sizes_missing(self, live: Mapping[Node, None], fed: list[Expr]) -> list[str]:
        """The names of sizes that are used and not determined by these expressions."""
        given = [*fed, *(e for e in self.graph.inputs if (e, False) in live)]
        computed = [e for e, stands_in in live if not stands_in]
        return sorted(sizes_missing(computed, sizes_determined_by(given)))

    def operands(self, node: Node) -> Sequence[Node]:
        """What a node is made of."""
        e, stands_in = node
        return self.stand_ins[e].operands if stands_in else self.uses(e.inputs)

    def ordered(self, ends: Iterable[Node]) -> dict[Node, None]:
        """`ends` and what they are made of, each after its operands; GraphError for a cycle."""
        result: dict[Node, None] = {}
        begun: set[Node] = set()
        stack = list(ends)[::-1]
        while stack:
            node = stack[-1]
            missing = [x for x in self.operands(node) if x not in result]
            if node in result or not missing:
                result[stack.pop()] = None
                continue
            begun.add(node)
            if not begun.isdisjoint(missing):
                raise GraphError(f"{node[0].label} would be computed from itself")
            stack += missing[::-1]
        return result

    def make(self, intern: Interning, node: Node, operands: list[Expr]) -> Expr:
        """The new expression of a node, which has the type of the old one."""
        e, stands_in = node
        if stands_in:
            new = self.stand_ins[e].build(intern, *operands)
            if new.type != e.type:
                raise GraphError(f"{e.label} cannot be replaced by {new.label}: the types differ")
            return new
        new = intern.copy(e, operands)
        if e in self.graph.merged:
            intern.note(new, self.graph.merged[e])
        return new
