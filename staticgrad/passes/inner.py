"""Replacing the graphs inside loops, branches and calls."""

from collections.abc import Mapping

from ..ir.expr import Expr
from ..ir.graph import FrozenGraph, has_graphs
from ..ir.interning import Interning


def with_inner(graph: FrozenGraph, made: Mapping[FrozenGraph, FrozenGraph]) -> FrozenGraph:
    """The graph with its inner graphs replaced as `made` says."""
    if not made:
        return graph

    def replace(e: Expr, intern: Interning) -> Expr:
        if not has_graphs(e):
            return e
        attrs = {k: with_graphs(v, made) for k, v in e.attrs.items()}
        return e if attrs == e.attrs else intern.copy(e._replace(attrs=attrs), e.inputs)

    return graph.rebuilt(replace)


def with_graphs(value: object, made: Mapping[FrozenGraph, FrozenGraph]) -> object:
    """The value of an attribute with its graphs replaced."""
    if type(value) is tuple:
        return tuple([with_graphs(v, made) for v in value])
    return made[value] if isinstance(value, FrozenGraph) else value
