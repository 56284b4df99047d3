"""Substituting expressions of a frozen graph.

Note [Substitution]. An expression with a replacement is two nodes: its own computation, on the new
forms of its inputs, and the replacement, which its users read. Nodes are built after their
operands, which is possible unless a replacement depends on itself. All replacements are made at
once: one that reads an expression gets its own computation, even if that has a replacement too.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from gradops import GraphError

from ..ir.expr import Expr
from ..ir.graph import FrozenGraph
from ..ir.interning import Interning
from ..ir.sizes import no_source, sizes_determined_by, sizes_introduced_by, sizes_missing

Node = tuple[Expr, bool]
"""An expression's own computation, or with True its replacement. See Note [Substitution]."""


@dataclass(frozen=True)
class Replacement:
    """The replacement of an expression: `build(intern, *operands)`, and its operands."""

    build: Callable[..., Expr]
    operands: Sequence[Node] = ()


@dataclass(frozen=True)
class Substitution:
    """A graph, and replacements of some of its expressions. See Note [Substitution]."""

    graph: FrozenGraph
    replacements: dict[Expr, Replacement]

    def uses(self, expressions: Iterable[Expr]) -> list[Node]:
        """The nodes that users of expressions read."""
        return [(e, e in self.replacements) for e in expressions]

    def whole(self) -> FrozenGraph:
        """The whole graph with its inputs, and its outputs and updates after substitution."""
        g = self.graph
        inputs = [(e, False) for e in g.inputs]
        updates = self.uses(new for _, new in g.updates)
        result = self.finish(self.uses(g.outputs), inputs, updates)
        return replace(result, labels=g.labels)

    def finish(
        self, outputs: list[Node], inputs: list[Node], updates: Sequence[Node] = ()
    ) -> FrozenGraph:
        """The graph that computes `outputs` and `updates`, from `inputs` and others it needs."""
        g = self.graph
        live, measured = self.live([*inputs, *outputs, *updates], [e for e, _ in inputs])
        as_written = ((e, replaced) for e in g for replaced in (False, True))
        intern, made = Interning(), dict[Node, Expr]()
        for node in self.in_order([node for node in as_written if node in live]):
            made[node] = self.make(intern, node, [made[x] for x in self.operands(node)])
        needed = [(e, False) for e in g.inputs if (e, False) in live]
        graph = FrozenGraph(
            tuple(made[x] for x in dict.fromkeys([*inputs, *needed])),
            tuple(made[y] for y in outputs),
            tuple((made[v, False], made[y]) for (v, _), y in zip(g.updates, updates)),
            tuple(made[x] for x in measured),
            intern.merged,
        )
        return graph.arranged(intern)

    def live(self, ends: list[Node], fed: list[Expr]) -> tuple[dict[Node, None], list[Node]]:
        """The nodes needed to compute `ends`, and those that are computed only for their sizes."""
        result, measured = self.in_order(ends), []
        while unknown := self.sizes_missing(result, fed):
            source = next((e for e in self.graph if unknown[0] in sizes_introduced_by(e)), None)
            if source is None:
                raise no_source(unknown[0])
            ends = [*ends, (source, False)]
            measured += ends[-1:] if source.op else []
            result = self.in_order(ends)
        return result, measured

    def sizes_missing(self, live: Mapping[Node, None], fed: list[Expr]) -> list[str]:
        """The names of sizes that the nodes use and that nothing determines."""
        given = [*fed, *(e for e in self.graph.inputs if (e, False) in live)]
        computed = [e for e, replaced in live if not replaced]
        return sorted(sizes_missing(computed, sizes_determined_by(given)))

    def operands(self, node: Node) -> Sequence[Node]:
        """The operands of a node."""
        e, replaced = node
        return self.replacements[e].operands if replaced else self.uses(e.inputs)

    def in_order(self, ends: Iterable[Node]) -> dict[Node, None]:
        """`ends` and all they depend on, operands first; raises GraphError for a cycle."""
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
        """Build the expression of a node; raises GraphError if its type changes."""
        e, replaced = node
        if replaced:
            new = self.replacements[e].build(intern, *operands)
            if new.type != e.type:
                raise GraphError(f"{e.label} cannot be replaced by {new.label}: the types differ")
            return new
        new = intern.copy(e, operands)
        if e in self.graph.merged:
            intern.note(new, self.graph.merged[e])
        return new
