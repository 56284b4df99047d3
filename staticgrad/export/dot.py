"""DOT, the language of Graphviz."""

from ..ir.graph import FrozenGraph
from .drawing import Drawing, DrawnNode

STYLES = {
    "input": 'shape=ellipse, fillcolor="#dbeafe"',
    "constant": 'shape=plaintext, fillcolor="#ffffff"',
    "forward": 'shape=box, fillcolor="#dcfce7"',
    "backward": 'shape=hexagon, fillcolor="#fee2e2"',
}


def to_dot(graph: FrozenGraph) -> str:
    """The graph in DOT: inputs are ellipses, forward nodes boxes, backward nodes hexagons.

    A dotted edge leads from a backward node to the forward node that caused it.

    >>> x = sg.placeholder("float32", [3], name="x")
    >>> print(sg.to_dot(sg.freeze([sg.exp(x)], [x])).splitlines()[0])
    digraph graph_ {
    """
    drawing = Drawing(graph)
    lines = ["digraph graph_ {", "  node [style=filled, fontname=Helvetica];"]
    lines += [node_line(n, n.id in drawing.outputs) for n in drawing.nodes]
    lines += [f"  n{a} -> n{b};" for a, b in drawing.edges]
    lines += [
        f"  n{n.id} -> n{n.cause} [style=dotted, arrowhead=none, constraint=false];"
        for n in drawing.nodes
        if n.cause is not None
    ]
    return "\n".join([*lines, "}"]) + "\n"


def node_line(n: DrawnNode, is_output: bool) -> str:
    """One node, with its type and line; results have a bold outline."""
    label = "\\n".join(map(escaped, filter(None, [n.title, str(n.expr.type), n.line])))
    bold = ", penwidth=2" if is_output else ""
    return f'  n{n.id} [label="{label}", {STYLES[n.role]}{bold}];'


def escaped(text: str) -> str:
    """Text inside DOT's quotes."""
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
