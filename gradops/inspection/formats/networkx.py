"""A view as a graph of networkx, and the files that networkx writes: GraphML and GEXF."""

import io
from typing import Any

from ..model import GraphView, NodeView
from .labels import visible


def to_networkx(view: GraphView) -> Any:
    """The view as a `networkx.MultiDiGraph`, with all facts as words and numbers.

    Nodes have `name`, `op`, `type`, `role`, `scope` and `line`; where there are any, `attrs` and
    `value` as text, `cause` (the node to whose gradient it belongs), `outputs` (the numbers of the
    results that it is, and of updates after them), `labels` of them, `saved` and `nbytes`. The
    `position` of an edge is the number of the operand.
    """
    import networkx as nx  # imported where it is used: it takes longer than all of this package

    results: dict[int, list[int]] = {}
    for k, i in enumerate([*view.outputs, *(new for _, new in view.updates)]):
        results.setdefault(i, []).append(k)
    result = nx.MultiDiGraph(name=view.title)
    result.add_nodes_from([(n.id, facts(n, results)) for n in view.nodes])
    result.add_edges_from(
        [
            (i, n.id, {"position": position})
            for n in view.nodes
            for position, i in enumerate(n.inputs)
        ]
    )
    return result


def facts(n: NodeView, results: dict[int, list[int]]) -> dict[str, Any]:
    """The facts about a node that it has."""
    result: dict[str, Any] = {
        "op": n.op, "name": n.name, "type": n.type if n.dtype else "", "role": n.role.value,
        "scope": n.scope, "line": n.line,
    }  # fmt: skip
    if n.attrs:
        result["attrs"] = ", ".join([f"{k}={v}" for k, v in n.attrs.items()])
    if n.data is not None:
        result["value"] = n.value
    if n.cause is not None:
        result["cause"] = n.cause
    if n.id in results:
        result["outputs"] = ", ".join(map(str, results[n.id]))
        result["labels"] = "; ".join(n.outputs)
    if n.saved:
        result["saved"] = ", ".join([f"{s.name}: {s.nbytes}" for s in n.saved])
    if n.nbytes is not None:
        result["nbytes"] = n.nbytes
    return result


def to_graphml(view: GraphView) -> str:
    """The view as GraphML, which yEd, Gephi and networkx read; of the outermost graph."""
    import networkx as nx

    return "\n".join(nx.generate_graphml(for_xml(to_networkx(view)))) + "\n"


def to_gexf(view: GraphView) -> str:
    """The view as GEXF, which Gephi reads; of the outermost graph."""
    import networkx as nx

    file = io.BytesIO()
    graph = for_xml(to_networkx(view))
    for _, said in graph.nodes(data=True):
        said["label"] = said.pop("name")
    nx.write_gexf(graph, file, version="1.2draft")
    return file.getvalue().decode() + "\n"


def for_xml(graph: Any) -> Any:
    """The graph with texts that XML can hold: other characters as their codes."""
    graph.graph["name"] = visible(graph.graph["name"])
    for _, said in graph.nodes(data=True):
        for key, value in said.items():
            if type(value) is str:
                said[key] = visible(value)
    return graph
