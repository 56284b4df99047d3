"""Simplification: algebraic identities, and removal of ops without effect."""

from collections.abc import Callable
from dataclasses import dataclass

from gradops.core.traits import Trait
from gradops.core.types import broadcast_shapes

from ..ir.contiguity import in_c_order, is_c_ordered
from ..ir.expr import Expr
from ..ir.graph import FrozenGraph
from ..ir.interning import Interning
from ..ir.reachability import guarded_value
from .interface import Pass
from .rewrite import rewrite
from .rules.algebra import RULES

Step = Callable[[Expr, Interning, set[Expr]], Expr]


@dataclass(frozen=True)
class Simplify(Pass):
    """Apply the algebraic identities that hold to the bit until none applies."""

    def __call__(self, graph: FrozenGraph) -> FrozenGraph:
        return rewrite(graph, [r for r in RULES if r.exact])


@dataclass(frozen=True)
class DropRetyping(Pass):
    """Drop a change of shape or dtype that changes neither."""

    def __call__(self, graph: FrozenGraph) -> FrozenGraph:
        return with_layouts(graph, without_retyping)


def without_retyping(e: Expr, intern: Interning, ordered: set[Expr]) -> Expr:
    """`e`, or its operand if that certainly has the same type and memory layout."""
    if e.op is None or Trait.RETYPING not in e.op.traits or e.inputs[0].type != e.type:
        return e
    same = Trait.BROADCASTING not in e.op.traits or e.inputs[0] in ordered
    return e.inputs[0] if same else e


@dataclass(frozen=True)
class DropGradients(Pass):
    """Erase custom-gradient wrappers once gradients are built."""

    def __call__(self, graph: FrozenGraph) -> FrozenGraph:
        return graph.rebuilt(lambda e, intern: e if (x := guarded_value(e)) is None else x)


@dataclass(frozen=True)
class DropBroadcasts(Pass):
    """Let elementwise ops broadcast their operands instead of reading filled arrays."""

    def __call__(self, graph: FrozenGraph) -> FrozenGraph:
        return with_layouts(graph, without_broadcasts)


def without_broadcasts(e: Expr, intern: Interning, ordered: set[Expr]) -> Expr:
    """`e` on operands from before broadcasting, where that keeps its shape and layout."""
    if e.op is None or Trait.ELEMENTWISE not in e.op.traits:
        return e
    inputs: list[Expr] | None = None
    for i, x in enumerate(e.inputs):
        if x.op is not None and Trait.BROADCASTING in x.op.traits:
            narrow = list(inputs or e.inputs)
            narrow[i] = x.inputs[0]
            if keeps_layout(e, narrow, ordered):
                inputs = narrow
    return e if inputs is None else intern.copy(e, inputs)


def keeps_layout(e: Expr, inputs: list[Expr], ordered: set[Expr]) -> bool:
    """True if `e` keeps its shape and C order on other inputs. See Note [Layout]."""
    whole = any(x.shape == e.shape and x in ordered for x in inputs)
    rest = all(x in ordered for x in inputs if Trait.BROADCASTING not in traits_of(x))
    return whole and rest and broadcast_shapes(e.op, [x.type for x in inputs]) == e.shape


def traits_of(x: Expr) -> frozenset[Trait]:
    """The traits of the op of `x`."""
    return x.op.traits if x.op else frozenset()


def with_layouts(graph: FrozenGraph, step: Step) -> FrozenGraph:
    """Apply `step` to every expression, with the set of those that are in C order."""
    ordered = set(in_c_order(graph))

    def replace(e: Expr, intern: Interning) -> Expr:
        e = step(e, intern, ordered)
        if e not in ordered and is_c_ordered(e, ordered):
            ordered.add(e)
        return e

    return graph.rebuilt(replace)
