"""A view as a graph of networkx."""

from collections.abc import Iterator
from typing import Any

from ..model import GraphView, NodeView

Facts = dict[str, Any]


def to_networkx(view: GraphView) -> Any:
    """The view as a `networkx.MultiDiGraph`, with all facts as words and numbers.

    Nodes have `name`, `op`, `type`, `role`, `scope` and `line`; where there are any, `attrs` and
    `value` as text, `cause` (the node to whose gradient it belongs), `outputs` (the numbers of the
    results that it is, and of updates after them), `labels` of them, `saved` and `nbytes`. The
    `position` of an edge is the number of the operand.
    """
    import networkx as nx  # imported where it is used: it takes longer than all of this package

    result = nx.MultiDiGraph(name=view.title)
    result.add_nodes_from(node_facts(view))
    result.add_edges_from(
        [
            (i, n.id, {"position": position})
            for n in view.nodes
            for position, i in enumerate(n.inputs)
        ]
    )
    return result


def node_facts(view: GraphView) -> Iterator[tuple[int, Facts]]:
    """The id of each node and the facts about it."""
    results: dict[int, list[int]] = {}
    for k, i in enumerate([*view.outputs, *(new for _, new in view.updates)]):
        results.setdefault(i, []).append(k)
    return ((n.id, facts(n, results)) for n in view.nodes)


def facts(n: NodeView, results: dict[int, list[int]]) -> Facts:
    """The facts about a node that it has."""
    result: Facts = {
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
