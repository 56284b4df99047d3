"""Pairs: two ops that share work, as a forward op and its gradient, computed by one kernel."""

from dataclasses import replace as replaced

from ..ir.graph import FrozenGraph
from ..ir.pairs import pairs_in
from .interface import Pass


class ComputePairs(Pass):
    """Let one kernel compute an op and another on its operands: gelu and its slope.

    See Note [Pairs] in `ir/pairs.py`. The second value is held from then on, in place of the
    operands, so a memory budget switches this off.
    """

    def __call__(self, graph: FrozenGraph) -> FrozenGraph:
        if graph.paired or not pairs_in(graph):
            return graph
        return replaced(graph, paired=True, derived={})
