"""Graphs in the formats of other tools: one function per format, all of the one model of pictures.

Each takes a frozen graph, a graph under construction, an executable, expressions, or a view that
`from_json` has read; `part` is "forward", "backward", which has the updates of variables too, or
"both".
"""

from typing import Any

from gradops.inspection.formats import as_json, dot, mermaid, networkx, svg, text, xml_graphs
from gradops.inspection.model import GraphView, PartName

from ..text import printer
from .freezable import frozen_graph
from .view import graph_view

__all__ = [
    "from_json", "to_dot", "to_gexf", "to_graphml", "to_json", "to_mermaid", "to_networkx",
    "to_svg", "to_text",
]  # fmt: skip


def view_of(call: str, graph: Any, part: PartName = "both") -> GraphView:
    """The view of what a user wants to see."""
    view = graph if isinstance(graph, GraphView) else graph_view(frozen_graph(call, graph))
    return view.part(part)


def to_text(
    graph: Any, lines: bool = True, aside: printer.Aside = None, *, arrays: bool = False,
    part: PartName = "both",
) -> str:  # fmt: skip
    """The graph as text that `parse` reads back; with `lines`, the user's line in a comment.

    The entries of a constant of more than 1,000 are left out, and the text then cannot be read
    back, unless `arrays` asks for all. If there is a list `aside`, the values of large constants
    are appended to it, and the text has their indices. A `part` is for people to read.

    >>> x = sg.placeholder("float32", ["batch"], name="x")
    >>> print(sg.to_text(sg.freeze([x * x], [x]), lines=False))
    graph(x: float32[batch])
      mul: float32[batch] = mul(x, x)
      return mul
    """
    if part == "both" and not isinstance(graph, GraphView):
        return printer.to_text(frozen_graph("to_text", graph), lines, aside, arrays=arrays)
    return text.to_text(view_of("to_text", graph, part), lines)


def to_dot(graph: Any, part: PartName = "both") -> str:
    """The graph in DOT, for Graphviz: leaves are ellipses, forward nodes boxes, backward hexagons.

    >>> x = sg.placeholder("float32", [3], name="x")
    >>> print(sg.to_dot(sg.freeze([sg.exp(x)], [x])).splitlines()[0])
    digraph graph_ {
    """
    return dot.to_dot(view_of("to_dot", graph, part))


def to_mermaid(graph: Any, part: PartName = "both", limit: int = mermaid.LIMIT) -> str:
    """The graph as a Mermaid flowchart, which Markdown pages show as a picture.

    Raises OptionError for more than `limit` nodes or edges: Mermaid refuses more than 500 edges.

    >>> x = sg.placeholder("float32", [3], name="x")
    >>> print(sg.to_mermaid(sg.freeze([sg.exp(x)], [x])).splitlines()[1])
      n0(["x<br>float32#91;3#93;"]):::input
    """
    return mermaid.to_mermaid(view_of("to_mermaid", graph, part), limit)


def to_json(graph: Any, part: PartName = "both") -> str:
    """The graph as JSON, which `from_json` reads back as a view.

    The document is described by the JSON schema `gradops/inspection/formats/schema.json`.

    >>> import json
    >>> x = sg.placeholder("float32", ["batch", 3], name="x")
    >>> json.loads(sg.to_json(sg.freeze([x + 1], [x])))["nodes"][0]["shape"]
    ['batch', 3]
    """
    return as_json.to_json(view_of("to_json", graph, part))


def from_json(document: str) -> GraphView:
    """The view of the graph or tape that `to_json` wrote, which other formats take.

    >>> x = sg.placeholder("float32", [3], name="x")
    >>> y = sg.exp(x)
    >>> view = sg.from_json(sg.to_json(y))
    >>> view.nodes[1].op, sg.to_dot(view) == sg.to_dot(y)
    ('exp', True)
    """
    return as_json.from_json(document)


def to_networkx(graph: Any, part: PartName = "both") -> Any:
    """The graph as a `networkx.MultiDiGraph` that has all facts of its nodes as words and numbers.

    The `position` of an edge is the number of the operand.

    >>> x = sg.placeholder("float32", [3], name="x")
    >>> view = sg.to_networkx(sg.freeze([1 - x], [x]))
    >>> sorted(view.nodes(data="op"))
    [(0, 'placeholder'), (1, 'constant'), (2, 'sub')]
    >>> sorted(view.edges(data="position"))
    [(0, 2, 1), (1, 2, 0)]
    """
    return networkx.to_networkx(view_of("to_networkx", graph, part))


def to_graphml(graph: Any, part: PartName = "both") -> str:
    """The graph as GraphML, which networkx, yEd and Gephi read.

    >>> x = sg.placeholder("float32", [3], name="x")
    >>> sg.to_graphml(sg.exp(x)).startswith("<?xml")
    True
    """
    return xml_graphs.to_graphml(view_of("to_graphml", graph, part))


def to_gexf(graph: Any, part: PartName = "both") -> str:
    """The graph as GEXF, which Gephi reads.

    >>> x = sg.placeholder("float32", [3], name="x")
    >>> "<gexf" in sg.to_gexf(sg.exp(x))
    True
    """
    return xml_graphs.to_gexf(view_of("to_gexf", graph, part))


def to_svg(graph: Any, part: PartName = "both") -> str:
    """The graph as a picture: forward at the left, backward at the right, updates beside it.

    Each backward node is on the row of the forward node that caused it.

    >>> x = sg.placeholder("float32", [3], name="x")
    >>> sg.to_svg(sg.exp(x)).startswith("<svg")
    True
    """
    return svg.to_svg(view_of("to_svg", graph, part))
