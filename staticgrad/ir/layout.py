"""Which values surely are arrays in C order.

Note [Layout]. NumPy gives a result the layout of its operands, and a sum over another layout adds
in another order and rounds differently. To keep bits, a transformation must keep layouts: a value
may take the place of another only if both are known to lie in C order, or are views of one another.
"""

from typing import Any

from .expr import Expr
from .graph import FrozenGraph


def in_c_order(graph: FrozenGraph) -> set[Expr]:
    """The expressions whose value surely is a C-ordered array. See Note [Layout]."""
    found: set[Expr] = set()
    for e in graph.order:
        if is_c_ordered(e, found):
            found.add(e)
    return found


def is_c_ordered(e: Expr, ordered: set[Expr]) -> bool:
    """Whether `e` surely is in C order, given which of its operands are."""
    if e.op is None or not e.shape:
        return True
    traits: Any = e.op.traits
    if "c_order" in traits and len(e.shape) < 3:  # axes of a stack follow those of the operands
        return True
    if not ({"elementwise", "reduction", "c_order"} & traits) or not ordered.issuperset(e.inputs):
        return False
    return bool({"reduction", "c_order"} & traits) or any(x.shape == e.shape for x in e.inputs)
