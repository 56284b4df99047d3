"""Which passes run at which level."""

from ..ir.graph import FrozenGraph


def optimized(graph: FrozenGraph, level: int) -> FrozenGraph:
    """The graph after the passes of a level."""
    return graph
