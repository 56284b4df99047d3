"""Contiguity: values that are certainly arrays in C order.

Note [Layout]. NumPy gives a result the layout of its operands, and a sum over another layout adds
in another order and rounds differently. To keep bits, a transformation must keep layouts: a value
may replace another only if both are known to be in C order, or are views of one another. Passes and
buffer plans assume that feeds are in C order. For other feeds, the executable runs the unoptimized
graph, planned without that assumption. An array with one axis always counts as in C order.
"""

from collections.abc import Mapping

from .expr import Expr
from .graph import FrozenGraph
from .layouts import Layout, c_order, layout_of


def layouts(graph: FrozenGraph, any_layout: bool = False) -> Mapping[Expr, Layout]:
    """The layouts that are certain, by expression. See Note [Axes in memory].

    With `any_layout` nothing is assumed of the inputs.
    """
    key = "layouts in any" if any_layout else "layouts"
    if key not in graph.derived:
        result: dict[Expr, Layout] = {}
        unsure = {e for e in graph.inputs if len(e.shape) > 1} if any_layout else ()
        for e in graph.order:
            if e not in unsure and (found := layout_of(e, result)) is not None:
                result[e] = found
        graph.derived[key] = result
    known: Mapping[Expr, Layout] = graph.derived[key]
    return known


def in_c_order(graph: FrozenGraph, any_layout: bool = False) -> frozenset[Expr]:
    """The expressions whose value is certainly a C-ordered array. See Note [Layout]."""
    known = layouts(graph, any_layout)
    return frozenset(e for e, layout in known.items() if len(e.shape) < 2 or layout.is_c)


def is_c_ordered(e: Expr, ordered: set[Expr]) -> bool:
    """True if `e` is certainly in C order, given which of its operands are."""
    found = layout_of(e, {x: c_order(x) for x in e.inputs if x in ordered})
    return found is not None and (len(e.shape) < 2 or found.is_c)
