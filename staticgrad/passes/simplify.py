"""Simplification: algebraic identities, and removal of ops without effect."""

from math import inf
from typing import ClassVar

import numpy as np

from gradops import OPS, Op
from gradops.core.traits import Trait
from gradops.core.types import broadcast_shapes

from ..ir.expr import Expr
from ..ir.graph import FrozenGraph
from ..ir.interning import Interning
from ..ir.reachability import guarded_value
from .interface import Pass
from .rewrite import rewrite
from .rules import stability, strength
from .rules.algebra import RULES

FILLED = OPS["full_like"]


class Simplify(Pass):
    """Apply the algebraic identities that hold to the bit until none applies."""

    def __call__(self, graph: FrozenGraph) -> FrozenGraph:
        return rewrite(graph, [r for r in RULES if r.exact])


class ReduceStrength(Pass):
    """Replace powers and quotients by numbers, and sums of products, by cheaper products."""

    bound: ClassVar[float] = 8.0

    def __call__(self, graph: FrozenGraph) -> FrozenGraph:
        return rewrite(graph, strength.RULES)


class Stabilize(Pass):
    """Replace forms that overflow or cancel, as log(1 + exp(x)), by stable equivalents.

    It changes values on purpose, so there is no bound, and no level below "stabilize" has it.
    """

    bound: ClassVar[float] = inf

    def __call__(self, graph: FrozenGraph) -> FrozenGraph:
        return rewrite(graph, stability.RULES)


class DropRetyping(Pass):
    """Drop a change of shape or dtype that changes neither."""

    def __call__(self, graph: FrozenGraph) -> FrozenGraph:
        return graph.rebuilt(without_retyping, ops_with(Trait.RETYPING))


def without_retyping(e: Expr, intern: Interning) -> Expr:
    """`e`, or its operand if that certainly has the same type and memory layout."""
    if e.inputs[0].type != e.type:
        return e
    same = Trait.BROADCASTING not in traits_of(e) or e.inputs[0].in_c_order
    return e.inputs[0] if same else e


class DropGradients(Pass):
    """Erase custom-gradient wrappers once gradients are built."""

    def __call__(self, graph: FrozenGraph) -> FrozenGraph:
        return graph.rebuilt(without_guard, {OPS["part"]})


def without_guard(e: Expr, intern: Interning) -> Expr:
    """`e`, or the value that it has if it only changes its gradient."""
    value = guarded_value(e)
    return e if value is None else value


class DropBroadcasts(Pass):
    """Let elementwise ops broadcast their operands instead of reading filled arrays."""

    def __call__(self, graph: FrozenGraph) -> FrozenGraph:
        return graph.rebuilt(without_broadcasts, ops_with(Trait.ELEMENTWISE))


def without_broadcasts(e: Expr, intern: Interning) -> Expr:
    """`e` on operands from before broadcasting, where that keeps its shape and layout."""
    inputs: list[Expr] | None = None
    for i, x in enumerate(e.inputs):
        if x.op is not None and (Trait.BROADCASTING in x.op.traits or x.op is FILLED):
            narrow = list(inputs or e.inputs)
            narrow[i] = number_in(x, intern) if x.op is FILLED else x.inputs[0]
            if keeps_layout(e, narrow):
                inputs = narrow
    return e if inputs is None else intern.copy(e, inputs)


def number_in(x: Expr, intern: Interning) -> Expr:
    """The number of which a filled array is full."""
    return intern.constant(np.array(x.attrs["value"], x.dtype), like=x)


def keeps_layout(e: Expr, inputs: list[Expr]) -> bool:
    """True if `e` keeps its shape and C order on other inputs. See Note [Layout]."""
    whole = any(x.shape == e.shape and x.in_c_order for x in inputs)
    rest = all(x.in_c_order for x in inputs if Trait.BROADCASTING not in traits_of(x))
    return whole and rest and broadcast_shapes(e.op, [x.type for x in inputs]) == e.shape


def traits_of(x: Expr) -> frozenset[Trait]:
    """The traits of the op of `x`."""
    return x.op.traits if x.op else frozenset()


def ops_with(trait: Trait) -> set[Op | None]:
    """The ops that have a trait."""
    return {op for op in OPS.values() if trait in op.traits}
