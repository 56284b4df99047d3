"""A view of a graph for networkx and its tools."""

from typing import Any

from ..ir.expr import Expr, Kind
from ..ir.graph import FrozenGraph, inner_graphs, require_frozen
from ..text.printer import entries_text, value_text
from .as_json import SHOWN
from .drawing import Drawing, DrawnNode


def to_networkx(graph: FrozenGraph) -> Any:
    """The graph as a `networkx.MultiDiGraph` that says all that it computes.

    Its nodes have op, name, type, role and line; where there are any, the attributes and a small
    constant's value as text, the node in whose gradient it is as `cause`, and as `outputs` which
    results it is. An edge's `position` says which operand it is. All are words and numbers, which
    GraphML takes.

    >>> x = sg.placeholder("float32", [3], name="x")
    >>> view = sg.to_networkx(sg.freeze([1 - x], [x]))
    >>> sorted(view.nodes(data="op"))
    [(0, 'placeholder'), (1, 'constant'), (2, 'sub')]
    >>> sorted(view.edges(data="position"))
    [(0, 2, 1), (1, 2, 0)]
    """
    import networkx as nx  # imported where it is used: it takes longer than all of this package

    drawing, result = Drawing(require_frozen("to_networkx", graph)), nx.MultiDiGraph()
    named = inner_graphs(graph)
    for n in drawing.nodes:
        result.add_node(n.id, **facts(n, named))
    for n in drawing.nodes:
        for i, x in enumerate(n.expr.inputs):
            result.add_edge(drawing.numbers[x], n.id, position=i)
    for i, k in enumerate(drawing.outputs):
        before = result.nodes[k].get("outputs")
        result.nodes[k]["outputs"] = str(i) if before is None else f"{before}, {i}"
    return result


def facts(n: DrawnNode, named: dict[FrozenGraph, str]) -> dict[str, Any]:
    """The facts about a node, without those that it lacks."""
    e = n.expr
    every = {
        "op": e.what, "name": e.name, "type": str(e.type), "role": n.role, "line": n.line or "",
        "attrs": ", ".join(f"{k}={value_text(v, named)}" for k, v in e.attrs.items()),
        "value": value_of(e), "cause": n.cause,
    }  # fmt: skip
    return {k: v for k, v in every.items() if k == "line" or v not in ("", None)}


def value_of(e: Expr) -> str:
    """The entries of a small constant, or a size; of anything else nothing."""
    if e.kind is Kind.SIZE:
        return str(e.value)
    is_small = e.kind is Kind.CONSTANT and e.value.size <= SHOWN
    return entries_text(e.value.tolist()) if is_small else ""
