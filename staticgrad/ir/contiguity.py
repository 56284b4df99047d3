"""Contiguity: values that are certainly arrays in C order.

Note [Layout]. NumPy gives a result the layout of its operands, and a sum over another layout adds
in another order and rounds differently. To keep bits, a transformation must keep layouts: a value
may replace another only if both are known to be in C order, or are views of one another. Passes and
buffer plans assume that feeds are in C order. For other feeds, the executable runs the unoptimized
graph, planned without that assumption. An array with one axis always counts as in C order.
"""

from gradops.core.traits import Trait

from .expr import Expr
from .graph import FrozenGraph
from .kinds import Kind

MAKING = frozenset({Trait.REDUCTION, Trait.C_ORDER})
"""Traits of ops whose results are in C order if their operands are."""
KEEPING = MAKING | {Trait.ELEMENTWISE}
"""`MAKING`, and traits for which this holds if the result has the shape of an operand."""


def in_c_order(graph: FrozenGraph, any_layout: bool = False) -> frozenset[Expr]:
    """The expressions whose value is certainly a C-ordered array. See Note [Layout].

    With `any_layout` nothing is assumed of the inputs.
    """
    key = "any layout" if any_layout else "c order"
    if key not in graph.derived:
        result: set[Expr] = set()
        unsure = {e for e in graph.inputs if e.shape} if any_layout else ()
        for e in graph.order:
            if e not in unsure and is_c_ordered(e, result):
                result.add(e)
        graph.derived[key] = frozenset(result)
    return graph.derived[key]


def is_c_ordered(e: Expr, ordered: set[Expr]) -> bool:
    """True if `e` is certainly in C order, given which of its operands are."""
    shape = e.type.shape
    if e.op is None:
        if e.kind is Kind.PARAMETER:  # of a body, whose operands have any layout
            return len(shape) < 2
        return e.kind is not Kind.CONSTANT or bool(e.value.flags.c_contiguous)
    if not shape:
        return True
    traits = e.op.traits
    if Trait.C_ORDER in traits and len(shape) < 3:  # axes of a stack follow those of the operands
        return True
    if traits.isdisjoint(KEEPING) or not ordered.issuperset(e.inputs):
        return False
    if not traits.isdisjoint(MAKING):
        return True
    return any(x.type.shape == shape for x in e.inputs)
