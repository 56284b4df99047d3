"""Simplification: algebraic identities, and ops that change nothing."""

from dataclasses import dataclass
from typing import Any

from gradops.types import broadcast_shapes

from ..ir.expr import Expr
from ..ir.graph import FrozenGraph, Interning
from .rewrite import rewrite
from .rules.algebra import RULES


@dataclass(frozen=True)
class Simplify:
    """Apply algebraic identities until none applies."""

    exact_only: bool = True

    def __call__(self, graph: FrozenGraph) -> FrozenGraph:
        return rewrite(graph, [r for r in RULES if r.exact or not self.exact_only])


@dataclass(frozen=True)
class DropRetyping:
    """Drop a change of shape or dtype that changes neither. Exact."""

    def __call__(self, graph: FrozenGraph) -> FrozenGraph:
        return graph.rebuilt(lambda e, intern: e.inputs[0] if changes_nothing(e) else e)


def changes_nothing(e: Expr) -> bool:
    """Whether `e` only retypes its operand, and to the type it has."""
    return e.op is not None and "retyping" in e.op.traits and e.inputs[0].type == e.type


@dataclass(frozen=True)
class DropBroadcasts:
    """Let elementwise ops broadcast by themselves instead of being given filled arrays. Exact."""

    def __call__(self, graph: FrozenGraph) -> FrozenGraph:
        return graph.rebuilt(narrowed)


def narrowed(e: Expr, intern: Interning) -> Expr:
    """`e` on operands that are not broadcast beforehand, where its shape stays the same."""
    if e.op is None or "elementwise" not in e.op.traits:
        return e
    inputs: list[Any] = list(e.inputs)
    for i, x in enumerate(inputs):
        if x.op is not None and "broadcasting" in x.op.traits:
            narrow = [*inputs[:i], x.inputs[0], *inputs[i + 1 :]]
            if broadcast_shapes(e.op, [y.type for y in narrow]) == e.shape:
                inputs = narrow
    return intern.copy(e, inputs)
