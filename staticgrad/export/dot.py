"""DOT, the language of Graphviz."""

from ..ir.graph import FrozenGraph, inner_graphs, require_frozen
from .drawing import DrawnNode, drawing

STYLES = {
    "input": 'shape=ellipse, fillcolor="#dbeafe"',
    "constant": 'shape=plaintext, fillcolor="#ffffff"',
    "forward": 'shape=box, fillcolor="#dcfce7"',
    "backward": 'shape=hexagon, fillcolor="#fee2e2"',
}


def to_dot(graph: FrozenGraph) -> str:
    """The graph in DOT: inputs are ellipses, forward nodes boxes, backward nodes hexagons.

    A dotted edge leads from a backward node to the forward node that caused it. The graphs of loops
    and branches stand in boxes of their own.

    >>> x = sg.placeholder("float32", [3], name="x")
    >>> print(sg.to_dot(sg.freeze([sg.exp(x)], [x])).splitlines()[0])
    digraph graph_ {
    """
    lines = ["digraph graph_ {", "  node [style=filled, fontname=Helvetica];"]
    for i, (each, name) in enumerate(inner_graphs(require_frozen("to_dot", graph)).items()):
        lines += [f"  subgraph cluster_{i} {{", f'    label="{escape(name)}";']
        lines += [*(f"  {line}" for line in graph_lines(each, f"n{i}_")), "  }"]
    lines += graph_lines(graph, "n")
    return "\n".join([*lines, "}"]) + "\n"


def graph_lines(graph: FrozenGraph, prefix: str) -> list[str]:
    """The nodes and edges of a graph, whose ids begin with `prefix`."""
    nodes, dotted = drawing(graph), "[style=dotted, arrowhead=none, constraint=false]"
    results = set(graph.results)
    lines = [node_line(n, prefix, e in results) for e, n in nodes.items()]
    lines += [f"  {prefix}{i} -> {prefix}{n.id};" for n in nodes.values() for i in n.inputs]
    caused = [n for n in nodes.values() if n.cause is not None]
    return lines + [f"  {prefix}{n.id} -> {prefix}{n.cause} {dotted};" for n in caused]


def node_line(n: DrawnNode, prefix: str, is_output: bool) -> str:
    """One node, with its type and line; results have a bold outline."""
    label = "\\n".join(map(escape, filter(None, [n.title, str(n.expr.type), n.line])))
    bold = ", penwidth=2" if is_output else ""
    return f'  {prefix}{n.id} [label="{label}", {STYLES[n.role]}{bold}];'


def escape(text: str) -> str:
    """Text inside DOT's quotes."""
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
