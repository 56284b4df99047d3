"""JSON, for programs that look at graphs, and back; `schema.json` describes the document."""

import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from ...core.errors import GraphFormatError
from ..model import NOTHING, GraphView, NodeView, Role, Saved, SourceLine

FORMAT, VERSION = "staticgrad-graph", 2
Places = dict[SourceLine, int]
encode = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode


def schema() -> dict[str, Any]:
    """The JSON schema of the documents that `to_json` writes."""
    text = files(__package__).joinpath("schema.json").read_text(encoding="utf-8")
    result: dict[str, Any] = json.loads(text)
    return result


def to_json(view: GraphView) -> str:
    """The view as JSON, one node a line; `from_json` reads it back.

    Values of large arrays are there as a summary only.
    """
    places: Places = {}
    body = section(view, places)
    inner = ",\n".join(
        f"{encode(name)}: {{\n{section(g, places)}\n}}" for name, g in view.graphs.items()
    )
    lines = ",\n".join(encode([*p]) for p in places)
    return (
        f'{{"format": "{FORMAT}", "version": {VERSION},\n"kind": "{view.kind}",\n{body},\n'
        f'"graphs": {{{inner}}},\n"places": [\n{lines}\n]}}\n'
    )


def section(view: GraphView, places: Places) -> str:
    """The members of the document about a graph, or one inside it."""
    nodes = ",\n".join([encode(node_document(n, places)) for n in view.nodes])
    return (
        f'"title": {encode(view.title)},\n"inputs": {encode(view.inputs)},\n'
        f'"outputs": {encode(view.outputs)},\n"updates": {encode(view.updates)},\n'
        f'"nodes": [\n{nodes}\n]'
    )


def node_document(n: NodeView, places: Places) -> dict[str, Any]:
    """The members about a node; those that have nothing to say are left out."""
    result: dict[str, Any] = {"id": n.id, "name": n.name, "op": n.op, "role": n.role.value}
    if n.inputs:
        result["inputs"] = n.inputs
    if n.shape:
        result["shape"] = n.shape
    if n.dtype:
        result["dtype"] = n.dtype
    if n.nbytes is not None:
        result["nbytes"] = n.nbytes
    if n.scope:
        result["scope"] = n.scope
    if n.cause is not None:
        result["cause"] = n.cause
    if n.places:
        result["places"] = [places.setdefault(p, len(places)) for p in n.places]
    if n.attrs:
        result["attrs"] = dict(n.attrs)
    if n.outputs:
        result["outputs"] = n.outputs
    if n.graphs:
        result["graphs"] = n.graphs
    if n.saved:
        result["saved"] = n.saved
    if n.data is not None:
        result["value"] = n.value
    return result


def from_json(text: str) -> GraphView:
    """The view that `to_json` wrote; raises GraphFormatError for any other text.

    >>> from gradops.inspection.formats.as_json import from_json, to_json
    >>> from gradops.inspection.model import GraphView, NodeView, Role
    >>> x, y = NodeView(0, "x", "placeholder", role=Role.INPUT), NodeView(1, "y", "exp", (0,))
    >>> view = GraphView("graph", "graph", (x, y), (0,), (1,))
    >>> from_json(to_json(view)) == view
    True
    """
    try:
        document = json.loads(text)
        if document["format"] != FORMAT or document["version"] != VERSION:
            raise ValueError(f"it is {document['format']!r} {document['version']!r}")
        places = [
            SourceLine(str(f), int(line), str(g), str(t)) for f, line, g, t in document["places"]
        ]
        kind = document["kind"]
        graphs = {str(k): view_of(g, kind, places) for k, g in document["graphs"].items()}
        return view_of(document, kind, places, graphs)
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError) as error:
        raise GraphFormatError(
            f"the text is not a graph as to_json writes it, version {VERSION}: {error!r}"
        ) from error


def view_of(
    document: Mapping[str, Any], kind: Any, places: list[SourceLine],
    graphs: Mapping[str, GraphView] = NOTHING,
) -> GraphView:  # fmt: skip
    """The view that members of a document describe."""
    if kind not in ("graph", "tape"):
        raise ValueError(f"kind {kind!r}")
    nodes = tuple([node_of(d, places) for d in document["nodes"]])
    known: set[int] = set()
    for n in nodes:
        if not known.issuperset(n.inputs) or n.id in known:
            raise ValueError(f"node {n.id} reads a later one, or is there twice")
        known.add(n.id)
    inputs, outputs = tuple(map(int, document["inputs"])), tuple(map(int, document["outputs"]))
    updates = tuple([(int(v), int(new)) for v, new in document["updates"]])
    if not known.issuperset([*inputs, *outputs, *(i for pair in updates for i in pair)]):
        raise ValueError("a result is not a node")
    if not graphs.keys() >= {name for n in nodes for name in n.graphs} and "graphs" in document:
        raise ValueError("a graph inside is missing")
    return GraphView(str(document["title"]), kind, nodes, inputs, outputs, updates, graphs)


def node_of(d: Mapping[str, Any], places: list[SourceLine]) -> NodeView:
    """The node that a document describes."""
    cause, nbytes, value = d.get("cause"), d.get("nbytes"), d.get("value")
    return NodeView(
        int(d["id"]), str(d["name"]), str(d["op"]), tuple(map(int, d.get("inputs", ()))),
        tuple([n if type(n) is int else str(n) for n in d.get("shape", ())]),
        str(d.get("dtype", "")), Role(d["role"]), str(d.get("scope", "")),
        None if cause is None else int(cause),
        tuple([places[i] for i in d.get("places", ())]),
        {str(k): str(v) for k, v in d["attrs"].items()} if "attrs" in d else NOTHING,
        None if nbytes is None else int(nbytes),
        tuple(map(str, d.get("outputs", ()))), tuple(map(str, d.get("graphs", ()))),
        tuple([Saved(str(name), int(n)) for name, n in d.get("saved", ())]),
        None if value is None else str(value),
    )  # fmt: skip
