"""Which values surely are arrays in C order.

Note [Layout]. NumPy gives a result the layout of its operands, and a sum over another layout adds
in another order and rounds differently. To keep bits, a transformation must keep layouts: a value
may take the place of another only if both are known to lie in C order, or are views of one another.
Passes and plans assume that what is fed is in C order. For feeds that are not, the executable runs
what was written, planned without that assumption. An array with one axis counts as in C order, its
entries being in only one order.
"""

from typing import Any

from gradops.core.traits import Trait

from .expr import Expr
from .graph import FrozenGraph
from .kinds import Kind

MAKING = frozenset({Trait.REDUCTION, Trait.C_ORDER})
"""Traits of ops that give arrays in C order for operands in C order, """
KEEPING = MAKING | {Trait.ELEMENTWISE}
"""and of those that do if the result has the shape of an operand."""


def in_c_order(graph: FrozenGraph, any_layout: bool = False) -> frozenset[Expr]:
    """The expressions whose value surely is a C-ordered array. See Note [Layout].

    With `any_layout` nothing is assumed of the inputs.
    """
    key = "any layout" if any_layout else "c order"
    if key not in graph.derived:
        found: set[Expr] = set()
        unsure = {e for e in graph.inputs if e.shape} if any_layout else ()
        for e in graph.order:
            if e not in unsure and is_c_ordered(e, found):
                found.add(e)
        graph.derived[key] = frozenset(found)
    return graph.derived[key]


def is_c_ordered(e: Expr, ordered: set[Expr]) -> bool:
    """Whether `e` surely is in C order, given which of its operands are."""
    shape = e.type.shape
    if e.op is None:
        if e.kind is Kind.PARAMETER:  # of what is in a loop or branch, which is given any array
            return len(shape) < 2
        return e.kind is not Kind.CONSTANT or bool(e.value.flags.c_contiguous)
    if not shape:
        return True
    traits: Any = e.op.traits
    if Trait.C_ORDER in traits and len(shape) < 3:  # axes of a stack follow those of the operands
        return True
    if traits.isdisjoint(KEEPING) or not ordered.issuperset(e.inputs):
        return False
    if not traits.isdisjoint(MAKING):
        return True
    return any(x.type.shape == shape for x in e.inputs)
