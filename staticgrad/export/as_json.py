"""JSON, for programs that look at graphs.

The document has `format` ("staticgrad-graph"), `version` (1), `inputs`, `outputs` and `updates`
(node ids; of an update, a variable and its new value), and `nodes`, each after its inputs, with
`id`, `name`, `op` (or the kind of leaf), `inputs`, `attrs`, `shape` (numbers and names), `dtype`,
`role` (input, constant, forward or backward), `cause` (the id of the forward node that a backward
node belongs to), `file` and `line`. Constants of at most 64 entries have `value`. `graphs` has the
graphs of loops, branches and functions by name, of the same form; attributes refer to them as
`{"graph": name}`.
"""

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from gradops import ArrayType, Dim
from gradops.core.source_location import line_number

from ..ir.expr import Kind
from ..ir.graph import FrozenGraph, inner_graphs, require_frozen
from .drawing import DrawnNode, drawing

Named = Mapping[FrozenGraph, str]
SHOWN = 64  # entries up to which a constant is written out


def to_json(graph: FrozenGraph) -> str:
    """The graph as JSON; the module's documentation describes the document.

    >>> import json
    >>> x = sg.placeholder("float32", ["batch", 3], name="x")
    >>> json.loads(sg.to_json(sg.freeze([x + 1], [x])))["nodes"][0]["shape"]
    ['batch', 3]
    """
    named = inner_graphs(require_frozen("to_json", graph))
    document = {
        "format": "staticgrad-graph",
        "version": 1,
        **graph_document(graph, named),
        "graphs": {name: graph_document(g, named) for g, name in named.items()},
    }
    return json.dumps(document, indent=1, allow_nan=False) + "\n"


def graph_document(graph: FrozenGraph, named: Named) -> dict[str, Any]:
    """The part of the document about a graph, or one inside it."""
    nodes = drawing(graph)
    return {
        "inputs": [nodes[e].id for e in graph.inputs],
        "outputs": [nodes[e].id for e in graph.outputs],
        "updates": [[nodes[v].id, nodes[new].id] for v, new in graph.updates],
        "nodes": [node_document(n, named) for n in nodes.values()],
    }


def node_document(n: DrawnNode, named: Named) -> dict[str, Any]:
    """The part of the document about a node."""
    e = n.expr
    result = {
        "id": n.id,
        "name": e.name,
        "op": e.what,
        "inputs": n.inputs,
        "attrs": {name: plain(value, named) for name, value in e.attrs.items()},
        "shape": plain(e.shape),
        "dtype": e.dtype.name,
        "role": n.role,
        "cause": n.cause,
        "file": None if e.place is None else e.place[0].co_filename,
        "line": None if e.place is None else line_number(e.place),
    }
    if e.kind is Kind.CONSTANT and e.value.size <= SHOWN:
        result["value"] = plain(e.value.tolist())
    elif e.kind is Kind.SIZE:
        result["value"] = str(e.value)
    return result


def plain(value: Any, named: Named = MappingProxyType({})) -> Any:
    """A value as JSON has it; a graph becomes its name, and others that JSON lacks become text."""
    if isinstance(value, tuple | list):
        return [plain(v, named) for v in value]
    if isinstance(value, FrozenGraph):
        return {"graph": named[value]}
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    return str(value) if isinstance(value, Dim | np.dtype | complex | ArrayType) else value
