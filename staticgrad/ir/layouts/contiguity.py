"""Contiguity: values that are certainly arrays in C order.

Note [Layout]. NumPy gives a result the layout of its operands, and a sum over another layout adds
in another order and rounds differently. To keep bits, a transformation must keep layouts: a value
may replace another only if both are known to be in C order, or are views of one another. Passes and
buffer plans assume that feeds are in C order. For other feeds, the executable runs the unoptimized
graph, planned without that assumption. An array always counts as in C order if all its axes but one
have size 1.
"""

from collections.abc import Container
from functools import cache
from typing import TYPE_CHECKING

from gradops import Op
from gradops.core.traits import Trait

from ..expr import Expr
from ..kinds import Kind

if TYPE_CHECKING:
    from ..graph import FrozenGraph

ALWAYS = frozenset({Trait.C_CONTIGUOUS})
"""Traits of ops whose results are in C order."""
MAKING = ALWAYS | {Trait.REDUCTION, Trait.C_ORDER, Trait.KEEPS_C_ORDER, Trait.LIKE_OPERAND}
"""Traits of ops whose results are in C order if their operands are."""
KEEPING = MAKING | {Trait.ELEMENTWISE}
"""`MAKING`, and traits for which this holds if the result has the shape of an operand."""


def in_c_order(graph: "FrozenGraph", any_layout: bool = False) -> frozenset[Expr]:
    """The expressions whose value is certainly a C-ordered array. See Note [Layout].

    With `any_layout` nothing is assumed of the inputs.
    """
    if not any_layout:
        return frozenset([e for e in graph.order if e.in_c_order])
    result: set[Expr] = set()
    unsure = {e for e in graph.inputs if e.shape}
    for e in graph.order:
        if e not in unsure and is_c_ordered(e, result):
            result.add(e)
    return frozenset(result)


def is_c_ordered(e: Expr, ordered: Container[Expr] | None = None) -> bool:
    """True if `e` is certainly in C order, given which of its operands are.

    Those are the `ordered` ones, by default those that are if the feeds are.
    """
    op, shape = e.op, e.type.shape
    if op is None:
        if e.kind is Kind.PARAMETER:  # of a body, whose operands have any layout
            return shape.count(1) >= len(shape) - 1
        return e.kind is not Kind.CONSTANT or bool(e.value.flags.c_contiguous)
    if shape.count(1) >= len(shape) - 1:
        return True
    is_always, is_always_matrix, is_made, is_kept = effects_on_order(op)
    if is_always or (is_always_matrix and len(shape) < 3):  # axes of a stack follow the operands'
        return True
    if not is_kept:
        return False
    for x in e.inputs:
        if not (x.in_c_order if ordered is None else x in ordered):
            return False
    return is_made or any(x.type.shape == shape for x in e.inputs)


def is_same_in_any_layout(e: Expr) -> bool:
    """True for an op that gives an entry the same bits wherever it and the operands' lie."""
    if e.op is None or Trait.CORRECTLY_ROUNDED not in e.op.traits:
        return False
    return all(x.dtype.kind != "c" for x in (e, *e.inputs))


@cache
def effects_on_order(op: Op) -> tuple[bool, bool, bool, bool]:
    """True if an op's results have C order; as matrices; if its operands have; and their shape."""
    among = [not op.traits.isdisjoint(some) for some in (ALWAYS, {Trait.C_ORDER}, MAKING, KEEPING)]
    return among[0], among[1], among[2], among[3]
