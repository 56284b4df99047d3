"""Graphs that stand inside others: of loops, branches and calls."""

from collections.abc import Mapping
from typing import Any

from ..ir.expr import Expr
from ..ir.graph import FrozenGraph, has_graphs
from ..ir.interning import Interning


def with_inner(graph: FrozenGraph, made: Mapping[FrozenGraph, FrozenGraph]) -> FrozenGraph:
    """The graph with others in the place of the graphs inside it: of bodies and branches."""
    if not made:
        return graph

    def replace(e: Expr, intern: Interning) -> Expr:
        if not has_graphs(e):
            return e
        attrs = {k: renewed(v, made) for k, v in e.attrs.items()}
        return e if attrs == e.attrs else intern.copy(e._replace(attrs=attrs), e.inputs)

    return graph.rebuilt(replace)


def renewed(value: Any, made: Mapping[FrozenGraph, FrozenGraph]) -> Any:
    """An attribute's value with other graphs in it."""
    if type(value) is tuple:
        return tuple([renewed(v, made) for v in value])
    return made[value] if isinstance(value, FrozenGraph) else value
