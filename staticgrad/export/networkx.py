"""A view of a graph for networkx and its tools."""

from typing import Any

from ..ir.graph import FrozenGraph
from .drawing import Drawing


def to_networkx(graph: FrozenGraph) -> Any:
    """The graph as a `networkx.MultiDiGraph`, whose nodes have op, name, type, role and line.

    >>> x = sg.placeholder("float32", [3], name="x")
    >>> sorted(sg.to_networkx(sg.freeze([x * x], [x])).nodes(data="op"))
    [(0, 'placeholder'), (1, 'mul')]
    """
    import networkx as nx  # imported where it is used: it takes longer than all of this package

    drawing, found = Drawing(graph), nx.MultiDiGraph()
    for n in drawing.nodes:
        e = n.expr
        found.add_node(
            n.id, op=e.what, name=e.name, type=str(e.type), role=n.role, line=n.line or ""
        )
    found.add_edges_from(drawing.edges)
    return found
