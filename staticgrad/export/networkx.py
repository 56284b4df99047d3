"""A view of a graph for networkx and its tools."""

from typing import Any

from ..ir.expr import Expr, Kind
from ..ir.graph import FrozenGraph, inner_graphs, require_frozen
from ..text.printer import entries_text, value_text
from .as_json import SHOWN
from .drawing import DrawnNode, drawing


def to_networkx(graph: FrozenGraph) -> Any:
    """The graph as a `networkx.MultiDiGraph` that has all facts of its expressions.

    Its nodes have op, name, type, role and line; where there are any, the attributes and a small
    constant's value as text, as `cause` the node to whose gradient it belongs, and as `outputs` the
    numbers of the results that it is. An edge's `position` is the number of the operand. All are
    words and numbers, which GraphML accepts.

    >>> x = sg.placeholder("float32", [3], name="x")
    >>> view = sg.to_networkx(sg.freeze([1 - x], [x]))
    >>> sorted(view.nodes(data="op"))
    [(0, 'placeholder'), (1, 'constant'), (2, 'sub')]
    >>> sorted(view.edges(data="position"))
    [(0, 2, 1), (1, 2, 0)]
    """
    import networkx as nx  # imported where it is used: it takes longer than all of this package

    nodes, result = drawing(require_frozen("to_networkx", graph)), nx.MultiDiGraph()
    named = inner_graphs(graph)
    for n in nodes.values():
        result.add_node(n.id, **facts(n, named))
    for n in nodes.values():
        for position, i in enumerate(n.inputs):
            result.add_edge(i, n.id, position=position)
    for i, e in enumerate(graph.results):
        node = result.nodes[nodes[e].id]
        node["outputs"] = f"{node['outputs']}, {i}" if "outputs" in node else str(i)
    return result


def facts(n: DrawnNode, named: dict[FrozenGraph, str]) -> dict[str, Any]:
    """The facts about a node that it has."""
    e = n.expr
    every = {
        "op": e.what, "name": e.name, "type": str(e.type), "role": n.role, "line": n.line or "",
        "attrs": ", ".join(f"{k}={value_text(v, named)}" for k, v in e.attrs.items()),
        "value": value_of(e), "cause": n.cause,
    }  # fmt: skip
    return {k: v for k, v in every.items() if k == "line" or v not in ("", None)}


def value_of(e: Expr) -> str:
    """The entries of a small constant, or a size; empty for other expressions."""
    if e.kind is Kind.SIZE:
        return str(e.value)
    is_small = e.kind is Kind.CONSTANT and e.value.size <= SHOWN
    return entries_text(e.value.tolist()) if is_small else ""
